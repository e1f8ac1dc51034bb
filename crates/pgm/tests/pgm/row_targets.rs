//! Rows that are moved towards tables across the cliques of their model.

use scumble_pgm::{Estimator, Measurement, ModelError, RowTarget, Sampler, Sampling, TreeModel, parallel};
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain};

const ROWS: u64 = 40_000;
const BOTH: [Sampling; 2] = [Sampling::LowVariance, Sampling::Matched];

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().copied().map(AttributeId::new))
}

/// A star: three columns of four codes, each a little more often that of the first.
fn star() -> TreeModel {
    let domain = Domain::new(vec![4; 4]).unwrap();
    let pair: Vec<f64> = (0..16).map(|cell| if cell % 5 == 0 { 850.0 } else { 550.0 }).collect();
    let measured: Vec<Measurement> =
        (1..4).map(|leaf| Measurement::new(&domain, clique(&[0, leaf]), pair.clone(), 1.0).unwrap()).collect();
    Estimator::new(domain).estimate(&measured).unwrap().model
}

fn shares(rows: &[CodeColumn], attributes: &[usize]) -> Vec<f64> {
    let mut counts = vec![0.0; 4_usize.pow(u32::try_from(attributes.len()).unwrap())];
    for row in 0..rows[0].len() {
        counts[attributes.iter().fold(0, |cell, &column| cell * 4 + rows[column].get(row) as usize)] += 1.0;
    }
    let sum: f64 = counts.iter().sum();
    counts.iter().map(|count| count / sum).collect()
}

fn distance(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).sum::<f64>() / 2.0
}

/// A relation of two leaves that the star does not have, with its margins.
fn cycle(model: &TreeModel) -> RowTarget {
    let shares = (0..16).map(|cell| if (cell / 4 + 1) % 4 == cell % 4 { 0.19 } else { 0.02 }).collect();
    RowTarget::new(model.domain(), clique(&[1, 2]), shares).unwrap()
}

#[test]
fn rows_meet_a_target_and_keep_the_tables_of_cliques() {
    let model = star();
    let target = cycle(&model);
    let (plain, moved) = (Sampler::new(&model), Sampler::new(&model).towards(std::slice::from_ref(&target)).unwrap());
    for sampling in BOTH {
        let [plain, moved] = [&plain, &moved].map(|sampler| sampler.sample(ROWS, 3, sampling).next().unwrap());
        let error = |rows: &[CodeColumn]| distance(&shares(rows, &[1, 2]), target.shares().values());
        assert!(error(&plain) > 0.4 && error(&moved) < 0.25 * error(&plain), "{} {}", error(&plain), error(&moved));
        for leaf in 1..4 {
            assert_eq!(shares(&moved, &[0, leaf]), shares(&plain, &[0, leaf]), "{sampling:?}");
        }
    }
    let [plain, moved] = [&plain, &moved].map(|sampler| sampler.sample(ROWS, 3, Sampling::Independent).next().unwrap());
    assert!(plain == moved, "independent rows are those of the model");
}

#[test]
fn moved_rows_depend_on_seed_and_chunk_alone() {
    let model = star();
    let sampler = Sampler::new(&model).towards(&[cycle(&model)]).unwrap();
    let rows = || sampler.sample(140_000, 5, Sampling::LowVariance);
    let streamed: Vec<_> = rows().collect();
    assert!(parallel::map_on(3, 0..3, |chunk| rows().nth(chunk).unwrap()) == streamed);
    assert!(sampler.sample(140_000, 6, Sampling::LowVariance).next().as_ref() != Some(&streamed[0]));
    // The last chunk is small, and as near as its number of rows allows.
    let error = |chunk: &[CodeColumn]| distance(&shares(chunk, &[1, 2]), cycle(&model).shares().values());
    assert!(streamed.iter().all(|chunk| error(chunk) < 0.15));
}

