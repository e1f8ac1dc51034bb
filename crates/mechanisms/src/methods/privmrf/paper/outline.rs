//! Planned releases of the paper's profile.

use std::f64::consts::FRAC_2_PI;

use chacha20::ChaCha8Rng;
use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain, limits};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::candidates::{SetLimits, Subsets};
use super::refinement::RefinementPlan;
use super::{Options, PARTS, ROW_PARTS, SCORE_PARTS, SELECTION_PARTS};
use crate::error::MechanismError;
use crate::learning::merging::non_constant_columns;
use crate::mechanism::budget_parts::BudgetParts;
use crate::planning::outline::{DryRun, Events, Limits, Outline, plan_rngs, real};

/// Typical number of passes of a fit.
const PASSES: f64 = 109.0;
/// Maximum number of columns whose useful sets are counted. More columns have more sets than any
/// option asks for.
const MAX_COUNTED_COLUMNS: usize = 64;

/// Plans the releases, with random tables in place of those that rows would select, as large as is
/// useful. Columns may share a first table, and candidates may run out: then there are fewer
/// tables.
pub(in crate::methods::privmrf) fn outline<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    domain: &Domain,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let columns = non_constant_columns(domain);
    if columns.is_empty() {
        return outline.measure(domain, &domain.one_way(), amount);
    }
    let pairs = columns.len() * (columns.len() - 1) / 2;
    let mut budget = BudgetParts::new(amount, PARTS);
    if pairs > 0 {
        let (for_scores, rest) = budget.take(SCORE_PARTS);
        budget = rest;
        outline.score(ScoreKind::TotalVariation, 2, pairs, &[for_scores])?;
    }
    if A::KIND == AdjacencyKind::AddRemove {
        let (for_rows, rest) = budget.take(ROW_PARTS);
        budget = rest;
        outline.measure(domain, &[Clique::empty()], for_rows)?;
    }
    let initial = columns.len();
    let selected = options.refinement_tables(columns.len());
    let plan = RefinementPlan::new(columns.len(), initial, selected, options.rounds);
    let table_parts = if selected > 0 { budget.parts() - SELECTION_PARTS } else { budget.parts() };
    let for_all: Amount<M> = budget.amount_of(table_parts);
    let for_table = for_all.divided(initial + selected);
    let sigma = outline.noise(1, for_table)?.standard_deviation();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let useful = (outline.row_count() / (options.theta * sigma * FRAC_2_PI.sqrt())) as u128;
    let table_limits = Limits {
        columns: options.most_columns.map_or(usize::MAX, |max| max as usize),
        cells: useful.min(limits::CELLS_PER_TABLE),
        model_cells: options.model_cells.into(),
    };
    let mut runs: Vec<Run> = plan_rngs().map(|rng| Run::new(domain, rng, plan, table_limits)).collect();
    let mean = |sum: f64| sum / real(runs.len() as u128);
    let model_cells = mean(runs.iter().map(|run| run.cells).sum());
    let fitted = mean(runs.iter().map(|run| run.fitted).sum());
    let mut tables: Vec<(Clique, Amount<M>)> =
        runs.swap_remove(0).tables.into_iter().map(|table| (table, for_table)).collect();
    let later = tables.split_off(initial);
    outline.measure_each(domain, &tables, Events::about(initial, initial))?;
    let candidates = useful_sets(domain, &columns, table_limits).min(options.candidates as usize);
    if plan.rounds > 0 {
        let for_lists = budget.rest().checked_sub(for_all).unwrap_or(Amount::ZERO);
        let for_list = for_lists.divided(plan.rounds);
        outline.score(ScoreKind::L1Error, 0, candidates, &vec![for_list; plan.rounds])?;
        outline.measure_each(domain, &later, Events::about(selected, selected.max(1) * columns.len()))?;
    }

    let (rows, rounds) = (outline.row_count(), real(plan.rounds as u128));
    let work = &mut outline.work;
    let per_table = real(tables.iter().chain(&later).map(|(table, _)| domain.cells(table)).sum())
        / real((initial + selected) as u128);
    let scored = real(candidates as u128) * per_table;
    let codes = real(domain.sizes().iter().map(|&size| u128::from(size)).sum());
    work.counted_cells = codes * codes / 2.0;
    work.compared_cells = scored;
    work.scored = codes * codes / 2.0 + rounds * scored;
    work.sized = rounds * real((candidates * columns.len()) as u128) + real((pairs * columns.len()) as u128);
    work.counted = rows * (real(2 * pairs as u128) + rounds * real(candidates as u128) * 3.0);
    work.model_cells = model_cells;
    work.fitted = PASSES * (fitted + 2.0 * model_cells);
    Ok(())
}

/// Random tables, and the size of their model.
struct Run {
    tables: Vec<Clique>,
    /// Number of cells of the last model.
    cells: f64,
    /// Sum of the cells of the models between rounds.
    fitted: f64,
}

impl Run {
    fn new(domain: &Domain, rng: ChaCha8Rng, plan: RefinementPlan, limits: Limits) -> Self {
        let columns = non_constant_columns(domain);
        let mut run = DryRun::new(domain, rng);
        let (mut tables, mut fitted) = (Vec::new(), 0.0);
        let in_a_round = plan.selected.div_ceil(plan.rounds.max(1)).max(1);
        for place in 0..plan.initial + plan.selected {
            let alone = || Clique::single(columns[place % columns.len()]);
            tables.push(run.table(limits).unwrap_or_else(alone));
            if (place + 1).checked_sub(plan.initial).is_some_and(|selected| selected % in_a_round == 0) {
                fitted += real(run.cells());
            }
        }
        Self { tables, cells: real(run.cells()), fitted }
    }
}

/// Number of sets of columns that are small enough; `usize::MAX` for many columns.
fn useful_sets(domain: &Domain, columns: &[AttributeId], limits: Limits) -> usize {
    if columns.len() > MAX_COUNTED_COLUMNS {
        return usize::MAX;
    }
    let limits = SetLimits { cells: u64::try_from(limits.cells).unwrap_or(u64::MAX), columns: limits.columns };
    let sets = Subsets::new(domain, columns).count(0, limits).saturating_sub(1);
    usize::try_from(sets).unwrap_or(usize::MAX).max(1)
}
