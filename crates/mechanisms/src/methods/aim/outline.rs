//! Planned releases of `aim`.

use std::num::NonZeroU32;

use scumble_schema::{Clique, Domain};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::options::Options;
use super::schedule::{self, PARTS_OF_A_ROUND};
use super::workload::WeightedTables;

use crate::error::MechanismError;
use crate::learning::merging::{non_constant_columns, non_constant_tables};
use crate::learning::round_learner::rounds_for;
use crate::planning::outline::{DryRun, Events, Extent, Limits, Outline, plan_rng, real};

/// Typical number of passes of a fit between rounds.
const PASSES: f64 = 37.0;
/// Typical number of passes of the last fit.
const LAST_PASSES: f64 = 300.0;
/// Rounds per column at [`ORDINARY_SIGNAL`]. The benchmark tables had 1.9 to 4.4.
const ROUNDS_PER_COLUMN: f64 = 2.0;
/// Ordinary number of rows per row of noise.
const ORDINARY_SIGNAL: f64 = 1_500.0;
/// Further rounds per column for every doubling of the signal.
const MORE_BY_DOUBLING: f64 = 0.5;

/// Plans the releases, with random tables in place of those that rows would select: as large as is
/// still reliable.
///
/// The number of rounds depends on how many of them are below noise. The plan has the number of the
/// benchmark tables, with equal shares, and at most the number if none is below noise.
pub(super) fn outline<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    domain: &Domain,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let columns = non_constant_columns(domain);
    if columns.is_empty() {
        return outline.measure(domain, &domain.one_way(), amount);
    }
    let workload = WeightedTables::new(domain, options)?;
    let deviation = outline.noise(1, amount)?.standard_deviation();
    let (for_columns, budget) = schedule::divide(amount, columns.len(), options)?;
    let one_way = non_constant_tables(domain);
    outline.measure(domain, &one_way, for_columns)?;

    let max_rounds = (budget.parts() / PARTS_OF_A_ROUND) as usize;
    let expected = expected_rounds(columns.len(), outline.row_count() / deviation).min(max_rounds).max(1);
    let (for_selection, for_table) = budget.rest().divided(expected).split(options.choice_share()?);
    let noise = outline.noise(1, for_table)?;
    let drawn = workload.candidates(options.candidates as usize, &mut plan_rng());
    let mut run = DryRun::new(domain, plan_rng());
    let largest = drawn.iter().map(Clique::len).max().unwrap_or(1);
    let (mut tables, mut fitted) = (Vec::new(), 0.0);
    for round in 0..expected {
        let spent = real((round + 1) as u128) / real(expected as u128);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let model_cells = (f64::from(options.model_cells) * spent) as u128;
        let useful = Limits { columns: largest, cells: outline.reliable_cells(noise), model_cells };
        let table = run.table(useful).unwrap_or_else(|| one_way[round % one_way.len()].clone());
        tables.push((table, for_table));
        fitted += PASSES * real(run.cells());
    }
    let events = Events::about(expected, max_rounds);
    let heaviest = drawn.iter().map(|table| workload.weight(table)).max().unwrap_or(NonZeroU32::MIN);
    let candidates = Extent { least: 1, most: drawn.len() as u64 };
    outline.select(ScoreKind::L1Error, heaviest, candidates, &vec![for_selection; expected], events)?;
    // A round without candidates measures columns again.
    let again = Events { at_most: events.at_most.max(1) * columns.len() as u64, ..events };
    outline.measure_each(domain, &tables, again)?;

    let rows = outline.row_count();
    let work = &mut outline.work;
    work.compared_cells = real(drawn.iter().map(|table| domain.cells(table)).sum());
    work.scored = real(expected as u128) * work.compared_cells;
    work.sized = real((expected * drawn.len() * columns.len()) as u128);
    work.counted = rows * real(drawn.iter().map(|table| table.len() as u128).sum());
    work.model_cells = real(run.cells());
    work.fitted = fitted + LAST_PASSES * work.model_cells;
    Ok(())
}

fn expected_rounds(columns: usize, signal: f64) -> usize {
    let per_column = ROUNDS_PER_COLUMN + MORE_BY_DOUBLING * (signal / ORDINARY_SIGNAL).max(0.25).log2();
    rounds_for(columns, per_column)
}
