//! Planned releases of `auto`.

use std::num::{NonZeroU32, NonZeroUsize};

use rand::Rng;
use rand::seq::SliceRandom;
use scumble_schema::{AttributeId, Clique, Domain, Recoding};
use scumble_vault::account::Amount;
use scumble_vault::score::ScoreKind;
use scumble_vault::{Adjacency, Selecting};

use super::candidates::Candidates;
use super::learner::noise_of;
use super::options::Options;
use super::schedule::{self, Division, Schedule, batches, parts_of_pairs};
use super::workload::Workload;
use super::{parities, row_rounds, tree};
use crate::error::MechanismError;
use crate::learning::column_levels::ColumnLevels;
use crate::learning::merging::{non_constant_columns, non_constant_tables};
use crate::planning::outline::{DryRun, Events, Extent, Limits, Outline, plan_rng, real};

/// Passes over the cells of a tree, which is not searched for.
const TREE_PASSES: f64 = 30.0;
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

/// Plans the releases, with random tables in place of those that rows would select. The division of
/// the budget follows from the number of rows.
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
    if let Some(columns) = parities::columns(domain).filter(|_| options.parities) {
        return parities::outline(outline, domain, &columns, amount);
    }
    let deviation = outline.noise(1, amount)?.standard_deviation();
    let (for_columns, rest) = schedule::for_columns(amount, options)?;
    outline.measure(domain, &non_constant_tables(domain), for_columns)?;

    let merged = merged(recoding, options);
    let sizes: Vec<u32> = columns.iter().map(|&column| merged.size(column)).collect();
    let division = Division::new(&sizes, outline.row_count() / deviation, options);
    let (for_rows, for_columns, rest) = division.split(rest);
    let workload = Workload::new(options.workload.cliques(domain)?);
    let (for_last, rest) = workload.split(rest);
    if let Some(for_columns) = for_columns {
        outline.measure(domain, &non_constant_tables(domain), for_columns)?;
    }
    let mut run = DryRun::new(&merged, plan_rng());
    if division.is_tree {
        plan_tree(outline, &merged, &mut run, &workload, rest)?;
    } else {
        let schedule = workload.in_rounds(division.schedule);
        plan_rounds(outline, domain, &merged, &mut run, &schedule, &workload, options, rest)?;
    }
    if let Some(for_last) = for_last {
        let max_cells = row_rounds::max_pair_cells(division.row_tables + workload.tables().len());
        let tables = workload.tables().iter().map(|(table, _)| table.clone());
        let tables: Vec<Clique> = tables.filter(|table| merged.cells(table) <= max_cells).collect();
        let asked = if tables.is_empty() { non_constant_tables(&merged) } else { tables };
        outline.measure(&merged, &asked, for_last)?;
    }
    if let Some(for_rows) = for_rows {
        plan_rows(outline, &merged, &run, division.row_tables, options, for_rows)?;
    }
    Ok(())
}

/// Plans a tree of random pairs.
fn plan_tree<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    merged: &Domain,
    run: &mut DryRun,
    workload: &Workload,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let columns = non_constant_columns(merged).len();
    let edges = columns - 1;
    let (for_selections, for_pairs) = amount.split(tree::FOR_SELECTIONS);
    let noise = outline.noise(edges, for_pairs)?;
    let (reliable, max_cells) = (outline.reliable_cells(noise).max(1), tree::max_pair_cells(edges));
    // Only rows above the noise count in selections, so pairs that are mostly noise seldom win.
    let limits = |cells: u128| Limits { columns: 2, cells: cells.min(max_cells), model_cells: u128::MAX };
    let sizes = || std::iter::successors(Some(reliable), |cells| (*cells < max_cells).then(|| 4 * cells));
    let mut pairs: Vec<Clique> = Vec::with_capacity(edges);
    for (table, _) in workload.tables() {
        if run.named_edge(table, limits(max_cells)) {
            pairs.push(table.clone());
        }
    }
    let named = pairs.len();
    let edge = || sizes().find_map(|cells| run.edge(limits(cells)));
    pairs.extend(std::iter::from_fn(edge).take(edges - named));
    let deviation = noise.standard_deviation();
    let rows = outline.row_count();
    // As if all values were equally frequent.
    let noise = |pair: &Clique| {
        let cells = real(merged.cells(pair));
        cells * noise_of([rows / cells], deviation)
    };
    let parts = parts_of_pairs(&pairs.iter().map(noise).collect::<Vec<_>>());
    let all = parts.iter().sum();
    let tables: Vec<(Clique, Amount<M>)> =
        pairs.into_iter().zip(&parts).map(|(pair, &parts)| (pair, for_pairs.parts(parts, all))).collect();
    let events = Events::about(tables.len(), edges);
    let joinable = Extent { least: 1, most: (columns * edges / 2) as u64 };
    // Named pairs need no selection.
    let selected = tables.len() - named;
    let each = vec![for_selections.divided((edges - named).max(1)); selected];
    let selections = Events::about(selected, edges - named);
    outline.select(ScoreKind::Excess, NonZeroU32::MIN, joinable, &each, selections)?;
    outline.measure_each(merged, &tables, events)?;

    let work = &mut outline.work;
    let codes = real(merged.sizes().iter().map(|&size| u128::from(size)).sum());
    let squares = real(merged.sizes().iter().map(|&size| u128::from(size).pow(2)).sum());
    work.scored = (codes * codes - squares) / 2.0 * real(edges as u128) / 2.0;
    work.counted_cells = (codes * codes - squares) / 2.0;
    work.counted = rows * real((columns * columns) as u128);
    work.model_cells = real(run.cells());
    work.fitted = TREE_PASSES * work.model_cells;
    Ok(())
}

