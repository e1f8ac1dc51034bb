//! A tree of pairs, selected and measured at once.
//!
//! Where columns are large, a pair that closes a cycle makes cliques of a million cells, so the
//! model can hardly be more than a tree. Then its pairs are selected in one pass and measured with
//! all of the budget, instead of round by round.

use std::num::NonZeroUsize;

use scumble_schema::Clique;
use scumble_vault::account::Share;
use scumble_vault::score::{Candidate, Excess};
use scumble_vault::{Budget, Selecting, Vault};

use super::learner::{Learner, noise_of, planned_deviation};
use super::schedule::parts_of_pairs;
use super::workload::Workload;
use crate::error::MechanismError;
use crate::learning::spanning_tree::{End, MAX_TREE_CELLS, NamedEdges, Ruled, spanning_tree};
use crate::mechanism::terms::MethodAdjacency;

/// Share of the budget of the tree for selecting its pairs.
pub(super) const FOR_SELECTIONS: Share = Share::of(1, 20).expect("a proper fraction");
/// Weight of the noise of a pair in its score. A larger weight loses strong relations of large
/// columns; without one, noise joins columns of a thousand values.
const NOISE_WEIGHT: f64 = 0.05;
/// Weight of the noise of a pair of the workload in the division of the budget.
const NAMED_WEIGHT: f64 = 4.0;

/// Maximum number of cells of a pair, for a number of edges.
pub(super) fn max_pair_cells(edges: usize) -> u128 {
    MAX_TREE_CELLS / (edges.max(1) as u128)
}

/// Selects the pairs of a tree and measures them.
///
/// # Privacy
/// One selection per pair among rows above products of released tables, except for pairs that the
/// workload names, and one table per pair. The share of a table follows from released values.
pub(super) fn measure<A: MethodAdjacency, M: Selecting>(
    learner: &mut Learner,
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    workload: &Workload,
) -> Result<(), MechanismError> {
    let (ends, rows, versions) = (learner.ends()?, learner.rows(), learner.versions());
    let ruled = versions.has_rules().then(|| Ruled::new(versions));
    let Some(edges) = NonZeroUsize::new(ends.len().saturating_sub(1)) else {
        return learner.measure_columns_again(vault, budget);
    };
    let (for_selections, for_pairs) = budget.split(FOR_SELECTIONS);
    let deviation = planned_deviation(vault, edges, &for_pairs);
    let noise: Vec<Vec<f64>> = (0..ends.len())
        .map(|one| (0..one).map(|other| noise_of(ends[one].product(&ends[other], rows), deviation)).collect())
        .collect();
    let noise = |[one, other]: [usize; 2]| noise[one.max(other)][one.min(other)];
    let max_cells = max_pair_cells(edges.get());
    let fits = |tree: &[Clique], pair: &Clique| {
        versions.domain().cells(pair) <= max_cells && ruled.as_ref().is_none_or(|ruled| ruled.have_room(tree, pair))
    };
    let pairs = (0..ends.len()).flat_map(|one| (0..one).map(move |other| [one, other]));
    let pairs: Vec<Clique> = pairs.map(|edge| End::pair(&ends, edge)).collect();
    // Those of the tree are measured, too, and others may be for the rows.
    vault.count_ahead(pairs.iter().filter(|pair| versions.domain().cells(pair) <= max_cells))?;
    let score = |[one, other]: [usize; 2]| {
        let excess = Excess::above_product(ends[one].table(), ends[other].table(), rows, deviation)?;
        Candidate::new(excess).with_penalty(NOISE_WEIGHT * noise([one, other]))
    };
    let named = NamedEdges::new(&ends, workload.tables());
    let (tree, unspent) = spanning_tree(vault, &ends, &named, for_selections, fits, score)?;
    let for_pairs = match unspent {
        Some(unspent) => for_pairs.join(unspent)?,
        None => for_pairs,
    };
    if tree.is_empty() {
        return learner.measure_columns_again(vault, for_pairs);
    }
    let weighted = |&edge: &[usize; 2]| if named.has(edge) { NAMED_WEIGHT * noise(edge) } else { noise(edge) };
    let parts = parts_of_pairs(&tree.iter().map(weighted).collect::<Vec<_>>());
    let pairs: Vec<Clique> = tree.iter().map(|&edge| End::pair(&ends, edge)).collect();
    learner.measure_in_parts(vault, &pairs, &parts, for_pairs)
}
