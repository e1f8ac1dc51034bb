//! Private selection of a spanning tree.

use std::collections::{BTreeMap, BTreeSet};
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

/// Edges within the tables of a workload, which come before others.
#[derive(Debug, Default)]
pub(crate) struct NamedEdges {
    /// Tables of two columns, the heaviest first. They are edges wherever they close no cycle.
    pairs: Vec<[usize; 2]>,
    /// Pairs of columns within any table, which are the candidates as long as one of them fits.
    within: BTreeSet<[usize; 2]>,
}

impl NamedEdges {
    /// Returns the edges between these ends within tables with weights.
    pub(crate) fn new(ends: &[End], tables: &[(Clique, f64)]) -> Self {
        let places: BTreeMap<AttributeId, usize> =
            ends.iter().enumerate().map(|(place, end)| (end.column, place)).collect();
        let (mut pairs, mut within) = (Vec::new(), BTreeSet::new());
        for (table, weight) in tables {
            let joined: Vec<usize> =
                table.attributes().iter().filter_map(|column| places.get(column).copied()).collect();
            for (place, &one) in joined.iter().enumerate() {
                within.extend(joined[place + 1..].iter().map(|&other| ordered([one, other])));
            }
            if let &[one, other] = &joined[..] {
                pairs.push((ordered([one, other]), *weight));
            }
        }
        pairs.sort_by(|(one, of_one), (other, of_other)| of_other.total_cmp(of_one).then_with(|| one.cmp(other)));
        Self { pairs: pairs.into_iter().map(|(pair, _)| pair).collect(), within }
    }

    /// Returns whether a table of the workload holds an edge.
    pub(crate) fn has(&self, edge: [usize; 2]) -> bool {
        self.within.contains(&ordered(edge))
    }
}

fn ordered([one, other]: [usize; 2]) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

/// The edges of a tree, and the budget of its selections if nothing was left to select.
pub(crate) type EdgesAndUnspent<A, M> = (Vec<[usize; 2]>, Option<Budget<A, M>>);

/// Selects the edges of a tree over two or more columns, each with an equal share of the budget.
/// `fits` says whether a pair may be the next edge after others, `score` is the score of a pair of
/// ends. Pairs that a workload names are edges without a selection; then edges within its larger
/// tables are selected, then others. Returns the budget as well if nothing is left to select.
///
/// # Privacy
/// One selection per edge that is not named, among the pairs that join two components so far, which
/// follow from the workload and from earlier selections. Scores must compare pairs with released
/// values.
///
/// # Reference
/// McKenna, Miklau, Sheldon 2021, arXiv:2108.04978, Algorithm 2: Kruskal's, with the exponential
/// mechanism in place of the maximum. Pairs are compared with the product of their columns, which
/// is what a model of one-way tables expects of them. If too few pairs fit, the tree is a forest.
pub(crate) fn spanning_tree<A: MethodAdjacency, M: Selecting, S: Score<A>>(
    vault: &mut Vault<A, M>,
    ends: &[End],
    named: &NamedEdges,
    budget: Budget<A, M>,
    fits: impl Fn(&[Clique], &Clique) -> bool,
    score: impl Fn([usize; 2]) -> Result<S, VaultError>,
) -> Result<EdgesAndUnspent<A, M>, VaultError> {
    let mut joined = UnionFind::new(ends.len());
    let edges = ends.len() - 1;
    let (mut tree, mut cliques) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
    for &edge in &named.pairs {
        if !joined.connected(edge[0], edge[1]) && fits(&cliques, &End::pair(ends, edge)) {
            cliques.push(End::pair(ends, edge));
            joined.connect(edge[0], edge[1]);
            tree.push(edge);
        }
    }
    let Some(edges) = NonZeroUsize::new(edges - tree.len()) else { return Ok((tree, Some(budget))) };
    for share in budget.split_evenly(edges) {
        let all = (0..ends.len()).flat_map(|left| (left + 1..ends.len()).map(move |right| [left, right]));
        let mut joining: Vec<[usize; 2]> = all
            .filter(|&[left, right]| !joined.connected(left, right))
            .filter(|&edge| fits(&cliques, &End::pair(ends, edge)))
            .collect();
        if joining.iter().any(|&edge| named.has(edge)) {
            joining.retain(|&edge| named.has(edge));
        }
        if joining.is_empty() {
            break;
        }
        let scores = joining.iter().map(|&edge| score(edge)).collect::<Result<Vec<_>, _>>()?;
        let edge = joining[*vault.select(&scores, share)?];
        cliques.push(End::pair(ends, edge));
        joined.connect(edge[0], edge[1]);
        tree.push(edge);
    }
    Ok((tree, None))
}
