//! Tables that the model cannot hold, measured for the rows alone.
//!
//! A table across the cliques of the model would make it too large. It is measured all the same,
//! and rows drawn from the model are moved towards it. Tables are selected in batches: each
//! compares its candidates with rows that meet the tables of the batches before.

use std::num::NonZeroUsize;

use scumble_pgm::{Measurement, RowTarget, Sampler, Sampling, TreeModel};
use scumble_schema::{AttributeId, Clique};
use scumble_vault::score::{Candidate, L1Error};
use scumble_vault::{Budget, Selecting, Vault, VaultError};

use super::learner::{noise_of, planned_deviation};
use super::options::Options;
use super::schedule::batches;
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::expected::{counts_in_rows, expected_counts};
use crate::learning::noisy::counts;
use crate::mechanism::terms::MethodAdjacency;
use crate::model::targets::MAX_TARGET_CELLS;

/// Limits of the number of rows that candidates are compared with.
const MIN_COMPARED_ROWS: f64 = 16_384.0;
const MAX_COMPARED_ROWS: f64 = 131_072.0;
/// Seed of those rows. It may be public: they are counted and discarded.
const SEED: u64 = 2027;
/// Maximum number of cells of a pair. Noise makes larger ones useless, except for very large
/// numbers of rows.
const MAX_PAIR_CELLS: u128 = 100_000;
/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 20_000;

/// Measures tables across the cliques of a model, and returns what rows are moved towards: these
/// and earlier `targets`.
///
/// # Privacy
/// For each table one selection among L1 errors against a model of released values, or against rows
/// drawn from such a model, and the table. All else reads released values.
#[expect(clippy::too_many_arguments, reason = "all that a fit has found so far")]
pub(super) fn run<A: MethodAdjacency, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    model: &TreeModel,
    versions: &ColumnLevels,
    mut targets: Vec<RowTarget>,
    mut candidates: Vec<Clique>,
    tables: usize,
    options: &Options,
) -> Result<Vec<RowTarget>, MechanismError> {
    let domain = model.domain();
    let finest = versions.finest();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the limits")]
    let compared_rows = model.total().clamp(MIN_COMPARED_ROWS, MAX_COMPARED_ROWS) as u64;
    let Some(tables) = NonZeroUsize::new(tables.min(candidates.len())) else { return Ok(targets) };
    let batches = batches(tables);
    let count = NonZeroUsize::new(batches.len()).expect("at least one");
    for (for_batch, tables) in budget.split_evenly(count).into_iter().zip(batches) {
        let expected = if targets.is_empty() {
            expected_counts(model, &candidates)?
        } else {
            let rows = Sampler::new(model).comparing(&finest).towards(&targets)?;
            let rows = rows.sample(compared_rows, SEED, Sampling::Matched);
            counts_in_rows(domain, &candidates, rows, model.total())
        };
        let (for_selections, for_tables) = for_batch.split(options.choice_share()?);
        let deviation = planned_deviation(vault, tables, &for_tables);
        let score = |(pair, expected): &(Clique, Vec<f64>)| {
            let penalty = options.noise_penalty * noise_of(expected.iter().copied(), deviation);
            Candidate::new(L1Error::against(pair.clone(), expected)?).with_penalty(penalty)
        };
        let mut compared: Vec<(Clique, Vec<f64>)> = candidates.iter().cloned().zip(expected).collect();
        let mut scores = compared.iter().map(score).collect::<Result<Vec<_>, VaultError>>()?;
        let mut selected = Vec::with_capacity(tables.get());
        for for_selection in for_selections.split_evenly(tables) {
            let place = *vault.select(&scores, for_selection)?;
            scores.swap_remove(place);
            selected.push(compared.swap_remove(place));
        }
        let pairs: Vec<Clique> = selected.iter().map(|(pair, _)| pair.clone()).collect();
        let measured = vault.measure(&pairs, for_tables)?.into_inner();
        for (table, (pair, expected)) in measured.iter().zip(&selected) {
            let measured = Measurement::new(domain, pair.clone(), counts(table), table.standard_deviation())?;
            targets.push(RowTarget::estimate(&measured, expected, options.spread.unwrap_or(f64::INFINITY))?);
        }
        candidates.retain(|pair| !pairs.contains(pair));
    }
    Ok(targets)
}

/// Returns the pairs of columns that no clique of a model holds, of at most `max_cells` cells.
pub(super) fn across(columns: &[AttributeId], model: &TreeModel, max_cells: u128) -> Vec<Clique> {
    let domain = model.domain();
    let held: Vec<Clique> = model.nodes().iter().map(|node| node.separator().union(node.residual())).collect();
    let after = |place: usize| columns[place + 1..].iter().map(move |&other| Clique::new([columns[place], other]));
    let pairs = (0..columns.len()).flat_map(after).filter(|pair| domain.cells(pair) <= max_cells);
    pairs.filter(|pair| !held.iter().any(|clique| clique.holds(pair))).take(MAX_CANDIDATES).collect()
}

/// Maximum number of cells of a pair, for a number of tables.
pub(super) fn max_pair_cells(tables: usize) -> u128 {
    MAX_PAIR_CELLS.min(MAX_TARGET_CELLS / tables.max(1) as u128)
}
