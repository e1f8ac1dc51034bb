//! Lower bounds: their hard tables, and real mechanisms that do not beat them.

use std::num::NonZeroU32;

use scumble_mechanisms::theory::{Conditional, FailureProbability, Generator, Network};
use scumble_schema::{AdjacencyKind, Domain};

use super::network::Joint;
use super::{count, goal, laplace, lower, normalise, total_variation};

/// The tables of the packing and of the pairs are as far from each other and as near to their
/// neighbour as the proof says.
#[test]
fn hard_tables_are_as_the_proofs_say() {
    let (cells, rows, moved) = (5_usize, 7.0, 3.0);
    let table = |cell: usize| {
        let mut counts = vec![0.0; cells];
        counts[0] += rows - moved;
        counts[cell] += moved;
        counts
    };
    let mut without = vec![0.0; cells];
    without[0] = rows - moved;
    for left in 0..cells {
        assert!((2.0 * total_variation(&table(left), &without) - moved).abs() < 1e-12, "rows to add");
        assert!(total_variation(&table(left), &table(0)) <= moved, "rows to replace");
        for right in 0..left {
            assert!((total_variation(&table(left), &table(right)) - moved).abs() < 1e-12);
        }
    }
    // All 2^3 tables of three pairs; whatever is guessed wrong costs `moved / 2` rows of total
    // variation.
    let pairs = |sides: u32| -> Vec<f64> {
        let pair = |pair: u32| if sides >> pair & 1 == 0 { [moved, 0.0] } else { [0.0, moved] };
        (0..3).flat_map(pair).collect()
    };
    for truth in 0..8_u32 {
        for answer in 0..8_u32 {
            let wrong = f64::from((truth ^ answer).count_ones());
            // The cheapest answer that makes this guess: halfway, where wrong.
            let halfway: Vec<f64> = pairs(truth).iter().zip(&pairs(answer)).map(|(a, b)| (a + b) / 2.0).collect();
            assert!((total_variation(&halfway, &pairs(truth)) - wrong * moved / 2.0).abs() < 1e-12);
        }
    }
}

/// Every number of units proves something; the one that is used proves most.
#[test]
fn bisection_finds_the_best_number_of_units() {
    for (epsilon, delta) in [(0.03, 0.0), (0.3, 0.0), (2.0, 0.0), (0.3, 1e-3), (0.05, 1e-5)] {
        for unit in [1_u32, 3] {
            let generator = Generator {
                max_contributions: NonZeroU32::new(unit).unwrap(),
                ..lower(AdjacencyKind::ReplaceOne, goal(epsilon, delta), 900)
            };
            let cells = 50_u32;
            let proofs = |units: u32, most: u32| (units * unit <= most).then_some(f64::from(units));
            let share = |units: f64| units * f64::from(unit) / 900.0;
            let group = |units: f64| delta * units * ((units - 1.0) * epsilon).exp();
            let packing = (1..=900)
                .filter_map(|units| proofs(units, 900))
                .map(|units| 0.5 * share(units) * (1.0 - (units * epsilon).exp() / f64::from(cells) - group(units)));
            let pairs = (1..=900)
                .filter_map(|units| proofs(units, 900 / 25))
                .map(|units| 0.5 * 25.0 * share(units) * (1.0 - group(units)) / (1.0 + (units * epsilon).exp()));
            let best = packing.chain(pairs).fold(0.0, f64::max);
            assert!((generator.table(u64::from(cells)) - best).abs() < 1e-12, "{epsilon} {delta} {unit}");
        }
    }
}

/// All tables of `rows` rows over `cells` cells, rows in order.
fn all_tables(cells: usize, rows: usize) -> Vec<Vec<usize>> {
    Joint::rows(&vec![cells; rows])
}

fn frequencies(table: &[usize], cells: usize) -> Vec<f64> {
    let mut counts = vec![0.0; cells];
    for &cell in table {
        counts[cell] += 1.0;
    }
    normalise(&counts)
}

/// The exact mean error on every table when each row is kept with odds `e^odds` against each other
/// cell: randomised response, `odds`-differentially private if rows are replaced.
fn randomised_response(cells: usize, rows: usize, odds: f64) -> Vec<f64> {
    let others = f64::from(u32::try_from(cells).unwrap() - 1);
    let keep = 1.0 / (1.0 + others * (-odds).exp());
    let tables = all_tables(cells, rows);
    let error = |truth: &Vec<usize>| {
        let weighted = |answer: &Vec<usize>| {
            let chance = |(row, answered)| if row == answered { keep } else { (1.0 - keep) / others };
            let chance: f64 = truth.iter().zip(answer).map(chance).product();
            chance * total_variation(&frequencies(answer, cells), &frequencies(truth, cells))
        };
        tables.iter().map(weighted).sum()
    };
    tables.iter().map(error).collect()
}

