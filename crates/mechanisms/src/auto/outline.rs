//! What the method will ask.

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
use crate::merging::non_constant_columns;
use crate::outline::{DryRun, Events, Extent, Limits, Outline, RELIABLE, cells_at, dice, real};
use crate::theory::Noise;
use crate::versions::Versions;

/// Passes over the cells that a model may have in a round, by the fit after it, and those of the last fit. They are fewer by count and
/// each takes longer than those of other methods: what is counted here is how many passes of theirs take as long.
const PASSES: f64 = 18.0;
/// That of an ordinary budget; the less noise there is, the longer the last fit takes to settle.
const LAST_PASSES: f64 = 390.0;
/// How many of its own passes the last fit takes, and how often a fit between rounds and the last one go through the cells of measured
/// tables in each pass: for every step that the search remembers, of which there are few at first.
const LAST_STEPS: f64 = 215.0;
const STEPS: f64 = 20.0;
const LESS_REMEMBERED: f64 = 6.0;
/// The cells of a table that is chosen, for each cell of a candidate that is considered: noise makes small ones likelier.
const CHOSEN_SIZE: f64 = 0.3;
/// Columns beyond these add little to the time in which the size of a model is predicted: most are far apart in it.
const MAX_NEAR_COLUMNS: usize = 24;

/// Plans the releases, with tables at random in place of those that rows would choose: as large as is still reliable. How many rounds there
/// are follows from the number of rows; where nothing more fits the model, there are fewer.
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
    let one_way: Vec<Clique> = columns.iter().copied().map(Clique::single).collect();
    outline.measure(domain, &one_way, for_columns)?;

    let merged = merged(recoding, options);
    let schedule = Schedule::new(columns.len(), outline.row_count() / deviation, options);
    let budget = schedule.divide(rest);
    let choice_share = options.choice_share()?;
    let mut run = DryRun::new(&merged, dice());
    let linked = run.cells();
    let links = link_cells(domain, &merged);
    let sizes: Vec<u32> = columns.iter().map(|&column| merged.size(column)).collect();
    let mut edges =
        if begins_with_a_tree(&sizes, &schedule, deviation, outline.row_count()) { columns.len() - 1 } else { 0 };
    let whole = merged.cells(&Clique::new(columns.iter().copied()));
    let (mut choices, mut tables, mut all_cells, mut filled) = (Vec::new(), Vec::new(), 0.0, linked);
    for round in 0..schedule.rounds() {
        let for_round = budget.amount_of(schedule.parts_of(round));
        let (for_choice, for_table) = for_round.split(choice_share);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the cells of a model")]
        let model_cells = linked + schedule.cells_after(round) as u128;
        let noise = outline.noise(1, for_table)?;
        let useful =
            Limits { columns: options.most_columns as usize, cells: useful_cells(outline, noise), model_cells };
        let pair = Limits { columns: 2, cells: u128::MAX, model_cells };
        let joining = if edges > 0 { run.edge(pair) } else { None };
        edges = if joining.is_some() { edges - 1 } else { 0 };
        let Some(table) = joining.or_else(|| run.table(useful)).or_else(|| run.table(pair)) else { break };
        choices.push(for_choice);
        tables.push((table, for_table));
        // On every benchmark table, rounds went on until the model had all the cells that it may have.
        filled = model_cells.min(whole.max(linked));
        all_cells += real(filled + links);
    }
    let events = Events::about(choices.len(), schedule.rounds());
    let (candidates, candidate_cells) = candidates(&merged, options, &mut dice())?;
    outline.choose(ScoreKind::L1Error, NonZeroU32::MIN, Extent { least: 1, most: candidates }, &choices, events)?;
    outline.measure_each(&merged, &tables, events)?;

    let (asked, rows) = (real(choices.len() as u128), outline.row_count());
    let considered = real(candidates.into());
    let narrow = narrowness(&sizes);
    // Tables come one by one, so there are half of them on average between rounds.
    let chosen_cells = asked * CHOSEN_SIZE * candidate_cells / considered.max(1.0);
    let longer = schedule.growth.powi(2);
    let remembered = STEPS * asked * chosen_cells / 2.0 / LESS_REMEMBERED + longer * LAST_STEPS * chosen_cells;
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

/// How many times as long a cell takes in tables of columns of these sizes as in tables of large ones: loops along a column of two
/// values are short.
fn narrowness(sizes: &[u32]) -> f64 {
    let middling = (sizes.iter().map(|&size| f64::from(size).ln()).sum::<f64>() / real(sizes.len() as u128)).exp();
    1.0 + 0.5 / (middling - 1.0).max(1.0)
}

/// The columns as tables of several take them; those of declared levels as the finest of these.
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

/// Cells of the tables that tie large columns to their groups: every pass of a fit goes through them.
fn link_cells(base: &Domain, merged: &Domain) -> u128 {
    let sizes = |column| [base.size(column), merged.size(column)].map(u128::from);
    base.attributes().map(sizes).filter(|[fine, coarse]| fine > coarse).map(|[fine, coarse]| fine * coarse).sum()
}

/// The largest table that is still reliable with this noise.
pub(crate) fn useful_cells<A: Adjacency, M: Selecting>(outline: &Outline<A, M>, noise: Noise) -> u128 {
    cells_at(noise, outline.rows(), RELIABLE).into()
}

/// How many candidates a round considers at most, and how many cells they have together.
fn candidates(merged: &Domain, options: &Options, dice: &mut impl Rng) -> Result<(u64, f64), MechanismError> {
    let recoding = Recoding::identity(merged);
    let versions = Versions::new(&recoding, &[])?;
    let considered = Candidates::draw(&versions, options, |_| false, dice).considered(dice, |_| true);
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
