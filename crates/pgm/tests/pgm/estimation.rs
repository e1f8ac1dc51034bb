//! Fits are the nearest distributions, with any search and from any start.

use crate::brute_force;
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{
    Estimate, Estimator, Measurement, ModelError, Search, Stop, Stopped, StructuralZeros, Total, simplex,
};
use scumble_schema::{AttributeId, Clique, Domain};

const ROWS: f64 = 1000.0;

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().map(|&index| AttributeId::new(index)))
}

/// Draws nearly Gaussian noise.
fn noise(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Returns noisy tables of a skewed distribution, in which many cells are nearly empty.
fn noisy(domain: &Domain, tables: &[(&[usize], f64)], seed: u64) -> Vec<Measurement> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut weights = Vec::new();
    brute_force::for_rows(domain, |_| weights.push(rng.random::<f64>().powi(8)));
    let joint = simplex::clip_and_normalise(&weights);
    let measurement = |&(attributes, standard_deviation): &(&[usize], f64)| {
        let clique = clique(attributes);
        let exact = brute_force::marginal(domain, &joint, &clique);
        let values = exact.iter().map(|share| ROWS * share + standard_deviation * noise(&mut rng)).collect();
        Measurement::new(domain, clique, values, standard_deviation).expect("a whole table")
    };
    tables.iter().map(measurement).collect()
}

fn loss(domain: &Domain, counts: &[f64], measurements: &[Measurement]) -> f64 {
    let of_table = |table: &Measurement| {
        let squares = brute_force::marginal(domain, counts, table.clique())
            .iter()
            .zip(table.values())
            .map(|(count, value)| ((count - value) / table.standard_deviation()).powi(2))
            .sum::<f64>();
        0.5 * squares
    };
    measurements.iter().map(of_table).sum()
}

/// Returns the least loss of any non-negative counts of all rows with this total, by projected
/// gradient descent with momentum on every row of the domain. Slow, and unlike the tested methods.
fn least_loss(domain: &Domain, measurements: &[Measurement], total: f64, possible: impl Fn(&[u32]) -> bool) -> f64 {
    let mut rows = Vec::new();
    brute_force::for_rows(domain, |row| rows.push(row.to_vec()));
    let onto = |counts: &[f64]| -> Vec<f64> {
        let open: Vec<usize> = (0..rows.len()).filter(|&row| possible(&rows[row])).collect();
        let nearest = simplex::project(&open.iter().map(|&row| counts[row]).collect::<Vec<_>>(), total);
        let mut projected = vec![0.0; rows.len()];
        open.iter().zip(nearest).for_each(|(&row, share)| projected[row] = total * share);
        projected
    };
    // The curvature is at most the sum of all tables' precisions times the rows per cell.
    let cells = |table: &Measurement| rows.len() as f64 / table.values().len() as f64;
    let steepest: f64 = measurements.iter().map(|table| cells(table) / table.standard_deviation().powi(2)).sum();
    let mut counts = onto(&vec![0.0; rows.len()]);
    let (mut ahead, mut momentum) = (counts.clone(), 1.0_f64);
    for _ in 0..20_000 {
        let mut gradient = vec![0.0; rows.len()];
        for table in measurements {
            let marginal = brute_force::marginal(domain, &ahead, table.clique());
            for (slope, row) in gradient.iter_mut().zip(&rows) {
                let cell = brute_force::cell(domain, table.clique(), row);
                *slope += (marginal[cell] - table.values()[cell]) / table.standard_deviation().powi(2);
            }
        }
        let moved: Vec<f64> = ahead.iter().zip(&gradient).map(|(count, slope)| count - slope / steepest).collect();
        let next = onto(&moved);
        let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let carry = (momentum - 1.0) / next_momentum;
        ahead = next.iter().zip(&counts).map(|(new, old)| new + carry * (new - old)).collect();
        (counts, momentum) = (next, next_momentum);
    }
    loss(domain, &counts, measurements)
}

/// Returns the loss of an estimate, from its model alone.
fn loss_of(estimate: &Estimate, measurements: &[Measurement]) -> f64 {
    let domain = estimate.model.domain();
    let mut counts = Vec::new();
    brute_force::for_rows(domain, |row| counts.push(estimate.model.total() * estimate.model.probability(row)));
    loss(domain, &counts, measurements)
}

