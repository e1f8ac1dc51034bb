//! Division of the budget, shared by fits and plans.

use std::num::NonZeroUsize;

use scumble_schema::limits;
use scumble_vault::account::Spendable;
use scumble_vault::{Accounting, Share};

use super::learner::NOISE_OF_EMPTY_CELLS;
use super::options::Options;
use crate::error::MechanismError;
use crate::learning::round_learner::rounds_for;
use crate::mechanism::budget_parts::BudgetParts;

/// Number of parts of the budget that the first round gets.
const PARTS_OF_A_ROUND: f64 = 1_000.0;
/// Maximum number of rounds: more would hardly add anything.
const MAX_ROUNDS: usize = 400;
/// Number of rows per row of noise, if the whole budget were spent on one table, up to which a
/// budget is ordinary.
const ORDINARY_SIGNAL: f64 = 10_000.0;
/// Maximum factor by which a large budget has more rounds and cells.
pub(super) const MAX_GROWTH: f64 = 2.0;
/// Maximum of cells times rounds of an ordinary budget with normal effort, which determines the
/// time of a fit: 10 to 30 seconds.
const MAX_CELL_ROUNDS: f64 = 1.4e7;

/// Rows per row of noise up to which no budget is spent on tables for the rows.
const SIGNAL_WITHOUT_ROWS: f64 = 5_000.0;
/// Share of the budget for such tables per doubling of that, beside a model learned in rounds and
/// beside a tree of pairs of large columns, which needs more of the budget itself.
const ROWS_BESIDE_ROUNDS: f64 = 0.15;
const ROWS_BESIDE_TREE: f64 = 0.07;
/// Geometric mean of the sizes of columns below which the model can hold all that matters.
const MIN_SIZE_FOR_ROWS: f64 = 3.0;
/// Number of such tables per column and share of the budget.
const TABLES_PER_SHARE: f64 = 5.0;
/// Minimum number of tables in a batch, and maximum number of batches. Rows are moved once per
/// batch.
const MIN_BATCH: usize = 4;
const MAX_BATCHES: usize = 6;
/// Limits of the share of the budget for single columns.
const MIN_COLUMN_SHARE: f64 = 0.1;
const MAX_COLUMN_SHARE: f64 = 0.7;

/// Splits a budget into that of the tables of single columns and the rest.
///
/// # Errors
/// If the option is out of its range.
pub(super) fn for_columns<M: Accounting, B: Spendable<M>>(
    budget: B,
    options: &Options,
) -> Result<(B, B), MechanismError> {
    Ok(budget.split(options.one_way_share()?))
}

/// Division of the budget that is left after the first pass over the columns.
#[derive(Debug)]
pub(super) struct Division {
    /// Thousandths for the rows.
    for_rows: u32,
    /// Thousandths of the rest for a second pass over the columns.
    for_columns: u32,
    /// Number of tables that rows are moved towards.
    pub(super) row_tables: usize,
    /// Whether the model is a tree of pairs.
    pub(super) is_tree: bool,
    /// The rounds, if it is not.
    pub(super) schedule: Schedule,
}

impl Division {
    /// Divides the budget for columns of these sizes and a number of rows per row of noise, if the
    /// whole budget were spent on one table.
    pub(super) fn new(sizes: &[u32], signal: f64, options: &Options) -> Self {
        let schedule = Schedule::new(sizes.len(), signal, options);
        let columns = sizes.len() as f64;
        let average = (sizes.iter().map(|&size| f64::from(size).ln()).sum::<f64>() / columns).exp();
        // With high effort, rounds on large columns would take hours.
        let cells_of_rounds = cells(options, options.effort.size().min(1.0), sizes.len(), schedule.growth);
        let is_tree = columns * average.powi(3) > cells_of_rounds;
        let per_doubling = if is_tree { ROWS_BESIDE_TREE } else { ROWS_BESIDE_ROUNDS };
        let rows = if average < MIN_SIZE_FOR_ROWS { 0.0 } else { row_share(signal, per_doubling) };
        let rows = rows.min(options.row_share.unwrap_or(0.0));
        let max_share = if is_tree { MAX_COLUMN_SHARE } else { max_share_in_rounds(average) };
        let share = column_share(sizes, signal).min(max_share);
        let more = (share - options.one_way_share).max(0.0) / (1.0 - options.one_way_share);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a thousand columns at most")]
        let row_tables = (TABLES_PER_SHARE * rows * columns).round() as usize;
        Self {
            for_rows: if row_tables == 0 { 0 } else { thousandths(rows) },
            for_columns: thousandths(more),
            row_tables,
            is_tree,
            schedule,
        }
    }

