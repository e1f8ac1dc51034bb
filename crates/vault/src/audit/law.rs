//! Likelihood ratios of released values, from the laws that events state.
#![expect(clippy::cast_precision_loss, reason = "a loss is an estimate that no release depends on")]

use crate::account::{Mechanism, Smoothing};
use crate::vault::Exact;

/// Points and weights of Gauss-Legendre quadrature with eight points on `[-1/2, 1/2]`; each stands
/// for itself and its mirror image.
const QUADRATURE: [(f64, f64); 4] = [
    (0.091_717_321_247_824_9, 0.181_341_891_689_181),
    (0.262_766_204_958_164_5, 0.156_853_322_938_943_6),
    (0.398_333_238_706_813_4, 0.111_190_517_226_687_2),
    (0.480_144_928_248_768_1, 0.050_614_268_145_188_13),
];
/// Below this scale, in units of the lattice, the mass of a cell is a difference of error
/// functions.
const NARROW: f64 = 2.0;

/// Returns `ln P(values | neighbour) - ln P(values | table)`, and the distance of the exact answers
/// as a share of what was charged. `None` if the answers do not fit the mechanism.
pub(super) fn loss(mechanism: Mechanism, table: &Exact, neighbour: &Exact, values: &[i64]) -> Option<(f64, f64)> {
    match mechanism {
        Mechanism::RoundedGaussian { squared_sensitivity, sigma } => {
            let sigma = sigma.to_f64();
            let shifts = shifts(table, neighbour, values)?;
            let loss = shifts.iter().map(|&(own, other)| ln_cell(other, sigma) - ln_cell(own, sigma)).sum();
            let squared: f64 = shifts.iter().map(|(own, other)| (own - other) * (own - other)).sum();
            Some((loss, (squared / squared_sensitivity as f64).sqrt()))
        }
        Mechanism::DiscreteLaplace { sensitivity, scale } => {
            let shifts = shifts(table, neighbour, values)?;
            let loss: f64 = shifts.iter().map(|(own, other)| own.abs() - other.abs()).sum();
            let moved: f64 = shifts.iter().map(|(own, other)| (own - other).abs()).sum();
            Some((loss / scale.to_f64(), moved / sensitivity as f64))
        }
        Mechanism::Exponential { sensitivity, epsilon } => {
            let (Exact::Scores(own), Exact::Scores(other)) = (table, neighbour) else { return None };
            let &[selected] = values else { return None };
            let selected = usize::try_from(selected).ok().filter(|&index| index < own.len() && index < other.len())?;
            let unit = epsilon.to_f64() / (2.0 * sensitivity as f64);
            let shift = ln_sum(other, unit) - ln_sum(own, unit);
            let moved = |index: usize| unit * (other[index] - own[index]) as f64;
            let (least, most) = (0..own.len())
                .map(moved)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), at| (least.min(at), most.max(at)));
            Some((moved(selected) - shift, (most - least) / epsilon.to_f64()))
        }
        Mechanism::SmoothedHistogram(smoothing) => {
            let (Exact::Counts(own), Exact::Counts(other)) = (table, neighbour) else { return None };
            let ln_ratio = |&cell: &i64| {
                let cell = usize::try_from(cell).ok()?;
                Some(libm::log(density(smoothing, *other.get(cell)?) / density(smoothing, *own.get(cell)?)))
            };
            let loss = values.iter().map(ln_ratio).sum::<Option<f64>>()?;
            let moved: u64 = own.iter().zip(other).map(|(own, other)| own.abs_diff(*other)).sum();
            Some((loss, moved as f64 / (2.0 * f64::from(smoothing.unit.get()))))
        }
        Mechanism::ThresholdedGaussian { .. } => None,
    }
}

