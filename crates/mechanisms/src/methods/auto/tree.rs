//! A tree of pairs, selected and measured at once.
//!
//! Where columns are large, a pair that closes a cycle makes cliques of a million cells, so the
//! model can hardly be more than a tree. Then its pairs are selected in one pass and measured with
//! all of the budget, instead of round by round.

use std::num::NonZeroUsize;
use std::slice;

use scumble_schema::Clique;
use scumble_vault::account::Share;
use scumble_vault::score::{Candidate, Excess};
use scumble_vault::{Budget, Selecting, Vault};

use super::learner::{Learner, noise_of, planned_deviation};
use super::schedule::parts_of_pairs;
use crate::error::MechanismError;
use crate::learning::spanning_tree::{End, MAX_TREE_CELLS, Ruled, spanning_tree};
use crate::mechanism::budget_parts::BudgetParts;
use crate::mechanism::terms::MethodAdjacency;

/// Share of the budget of the tree for selecting its pairs.
pub(super) const FOR_SELECTIONS: Share = Share::of(1, 20).expect("a proper fraction");
/// Weight of the noise of a pair in its score. A larger weight loses strong relations of large
/// columns; without one, noise joins columns of a thousand values.
const NOISE_WEIGHT: f64 = 0.05;

/// Maximum number of cells of a pair, for a number of edges.
pub(super) fn max_pair_cells(edges: usize) -> u128 {
    MAX_TREE_CELLS / (edges.max(1) as u128)
}

/// Selects the pairs of a tree and measures them.
///
/// # Privacy
/// One selection per pair among rows above products of released tables, and one table per pair. The
/// share of a table follows from released values.
pub(super) fn measure<A: MethodAdjacency, M: Selecting>(
    learner: &mut Learner,
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
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
    let score = |[one, other]: [usize; 2]| {
        let excess = Excess::above_product(ends[one].table(), ends[other].table(), rows, deviation)?;
        Candidate::new(excess).with_penalty(NOISE_WEIGHT * noise([one, other]))
    };
    let tree = spanning_tree(vault, &ends, for_selections, fits, score)?;
    let Some((&last, before)) = tree.split_last() else {
        return learner.measure_columns_again(vault, for_pairs);
    };
    let parts = parts_of_pairs(&tree.iter().map(|&edge| noise(edge)).collect::<Vec<_>>());
    let mut budget = BudgetParts::new(for_pairs, parts.iter().sum());
    for (&edge, &parts) in before.iter().zip(&parts) {
        let (for_pair, rest) = budget.take(parts);
        budget = rest;
        learner.measure(vault, slice::from_ref(&End::pair(&ends, edge)), for_pair)?;
    }
    learner.measure(vault, slice::from_ref(&End::pair(&ends, last)), budget.rest())
}