    /// Splits a budget into that of the rows, that of a second pass over the columns and the rest.
    pub(super) fn split<M: Accounting, B: Spendable<M>>(&self, budget: B) -> (Option<B>, Option<B>, B) {
        let take = |budget: B, thousandths: u32| match Share::of(thousandths, 1_000) {
            Some(share) => {
                let (taken, rest) = budget.split(share);
                (Some(taken), rest)
            }
            None => (None, budget),
        };
        let (for_rows, rest) = take(budget, self.for_rows);
        let (for_columns, rest) = take(rest, self.for_columns);
        (for_rows, for_columns, rest)
    }
}

/// Divides one or more tables for the rows into the batches in which they are selected.
pub(super) fn batches(tables: NonZeroUsize) -> Vec<NonZeroUsize> {
    let (tables, batches) = (tables.get(), (tables.get() / MIN_BATCH).clamp(1, MAX_BATCHES));
    let upto = |batch: usize| tables * batch / batches;
    (0..batches).filter_map(|batch| NonZeroUsize::new(upto(batch + 1) - upto(batch))).collect()
}

fn thousandths(share: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most a thousand")]
    let thousandths = (1_000.0 * share).round() as u32;
    thousandths
}

/// Share of the budget for tables that only rows meet: none with little signal.
fn row_share(signal: f64, per_doubling: f64) -> f64 {
    (per_doubling * (signal / SIGNAL_WITHOUT_ROWS).log2()).max(0.0)
}

/// Share of the budget at which noise on single columns and noise on pairs add equally little to
/// tables of three columns.
///
/// A table of three columns has noise from three of `d` columns and from three of `d (d - 1) / 2`
/// pairs; noise counts only in cells that it does not exceed. Budget is best given to terms by
/// their power of 2/3.
fn column_share(sizes: &[u32], signal: f64) -> f64 {
    let columns = sizes.len() as f64;
    let sum = |weight: f64, power: i32, noise: f64| -> f64 {
        let term = |&size: &u32| {
            let cells = f64::from(size).powi(power);
            (weight * cells * (NOISE_OF_EMPTY_CELLS + signal / (cells * noise)).min(1.0)).powf(2.0 / 3.0)
        };
        sizes.iter().map(term).sum()
    };
    // The noise of a table, if columns had three tenths of the budget and a tree of pairs half of
    // it.
    let [of_columns, of_pairs] = [(columns / 0.3).sqrt(), ((columns - 1.0) / 0.5).sqrt()];
    let first = sum(3.0 / columns, 1, of_columns);
    let second = sum(6.0 / (columns * (columns - 1.0)), 2, of_pairs);
    (first / (first + second)).max(MIN_COLUMN_SHARE)
}

/// Maximum of that share before rounds, for columns of this size on average. The tables of rounds
/// measure their columns too: those of small columns best, because these have tables of many
/// columns and few cells.
fn max_share_in_rounds(size: f64) -> f64 {
    (0.1 * (size - 1.0)).clamp(MIN_COLUMN_SHARE, 0.3)
}

/// Parts of the budget of a tree for each of its pairs: their noise to the power of 2/3, about a
/// thousand on average.
pub(super) fn parts_of_pairs(noise: &[f64]) -> Vec<u32> {
    let powers: Vec<f64> = noise.iter().map(|noise| noise.max(1e-9).powf(2.0 / 3.0)).collect();
    let mean = powers.iter().sum::<f64>() / powers.len() as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between one and a million")]
    let parts = |power: &f64| (PARTS_OF_A_ROUND * power / mean).clamp(1.0, 1e6).round() as u32;
    powers.iter().map(parts).collect()
}

