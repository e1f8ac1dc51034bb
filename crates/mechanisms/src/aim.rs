#![doc = include_str!("aim.md")]

mod bounds;
mod learner;
mod options;
pub(crate) mod planned;
mod workload;

use scumble_pgm::StructuralZeros;
use scumble_schema::Recoding;
use scumble_vault::{Budget, Selecting, Vault};

use self::learner::{Learner, Worth};
pub use self::options::{Column, Options, WorkloadTable};
use self::workload::Workload;
use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::merging::telling_columns;
use crate::neighbours::Neighbours;
use crate::noisy::whole;
use crate::pot::Pot;

/// Parts that the budget of a round is divided in.
const PARTS_OF_A_ROUND: u32 = 1_000;
/// Rounds that are planned at most where columns are many: each takes time, and a budget in more parts chooses no better.
const MANY_ROUNDS: usize = 400;
/// Rounds that are planned at least for each column, so that tables of single columns leave most of the budget.
const LEAST_ROUNDS_PER_COLUMN: usize = 4;
/// How many times its budget a round gets after one that was not worth it: twice the epsilon of its choice, half the noise of its table.
const ANNEALING: u32 = 4;

/// Measures every column, then, round by round, the table that the model so far explains worst for what it matters and for the noise it
/// will have, until the budget is spent. The model gives no probability to what `rules` forbid.
///
/// # Privacy
/// One table per column; then for each round one choice by the exponential mechanism among weighted L1 errors against a model of released
/// values, less public penalties (Δ the largest weight under add/remove, twice that under replace-one), and the table that was chosen
/// (Δ₂ 1; √2 under replace-one). How much a round spends follows from released values. So does all that follows.
///
/// # Errors
/// If the vault refuses.
///
/// # Reference
/// McKenna, Mullins, Sheldon, Miklau 2022, arXiv:2201.12677, Algorithms 1 to 3.
pub fn fit<A: Neighbours, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    recoding: &Recoding,
    rules: &[StructuralZeros],
    options: &Options,
) -> Result<Fitted, MechanismError> {
    let domain = recoding.domain();
    let columns = telling_columns(domain).len();
    if columns == 0 {
        return crate::independent::fit(vault, budget, domain);
    }
    let workload = Workload::new(domain, options)?;
    let parts = rounds(columns, options.rounds_per_column) * PARTS_OF_A_ROUND;
    let of_columns =
        u32::try_from(columns).expect("a thousand at most") * (PARTS_OF_A_ROUND - options.choice_thousandths()?);
    let (for_columns, mut pot) = Pot::new(budget, parts).take(of_columns);
    let mut learner = Learner::begin(vault, domain, rules, &workload, options, for_columns)?;

    let mut of_round = PARTS_OF_A_ROUND;
    while pot.parts() > 2 * of_round {
        let (now, rest) = pot.take(of_round);
        pot = rest;
        let spent = 1.0 - f64::from(pot.parts()) / f64::from(parts);
        match learner.round(vault, spent, now)? {
            Worth::Enough => {}
            Worth::Little => of_round = of_round.saturating_mul(ANNEALING),
        }
    }
    let (model, bounds) = learner.last_round(vault, pot.rest())?;
    let rows = whole(model.total());
    Ok(Fitted { distribution: Distribution::Tree(model), rows, bounds })
}

/// How many rounds are planned for so many columns.
fn rounds(columns: usize, per_column: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a thousand columns at most"
    )]
    let wanted = (per_column * columns as f64).round() as usize;
    let rounds = wanted.min(MANY_ROUNDS).max(LEAST_ROUNDS_PER_COLUMN * columns);
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
