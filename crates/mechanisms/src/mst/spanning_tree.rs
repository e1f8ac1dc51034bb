//! A spanning tree of the pairs that independence explains worst.

use std::num::NonZeroUsize;

use scumble_schema::{AttributeId, Clique};
use scumble_vault::score::HalfL1;
use scumble_vault::{Budget, Selecting, Vault, VaultError};

use crate::neighbours::Neighbours;
use crate::parts::Parts;

/// A column that an edge may end at, with its released counts.
#[derive(Debug)]
pub(super) struct End {
    pub(super) column: AttributeId,
    /// Not negative, and as many in all as there are rows.
    pub(super) expected: Vec<f64>,
}

/// The edges of a tree over two or more columns.
///
/// # Privacy
/// One choice per edge, among the pairs that join two parts of the forest so far: which those are follows from earlier
/// choices. Scores are half L1 errors against the product of released tables.
///
/// # Reference
/// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithm 2: Kruskal's, with the exponential mechanism in place of the maximum. Pairs are
/// compared with the product of their columns, which is what a model of one-way tables expects of them.
pub(super) fn spanning_tree<A: Neighbours, M: Selecting>(
    vault: &mut Vault<A, M>,
    ends: &[End],
    rows: f64,
    budget: Budget<A, M>,
) -> Result<Vec<Clique>, VaultError> {
    let mut parts = Parts::of(ends.len());
    let edges = NonZeroUsize::new(ends.len() - 1).expect("two or more columns");
    let mut tree = Vec::with_capacity(edges.get());
    for share in budget.split_evenly(edges) {
        let all = (0..ends.len()).flat_map(|left| (left + 1..ends.len()).map(move |right| (left, right)));
        let joining: Vec<(usize, usize)> = all.filter(|&(left, right)| parts.are_apart(left, right)).collect();
        let table = |end: usize| (Clique::single(ends[end].column), &*ends[end].expected);
        let score = |&(left, right): &(usize, usize)| HalfL1::against_product(table(left), table(right), rows);
        let scores = joining.iter().map(score).collect::<Result<Vec<_>, _>>()?;
        let (left, right) = joining[*vault.select(&scores, share)?];
        tree.push(Clique::new([left, right].map(|end| ends[end].column)));
        parts.join(left, right);
    }
    Ok(tree)
}
