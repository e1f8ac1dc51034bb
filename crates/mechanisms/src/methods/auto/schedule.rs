//! Division of the budget, shared by fits and plans.

use scumble_vault::Accounting;
use scumble_vault::account::Spendable;

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
/// Maximum of cells times rounds, which determines the time of a fit: 20 to 50 seconds.
const MAX_CELL_ROUNDS: f64 = 3.5e7;

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

/// The rounds of a fit.
#[derive(Debug)]
pub(super) struct Schedule {
    /// Size of the model relative to an ordinary budget: with less noise, more tables are useful.
    pub(super) growth: f64,
    /// Maximum number of cells of the final model.
    pub(super) cells: f64,
    /// Number of parts of each round, of the budget that is left after the columns.
    parts: Vec<u32>,
    one_way_share: f64,
}

impl Schedule {
    /// Plans the rounds for a number of columns and of rows per row of noise.
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

    /// Number of rounds.
    pub(super) fn rounds(&self) -> usize {
        self.parts.len()
    }

    /// Standard deviation of the noise of a round's table, given that of a table with the whole
    /// budget.
    pub(super) fn noise_of_round(&self, whole: f64) -> f64 {
        whole * (self.rounds() as f64).sqrt()
    }

    /// Divides the budget of all rounds into the parts that [`Schedule::parts_of`] counts.
    pub(super) fn divide<B>(&self, budget: B) -> BudgetParts<B> {
        BudgetParts::new(budget, self.parts.iter().sum())
    }

    /// Number of parts of a round.
    pub(super) fn parts_of(&self, round: usize) -> u32 {
        self.parts[round]
    }

    /// Maximum number of cells of the model after a round: the share that the budget spent so far
    /// is.
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
    rounds_for(columns, per_column).clamp(1, MAX_ROUNDS)
}

/// Number of cells of a model that is fitted in every round.
fn cells(requested: f64, rounds: usize) -> f64 {
    let affordable = MAX_CELL_ROUNDS / rounds as f64;
    requested.min(affordable)
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
