//! How a fit shares out its budget: the one place that a fit and its plan have it from.

use scumble_vault::Accounting;
use scumble_vault::account::Spendable;

use super::options::Options;
use crate::budget_parts::BudgetParts;
use crate::error::MechanismError;

/// Parts that the first round gets of the budget; the last one gets as many times more as the options say.
const PARTS_OF_A_ROUND: f64 = 1_000.0;
/// More rounds would hardly add anything.
const MAX_ROUNDS: usize = 400;
/// Rows for each row of noise, if the whole budget were spent on one table: at and below this a budget is an ordinary one.
const ORDINARY_SIGNAL: f64 = 10_000.0;
/// How many times as many rounds, and cells, a large budget has at most.
pub(super) const MAX_GROWTH: f64 = 2.0;
/// Cells times rounds, which decide the time of a fit: these take 20 to 50 seconds.
const MAX_WORK: f64 = 3.5e7;

/// The share of columns, and the rest.
///
/// # Errors
/// If the option is out of its range.
pub(super) fn for_columns<M: Accounting, B: Spendable<M>>(
    budget: B,
    options: &Options,
) -> Result<(B, B), MechanismError> {
    Ok(budget.split(options.one_way_share()?))
}

/// The rounds of a fit.
#[derive(Debug)]
pub(super) struct Schedule {
    /// How many times larger than with an ordinary budget the model becomes: the less noise, the more tables pay.
    pub(super) growth: f64,
    /// Cells that the model may have in the end.
    pub(super) cells: f64,
    /// What each round gets of the budget that columns leave.
    parts: Vec<u32>,
    one_way_share: f64,
}

impl Schedule {
    /// The rounds for a number of columns and of rows per row of noise.
    pub(super) fn new(columns: usize, signal: f64, options: &Options) -> Self {
        let growth = growth(signal);
        let rounds = rounds(columns, options.rounds_per_column * growth);
        Self {
            growth,
            cells: cells(f64::from(options.model_cells) * growth, rounds),
            parts: (0..rounds).map(|round| parts(round, rounds, options.last_round)).collect(),
            one_way_share: options.one_way_share,
        }
    }

    /// The number of rounds.
    pub(super) fn rounds(&self) -> usize {
        self.parts.len()
    }

    /// The standard deviation of the noise of a round's table, given that of a table that gets the whole budget.
    #[expect(clippy::cast_precision_loss, reason = "some hundred rounds at most")]
    pub(super) fn noise_of_round(&self, whole: f64) -> f64 {
        whole * (self.rounds() as f64).sqrt()
    }

    /// The budget of all rounds, in the parts that [`Schedule::parts_of`] counts.
    pub(super) fn divide<B>(&self, budget: B) -> BudgetParts<B> {
        BudgetParts::new(budget, self.parts.iter().sum())
    }

    /// What a round gets.
    pub(super) fn parts_of(&self, round: usize) -> u32 {
        self.parts[round]
    }

    /// Cells that the model may have after a round: as large a share as of the budget.
    pub(super) fn cells_after(&self, round: usize) -> f64 {
        let sum = |parts: &[u32]| f64::from(parts.iter().sum::<u32>());
        let spent = sum(&self.parts[..=round]) / sum(&self.parts);
        self.cells * (self.one_way_share + (1.0 - self.one_way_share) * spent)
    }
}

fn growth(signal: f64) -> f64 {
    (signal / ORDINARY_SIGNAL).sqrt().clamp(1.0, MAX_GROWTH)
}

fn rounds(columns: usize, per_column: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a thousand columns at most"
    )]
    let rounds = (per_column * columns as f64).round() as usize;
    rounds.clamp(1, MAX_ROUNDS)
}

/// Cells of a model that is fitted in every round.
fn cells(wanted: f64, rounds: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred rounds at most")]
    let affordable = MAX_WORK / rounds as f64;
    wanted.min(affordable)
}

/// What a round gets: from the first to the last, parts grow evenly.
fn parts(round: usize, rounds: usize, last_round: f64) -> u32 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred rounds at most")]
    let way = round as f64 / (rounds - 1).max(1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 100 and 10,000")]
    let parts = (PARTS_OF_A_ROUND * (1.0 + (last_round - 1.0) * way)).round() as u32;
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_grows_with_the_budget_within_limits() {
        let near = |growth: f64, expected: f64| (growth - expected).abs() < 1e-12;
        assert!(near(growth(0.0), 1.0) && near(growth(10_000.0), 1.0));
        assert!(near(growth(22_500.0), 1.5) && near(growth(f64::INFINITY), 2.0));
        assert_eq!([rounds(20, 1.5), rounds(1, 0.1), rounds(1_000, 1.5)], [30, 1, MAX_ROUNDS]);
    }

    #[test]
    fn many_rounds_leave_fewer_cells() {
        assert!((cells(5e5, 30) - 5e5).abs() < 1e-6);
        assert!((cells(1e6, 70) - 5e5).abs() < 1e-6);
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