fn small() -> (Domain, Vec<Measurement>) {
    let domain = Domain::new(vec![3, 4, 2, 3]).expect("small");
    // A cycle, a table inside another, and three scales of noise.
    let tables: [(&[usize], f64); 6] =
        [(&[0, 1], 8.0), (&[1, 2], 20.0), (&[2, 3], 8.0), (&[0, 3], 14.0), (&[1], 5.0), (&[0, 1, 2], 20.0)];
    let measurements = noisy(&domain, &tables, 1);
    (domain, measurements)
}

const TO_THE_END: Stop = Stop { at_noise: None, settled: 1e-7, passes: 100_000 };

#[test]
fn both_searches_reach_the_least_loss() {
    let (domain, measurements) = small();
    let least = least_loss(&domain, &measurements, ROWS, |_| true);
    for search in [Search::Proximal, Search::MirrorDescent] {
        let estimator = Estimator::new(domain.clone()).total(Total::Fixed(ROWS)).search(search).stop(TO_THE_END);
        let estimate = estimator.estimate(&measurements).expect("small");
        assert!((loss_of(&estimate, &measurements) / estimate.loss - 1.0).abs() < 1e-9, "{search:?} reports its loss");
        let above = estimate.loss / least - 1.0;
        assert!((-1e-7..1e-4).contains(&above), "{search:?}: {above} above {least}");
        assert!((estimate.model.total() - ROWS).abs() < 1e-9);
    }
}

#[test]
fn the_default_search_needs_a_tenth_of_the_passes_of_mirror_descent() {
    let (domain, measurements) = small();
    let estimator = Estimator::new(domain).total(Total::Fixed(ROWS));
    let thousand = Stop { at_noise: None, settled: 0.0, passes: 1000 };
    let slow = estimator.clone().search(Search::MirrorDescent).stop(thousand).estimate(&measurements).expect("small");
    let as_good = Stop { at_noise: Some(slow.loss / slow.noise_level), ..thousand };
    let fast = estimator.stop(as_good).estimate(&measurements).expect("small");
    assert_eq!(fast.stopped, Stopped::AtNoise);
    assert!(fast.passes <= 100, "{} passes", fast.passes);
}

#[test]
fn a_free_total_is_the_best_of_all_totals() {
    let (domain, measurements) = small();
    for search in [Search::Proximal, Search::MirrorDescent] {
        let free = Estimator::new(domain.clone()).search(search).stop(TO_THE_END);
        let free = free.estimate(&measurements).expect("small");
        let total = free.model.total();
        assert!((total / ROWS - 1.0).abs() < 0.2);
        for other in [0.97 * total, 0.999 * total, 1.001 * total, 1.03 * total] {
            let fixed = Estimator::new(domain.clone()).total(Total::Fixed(other)).stop(TO_THE_END);
            let fixed = fixed.estimate(&measurements).expect("small");
            assert!(free.loss < fixed.loss + 1e-4, "{search:?}: {} at {total}, {} at {other}", free.loss, fixed.loss);
        }
    }
}

#[test]
fn tables_without_noise_are_reproduced() {
    let domain = Domain::new(vec![3, 4, 2, 3]).expect("small");
    let exact = noisy(&domain, &[(&[0, 1], 1e-9), (&[1, 2], 1e-9), (&[0, 2, 3], 1e-9)], 2);
    let as_if_noisy: Vec<Measurement> = exact
        .iter()
        .map(|table| Measurement::new(&domain, table.clique().clone(), table.values().to_vec(), 0.01).expect("whole"))
        .collect();
    let estimate = Estimator::new(domain).stop(TO_THE_END).estimate(&as_if_noisy).expect("small");
    for table in &as_if_noisy {
        let marginal = estimate.model.marginal(table.clique()).expect("small");
        let counts: Vec<f64> = marginal.values().iter().map(|share| share * estimate.model.total()).collect();
        assert!(brute_force::distance(&counts, table.values()) < 0.01);
    }
}