#[test]
fn randomised_response_does_not_beat_the_lower_bounds_and_a_leak_does() {
    for (cells, rows) in [(2, 1), (40, 1), (9, 2), (6, 3), (4, 4)] {
        for epsilon in [0.1, 0.7, 1.5] {
            let size = u64::try_from(cells).unwrap();
            let generator = lower(AdjacencyKind::ReplaceOne, goal(epsilon, 0.0), u64::try_from(rows).unwrap());
            let domain = Domain::new(vec![u32::try_from(cells).unwrap()]).unwrap();
            let bounds = [generator.table(size), generator.any_structure(&domain)];
            let error_of = |odds: f64| {
                let errors = randomised_response(cells, rows, odds);
                let mean = errors.iter().sum::<f64>() / f64::from(u32::try_from(errors.len()).unwrap());
                [errors.into_iter().fold(0.0, f64::max), mean]
            };
            let (private, leak) = (error_of(epsilon), error_of(40.0));
            for (index, bound) in bounds.into_iter().enumerate() {
                assert!(private[index] >= bound, "{cells} {rows} {epsilon}: {private:?} < {bounds:?}");
                assert!(
                    bound == 0.0 || leak[index] < bound,
                    "{cells} {rows} {epsilon}: what is not private may be good"
                );
            }
            assert!(bounds[0] > 0.0, "the bound of one table says something");
        }
    }
}

#[test]
fn randomised_response_is_the_best_release_of_one_row() {
    // The exact optimum is (N - 1) / (e^epsilon + N - 1).
    let generator = lower(AdjacencyKind::ReplaceOne, goal(1.0, 0.0), 1);
    let bound = generator.any_structure(&Domain::new(vec![1000]).unwrap());
    let optimum = 999.0 / (1_f64.exp() + 999.0);
    assert!(bound <= optimum && optimum - bound < 1e-5, "{bound} {optimum}");
    assert!((randomised_response(40, 1, 1.0)[0] - 39.0 / (1_f64.exp() + 39.0)).abs() < 1e-12);
}

#[test]
fn laplace_noise_on_two_cells_does_not_beat_the_lower_bound() {
    // The exact mean error, by summing over all noise that matters.
    let error = |scale: f64, counts: [f64; 2]| {
        let ratio = (-1.0 / scale).exp();
        let probability = |z: i32| (1.0 - ratio) / (1.0 + ratio) * ratio.powi(z.abs());
        let truth = normalise(&counts);
        let outcomes = (-99..=99).flat_map(|first| (-99..=99).map(move |second| [first, second]));
        let weighted = |[first, second]: [i32; 2]| {
            let noisy = [counts[0] + f64::from(first), counts[1] + f64::from(second)];
            probability(first) * probability(second) * total_variation(&normalise(&noisy), &truth)
        };
        outcomes.map(weighted).sum::<f64>()
    };
    for epsilon in [0.3, 1.0, 2.0] {
        for rows in [3_u32, 8] {
            let bound = lower(AdjacencyKind::AddRemove, goal(epsilon, 0.0), u64::from(rows)).table(2);
            let worst = |scale: f64| {
                let tables = (0..=rows).map(|first| [f64::from(first), f64::from(rows - first)]);
                tables.map(|counts| error(scale, counts)).fold(0.0, f64::max)
            };
            assert!(bound > 0.0 && worst(1.0 / epsilon) >= bound, "{epsilon} {rows}");
            assert!(worst(0.1 / epsilon) < bound, "{epsilon} {rows}: a tenth of the noise would do better");
        }
    }
}

#[test]
fn extremes_are_numbers() {
    let domain = Domain::new(vec![1000; 40]).unwrap();
    for privacy in [goal(1e6, 0.5), goal(1e-9, 0.0), goal(1e6, 0.0), goal(1e-9, 1e-300)] {
        for neighbours in [AdjacencyKind::AddRemove, AdjacencyKind::ReplaceOne] {
            for rows in [1, u64::MAX] {
                let generator = lower(neighbours, privacy, rows);
                let tables = [Conditional { child: count(u64::MAX), parents: count(u64::MAX) }];
                let bounds = [
                    generator.table(1),
                    generator.table(u64::MAX),
                    generator.network(&domain, &tables),
                    generator.any_structure(&domain),
                ];
                assert!(bounds.iter().all(|bound| (0.0..=1.0).contains(bound)), "{generator:?}: {bounds:?}");
                let network = Network { conditionals: &tables, rows: count(rows), noise: laplace(1e9) };
                for distance in [network.expected(), network.within(FailureProbability::new(1e-300).unwrap())] {
                    assert!((0.0..=1.0).contains(&distance.total_variation) && distance.l2 >= 0.0);
                }
            }
        }
    }
    for probability in [0.0, 1.0, -0.1, f64::NAN] {
        assert!(FailureProbability::new(probability).is_none());
    }
}