#[test]
fn targets_of_three_columns_are_met_too() {
    let model = star();
    let shares_of_three: Vec<f64> =
        (0..64).map(|cell| if (cell / 16 + cell / 4 + cell) % 4 == 0 { 1.0 } else { 0.2 }).collect();
    let sum: f64 = shares_of_three.iter().sum();
    let target =
        RowTarget::new(model.domain(), clique(&[1, 2, 3]), shares_of_three.iter().map(|share| share / sum).collect())
            .unwrap();
    let error = |sampler: Sampler| {
        distance(
            &shares(&sampler.sample(ROWS, 1, Sampling::Matched).next().unwrap(), &[1, 2, 3]),
            target.shares().values(),
        )
    };
    let (plain, moved) =
        (error(Sampler::new(&model)), error(Sampler::new(&model).towards(std::slice::from_ref(&target)).unwrap()));
    assert!(moved < 0.7 * plain, "{moved} and {plain}");
}

#[test]
fn a_target_is_between_what_is_expected_and_what_was_measured() {
    let domain = Domain::new(vec![2, 2]).unwrap();
    let expected = [400.0, 100.0, 100.0, 400.0];
    let target = |values: [f64; 4], deviation: f64, spread: f64| {
        let measured = Measurement::new(&domain, clique(&[0, 1]), values.to_vec(), deviation).unwrap();
        RowTarget::estimate(&measured, &expected, spread).unwrap().shares().values().to_vec()
    };
    let measured = [300.0, 200.0, 200.0, 300.0];
    assert!(distance(&target(measured, 1.0, 0.7), &[0.3, 0.2, 0.2, 0.3]) < 0.01, "little noise");
    assert!(distance(&target(measured, 1e4, 0.7), &[0.4, 0.1, 0.1, 0.4]) < 0.01, "much noise");
    let between = target(measured, 150.0, 0.7)[1];
    assert!(between > 0.11 && between < 0.19, "{between}");
    assert!(target(measured, 150.0, 0.1)[1] < between, "a narrower prior");
    // The margins are those that the rows have.
    let skewed = target([900.0, 50.0, 50.0, 0.0], 10.0, 0.7);
    assert!((skewed[0] + skewed[1] - 0.5).abs() < 1e-6 && (skewed[0] + skewed[2] - 0.5).abs() < 1e-6, "{skewed:?}");
    // A cell that no row is in may have rows.
    let measured = Measurement::new(&domain, clique(&[0, 1]), vec![500.0, 200.0, -30.0, 300.0], 10.0).unwrap();
    let found = RowTarget::estimate(&measured, &[600.0, 0.0, 100.0, 300.0], 0.7).unwrap();
    assert!(found.shares().values().iter().all(|share| share.is_finite() && *share >= 0.0));
    assert!(found.shares().values()[1] > 0.02, "{found:?}");
}

#[test]
fn tables_that_are_no_targets_are_refused() {
    let model = star();
    let domain = model.domain();
    let refused = |attributes: &[usize], shares: Vec<f64>| RowTarget::new(domain, clique(attributes), shares).is_err();
    assert!(refused(&[1], vec![0.25; 4]), "one column");
    assert!(refused(&[0, 1, 2, 3], vec![1.0 / 256.0; 256]), "four columns");
    assert!(refused(&[1, 2], vec![1.0 / 15.0; 15]), "a cell is missing");
    assert!(refused(&[1, 2], vec![1.0; 16]), "no distribution");
    assert!(refused(&[1, 2], [vec![-0.1, 0.2], vec![0.9 / 14.0; 14]].concat()), "a negative share");
    assert!(refused(&[1, 9], vec![1.0 / 16.0; 16]), "an unknown column");
    let measured = Measurement::new(domain, clique(&[1, 2]), vec![1.0; 16], 1.0).unwrap();
    let is_refused = |expected: &[f64]| RowTarget::estimate(&measured, expected, 0.7).is_err();
    assert!(is_refused(&[1.0; 4]) && is_refused(&[0.0; 16]) && !is_refused(&[1.0; 16]));
    let large = Domain::new(vec![3_000, 3_000, 2]).unwrap();
    let of_large = RowTarget::new(&large, clique(&[0, 1]), vec![1.0 / 9e6; 9_000_000]).unwrap();
    let flat: Vec<Measurement> = (0..3)
        .map(|column| {
            let size = large.sizes()[column];
            Measurement::new(&large, clique(&[column]), vec![1.0; size as usize], 1.0).unwrap()
        })
        .collect();
    let model = Estimator::new(large).estimate(&flat).unwrap().model;
    assert!(matches!(Sampler::new(&model).towards(&[of_large]), Err(ModelError::TooLarge { .. })));
}