/// Returns, for every answer that differs between the tables, how far the released value is above
/// it under each. Other answers cancel.
fn shifts(table: &Exact, neighbour: &Exact, values: &[i64]) -> Option<Vec<(f64, f64)>> {
    // Differences are computed as integers: both numbers may exceed 2^53.
    let shift =
        |value: i64, own: i128, other: i128| ((i128::from(value) - own) as f64, (i128::from(value) - other) as f64);
    match (table, neighbour) {
        (Exact::Counts(own), Exact::Counts(other)) if own.len() == other.len() && own.len() == values.len() => {
            let differing = own.iter().zip(other).zip(values).filter(|((own, other), _)| own != other);
            Some(differing.map(|((&own, &other), &value)| shift(value, own.into(), other.into())).collect())
        }
        (Exact::Scores(own), Exact::Scores(other)) if own.len() == other.len() && own.len() == values.len() => {
            let differing = own.iter().zip(other).zip(values).filter(|((own, other), _)| own != other);
            Some(differing.map(|((&own, &other), &value)| shift(value, own, other)).collect())
        }
        _ => None,
    }
}

/// Returns the logarithm of the probability that `floor(sigma N + 1/2)` is `z`, up to a constant
/// that depends on `sigma` alone.
fn ln_cell(z: f64, sigma: f64) -> f64 {
    // The law is symmetric but for the ends of the cells, which have no mass.
    let z = z.abs();
    if sigma < NARROW {
        // Both ends are on the side where `erfc` keeps its digits, or the cell contains zero.
        let tail = |x: f64| libm::erfc(x / (sigma * std::f64::consts::SQRT_2)) / 2.0;
        let mass = tail(z - 0.5) - tail(z + 0.5);
        // The constant: the width of the cell over sigma times the root of 2 pi.
        if mass > f64::MIN_POSITIVE {
            return libm::log(mass * sigma * libm::sqrt(2.0 * std::f64::consts::PI));
        }
        // Beyond 38 deviations only the nearer end counts.
        let near = z - 0.5;
        return -near * near / (2.0 * sigma * sigma) + libm::log(sigma * sigma / near);
    }
    let density = |t: f64| libm::exp(-(2.0 * z * t + t * t) / (2.0 * sigma * sigma));
    let mass: f64 = QUADRATURE.iter().map(|&(point, weight)| weight * (density(point) + density(-point))).sum();
    -z * z / (2.0 * sigma * sigma) + libm::log(mass)
}

/// Returns `ln` of the sum of `e^(unit q)` over all scores `q`, relative to the first score.
fn ln_sum(scores: &[i128], unit: f64) -> f64 {
    let largest = scores.iter().copied().max().unwrap_or(0);
    // Relative to the largest score of this table, and then to zero: differences between tables
    // are of a few lattice units, so this loses nothing that counts.
    let sum: f64 = scores.iter().map(|&score| libm::exp(unit * (score - largest) as f64)).sum();
    unit * largest as f64 + libm::log(sum)
}

