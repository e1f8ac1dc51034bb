//! Brute force over every row of the domain. Shared by the tests of inference and the figures.

use scumble_schema::{Clique, Domain, cells};

/// Returns the marginal of a joint table over a clique.
pub(crate) fn marginal(domain: &Domain, joint: &[f64], clique: &Clique) -> Vec<f64> {
    let mut table = vec![0.0; usize::try_from(domain.cells(clique)).expect("small")];
    let mut probabilities = joint.iter();
    for_rows(domain, |row| table[cell(domain, clique, row)] += probabilities.next().expect("one per row"));
    table
}

/// Returns the largest difference between two tables.
pub(crate) fn distance(left: &[f64], right: &[f64]) -> f64 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).fold(0.0, f64::max)
}

/// Returns the cell of a clique's table that a row falls in.
pub(crate) fn cell(domain: &Domain, clique: &Clique, row: &[u32]) -> usize {
    let strides = cells::strides(domain, clique);
    clique.attributes().iter().zip(strides).map(|(attribute, step)| row[attribute.index()] as usize * step).sum()
}

/// Calls `work` with every row of the domain, the last attribute varying fastest.
pub(crate) fn for_rows(domain: &Domain, mut work: impl FnMut(&[u32])) {
    let mut row = vec![0; domain.len()];
    loop {
        work(&row);
        let Some(place) = (0..row.len()).rev().find(|&place| row[place] + 1 < domain.sizes()[place]) else {
            return;
        };
        row[place] += 1;
        row[place + 1..].fill(0);
    }
}
