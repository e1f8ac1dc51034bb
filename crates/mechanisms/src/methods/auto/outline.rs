//! Planned releases of `auto`.

use std::num::NonZeroU32;

use rand::Rng;
use scumble_schema::{AttributeId, Clique, Domain, Recoding};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::candidates::Candidates;
use super::learner::begins_with_a_tree;
use super::options::Options;
use super::schedule::{self, Schedule};
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::merging::{non_constant_columns, non_constant_tables};
use crate::planning::outline::{DryRun, Events, Extent, Limits, Outline, plan_rng, real};

/// Passes of a fit between rounds over the cells that the model may have. Passes of `auto` take
/// longer than those of other methods: this is the number of theirs that takes the same time.
const PASSES: f64 = 18.0;
/// Passes of the last fit with an ordinary budget, in the same unit. With less noise it takes more.
const LAST_PASSES: f64 = 390.0;
/// Passes of the last fit over the cells of measured tables, times the steps that its search
/// remembers.
const LAST_STEPS: f64 = 215.0;
/// Passes of a fit between rounds over the cells of measured tables, times remembered steps.
const STEPS: f64 = 20.0;
/// Factor by which fits between rounds remember fewer steps than the last fit.
const LESS_REMEMBERED: f64 = 6.0;
/// Size of a selected table relative to a candidate: the noise penalty favours small ones.
const SELECTED_SIZE: f64 = 0.3;
/// Number of columns beyond which the time to predict the size of a model hardly grows: most are
/// far apart in it.
const MAX_NEAR_COLUMNS: usize = 24;

/// Plans the releases, with random tables in place of those that rows would select: as large as is
/// still reliable. The number of rounds follows from the number of rows; if no candidate fits the
/// model any more, there are fewer.
pub(super) fn outline<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    recoding: &Recoding,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let domain = recoding.base();
    let columns = non_constant_columns(domain);
    if columns.len() < 2 {
        return outline.measure(domain, &domain.one_way(), amount);
    }
    let deviation = outline.noise(1, amount)?.standard_deviation();
    let (for_columns, rest) = schedule::for_columns(amount, options)?;
    outline.measure(domain, &non_constant_tables(domain), for_columns)?;

    let merged = merged(recoding, options);
    let schedule = Schedule::new(columns.len(), outline.row_count() / deviation, options);
    let budget = schedule.divide(rest);
    let choice_share = options.choice_share()?;
    let mut run = DryRun::new(&merged, plan_rng());
    let linked = run.cells();
    let links = link_cells(domain, &merged);
    let sizes: Vec<u32> = columns.iter().map(|&column| merged.size(column)).collect();
    let mut edges =
        if begins_with_a_tree(&sizes, &schedule, deviation, outline.row_count()) { columns.len() - 1 } else { 0 };
    let whole = merged.cells(&Clique::new(columns.iter().copied()));
    let (mut selections, mut tables, mut all_cells, mut filled) = (Vec::new(), Vec::new(), 0.0, linked);
    for round in 0..schedule.rounds() {
        let for_round = budget.amount_of(schedule.parts_of(round));
        let (for_selection, for_table) = for_round.split(choice_share);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let model_cells = linked + schedule.cells_after(round) as u128;
        let noise = outline.noise(1, for_table)?;
        let useful =
            Limits { columns: options.most_columns as usize, cells: outline.reliable_cells(noise), model_cells };
        let pair = Limits { columns: 2, cells: u128::MAX, model_cells };
        let joining = if edges > 0 { run.edge(pair) } else { None };
        edges = if joining.is_some() { edges - 1 } else { 0 };
        let Some(table) = joining.or_else(|| run.table(useful)).or_else(|| run.table(pair)) else { break };
        selections.push(for_selection);
        tables.push((table, for_table));
        // On every benchmark table, rounds continued until the model had its maximum of cells.
        filled = model_cells.min(whole.max(linked));
        all_cells += real(filled + links);
    }
    let events = Events::about(selections.len(), schedule.rounds());
    let (candidates, candidate_cells) = candidates(&merged, options, &mut plan_rng())?;
    outline.select(ScoreKind::L1Error, NonZeroU32::MIN, Extent { least: 1, most: candidates }, &selections, events)?;
    outline.measure_each(&merged, &tables, events)?;

    let (asked, rows) = (real(selections.len() as u128), outline.row_count());
    let considered = real(candidates.into());
    let narrow = narrowness(&sizes);
    // Tables are added one by one, so between rounds there are half of them on average.
    let selected_cells = asked * SELECTED_SIZE * candidate_cells / considered.max(1.0);
    let longer = schedule.growth.powi(2);
    let remembered = STEPS * asked * selected_cells / 2.0 / LESS_REMEMBERED + longer * LAST_STEPS * selected_cells;
    let work = &mut outline.work;
    work.compared = asked * candidate_cells;
    work.compared_cells = candidate_cells;
    work.sized = asked * considered * real(columns.len().min(MAX_NEAR_COLUMNS) as u128);
    work.explained = narrow * considered * all_cells;
    work.counted = rows * considered * 0.5 * f64::from(options.most_columns);
    work.model_cells = real(filled + links);
    work.fitted = narrow * (PASSES * all_cells + longer * LAST_PASSES * work.model_cells);
    work.stepped = remembered;
    Ok(())
}

/// Time per cell in tables of columns of these sizes, relative to tables of large columns: loops
/// along a column of two values are short.
fn narrowness(sizes: &[u32]) -> f64 {
    let average = (sizes.iter().map(|&size| f64::from(size).ln()).sum::<f64>() / real(sizes.len() as u128)).exp();
    1.0 + 0.5 / (average - 1.0).max(1.0)
}

/// Returns the columns as they are in tables of several: grouped, or at the finest declared level.
fn merged(recoding: &Recoding, options: &Options) -> Domain {
    let declared = recoding.levels();
    let size = |column: AttributeId| {
        let levels = declared.iter().find(|(of, _)| *of == column).map(|(_, levels)| levels);
        let finest = levels.and_then(|levels| levels[0].iter().max()).map(|&last| last + 1);
        let size = recoding.base().size(column);
        finest.unwrap_or(if size > options.large_column { options.groups.min(size) } else { size })
    };
    Domain::new(recoding.base().attributes().map(size).collect()).expect("no column got larger")
}

/// Number of cells of the tables that link large columns to their groups. Every pass of a fit
/// visits them.
fn link_cells(base: &Domain, merged: &Domain) -> u128 {
    let sizes = |column| [base.size(column), merged.size(column)].map(u128::from);
    base.attributes().map(sizes).filter(|[fine, coarse]| fine > coarse).map(|[fine, coarse]| fine * coarse).sum()
}

/// Returns the maximum number of candidates that a round considers, and the number of their cells.
fn candidates(merged: &Domain, options: &Options, rng: &mut impl Rng) -> Result<(u64, f64), MechanismError> {
    let recoding = Recoding::identity(merged);
    let versions = ColumnLevels::new(&recoding, &[])?;
    let considered = Candidates::draw(&versions, options, |_| false, rng).considered(rng, |_| true);
    let cells = considered.iter().map(|set| merged.cells(set)).sum();
    Ok((considered.len() as u64, real(cells)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_binary_columns_take_half_as_long_again() {
        assert!((narrowness(&[2; 5]) - 1.5).abs() < 1e-12);
        assert!(narrowness(&[100, 80, 90]) < 1.01 && narrowness(&[2, 100]) < narrowness(&[2, 2, 100]));
    }
}