/// Returns the probability of a cell with `count` rows, times the number of rows.
fn density(smoothing: Smoothing, count: u64) -> f64 {
    let share = f64::from(smoothing.smoothing.get()) / 2_f64.powi(32);
    let rows = smoothing.rows.max(1) as f64;
    (1.0 - share) * count as f64 + share * rows / smoothing.cells.get() as f64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "numbers to compare exact ones with")]

    use std::num::{NonZeroU32, NonZeroU64};

    use super::*;
    use crate::account::{LaplaceScale, SelectionEpsilon, Sigma};

    fn gaussian(sigma: f64) -> Mechanism {
        Mechanism::RoundedGaussian { squared_sensitivity: 4, sigma: Sigma::at_least(sigma).unwrap() }
    }

    #[test]
    fn a_large_scale_has_the_ratio_of_the_normal_density() {
        let (table, neighbour) = (Exact::Counts(vec![7, 3]), Exact::Counts(vec![7, 4]));
        let (loss, used) = loss(gaussian(1000.0), &table, &neighbour, &[900, 503]).unwrap();
        // (500² - 499²) / (2 1000²)
        assert!((loss - 999.0 / 2e6).abs() < 1e-10, "{loss}");
        assert!((used - 0.5).abs() < 1e-12);
    }

    #[test]
    fn small_scales_have_the_ratio_of_the_masses_of_cells() {
        let normal = |x: f64| libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0;
        for sigma in [0.4, 1.0, 1.9, 2.1, 5.0] {
            let sigma = Sigma::at_least(sigma).unwrap().to_f64();
            // In the lower tail, where no digits cancel.
            let mass = |z: f64| normal((0.5 - z.abs()) / sigma) - normal((-0.5 - z.abs()) / sigma);
            for z in [-2, -1, 0, 1, 2, 3] {
                let mechanism = gaussian(sigma);
                let (loss, _) = loss(mechanism, &Exact::Scores(vec![0]), &Exact::Scores(vec![1]), &[z]).unwrap();
                let due = (mass(z as f64 - 1.0) / mass(z as f64)).ln();
                assert!((loss - due).abs() < 1e-9 * due.abs().max(1.0), "sigma {sigma}, {z}: {loss} for {due}");
            }
        }
    }

    #[test]
    fn both_forms_of_a_cell_agree_where_they_meet() {
        for z in 0..40 {
            let z = f64::from(z) / 2.0;
            let (narrow, wide) = (ln_cell(z, NARROW - 1e-12), ln_cell(z, NARROW));
            assert!((narrow - wide).abs() < 1e-7, "{z}: {narrow} {wide}");
        }
    }

    #[test]
    fn a_value_far_out_has_a_finite_loss() {
        let (loss, _) = loss(gaussian(0.5), &Exact::Counts(vec![0]), &Exact::Counts(vec![1]), &[60]).unwrap();
        // Each step towards the value is worth about (2 z - 2) / (2 sigma²).
        assert!((loss - 236.0).abs() < 3.0, "{loss}");
    }

    #[test]
    fn laplace_noise_loses_its_distance_over_the_scale() {
        let mechanism = Mechanism::DiscreteLaplace { sensitivity: 2, scale: LaplaceScale::at_least(4.0).unwrap() };
        let (table, neighbour) = (Exact::Counts(vec![5, 5]), Exact::Counts(vec![6, 4]));
        assert_eq!(loss(mechanism, &table, &neighbour, &[9, 0]), Some((0.5, 1.0)));
        assert_eq!(loss(mechanism, &table, &neighbour, &[9, 9]), Some((0.0, 1.0)));
    }

    #[test]
    fn a_selection_loses_the_ratio_of_its_probabilities() {
        let epsilon = SelectionEpsilon::of_square(&4_u8.into(), &1_u8.into()).unwrap();
        let mechanism = Mechanism::Exponential { sensitivity: 3, epsilon };
        let (own, other) = ([10_i128, 4, -2], [13_i128, 1, -2]);
        let unit = epsilon.to_f64() / 6.0;
        let probability = |scores: &[i128; 3], at: usize| {
            let weights = scores.map(|score| (unit * score as f64).exp());
            weights[at] / weights.iter().sum::<f64>()
        };
        for selected in 0..3 {
            let (table, neighbour) = (Exact::Scores(own.to_vec()), Exact::Scores(other.to_vec()));
            let (loss, used) = loss(mechanism, &table, &neighbour, &[i64::try_from(selected).unwrap()]).unwrap();
            let due = (probability(&other, selected) / probability(&own, selected)).ln();
            assert!((loss - due).abs() < 1e-12, "{loss} {due}");
            assert!((used - 1.0).abs() < 1e-12, "{used}");
        }
    }

    #[test]
    fn drawn_rows_lose_the_ratio_of_their_cells() {
        let smoothing = Smoothing {
            cells: NonZeroU64::new(2).unwrap(),
            unit: NonZeroU32::MIN,
            rows: 4,
            drawn: NonZeroU64::new(3).unwrap(),
            smoothing: NonZeroU32::new(1 << 31).unwrap(),
        };
        let (table, neighbour) = (Exact::Counts(vec![4, 0]), Exact::Counts(vec![3, 1]));
        let (loss, used) = loss(Mechanism::SmoothedHistogram(smoothing), &table, &neighbour, &[0, 0, 1]).unwrap();
        // Probabilities 3/4 and 1/4 become 5/8 and 3/8.
        assert!((loss - (2.0 * (5.0_f64 / 6.0).ln() + 1.5_f64.ln())).abs() < 1e-12, "{loss}");
        assert!((used - 1.0).abs() < 1e-12);
    }
}
