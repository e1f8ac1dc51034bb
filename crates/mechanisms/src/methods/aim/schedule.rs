//! Division of the budget, shared by fits and plans.

use scumble_vault::Accounting;
use scumble_vault::account::{Amount, Spendable};

use super::options::Options;
use crate::error::MechanismError;
use crate::learning::round_learner::rounds_for;
use crate::mechanism::budget_parts::BudgetParts;

/// Number of parts of the budget of a round.
pub(super) const PARTS_OF_A_ROUND: u32 = 1_000;
/// Number of planned rounds for many columns: more rounds take longer and select no better.
const MANY_ROUNDS: usize = 400;
/// Minimum number of planned rounds per column, so that tables of single columns leave most of the
/// budget.
const MIN_ROUNDS_PER_COLUMN: usize = 4;

/// Splits a budget into that of the tables of single columns and that of the rounds.
///
/// # Errors
/// If an option is out of its range.
pub(super) fn divide<M: Accounting, B: Spendable<M>>(
    budget: B,
    columns: usize,
    options: &Options,
) -> Result<(B, BudgetParts<B>), MechanismError> {
    let of_table = PARTS_OF_A_ROUND - options.choice_thousandths()?;
    let of_columns = u32::try_from(columns).expect("a thousand at most") * of_table;
    Ok(BudgetParts::new(budget, parts(columns, options)).take(of_columns))
}

/// Number of parts of the whole budget.
pub(super) fn parts(columns: usize, options: &Options) -> u32 {
    rounds(columns, options.rounds_per_column) * PARTS_OF_A_ROUND
}

/// Amount of a round's budget for its table. For planning.
///
/// # Errors
/// If an option is out of its range.
pub(super) fn for_table<M: Accounting>(round: Amount<M>, options: &Options) -> Result<Amount<M>, MechanismError> {
    Ok(round.parts(PARTS_OF_A_ROUND - options.choice_thousandths()?, PARTS_OF_A_ROUND))
}

/// Number of planned rounds.
fn rounds(columns: usize, per_column: f64) -> u32 {
    let rounds = rounds_for(columns, per_column).min(MANY_ROUNDS).max(MIN_ROUNDS_PER_COLUMN * columns);
    u32::try_from(rounds).expect("some thousand at most")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_columns_have_fewer_rounds_each() {
        assert_eq!([rounds(16, 16.0), rounds(1, 16.0), rounds(50, 16.0), rounds(1_000, 16.0)], [256, 16, 400, 4_000]);
        assert_eq!(rounds(16, 1.0), 64);
    }
}
