//! The shrunk search: potentials stay small where noise hides them.

use crate::brute_force;
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{Estimate, Estimator, Measurement, ModelError, Search, Stop, StructuralZeros, Total, simplex};
use scumble_schema::{AttributeId, Clique, Domain};

const ROWS: f64 = 1000.0;
const TO_THE_END: Stop = Stop { at_noise: None, settled: 1e-9, passes: 20_000 };

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().map(|&index| AttributeId::new(index)))
}

/// Draws nearly Gaussian noise.
fn noise(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// Returns shares of all rows of a domain. A larger power makes more of them nearly zero.
fn skewed(domain: &Domain, power: i32, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut weights = Vec::new();
    brute_force::for_rows(domain, |_| weights.push(rng.random::<f64>().powi(power)));
    simplex::clip_and_normalise(&weights)
}

/// Returns tables of `ROWS` rows with noise.
fn noisy(
    domain: &Domain,
    joint: &[f64],
    tables: &[&[usize]],
    deviation: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Measurement> {
    let measurement = |attributes: &&[usize]| {
        let clique = clique(attributes);
        let exact = brute_force::marginal(domain, joint, &clique);
        let values = exact.iter().map(|share| ROWS * share + deviation * noise(rng)).collect();
        Measurement::new(domain, clique, values, deviation).expect("a whole table")
    };
    tables.iter().map(measurement).collect()
}

/// A cycle of four columns and a table across it.
fn small() -> (Domain, Vec<Measurement>) {
    let domain = Domain::new(vec![3, 4, 2, 3]).expect("small");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let joint = skewed(&domain, 2, &mut rng);
    let tables: [&[usize]; 5] = [&[0, 1], &[1, 2], &[2, 3], &[0, 3], &[0, 1, 2]];
    let measurements = noisy(&domain, &joint, &tables, 10.0, &mut rng);
    (domain, measurements)
}

fn shrunk(domain: &Domain, spread: f64) -> Estimator {
    Estimator::new(domain.clone()).total(Total::Fixed(ROWS)).search(Search::Shrunk { spread }).stop(TO_THE_END)
}

fn joint_of(estimate: &Estimate) -> Vec<f64> {
    let mut joint = Vec::new();
    brute_force::for_rows(estimate.model.domain(), |row| joint.push(estimate.model.probability(row)));
    joint
}

fn total_variation(left: &[f64], right: &[f64]) -> f64 {
    0.5 * left.iter().zip(right).map(|(left, right)| (left - right).abs()).sum::<f64>()
}

#[test]
fn a_tiny_spread_gives_the_uniform_distribution() {
    let (domain, measurements) = small();
    let joint = joint_of(&shrunk(&domain, 1e-5).estimate(&measurements).expect("small"));
    assert!(brute_force::distance(&joint, &[1.0 / 72.0; 72]) < 1e-5, "{joint:?}");
}

#[test]
fn a_huge_spread_gives_the_least_loss() {
    let (domain, measurements) = small();
    let nearest = Estimator::new(domain.clone()).total(Total::Fixed(ROWS)).stop(TO_THE_END);
    let nearest = nearest.estimate(&measurements).expect("small");
    let mut before = f64::INFINITY;
    for spread in [0.3, 1.0, 10.0, 1000.0] {
        let estimate = shrunk(&domain, spread).estimate(&measurements).expect("small");
        let above = estimate.loss - nearest.loss;
        assert!(above < before && above > -1e-4 * nearest.loss, "{above} above {} at {spread}", nearest.loss);
        before = above;
    }
    // If no distribution has the measured values, cells of many rows count more than in the loss.
    assert!(before < 0.02 * nearest.loss, "{before} above {}", nearest.loss);
    // If a distribution has them, it is found.
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let joint = skewed(&domain, 1, &mut rng);
    let reachable = noisy(&domain, &joint, &[&[0, 1], &[1, 2], &[2, 3]], 0.01, &mut rng);
    let nearest = Estimator::new(domain.clone()).total(Total::Fixed(ROWS)).stop(TO_THE_END);
    let nearest = joint_of(&nearest.estimate(&reachable).expect("small"));
    let found = joint_of(&shrunk(&domain, 1000.0).estimate(&reachable).expect("small"));
    assert!(brute_force::distance(&found, &nearest) < 1e-6);
}

#[test]
fn a_table_is_fitted_except_for_the_shrinkage() {
    let domain = Domain::new(vec![2, 4]).expect("small");
    let (deviation, spread) = (20.0, 0.7);
    // Values of zero, below zero, below the noise and above it.
    let values = vec![400.0, 300.0, 150.0, 80.0, 45.0, 15.0, 0.0, -25.0];
    let table = Measurement::new(&domain, clique(&[0, 1]), values.clone(), deviation).expect("eight cells");
    let estimate = shrunk(&domain, spread).estimate(&[table]).expect("small");
    let shift = (ROWS - values.iter().sum::<f64>()) / 8.0;
    let counts: Vec<f64> = joint_of(&estimate).iter().map(|share| share * ROWS).collect();
    for ((value, count), potential) in values.iter().zip(&counts).zip(estimate.potentials.table(0)) {
        let aim = value + shift;
        let held = count.max(aim - deviation);
        let back = deviation * deviation / (spread * spread * held) * potential;
        // The weights are those of the model before the last. That changes little, except for cells
        // with negative values: they go on emptying, and were shrunk less.
        let share = (aim - count) / back;
        let is_met = (aim - count - back).abs() < 0.1 * deviation || aim < 0.0 && (0.5..1.0).contains(&share);
        assert!(is_met, "{aim} - {count} is not {back}");
    }
    // Cells below the noise are shrunk, the others hardly.
    assert!((counts[0] - 400.0 - shift).abs() < 0.5 * deviation, "{counts:?}");
    assert!(counts[7] > 0.0 && counts.is_sorted_by(|left, right| left > right), "{counts:?}");
}

#[test]
fn structural_zeros_hold_exactly() {
    let (domain, measurements) = small();
    let rule = |attributes, possible: fn(usize) -> bool| {
        StructuralZeros::new(&domain, clique(attributes), &(0..12).map(possible).collect::<Vec<_>>()).expect("twelve")
    };
    // One rule is about columns that are measured together, the other about others.
    let rules = vec![rule(&[0, 1], |cell| !cell.is_multiple_of(5)), rule(&[1, 3], |cell| cell != 7)];
    let allowed = |row: &[u32]| !(row[0] * 4 + row[1]).is_multiple_of(5) && row[1] * 3 + row[3] != 7;
    for spread in [0.1, 1.0, 100.0] {
        let estimate = shrunk(&domain, spread).zeros(rules.clone()).estimate(&measurements).expect("small");
        brute_force::for_rows(&domain, |row| assert_eq!(allowed(row), estimate.model.probability(row) > 0.0));
        assert!((joint_of(&estimate).iter().sum::<f64>() - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_search_ends_at_the_same_model_from_any_start() {
    let (domain, measurements) = small();
    let estimator = shrunk(&domain, 0.7);
    let cold = estimator.estimate(&measurements).expect("small");
    let of_some = estimator.estimate(&measurements[..3]).expect("small");
    let of_others = shrunk(&domain, 5.0).estimate(&measurements[2..]).expect("small");
    let nearest = Estimator::new(domain.clone()).total(Total::Fixed(2.0 * ROWS));
    for earlier in [&of_some, &of_others, &cold, &nearest.estimate(&measurements).expect("small")] {
        let warm = estimator.estimate_from(&measurements, earlier).expect("small");
        let apart = total_variation(&joint_of(&warm), &joint_of(&cold));
        assert!(apart < 2e-3, "{apart}");
        assert!((warm.model.total() - ROWS).abs() < 1e-9);
    }
    let again = estimator.estimate_from(&measurements, &cold).expect("small");
    assert!(again.passes < cold.passes, "{} passes after {}", again.passes, cold.passes);
}

#[test]
fn a_free_total_is_found() {
    let (domain, measurements) = small();
    for spread in [0.3, 1.0] {
        let free = shrunk(&domain, spread).total(Total::Free).estimate(&measurements).expect("small");
        // Seven standard deviations of the estimate from five tables.
        assert!((free.model.total() - ROWS).abs() < 100.0, "{}", free.model.total());
        let fixed = shrunk(&domain, spread).total(Total::Fixed(free.model.total()));
        let fixed = fixed.estimate(&measurements).expect("small");
        assert!(total_variation(&joint_of(&free), &joint_of(&fixed)) < 5e-3);
    }
}

#[test]
fn a_spread_is_a_number_above_zero() {
    let (domain, measurements) = small();
    for spread in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = shrunk(&domain, spread).estimate(&measurements).expect_err("no spread");
        assert_eq!(refused, ModelError::NotFinite { what: "a spread", positive: true });
        assert!(refused.to_string().contains("a spread"), "{refused}");
    }
}

#[test]
fn any_scale_of_noise_and_any_total_gives_a_distribution() {
    let domain = Domain::new(vec![3, 4, 2]).expect("small");
    for deviation in [1e-6, 0.1, 30.0, 1e4, 1e9] {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let joint = skewed(&domain, 8, &mut rng);
        let measurements = noisy(&domain, &joint, &[&[0, 1], &[1, 2], &[]], deviation, &mut rng);
        for total in [Total::Free, Total::Fixed(1e-3), Total::Fixed(ROWS), Total::Fixed(1e12)] {
            for spread in [1e-2, 0.7, 100.0] {
                let estimator = Estimator::new(domain.clone()).total(total).search(Search::Shrunk { spread });
                let estimate = estimator.estimate(&measurements).expect("small");
                let one_way = estimate.model.marginal(&clique(&[0])).expect("small");
                let is_share = |share: &f64| (0.0..=1.0 + 1e-12).contains(share);
                let all = one_way.values().iter().all(is_share) && (one_way.sum() - 1.0).abs() < 1e-9;
                assert!(all, "{deviation} {total:?} {spread}: {one_way:?}");
                assert!(estimate.model.total().is_finite() && estimate.model.total() > 0.0);
            }
        }
    }
}

/// Returns shares of skewed columns, related by small factors on the cells.
fn related(domain: &Domain, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut weights = vec![1.0; usize::try_from(domain.cells(&clique(&[0, 1, 2, 3]))).expect("small")];
    let mut multiply = |attributes: &[usize], factor: &mut dyn FnMut() -> f64| {
        let clique = clique(attributes);
        let factors: Vec<f64> = (0..domain.cells(&clique)).map(|_| factor()).collect();
        let mut weights = weights.iter_mut();
        brute_force::for_rows(domain, |row| {
            *weights.next().expect("one per row") *= factors[brute_force::cell(domain, &clique, row)];
        });
    };
    for column in 0..4 {
        multiply(&[column], &mut || rng.random::<f64>().powi(3));
    }
    for pair in [[0, 1], [1, 2], [2, 3], [0, 3]] {
        multiply(&pair, &mut || (0.7 * noise(rng)).exp());
    }
    simplex::clip_and_normalise(&weights)
}

#[test]
fn with_noise_as_large_as_counts_shrinkage_is_nearer_to_the_truth() {
    let domain = Domain::new(vec![5; 4]).expect("small");
    let columns: [&[usize]; 4] = [&[0], &[1], &[2], &[3]];
    let tables: [&[usize]; 3] = [&[0, 1, 2], &[1, 2, 3], &[0, 2, 3]];
    let (mut far, mut near) = (0.0, 0.0);
    for seed in 0..8 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let joint = related(&domain, &mut rng);
        let mut measurements = noisy(&domain, &joint, &columns, 16.0, &mut rng);
        // A cell holds eight rows on average.
        measurements.extend(noisy(&domain, &joint, &tables, 16.0, &mut rng));
        let estimator = Estimator::new(domain.clone()).total(Total::Fixed(ROWS));
        let distance = |search| {
            let estimate = estimator.clone().search(search).estimate(&measurements).expect("small");
            let of_table = |attributes: &&[usize]| {
                let model = estimate.model.marginal(&clique(attributes)).expect("small");
                total_variation(model.values(), &brute_force::marginal(&domain, &joint, &clique(attributes)))
            };
            tables.iter().map(of_table).sum::<f64>() / 3.0
        };
        far += distance(Search::Proximal) / 8.0;
        near += distance(Search::Shrunk { spread: 0.7 }) / 8.0;
    }
    assert!(near < 0.8 * far, "{near} with shrinking, {far} without");
}

/// With almost no noise and mostly empty cells, potentials diverge, and a search may run out of
/// passes at a model that fits nothing. About one in eighty of these searches did.
#[test]
fn a_search_that_is_cut_short_keeps_its_best_model() {
    let domain = Domain::new(vec![3; 4]).unwrap();
    let pair = |left: usize| clique(&[left, left + 1]);
    for seed in 0..250 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut noisy = |count: f64| count + (0.3 * noise(&mut rng)).round();
        let mut measured = Vec::new();
        for column in domain.attributes() {
            let values = (0..3).map(|_| noisy(1_000.0)).collect();
            measured.push(Measurement::new(&domain, Clique::single(column), values, 0.3).unwrap());
        }
        for left in 0..3 {
            let values = (0..9).map(|cell| noisy(if cell % 4 == 0 { 1_000.0 } else { 0.0 })).collect();
            measured.push(Measurement::new(&domain, pair(left), values, 0.3).unwrap());
        }
        let estimate = Estimator::new(domain.clone())
            .total(Total::Fixed(3_000.0))
            .search(Search::Shrunk { spread: 1.0 })
            .stop(Stop { at_noise: None, settled: 1e-3, passes: 1_000 })
            .estimate(&measured)
            .unwrap();
        let ends = clique(&[0, 3]);
        let table = &estimate.model.marginals(&[ends]).unwrap()[0];
        let agree: f64 = table.values().iter().step_by(4).sum();
        assert!(agree > 0.99 * table.values().iter().sum::<f64>(), "{agree} with the seed {seed}");
    }
}
