//! Trees of pairs that are estimated without a search.

use chacha20::ChaCha8Rng;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{Estimator, Measurement, StructuralZeros, Total, TreeModel, estimate_forest};
use scumble_schema::{AttributeId, Clique, Domain};

const ROWS: f64 = 1_000.0;

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().copied().map(AttributeId::new))
}

fn counts(model: &TreeModel, attributes: &[usize]) -> Vec<f64> {
    let marginal = model.marginal(&clique(attributes)).unwrap();
    marginal.values().iter().map(|share| share * model.total()).collect()
}

fn are_near(left: &[f64], right: &[f64], off: f64) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| (left - right).abs() <= off)
}

/// Draws nearly Gaussian noise.
fn noise(rng: &mut ChaCha8Rng) -> f64 {
    (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
}

/// A chain of three columns in which every column is mostly that before it, and a fourth column on
/// its own.
fn chain() -> (Domain, TreeModel) {
    let domain = Domain::new(vec![3, 3, 3, 2]).unwrap();
    let same: Vec<f64> = (0..9).map(|cell| if cell % 4 == 0 { 300.0 } else { 100.0 / 6.0 }).collect();
    let measured = [
        Measurement::new(&domain, clique(&[0, 1]), same.clone(), 1.0).unwrap(),
        Measurement::new(&domain, clique(&[1, 2]), same, 1.0).unwrap(),
        Measurement::new(&domain, clique(&[3]), vec![900.0, 100.0], 1.0).unwrap(),
    ];
    let estimate = Estimator::new(domain.clone()).total(Total::Fixed(ROWS)).estimate(&measured).unwrap();
    (domain, estimate.model)
}

fn exact_and_noisy(model: &TreeModel, tables: &[&[usize]], deviation: f64, seed: u64) -> Vec<Measurement> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let measure = |attributes: &&[usize]| {
        let values = counts(model, attributes).iter().map(|count| count + deviation * noise(&mut rng)).collect();
        Measurement::new(model.domain(), clique(attributes), values, deviation.max(1e-3)).unwrap()
    };
    tables.iter().map(measure).collect()
}

const TABLES: [&[usize]; 5] = [&[0], &[1, 2], &[3], &[0, 1], &[2]];

#[test]
fn exact_tables_give_the_model_that_they_are_from() {
    let (domain, model) = chain();
    let found = estimate_forest(&domain, &exact_and_noisy(&model, &TABLES, 0.0, 1), &[], ROWS).unwrap().unwrap();
    for table in [&[0, 1][..], &[1, 2], &[0, 2], &[0, 1, 2], &[2, 3]] {
        assert!(are_near(&counts(&found, table), &counts(&model, table), 1e-6), "{table:?}");
    }
}

#[test]
fn noisy_tables_give_as_good_a_model_as_a_search() {
    let (domain, model) = chain();
    let error = |found: &TreeModel| -> f64 {
        let off = |table: &[usize]| -> f64 {
            counts(found, table).iter().zip(counts(&model, table)).map(|(found, due)| (found - due).abs()).sum()
        };
        off(&[0, 1]) + off(&[1, 2]) + off(&[0, 2])
    };
    let (mut ours, mut searched) = (0.0, 0.0);
    for seed in 0..40 {
        let measured = exact_and_noisy(&model, &TABLES, 25.0, seed);
        ours += error(&estimate_forest(&domain, &measured, &[], ROWS).unwrap().unwrap());
        let estimator = Estimator::new(domain.clone()).total(Total::Fixed(ROWS));
        searched += error(&estimator.estimate(&measured).unwrap().model);
    }
    assert!(ours < 1.03 * searched, "{ours} beside {searched}");
}

#[test]
fn a_margin_is_the_mean_of_all_tables_by_precision() {
    let domain = Domain::new(vec![2, 4]).unwrap();
    // The pair says 640 with four times the variance of a cell, the column 600 with a cell's.
    let measured = [
        Measurement::new(&domain, clique(&[0]), vec![600.0, 400.0], 2.0).unwrap(),
        Measurement::new(&domain, clique(&[0, 1]), [vec![160.0; 4], vec![90.0; 4]].concat(), 2.0).unwrap(),
    ];
    let model = estimate_forest(&domain, &measured, &[], ROWS).unwrap().unwrap();
    assert!(are_near(&counts(&model, &[0]), &[608.0, 392.0], 1e-9), "{:?}", counts(&model, &[0]));
    assert!(are_near(&counts(&model, &[1]), &[250.0; 4], 1e-9));
}

