//! Models to test on, and their distributions by definition.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_pgm::CliqueVector;
use scumble_schema::{AttributeId, Clique, Domain};

use crate::brute_force::{cell, for_rows};

/// Returns the probability of every row, in the order of the cells of the clique of all attributes.
pub(crate) fn joint(potentials: &CliqueVector, possible: impl Fn(&[u32]) -> bool) -> Vec<f64> {
    let domain = potentials.domain();
    let mut logarithms = Vec::new();
    for_rows(domain, |row| {
        let sum =
            |sum: f64, place: usize| sum + potentials.table(place)[cell(domain, &potentials.cliques()[place], row)];
        let sum = (0..potentials.cliques().len()).fold(0.0, sum);
        logarithms.push(if possible(row) { sum } else { f64::NEG_INFINITY });
    });
    let largest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logarithms.iter().map(|logarithm| (logarithm - largest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// A name, the sizes of a domain, and the cliques of the potentials.
type Shape = (&'static str, Vec<u32>, Vec<Vec<usize>>);

/// Returns the shapes that catch most mistakes.
pub(crate) fn named() -> Vec<Shape> {
    vec![
        ("chain", vec![2, 3, 4, 5], vec![vec![0, 1], vec![1, 2], vec![2, 3]]),
        ("cycle", vec![2, 3, 4, 5], vec![vec![0, 1], vec![1, 2], vec![2, 3], vec![0, 3]]),
        ("missing node", vec![2, 3, 4, 5], vec![vec![0, 1], vec![1, 3]]),
        ("full", vec![2, 3, 4, 5], vec![vec![0, 1, 2, 3]]),
        ("single", vec![7], vec![vec![0]]),
        ("permuted", vec![5, 2, 4, 3], vec![vec![3, 1], vec![2, 0], vec![1, 0]]),
        ("disconnected", vec![2, 3, 4, 5, 2], vec![vec![0, 2], vec![1, 4], vec![3]]),
        ("empty", vec![2, 3], vec![]),
        ("no attribute", vec![], vec![vec![]]),
        ("nested and repeated", vec![3, 3, 3], vec![vec![0, 1, 2], vec![0, 1], vec![1], vec![0, 1], vec![]]),
    ]
}

/// Returns a domain of up to seven attributes and 10,000 cells, with up to eight cliques of up to
/// four attributes.
pub(crate) fn random(seed: u64) -> (Domain, Vec<Clique>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let attributes = rng.random_range(1..=7);
    let mut sizes: Vec<u32> = (0..attributes).map(|_| rng.random_range(1..=5)).collect();
    while sizes.iter().map(|&size| u64::from(size)).product::<u64>() > 10_000 {
        sizes.pop();
    }
    let cliques = (0..rng.random_range(0..=8))
        .map(|_| {
            let length = rng.random_range(0..=4);
            Clique::new((0..length).map(|_| AttributeId::new(rng.random_range(0..sizes.len()))))
        })
        .collect();
    (Domain::new(sizes).expect("small"), cliques)
}

/// Returns random potentials between `-spread` and `spread`.
pub(crate) fn potentials(domain: &Domain, cliques: Vec<Clique>, spread: f64, seed: u64) -> CliqueVector {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut potentials = CliqueVector::zeros(domain, cliques).expect("small");
    for potential in potentials.values_mut() {
        *potential = rng.random_range(-spread..=spread);
    }
    potentials
}

/// Returns every clique of up to three attributes.
pub(crate) fn queries(domain: &Domain) -> Vec<Clique> {
    let all: Vec<AttributeId> = domain.attributes().collect();
    let mut queries = vec![Clique::empty(), Clique::new(all.iter().copied())];
    for (place, &first) in all.iter().enumerate() {
        queries.push(Clique::single(first));
        for (next, &second) in all.iter().enumerate().skip(place + 1) {
            queries.push(Clique::new([first, second]));
            queries.extend(all[next + 1..].iter().map(|&third| Clique::new([first, second, third])));
        }
    }
    queries
}