#[test]
fn estimation_stops_at_the_noise_level_when_asked_to() {
    let (domain, measurements) = small();
    let fit = |at_noise| {
        let stop = Stop { at_noise, ..Stop::default() };
        Estimator::new(domain.clone()).search(Search::MirrorDescent).stop(stop).estimate(&measurements).expect("small")
    };
    let (early, late) = (fit(Some(1.0)), fit(None));
    // Half a unit per measured cell.
    assert!((early.noise_level - 0.5 * f64::from(12 + 8 + 6 + 9 + 4 + 24)).abs() < 1e-12);
    assert_eq!((early.stopped, late.stopped), (Stopped::AtNoise, Stopped::Settled));
    assert!(early.loss <= early.noise_level && early.loss > 0.5 * early.noise_level);
    assert!(late.loss < early.loss && early.passes < late.passes);
}

#[test]
fn a_search_that_has_settled_has_little_left_to_gain() {
    let (domain, measurements) = small();
    for search in [Search::Proximal, Search::MirrorDescent] {
        let estimator = Estimator::new(domain.clone()).search(search);
        let settled = estimator.clone().stop(Stop::default()).estimate(&measurements).expect("small");
        let further = estimator.clone().stop(TO_THE_END).estimate(&measurements).expect("small");
        assert_eq!(settled.stopped, Stopped::Settled);
        assert!(settled.passes < further.passes);
        // The remaining gain is less than a hundred times what a check of progress notices.
        assert!(settled.loss - further.loss < 0.1 * settled.noise_level, "{search:?}");
        let cut = Stop { passes: 5, ..Stop::default() };
        let cut = estimator.stop(cut).estimate(&measurements).expect("small");
        assert_eq!(cut.stopped, Stopped::OutOfPasses);
        assert!(cut.loss > settled.loss && cut.passes <= 8, "{search:?}: {} passes", cut.passes);
    }
}

#[test]
fn a_warm_start_saves_passes_and_ends_at_the_same_loss() {
    let domain = Domain::new(vec![7; 6]).expect("small");
    // Triples around a ring: every table contradicts its neighbours a little.
    let ring: Vec<Vec<usize>> = (0..6).map(|first| vec![first, (first + 1) % 6, (first + 2) % 6]).collect();
    let tables: Vec<(&[usize], f64)> = ring.iter().map(|triple| (triple.as_slice(), 4.0)).collect();
    let all = noisy(&domain, &tables, 3);
    let estimator = Estimator::new(domain.clone());
    let earlier = estimator.estimate(&all[..5]).expect("small");
    let cold = estimator.estimate(&all).expect("small");
    let warm = estimator.estimate_from(&all, &earlier).expect("small");
    assert!(warm.passes < cold.passes, "{} against {}", warm.passes, cold.passes);
    assert!((warm.loss - cold.loss).abs() < 0.01 * cold.noise_level, "{} against {}", warm.loss, cold.loss);
    let again = estimator.estimate_from(&all, &cold).expect("small");
    assert!(again.passes < warm.passes && again.loss <= cold.loss * (1.0 + 1e-9));
    // A start from other noise: nothing of it may be left in the fit.
    let fresh = noisy(&domain, &tables, 4);
    let (cold, warm) = (estimator.estimate(&fresh), estimator.estimate_from(&fresh, &cold));
    let (cold, warm) = (cold.expect("small"), warm.expect("small"));
    assert!((warm.loss - cold.loss).abs() < 0.01 * cold.noise_level, "{} against {}", warm.loss, cold.loss);
    let other_domain = Estimator::new(Domain::new(vec![7; 7]).expect("small")).estimate_from(&all, &cold);
    assert_eq!(other_domain.expect_err("one more attribute"), ModelError::AnotherDomain);
}

#[test]
fn structural_zeros_hold_exactly_and_the_rest_is_the_best_fit() {
    let (domain, measurements) = small();
    let possible: Vec<bool> = (0..12).map(|cell| cell % 5 != 0).collect();
    let rule = StructuralZeros::new(&domain, clique(&[0, 1]), &possible).expect("twelve cells");
    // The first rule is about attributes that are measured together, the second about others.
    let apart = StructuralZeros::new(&domain, clique(&[1, 3]), &(0..12).map(|cell| cell != 7).collect::<Vec<_>>());
    let apart = apart.expect("twelve cells");
    let allowed = |row: &[u32]| !(row[0] * 4 + row[1]).is_multiple_of(5) && row[1] * 3 + row[3] != 7;
    let least = least_loss(&domain, &measurements, ROWS, allowed);
    for search in [Search::Proximal, Search::MirrorDescent] {
        let estimator = Estimator::new(domain.clone()).zeros(vec![rule.clone(), apart.clone()]);
        let estimator = estimator.total(Total::Fixed(ROWS)).search(search).stop(TO_THE_END);
        let estimate = estimator.estimate(&measurements).expect("small");
        brute_force::for_rows(&domain, |row| assert!(allowed(row) || estimate.model.probability(row) == 0.0));
        let above = estimate.loss / least - 1.0;
        assert!((-1e-7..1e-3).contains(&above), "{search:?}: {above} above {least}");
    }
}