/// Plans tables of random pairs for the rows.
fn plan_rows<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    merged: &Domain,
    run: &DryRun,
    tables: usize,
    options: &Options,
    amount: Amount<M>,
) -> Result<(), MechanismError> {
    let mut candidates = run.pairs_across(row_rounds::max_pair_cells(tables));
    let considered = candidates.len();
    candidates.shuffle(&mut plan_rng());
    candidates.truncate(tables);
    let Some(tables) = NonZeroUsize::new(candidates.len()) else {
        return outline.measure(merged, &non_constant_tables(merged), amount);
    };
    let batches = batches(tables);
    let for_batch = amount.divided(batches.len());
    let (for_selections, for_tables) = for_batch.split(options.choice_share()?);
    let each =
        |amount: Amount<M>| batches.iter().flat_map(move |tables| vec![amount.divided(tables.get()); tables.get()]);
    let events = Events::about(candidates.len(), candidates.len());
    let most = Extent { least: 1, most: considered as u64 };
    outline.select(ScoreKind::L1Error, NonZeroU32::MIN, most, &each(for_selections).collect::<Vec<_>>(), events)?;
    let tables: Vec<(Clique, Amount<M>)> = candidates.into_iter().zip(each(for_tables)).collect();
    outline.measure_each(merged, &tables, events)
}

/// Plans rounds with random tables in place of those that rows would select: as large as is still
/// reliable. If no candidate fits the model any more, there are fewer.
#[expect(clippy::too_many_arguments, reason = "all that a plan has found so far")]
fn plan_rounds<A: Adjacency, M: Selecting>(
    outline: &mut Outline<A, M>,
    domain: &Domain,
    merged: &Domain,
    run: &mut DryRun,
    schedule: &Schedule,
    workload: &Workload,
    options: &Options,
    rest: Amount<M>,
) -> Result<(), MechanismError> {
    let columns = non_constant_columns(domain);
    let sizes: Vec<u32> = columns.iter().map(|&column| merged.size(column)).collect();
    let budget = schedule.divide(rest);
    let choice_share = options.choice_share()?;
    let linked = run.cells();
    let links = link_cells(domain, merged);
    let whole = merged.cells(&Clique::new(columns.iter().copied()));
    let (mut selections, mut tables, mut all_cells, mut filled) = (Vec::new(), Vec::new(), 0.0, linked);
    let mut of_workload = Vec::new();
    let mut named = workload.tables().iter().map(|(table, _)| table).cycle();
    for round in 0..schedule.rounds() {
        let for_round = budget.amount_of(schedule.parts_of(round));
        let (for_selection, for_table) = for_round.split(choice_share);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let model_cells = linked + schedule.cells_after(round) as u128;
        let noise = outline.noise(1, for_table)?;
        let useful =
            Limits { columns: options.most_columns as usize, cells: outline.reliable_cells(noise), model_cells };
        let pair = Limits { columns: 2, cells: u128::MAX, model_cells };
        let named = if schedule.is_of_workload(round) { named.next() } else { None };
        let table = match named {
            Some(table) if run.named(table, pair) => table.clone(),
            _ => match run.table(useful).or_else(|| run.table(pair)) {
                Some(table) => table,
                None => break,
            },
        };
        if schedule.is_of_workload(round) {
            of_workload.push(for_selection);
        } else {
            selections.push(for_selection);
        }
        tables.push((table, for_table));
        // On every benchmark table, rounds continued until the model had its maximum of cells.
        filled = model_cells.min(whole.max(linked));
        all_cells += real(filled + links);
    }
    let events = Events::about(tables.len(), schedule.rounds());
    let (candidates, candidate_cells) = candidates(merged, options, &mut plan_rng())?;
    let weights = workload.candidates();
    let heaviest = weights.values().copied().max().unwrap_or(NonZeroU32::MIN);
    let most = Extent { least: 1, most: weights.len() as u64 };
    let rounds = (0..schedule.rounds()).filter(|&round| schedule.is_of_workload(round)).count();
    outline.select(ScoreKind::L1Error, heaviest, most, &of_workload, Events::about(of_workload.len(), rounds))?;
    let others = Events::about(selections.len(), schedule.rounds());
    outline.select(ScoreKind::L1Error, NonZeroU32::MIN, Extent { least: 1, most: candidates }, &selections, others)?;
    outline.measure_each(merged, &tables, events)?;

    let (asked, rows) = (real(tables.len() as u128), outline.row_count());
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

/// Returns the columns as they are in pairs: as they are if they are small, otherwise at the finest
/// declared level that is small, or grouped.
fn merged(recoding: &Recoding, options: &Options) -> Domain {
    let declared = recoding.levels();
    let size = |column: AttributeId| {
        let size = recoding.base().size(column);
        if size <= options.large_column {
            return size;
        }
        let levels = declared.iter().find(|(of, _)| *of == column).map(|(_, levels)| levels);
        let mut sizes = levels.into_iter().flatten().filter_map(|level| level.iter().max().map(|&last| last + 1));
        sizes.find(|&size| size <= options.large_column).unwrap_or(options.groups.min(size))
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
