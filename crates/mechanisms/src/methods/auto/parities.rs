//! Tables of binary columns: the parities of all sets of up to three columns, measured at once.

use scumble_pgm::{Interaction, estimate_interactions};
use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain};
use scumble_vault::account::Amount;
use scumble_vault::score::Parity;
use scumble_vault::{Adjacency, Budget, Selecting, Vault};

use crate::error::MechanismError;
use crate::learning::merging::non_constant_columns;
use crate::learning::model_fitter::public_rows;
use crate::learning::noisy::estimated_rows;
use crate::mechanism::budget_parts::BudgetParts;
use crate::mechanism::terms::{MethodAccounting, MethodAdjacency};
use crate::model::fitted::Fitted;
use crate::planning::outline::{Outline, real};

/// Limits of the number of columns. All cells of the joint table are held in memory.
const MIN_COLUMNS: usize = 3;
const MAX_COLUMNS: usize = 23;
/// Maximum number of columns of a set.
const MAX_SET: usize = 3;
/// Prior standard deviation of the potentials of sets of one column, two and three.
const SPREADS: [f64; MAX_SET] = [3.0, 0.25, 0.04];
/// Parts of the budget: all of it, and those for the number of rows, if it is not public.
const PARTS: u32 = 10_000;
const ROW_PARTS: u32 = 500;
/// Passes of a fit over the cells of the joint table, and the time per cube of the number of
/// parities, in the same unit.
const PASSES: f64 = 1_400.0;
const PASSES_OF_EQUATIONS: f64 = 0.3;

/// Returns the binary columns, if all columns are binary or constant and their number is suitable.
pub(super) fn columns(domain: &Domain) -> Option<Vec<AttributeId>> {
    let columns = non_constant_columns(domain);
    let suits = (MIN_COLUMNS..=MAX_COLUMNS).contains(&columns.len());
    (suits && columns.iter().all(|&column| domain.size(column) == 2)).then_some(columns)
}

/// Measures the number of rows, if it is not public, and the parities of all sets of up to three
/// columns, and fits the most likely distribution of all columns.
///
/// # Privacy
/// One table without columns under add/remove, and one list of scores per size of sets (Δ₂ is
/// the root of their number; twice that under replace-one). What is asked follows from the
/// schema alone.
pub(super) fn fit<A: MethodAdjacency, M: MethodAccounting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    columns: &[AttributeId],
) -> Result<Fitted, MechanismError> {
    let domain = vault.domain().clone();
    let mut budget = BudgetParts::new(budget, PARTS);
    let rows = if let Some(rows) = public_rows(vault)? {
        rows
    } else {
        let (for_rows, rest) = budget.take(ROW_PARTS);
        budget = rest;
        estimated_rows(vault.measure(&[Clique::empty()], for_rows)?.iter())
    };
    let parts = parts(columns.len(), budget.parts());
    let mut interactions = Vec::new();
    for (size, parts) in (1..MAX_SET).zip(parts) {
        let (for_sets, rest) = budget.take(parts);
        budget = rest;
        measure(vault, for_sets, columns, size, &mut interactions)?;
    }
    measure(vault, budget.rest(), columns, MAX_SET, &mut interactions)?;
    Ok(Fitted::of_tree(estimate_interactions(&domain, &interactions, rows.max(1.0))?))
}

/// Measures the parities of all sets of a size.
fn measure<A: MethodAdjacency, M: MethodAccounting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    columns: &[AttributeId],
    size: usize,
    interactions: &mut Vec<Interaction>,
) -> Result<(), MechanismError> {
    let parities: Vec<Parity> = sets(columns, size).map(Parity::of).collect();
    let released = vault.measure_scores(&parities, budget)?;
    let (deviation, spread) = (released.standard_deviation(), SPREADS[size - 1]);
    let measured = sets(columns, size).zip(released.values());
    interactions.extend(measured.map(|(columns, &parity)| Interaction { columns, parity, deviation, spread }));
    Ok(())
}

/// Plans the releases.
pub(super) fn outline<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    domain: &Domain,
    columns: &[AttributeId],
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let mut left = PARTS;
    if A::KIND == AdjacencyKind::AddRemove {
        outline.measure(domain, &[Clique::empty()], amount.parts(ROW_PARTS, PARTS))?;
        left -= ROW_PARTS;
    }
    for (size, parts) in (1..).zip(parts(columns.len(), left)) {
        outline.parities(sets(columns, size).collect(), size, amount.parts(parts, PARTS))?;
    }
    let (rows, cells) = (outline.row_count(), real(1_u128 << columns.len()));
    let number = |size: usize| real(number_of_sets(columns.len(), size) as u128);
    let measured: f64 = (1..=MAX_SET).map(number).sum();
    let work = &mut outline.work;
    work.counted = rows * (1..=MAX_SET).map(|size| real(size as u128) * number(size)).sum::<f64>();
    work.model_cells = cells;
    work.fitted = PASSES * cells + PASSES_OF_EQUATIONS * measured.powi(3);
    Ok(())
}

/// Divides a number of parts among the sizes of sets. The variance of parities of a size is inverse
/// to the root of the number of tables of three columns that such a set is in.
fn parts(columns: usize, all: u32) -> [u32; MAX_SET] {
    let weight = |size: usize| {
        let tables = real(number_of_sets(columns - size, MAX_SET - size) as u128);
        real(number_of_sets(columns, size) as u128) * tables.sqrt()
    };
    let weights = [1, 2, 3].map(weight);
    let sum: f64 = weights.iter().sum();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most all parts")]
    weights.map(|weight| (f64::from(all) * weight / sum).round().max(1.0) as u32)
}

/// Number of sets of `size` of some columns.
fn number_of_sets(columns: usize, size: usize) -> usize {
    (0..size).fold(1, |sets, chosen| sets * (columns - chosen) / (chosen + 1))
}

/// Returns all sets of a size, of one to three.
pub(crate) fn sets(columns: &[AttributeId], size: usize) -> impl Iterator<Item = Clique> {
    let last = columns.len();
    let triples = (0..last).flat_map(move |one| {
        let second = if size > 1 { one + 1..last } else { one..one + 1 };
        second.flat_map(move |two| {
            let third = if size > 2 { two + 1..last } else { two..two + 1 };
            third.map(move |three| [one, two, three])
        })
    });
    triples.map(|triple| Clique::new(triple.map(|place| columns[place])))
}