#[test]
fn a_table_measured_twice_counts_as_their_mean() {
    let (domain, measurements) = small();
    let mut twice = measurements.clone();
    twice.extend(noisy(&domain, &[(&[0, 1], 16.0)], 9));
    let estimate = Estimator::new(domain).estimate(&twice).expect("small");
    assert!((loss_of(&estimate, &twice) / estimate.loss - 1.0).abs() < 1e-9);
    assert_eq!(estimate.potentials.cliques().len(), 6);
}

#[test]
fn any_scale_of_noise_and_any_total_gives_a_distribution() {
    let domain = Domain::new(vec![3, 4, 2, 3]).expect("small");
    for (seed, standard_deviation) in (10..).zip([1e-6, 0.1, 30.0, 1e4, 1e9]) {
        let tables: [(&[usize], f64); 3] =
            [(&[0, 1], standard_deviation), (&[1, 2], 3.0 * standard_deviation), (&[], standard_deviation)];
        let measurements = noisy(&domain, &tables, seed);
        for total in [Total::Free, Total::Fixed(1e-3), Total::Fixed(ROWS), Total::Fixed(1e12)] {
            let estimate = Estimator::new(domain.clone()).total(total).estimate(&measurements).expect("small");
            let one_way = estimate.model.marginal(&clique(&[0])).expect("small");
            assert!((one_way.sum() - 1.0).abs() < 1e-9, "{standard_deviation} {total:?}: {one_way:?}");
            assert!(one_way.values().iter().all(|share| (0.0..=1.0 + 1e-12).contains(share)));
            assert!(estimate.loss.is_finite() && estimate.model.total().is_finite());
        }
    }
}

#[test]
fn without_tables_the_fit_is_the_uniform_distribution() {
    let estimate = Estimator::new(Domain::new(vec![2, 5]).expect("small")).estimate(&[]).expect("small");
    assert!(brute_force::distance(estimate.model.marginal(&clique(&[1])).expect("small").values(), &[0.2; 5]) < 1e-12);
}

#[test]
fn invalid_problems_are_refused() {
    let domain = Domain::new(vec![2, 3]).expect("small");
    let measurement = |values, deviation| Measurement::new(&domain, clique(&[1]), values, deviation);
    assert!(matches!(measurement(vec![1.0, 2.0], 1.0), Err(ModelError::WrongLength { expected: 3, found: 2, .. })));
    assert!(matches!(measurement(vec![1.0, 2.0, f64::NAN], 1.0), Err(ModelError::NotFinite { .. })));
    for deviation in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(matches!(measurement(vec![1.0; 3], deviation), Err(ModelError::NotFinite { positive: true, .. })));
    }
    assert!(matches!(
        Measurement::new(&domain, clique(&[5]), vec![1.0], 1.0),
        Err(ModelError::UnknownAttribute { .. })
    ));
    let table = measurement(vec![1.0; 3], 1.0).expect("sound");
    let refused = Estimator::new(domain.clone()).cell_limit(4).estimate(std::slice::from_ref(&table));
    assert_eq!(refused.expect_err("five cells"), ModelError::TooLarge { cells: 5, limit: 4 });
    for total in [0.0, -5.0, f64::NAN] {
        let estimator = Estimator::new(domain.clone()).total(Total::Fixed(total));
        assert!(matches!(estimator.estimate(std::slice::from_ref(&table)), Err(ModelError::NotFinite { .. })));
    }
    let none = StructuralZeros::new(&domain, clique(&[0]), &[false, false]).expect("two cells");
    let estimator = Estimator::new(domain).zeros(vec![none]);
    assert_eq!(estimator.estimate(&[table]).expect_err("no row is possible"), ModelError::Impossible);
}