/// A round of a fit.
#[derive(Debug, Clone, Copy)]
struct Round {
    /// Number of parts, of the budget that is left after the columns.
    parts: u32,
    /// Whether the candidates are those of the workload.
    of_workload: bool,
}

impl Round {
    fn new(parts: u32) -> Self {
        Self { parts, of_workload: false }
    }
}

fn parts_of(rounds: &[Round]) -> u32 {
    rounds.iter().map(|round| round.parts).sum()
}

/// The rounds of a fit.
#[derive(Debug, Clone)]
pub(super) struct Schedule {
    /// Size of the model relative to an ordinary budget: with less noise, more tables are useful.
    pub(super) growth: f64,
    /// Maximum number of cells of the final model.
    pub(super) cells: f64,
    rounds: Vec<Round>,
    one_way_share: f64,
}

impl Schedule {
    /// Plans the rounds for a number of columns and of rows per row of noise.
    pub(super) fn new(columns: usize, signal: f64, options: &Options) -> Self {
        let growth = growth(signal);
        let rounds = rounds(columns, options.rounds_per_column * growth);
        Self {
            growth,
            cells: cells(options, options.effort.size(), columns, growth),
            rounds: (0..rounds).map(|round| Round::new(parts(round, rounds, options.last_round))).collect(),
            one_way_share: options.one_way_share,
        }
    }

    /// Returns the schedule with rounds of a workload evenly between the others, which together get
    /// a share of the budget.
    pub(super) fn with_workload(self, rounds: usize, share: f64) -> Self {
        let others = f64::from(parts_of(&self.rounds));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between one and some millions")]
        let parts = (others * share / (1.0 - share) / rounds as f64).round().max(1.0) as u32;
        let of_all = |places: usize, place: usize| (place as f64 + 0.5) / places as f64;
        let own = (0..rounds).map(|place| (of_all(rounds, place), Round { parts, of_workload: true }));
        let count = self.rounds.len();
        let general = self.rounds.into_iter().enumerate().map(|(place, round)| (of_all(count, place), round));
        let mut all: Vec<(f64, Round)> = general.chain(own).collect();
        all.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        Self { rounds: all.into_iter().map(|(_, round)| round).collect(), ..self }
    }

    /// Number of rounds.
    pub(super) fn rounds(&self) -> usize {
        self.rounds.len()
    }

    /// Divides the budget of all rounds into the parts that [`Schedule::parts_of`] counts.
    pub(super) fn divide<B>(&self, budget: B) -> BudgetParts<B> {
        BudgetParts::new(budget, parts_of(&self.rounds))
    }

    /// Number of parts of a round.
    pub(super) fn parts_of(&self, round: usize) -> u32 {
        self.rounds[round].parts
    }

    /// Whether a round is for the workload.
    pub(super) fn is_of_workload(&self, round: usize) -> bool {
        self.rounds[round].of_workload
    }

    /// Maximum number of cells of the model after a round: the share that the budget spent so far
    /// is.
    pub(super) fn cells_after(&self, round: usize) -> f64 {
        let spent = f64::from(parts_of(&self.rounds[..=round])) / f64::from(parts_of(&self.rounds));
        self.cells * (self.one_way_share + (1.0 - self.one_way_share) * spent)
    }
}

fn growth(signal: f64) -> f64 {
    (signal / ORDINARY_SIGNAL).sqrt().clamp(1.0, MAX_GROWTH)
}

fn rounds(columns: usize, per_column: f64) -> usize {
    rounds_for(columns, per_column).clamp(1, MAX_ROUNDS)
}

/// Number of cells of a model that is fitted in every round, of a size relative to that of normal
/// effort. A larger budget never has fewer, though it has more rounds.
fn cells(options: &Options, size: f64, columns: usize, growth: f64) -> f64 {
    let affordable = |growth: f64| {
        let rounds = rounds(columns, options.rounds_per_column * growth);
        (f64::from(options.model_cells) * growth).min(MAX_CELL_ROUNDS / rounds as f64)
    };
    (size * affordable(growth).max(affordable(1.0))).min(limits::CELLS_PER_MODEL as f64)
}