/// A column of four codes, and its version of two groups, which is related to a third column.
fn grouped() -> (Domain, StructuralZeros) {
    let domain = Domain::new(vec![4, 2, 2]).unwrap();
    let possible = [true, false, true, false, false, true, false, true];
    let link = StructuralZeros::new(&domain, clique(&[0, 2]), &possible).unwrap();
    (domain, link)
}

#[test]
fn a_column_follows_its_coarser_version() {
    let (domain, link) = grouped();
    let measured = [
        Measurement::new(&domain, clique(&[0]), vec![500.0, 100.0, 450.0, -60.0], 5.0).unwrap(),
        Measurement::new(&domain, clique(&[1, 2]), vec![600.0, 20.0, 20.0, 400.0], 1.0).unwrap(),
    ];
    let model = estimate_forest(&domain, &measured, &[link], ROWS).unwrap().unwrap();
    let (fine, coarse) = (counts(&model, &[0]), counts(&model, &[2]));
    assert!((fine[0] + fine[1] - coarse[0]).abs() < 1e-9 && fine[3].abs() < 1e-9, "{fine:?} {coarse:?}");
    assert!((fine[0] - fine[1] - 400.0).abs() < 1e-9, "what is added to a group is added to all its codes evenly");
    let both = counts(&model, &[0, 2]);
    assert!([1, 3, 4, 6].iter().all(|&cell: &usize| both[cell] == 0.0), "{both:?}");
    // The third column is related to the fine one through the coarse one.
    assert!(counts(&model, &[0, 1])[1] < 0.1 * counts(&model, &[0, 1])[0]);
}

#[test]
fn other_tables_need_a_search() {
    let (domain, _) = chain();
    let table = |attributes: &[usize]| {
        let cells = usize::try_from(domain.cells(&clique(attributes))).unwrap();
        Measurement::new(&domain, clique(attributes), vec![1.0; cells], 1.0).unwrap()
    };
    let forest =
        |tables: &[Measurement], zeros: &[StructuralZeros]| estimate_forest(&domain, tables, zeros, ROWS).unwrap();
    assert!(forest(&[table(&[0, 1]), table(&[1, 2]), table(&[0, 1])], &[]).is_some(), "a table measured twice");
    assert!(forest(&[table(&[0, 1]), table(&[1, 2]), table(&[0, 2])], &[]).is_none(), "a cycle");
    assert!(forest(&[table(&[0, 1, 2])], &[]).is_none(), "three columns");
    let rule = [true, false, true, true, true, true, true, true, true];
    let rule = StructuralZeros::new(&domain, clique(&[0, 1]), &rule).unwrap();
    assert!(forest(&[table(&[0])], &[rule]).is_none(), "a rule by which no column determines the other");
    assert!(estimate_forest(&domain, &[], &[], 0.0).is_err(), "no rows");
    let unknown = forest(&[], &[]).unwrap();
    assert!(are_near(&counts(&unknown, &[0, 3]), &[ROWS / 6.0; 6], 1e-9), "no tables");
}

proptest! {
    #[test]
    fn any_numbers_give_a_distribution(
        values in prop::collection::vec(-300.0..300.0_f64, 6 + 12 + 4), total in 1.0..1e6_f64, links in any::<bool>()
    ) {
        let domain = Domain::new(vec![4, 3, 2]).unwrap();
        let measured = [
            Measurement::new(&domain, clique(&[1, 2]), values[..6].to_vec(), 3.0).unwrap(),
            Measurement::new(&domain, clique(&[0, 1]), values[6..18].to_vec(), 7.0).unwrap(),
            Measurement::new(&domain, clique(&[0]), values[18..].to_vec(), 1.0).unwrap(),
        ];
        let possible = [true, false, true, false, false, true, false, true];
        let link = StructuralZeros::new(&domain, clique(&[0, 2]), &possible).unwrap();
        let (measured, zeros) = if links { (&measured[1..], vec![link]) } else { (&measured[..], vec![]) };
        let model = estimate_forest(&domain, measured, &zeros, total).unwrap().unwrap();
        let all = model.marginal(&clique(&[0, 1, 2])).unwrap();
        prop_assert!(all.values().iter().all(|share| *share >= 0.0));
        prop_assert!((all.sum() - 1.0).abs() < 1e-9);
    }
}
