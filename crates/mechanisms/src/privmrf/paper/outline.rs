//! What the method will ask.

use std::f64::consts::FRAC_2_PI;

use chacha20::ChaCha8Rng;
use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain, limits};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::candidates::{Most, Subsets};
use super::refinement::Plan;
use super::{Options, PARTS, ROW_PARTS, SCORE_PARTS, SELECTION_PARTS};
use crate::budget_parts::BudgetParts;
use crate::error::MechanismError;
use crate::merging::non_constant_columns;
use crate::outline::{DryRun, Events, Limits, Outline, real, several_dice};

/// Passes that a fit takes, about.
const PASSES: f64 = 109.0;
/// Of so many columns, small sets are counted; of more there are as many as anybody asks for.
const FEW_COLUMNS: usize = 64;

/// Plans the releases, with tables at random in place of those that rows would choose, as large as is useful. Columns may share a
/// first table, and candidates may run out: then there are fewer tables.
pub(in crate::privmrf) fn outline<A: Adjacency, M: Selecting>(
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
    let chosen = options.refinement_tables(columns.len());
    let plan = Plan::new(columns.len(), initial, chosen, options.rounds);
    let table_parts = if chosen > 0 { budget.parts() - SELECTION_PARTS } else { budget.parts() };
    // As the method has it: tables together so many parts for every ten of the lists.
    let for_all: Amount<M> = budget.amount_of(table_parts);
    let for_table = for_all.divided(initial + chosen);
    let sigma = outline.noise(1, for_table)?.standard_deviation();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let useful = (outline.row_count() / (options.theta * sigma * FRAC_2_PI.sqrt())) as u128;
    let table_limits = Limits {
        columns: options.most_columns.map_or(usize::MAX, |most| most as usize),
        cells: useful.min(limits::CELLS_PER_TABLE),
        model_cells: options.model_cells.into(),
    };
    let mut runs: Vec<Run> = several_dice().map(|dice| Run::new(domain, dice, plan, table_limits)).collect();
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
        outline.measure_each(domain, &later, Events::about(chosen, chosen.max(1) * columns.len()))?;
    }

    let (rows, rounds) = (outline.row_count(), real(plan.rounds as u128));
    let work = &mut outline.work;
    let per_table = real(tables.iter().chain(&later).map(|(table, _)| domain.cells(table)).sum())
        / real((initial + chosen) as u128);
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

/// Tables at random, and how large their model becomes.
struct Run {
    tables: Vec<Clique>,
    /// Cells of the last model.
    cells: f64,
    /// Cells of the models between rounds.
    fitted: f64,
}

impl Run {
    fn new(domain: &Domain, dice: ChaCha8Rng, plan: Plan, limits: Limits) -> Self {
        let columns = non_constant_columns(domain);
        let mut run = DryRun::new(domain, dice);
        let (mut tables, mut fitted) = (Vec::new(), 0.0);
        let in_a_round = plan.chosen.div_ceil(plan.rounds.max(1)).max(1);
        for place in 0..plan.initial + plan.chosen {
            let alone = || Clique::single(columns[place % columns.len()]);
            tables.push(run.table(limits).unwrap_or_else(alone));
            if (place + 1).checked_sub(plan.initial).is_some_and(|chosen| chosen % in_a_round == 0) {
                fitted += real(run.cells());
            }
        }
        Self { tables, cells: real(run.cells()), fitted }
    }
}

/// How many sets of columns are small enough, if they are few.
fn useful_sets(domain: &Domain, columns: &[AttributeId], limits: Limits) -> usize {
    if columns.len() > FEW_COLUMNS {
        return usize::MAX;
    }
    let most = Most { cells: u64::try_from(limits.cells).unwrap_or(u64::MAX), columns: limits.columns };
    let sets = Subsets::new(domain, columns).count(0, most).saturating_sub(1);
    usize::try_from(sets).unwrap_or(usize::MAX).max(1)
}
