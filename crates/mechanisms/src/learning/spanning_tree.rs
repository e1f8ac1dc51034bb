//! Private selection of a spanning tree.

use std::num::NonZeroUsize;

use scumble_pgm::{JunctionTree, simplex};
use scumble_schema::{AttributeId, Clique, Domain, limits};
use scumble_vault::score::Score;
use scumble_vault::{Budget, NoisyTable, Selecting, Vault, VaultError};

use crate::learning::column_levels::ColumnLevels;
use crate::learning::noisy::counts;
use crate::learning::union_find::UnionFind;
use crate::mechanism::terms::MethodAdjacency;

/// Maximum number of cells of the model beyond those that rules alone need.
pub(crate) const MAX_TREE_CELLS: u128 = 10_000_000;

/// A column that an edge may end at, with its released counts.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) column: AttributeId,
    /// Not negative, and with the number of rows as their sum.
    pub(crate) expected: Vec<f64>,
}

impl End {
    /// Returns the columns that a tree may join: the coarsest versions that have two or more values
    /// and at most `max_size`. `one_way` has the tables of the finest versions.
    pub(crate) fn all(versions: &ColumnLevels, one_way: &[NoisyTable], rows: f64, max_size: u32) -> Vec<Self> {
        let domain = versions.domain();
        let end = |(column, table): (usize, &NoisyTable)| {
            let (finest, coarsest) = versions.ends_of(column);
            if !(2..=max_size).contains(&domain.size(coarsest)) {
                return None;
            }
            let mut expected = vec![0.0; domain.size(coarsest) as usize];
            let shares = simplex::project(&counts(table), rows);
            for (share, group) in shares.into_iter().zip(versions.groups(finest, coarsest)) {
                expected[group as usize] += share * rows;
            }
            Some(Self { column: coarsest, expected })
        };
        one_way.iter().take(versions.columns()).enumerate().filter_map(end).collect()
    }

    /// Returns the table of the column.
    pub(crate) fn table(&self) -> (Clique, &[f64]) {
        (Clique::single(self.column), &self.expected)
    }

    /// Returns the pair of columns that an edge joins.
    pub(crate) fn pair(ends: &[Self], edge: [usize; 2]) -> Clique {
        Clique::new(edge.map(|end| ends[end].column))
    }

    /// Expected counts of the pair of two columns that are independent, in the order of its cells.
    pub(crate) fn product(&self, other: &Self, rows: f64) -> Vec<f64> {
        let (first, second) = if self.column < other.column { (self, other) } else { (other, self) };
        let row = |count: &f64| {
            let share = count / rows;
            second.expected.iter().map(move |other| share * other)
        };
        first.expected.iter().flat_map(row).collect()
    }
}

/// Limits the model where rules relate columns: with them, a tree of pairs may have large cliques.
#[derive(Debug)]
pub(crate) struct Ruled<'a> {
    domain: &'a Domain,
    held: Vec<Clique>,
    max_cells: u128,
}

impl<'a> Ruled<'a> {
    pub(crate) fn new(versions: &ColumnLevels<'a>) -> Self {
        let held = versions.links().iter().map(|link| link.clique().clone()).collect();
        let max_cells = versions.linked_cells().saturating_add(MAX_TREE_CELLS).min(limits::CELLS_PER_MODEL);
        Self { domain: versions.domain(), held, max_cells }
    }

    /// Returns whether the model is small enough with one more pair.
    pub(crate) fn have_room(&self, tree: &[Clique], pair: &Clique) -> bool {
        let all: Vec<Clique> = self.held.iter().chain(tree).chain([pair]).cloned().collect();
        JunctionTree::predicted_cells(self.domain, &all) <= self.max_cells
    }
}

/// Selects the edges of a tree over two or more columns, each with an equal share of the budget.
/// `fits` says whether a pair may be the next edge after others, `score` is the score of a pair of
/// ends.
///
/// # Privacy
/// One selection per edge, among the pairs that join two components so far, which follow from
/// earlier selections. Scores must compare pairs with released values.
///
/// # Reference
/// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithm 2: Kruskal's, with the exponential
/// mechanism in place of the maximum. Pairs are compared with the product of their columns, which
/// is what a model of one-way tables expects of them. If too few pairs fit, the tree is a forest.
pub(crate) fn spanning_tree<A: MethodAdjacency, M: Selecting, S: Score<A>>(
    vault: &mut Vault<A, M>,
    ends: &[End],
    budget: Budget<A, M>,
    fits: impl Fn(&[Clique], &Clique) -> bool,
    score: impl Fn([usize; 2]) -> Result<S, VaultError>,
) -> Result<Vec<[usize; 2]>, VaultError> {
    let mut joined = UnionFind::new(ends.len());
    let edges = NonZeroUsize::new(ends.len() - 1).expect("two or more columns");
    let (mut tree, mut cliques) = (Vec::with_capacity(edges.get()), Vec::with_capacity(edges.get()));
    for share in budget.split_evenly(edges) {
        let all = (0..ends.len()).flat_map(|left| (left + 1..ends.len()).map(move |right| [left, right]));
        let joining: Vec<[usize; 2]> = all
            .filter(|&[left, right]| !joined.connected(left, right))
            .filter(|&edge| fits(&cliques, &End::pair(ends, edge)))
            .collect();
        if joining.is_empty() {
            break;
        }
        let scores = joining.iter().map(|&edge| score(edge)).collect::<Result<Vec<_>, _>>()?;
        let edge = joining[*vault.select(&scores, share)?];
        cliques.push(End::pair(ends, edge));
        joined.connect(edge[0], edge[1]);
        tree.push(edge);
    }
    Ok(tree)
}