/// Number of parts of a round, which grows evenly from the first to the last.
fn parts(round: usize, rounds: usize, last_round: f64) -> u32 {
    let way = round as f64 / (rounds - 1).max(1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 100 and 10,000")]
    let parts = (PARTS_OF_A_ROUND * (1.0 + (last_round - 1.0) * way)).round() as u32;
    parts
}

#[cfg(test)]
mod tests {
    use super::super::options::Effort;
    use super::*;

    #[test]
    fn a_model_grows_with_the_budget_within_limits() {
        let near = |growth: f64, expected: f64| (growth - expected).abs() < 1e-12;
        assert!(near(growth(0.0), 1.0) && near(growth(10_000.0), 1.0));
        assert!(near(growth(22_500.0), 1.5) && near(growth(f64::INFINITY), 2.0));
        assert_eq!([rounds(20, 1.5), rounds(1, 0.1), rounds(1_000, 1.5)], [30, 1, MAX_ROUNDS]);
    }

    #[test]
    fn effort_changes_the_cells_and_makes_a_tree_of_a_large_model_only_if_it_is_low() {
        const EFFORTS: [Effort; 3] = [Effort::Low, Effort::Normal, Effort::High];
        let division =
            |size: u32, effort: Effort| Division::new(&[size; 15], 10_000.0, &Options { effort, ..Options::default() });
        for (effort, cells) in EFFORTS.into_iter().zip([2e4, 2e5, 2e6]) {
            assert!((division(9, effort).schedule.cells - cells).abs() < 1e-6, "{effort:?}");
        }
        let is_tree = |size: u32| EFFORTS.map(|effort| division(size, effort).is_tree);
        assert_eq!([is_tree(9), is_tree(20), is_tree(40)], [[false; 3], [true, false, false], [true; 3]]);
    }

    #[test]
    fn the_limit_of_cells_makes_no_tree_of_a_model_that_is_none_with_normal_effort() {
        let is_tree = [Effort::Normal, Effort::High].map(|effort| {
            let options = Options { effort, model_cells: 20_000_000, rounds_per_column: 0.1, ..Options::default() };
            Division::new(&[75; 15], 10_000.0, &options).is_tree
        });
        assert_eq!(is_tree, [false; 2]);
    }

    #[test]
    fn rows_get_less_beside_a_tree() {
        let shares = [9, 40].map(|size| Division::new(&[size; 15], 20_000.0, &Options::default()).for_rows);
        assert_eq!(shares, [300, 140], "two doublings");
    }

    #[test]
    fn many_rounds_leave_fewer_cells() {
        let cells = |columns: usize, growth: f64| cells(&Options::default(), 1.0, columns, growth);
        assert!((cells(20, 1.0) - 2e5).abs() < 1e-6, "30 rounds");
        assert!((cells(100, 1.0) - 1.4e7 / 150.0).abs() < 1e-6, "150 rounds");
        assert!((cells(100, 2.0) - cells(100, 1.0)).abs() < 1e-6, "a larger budget has no fewer");
        assert!((cells(10, 2.0) - 4e5).abs() < 1e-6, "30 rounds");
    }

    #[test]
    fn parts_grow_evenly_to_those_of_the_last_round() {
        assert_eq!([0, 1, 2].map(|round| parts(round, 3, 2.0)), [1_000, 1_500, 2_000]);
        assert_eq!(parts(0, 1, 2.0), 1_000);
        assert_eq!(parts(4, 5, 1.0), 1_000);
    }

    #[test]
    fn a_model_has_all_its_cells_after_the_last_round() {
        let schedule = Schedule::new(20, 0.0, &Options::default());
        let first = schedule.cells_after(0);
        assert!(first > 0.1 * schedule.cells && first < schedule.cells_after(1));
        assert!((schedule.cells_after(schedule.rounds() - 1) - schedule.cells).abs() < 1e-6);
    }
}
