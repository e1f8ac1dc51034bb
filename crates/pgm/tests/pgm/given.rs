//! Conditioned models equal brute force.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::{CliqueVector, Factor, ModelError, Sampler, Sampling, StructuralZeros, TreeModel, infer};
use scumble_schema::{AttributeId, Clique, Domain};

fn clique(attributes: &[usize]) -> Clique {
    Clique::new(attributes.iter().copied().map(AttributeId::new))
}

fn random_model(sizes: &[u32], cliques: &[&[usize]], spread: f64, rng: &mut ChaCha8Rng) -> TreeModel {
    let domain = Domain::new(sizes.to_vec()).unwrap();
    let factor = |attributes: &&[usize]| {
        let values = (0..domain.cells(&clique(attributes))).map(|_| rng.random_range(-spread..=spread)).collect();
        Factor::new(&domain, clique(attributes), values).unwrap()
    };
    let factors = cliques.iter().map(factor).collect();
    infer(&CliqueVector::new(&domain, factors).unwrap(), &[], 1000.0).unwrap()
}

fn every_row(domain: &Domain) -> Vec<Vec<u32>> {
    domain.sizes().iter().fold(vec![vec![]], |rows, &size| {
        rows.into_iter().flat_map(|row| (0..size).map(move |code| [&row[..], &[code]].concat())).collect()
    })
}

/// Cliques of models of every shape.
const SHAPES: [&[&[usize]]; 6] = [
    &[&[0, 1], &[1, 2], &[2, 3], &[3, 4]],
    &[&[0, 1], &[1, 2], &[2, 3], &[0, 3], &[4]],
    &[&[0, 4], &[1, 4], &[2, 4], &[3, 4]],
    &[&[0, 1, 2, 3, 4]],
    &[&[3, 1], &[4, 2]],
    &[],
];

#[test]
fn conditions_on_any_attributes_equal_brute_force() {
    let mut rng = ChaCha8Rng::seed_from_u64(31);
    let sizes = [2, 3, 4, 1, 3];
    for shape in SHAPES {
        for _ in 0..40 {
            let model = random_model(&sizes, shape, 3.0, &mut rng);
            let named: Vec<usize> = (0..5).filter(|_| rng.random_bool(0.6)).collect();
            let allowed: Vec<(AttributeId, Vec<u32>)> = named
                .into_iter()
                .map(|attribute| {
                    let mut codes: Vec<u32> = (0..sizes[attribute]).filter(|_| rng.random_bool(0.5)).collect();
                    codes.push(rng.random_range(0..sizes[attribute]));
                    (AttributeId::new(attribute), codes)
                })
                .collect();
            let allowed: Vec<(AttributeId, &[u32])> =
                allowed.iter().map(|(attribute, codes)| (*attribute, &**codes)).collect();

            let meets = |row: &[u32]| allowed.iter().all(|(attribute, codes)| codes.contains(&row[attribute.index()]));
            let rows = every_row(model.domain());
            let exact: f64 = rows.iter().filter(|row| meets(row)).map(|row| model.probability(row)).sum();
            let given = model.given(&allowed).unwrap();
            assert!((given.probability() - exact).abs() < 1e-12, "{shape:?}");
            assert!((given.model.total() - 1000.0 * exact).abs() < 1e-9);
            for row in &rows {
                let expected = if meets(row) { model.probability(row) / exact } else { 0.0 };
                assert!((given.model.probability(row) - expected).abs() < 1e-12, "{shape:?} {row:?}");
            }
            for sampling in [Sampling::LowVariance, Sampling::Independent] {
                for chunk in Sampler::new(&given.model).sample(500, 1, sampling) {
                    let row = |row| chunk.iter().map(|column| column.get(row)).collect::<Vec<_>>();
                    assert!((0..500).all(|index| meets(&row(index))));
                }
            }
        }
    }
}

#[test]
fn no_condition_changes_nothing() {
    let model = random_model(&[2, 3], &[&[0, 1]], 1.0, &mut ChaCha8Rng::seed_from_u64(1));
    let given = model.given(&[]).unwrap();
    assert_eq!((given.model, given.log_probability), (model, 0.0));
}

#[test]
fn impossible_and_unknown_conditions_are_refused() {
    let domain = Domain::new(vec![2, 2]).unwrap();
    let zeros = StructuralZeros::new(&domain, clique(&[0, 1]), &[true, false, true, true]).unwrap();
    let model = infer(&CliqueVector::new(&domain, vec![]).unwrap(), &[zeros], 1.0).unwrap();
    let [first, second, third] = [0, 1, 2].map(AttributeId::new);
    assert_eq!(model.given(&[(first, &[0]), (second, &[1])]), Err(ModelError::Impossible));
    assert_eq!(model.given(&[(first, &[0]), (first, &[1])]), Err(ModelError::Impossible));
    assert_eq!(model.given(&[(first, &[])]), Err(ModelError::Impossible));
    assert!(model.given(&[(first, &[1]), (second, &[1])]).is_ok());
    assert_eq!(model.given(&[(second, &[1, 2])]), Err(ModelError::UnknownCode { attribute: second, code: 2, size: 2 }));
    assert_eq!(model.given(&[(third, &[0])]), Err(ModelError::UnknownAttribute { attribute: third }));
}

#[test]
fn a_condition_whose_probability_underflows_still_has_its_distribution() {
    // A centre of two equally likely codes. Each of 300 leaves has code 1 with probability 1e-3 or
    // 2e-3, depending on the centre.
    let leaves = 300;
    let domain = Domain::new(vec![2; leaves + 1]).unwrap();
    let logs: Vec<f64> = [0.999, 0.001, 0.998, 0.002].into_iter().map(f64::ln).collect();
    let factors = (1..=leaves).map(|leaf| Factor::new(&domain, clique(&[0, leaf]), logs.clone()).unwrap()).collect();
    let model = infer(&CliqueVector::new(&domain, factors).unwrap(), &[], 1.0).unwrap();
    let allowed: Vec<(AttributeId, &[u32])> = (1..=leaves).map(|leaf| (AttributeId::new(leaf), &[1][..])).collect();

    let given = model.given(&allowed).unwrap();
    // 1/2 * 0.001^300 + 1/2 * 0.002^300; the first term is 2^-300 of the second.
    let expected = 0.5_f64.ln() + 300.0 * 0.002_f64.ln();
    assert!((given.log_probability - expected).abs() < 1e-9, "{} {expected}", given.log_probability);
    assert!(given.probability() < f64::MIN_POSITIVE);
    let centre = given.model.marginal(&clique(&[0])).unwrap();
    assert!((centre.values()[1] - 1.0).abs() < 1e-12);
    assert!((centre.values()[0].log2() + 300.0).abs() < 1e-6, "the code with a share of 2^-300 keeps it");
}
