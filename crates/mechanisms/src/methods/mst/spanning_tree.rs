//! Private selection of a spanning tree.

use std::num::NonZeroUsize;

use scumble_pgm::JunctionTree;
use scumble_schema::{AttributeId, Clique, limits};
use scumble_vault::score::HalfL1;
use scumble_vault::{Budget, Selecting, Vault, VaultError};

use crate::learning::column_levels::ColumnLevels;
use crate::learning::union_find::UnionFind;
use crate::mechanism::terms::MethodAdjacency;

/// Maximum number of cells of the model beyond those that rules alone need.
const MAX_TREE_CELLS: u128 = 10_000_000;

/// A column that an edge may end at, with its released counts.
#[derive(Debug)]
pub(super) struct End {
    pub(super) column: AttributeId,
    /// Not negative, and with the number of rows as their sum.
    pub(super) expected: Vec<f64>,
}

/// Limits the model where rules relate columns: with them, a tree of pairs may have large cliques.
#[derive(Debug)]
pub(super) struct Ruled<'a> {
    versions: &'a ColumnLevels<'a>,
    held: Vec<Clique>,
    max_cells: u128,
}

impl<'a> Ruled<'a> {
    pub(super) fn new(versions: &'a ColumnLevels<'a>) -> Self {
        let held = versions.links().iter().map(|link| link.clique().clone()).collect();
        let max_cells = versions.linked_cells().saturating_add(MAX_TREE_CELLS).min(limits::CELLS_PER_MODEL);
        Self { versions, held, max_cells }
    }

    /// Returns whether the model is small enough with one more pair.
    fn have_room(&self, tree: &[Clique], pair: Clique) -> bool {
        let all: Vec<Clique> = self.held.iter().chain(tree).cloned().chain([pair]).collect();
        JunctionTree::predicted_cells(self.versions.domain(), &all) <= self.max_cells
    }
}

/// Selects the edges of a tree over two or more columns.
///
/// # Privacy
/// One selection per edge, among the pairs that join two components so far, which follow from
/// earlier selections. Scores are half L1 errors against the product of released tables.
///
/// # Reference
/// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithm 2: Kruskal's, with the exponential
/// mechanism in place of the maximum. Pairs are compared with the product of their columns, which
/// is what a model of one-way tables expects of them. Where rules relate columns, pairs that make
/// the model too large are left out, and the tree may be a forest.
pub(super) fn spanning_tree<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    ends: &[End],
    rows: f64,
    ruled: Option<&Ruled>,
    budget: Budget<A, M>,
) -> Result<Vec<Clique>, VaultError> {
    let mut joined = UnionFind::new(ends.len());
    let edges = NonZeroUsize::new(ends.len() - 1).expect("two or more columns");
    let mut tree = Vec::with_capacity(edges.get());
    for share in budget.split_evenly(edges) {
        let all = (0..ends.len()).flat_map(|left| (left + 1..ends.len()).map(move |right| (left, right)));
        let pair = |(left, right): (usize, usize)| Clique::new([left, right].map(|end| ends[end].column));
        let joining: Vec<(usize, usize)> = all
            .filter(|&(left, right)| !joined.connected(left, right))
            .filter(|&joined| ruled.is_none_or(|ruled| ruled.have_room(&tree, pair(joined))))
            .collect();
        if joining.is_empty() {
            break;
        }
        let table = |end: usize| (Clique::single(ends[end].column), &*ends[end].expected);
        let score = |&(left, right): &(usize, usize)| HalfL1::against_product(table(left), table(right), rows);
        let scores = joining.iter().map(score).collect::<Result<Vec<_>, _>>()?;
        let (left, right) = joining[*vault.select(&scores, share)?];
        tree.push(pair((left, right)));
        joined.connect(left, right);
    }
    Ok(tree)
}
