//! How a fit shares out its budget: the one place that a fit and its plan have it from.

use scumble_vault::Accounting;
use scumble_vault::account::{Amount, Spendable};

use super::options::Options;
use crate::budget_parts::BudgetParts;
use crate::error::MechanismError;

/// Parts that the budget of a round is divided in.
pub(super) const PARTS_OF_A_ROUND: u32 = 1_000;
/// Rounds that are planned where columns are many: each takes time, and a budget in more parts chooses no better.
const MANY_ROUNDS: usize = 400;
/// Rounds that are planned at least for each column, so that tables of single columns leave most of the budget.
const MIN_ROUNDS_PER_COLUMN: usize = 4;

/// Divides a budget: what the tables of single columns get, and the rest in parts of a round.
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

/// The parts of the whole budget.
pub(super) fn parts(columns: usize, options: &Options) -> u32 {
    rounds(columns, options.rounds_per_column) * PARTS_OF_A_ROUND
}

/// The amount of a round's budget that goes into its table. For planning.
///
/// # Errors
/// If an option is out of its range.
pub(super) fn for_table<M: Accounting>(round: Amount<M>, options: &Options) -> Result<Amount<M>, MechanismError> {
    Ok(round.parts(PARTS_OF_A_ROUND - options.choice_thousandths()?, PARTS_OF_A_ROUND))
}

/// The number of rounds that are planned.
fn rounds(columns: usize, per_column: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a thousand columns at most"
    )]
    let wanted = (per_column * columns as f64).round() as usize;
    let rounds = wanted.min(MANY_ROUNDS).max(MIN_ROUNDS_PER_COLUMN * columns);
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
