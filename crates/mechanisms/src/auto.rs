#![doc = include_str!("auto.md")]

mod candidates;
mod learner;
mod options;
pub(crate) mod planned;

use std::num::NonZeroUsize;

use scumble_pgm::StructuralZeros;
use scumble_schema::{AttributeId, Clique, Recoding};
use scumble_vault::{Budget, Selecting, Vault};

use self::candidates::Candidates;
use self::learner::Learner;
pub use self::options::Options;
use crate::error::MechanismError;
use crate::fitted::{Distribution, Fitted};
use crate::likeliest::public_rows;
use crate::merging::{merged, telling_columns};
use crate::neighbours::Neighbours;
use crate::noisy::whole;
use crate::pot::Pot;
use crate::versions::Versions;

/// Parts that the first round gets of the budget; the last one gets as many times more as the options say.
const PARTS_OF_A_ROUND: f64 = 1_000.0;
/// Most rounds: more would take long and hardly add anything.
const MOST_ROUNDS: usize = 400;
/// So many rows for each row of noise, if all were spent on one table, are an ordinary budget.
const ORDINARY_SIGNAL: f64 = 10_000.0;
/// How many times as many rounds, and cells, a large budget has at most.
const LARGEST_GROWTH: f64 = 2.0;
/// Cells times rounds, which is what a fit takes time for: so many take some twenty to fifty seconds.
const MOST_WORK: f64 = 3.5e7;

/// Measures every column, then, round by round, a table that the model so far explains badly for its size, and fits the Markov random
/// field that is likeliest. It gives no probability to what `rules` forbid.
///
/// # Privacy
/// One table per column; then for each round one choice by the exponential mechanism among L1 errors against a model of released values
/// (Δ 1 under add/remove, 2 under replace-one), and the table that was chosen (Δ₂ 1; √2 under replace-one). All that is decided in
/// between, and all that follows, reads released values and the schema.
///
/// # Errors
/// If the vault refuses.
pub fn fit<A: Neighbours, M: Selecting>(
    vault: &mut Vault<A, M>,
    budget: Budget<A, M>,
    recoding: &Recoding,
    rules: &[StructuralZeros],
    options: &Options,
) -> Result<Fitted, MechanismError> {
    // Declared levels are asked about once it is known which values they are to take together.
    let base = recoding.base();
    vault.recode(Recoding::identity(base))?;
    let columns = telling_columns(base);
    if columns.len() < 2 && rules.is_empty() {
        return crate::independent::fit(vault, budget, base);
    }
    let whole_noise = vault.planned_noise(NonZeroUsize::MIN, budget.amount());
    let (for_columns, budget) = budget.split(options.one_way_share()?);
    let one_way: Vec<Clique> = columns.into_iter().map(Clique::single).collect();
    let tables = vault.measure(&one_way, for_columns)?.into_inner();
    let merged = merged(recoding, options.merging(), &tables)?;
    vault.recode(merged.clone())?;
    let versions = Versions::new(&merged, rules)?;
    let mut learner = Learner::begin(&versions, options, public_rows(vault)?, tables)?;
    let deviation = whole_noise.and_then(|noise| noise.standard_deviation()).unwrap_or(f64::INFINITY);
    let growth = growth(learner.rows() / deviation);
    let rounds = rounds(versions.columns(), options.rounds_per_column * growth);
    let cells = cells(f64::from(options.model_cells) * growth, rounds);
    #[expect(clippy::cast_precision_loss, reason = "some hundred rounds at most")]
    learner.plan_for(cells, deviation * (rounds as f64).sqrt());
    let mut rng = learner.generator();
    let declared = recoding.levels();
    let has_levels = |column: AttributeId| declared.iter().any(|&(of, _)| of == column);
    let candidates = Candidates::draw(&versions, options, has_levels, &mut rng);

    let parts: Vec<u32> = (0..rounds).map(|round| parts(round, rounds, options.last_round)).collect();
    let all: u32 = parts.iter().sum();
    let mut pot = Pot::new(budget, all);
    for (round, &parts) in parts.iter().enumerate() {
        let spent = f64::from(all - pot.parts() + parts) / f64::from(all);
        let spent = options.one_way_share + (1.0 - options.one_way_share) * spent;
        let fitting = learner.fitting(&candidates, cells * spent, &mut rng);
        if fitting.is_empty() {
            // Nothing that is left to choose fits: what was meant for it makes the first tables better.
            learner.measure_columns_again(vault, pot.rest())?;
            break;
        }
        if round + 1 == rounds {
            learner.choose_and_measure(vault, &fitting, pot.rest())?;
            break;
        }
        let (now, rest) = pot.take(parts);
        pot = rest;
        learner.choose_and_measure(vault, &fitting, now)?;
        learner.fit_between_rounds()?;
    }
    let model = learner.finish()?;
    let rows = whole(model.total());
    Ok(Fitted::new(Distribution::Tree(model), rows))
}

/// How many times larger than with an ordinary budget the model becomes: the less noise, the more tables pay.
fn growth(signal: f64) -> f64 {
    (signal / ORDINARY_SIGNAL).sqrt().clamp(1.0, LARGEST_GROWTH)
}

fn rounds(columns: usize, per_column: f64) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a thousand columns at most"
    )]
    let rounds = (per_column * columns as f64).round() as usize;
    rounds.clamp(1, MOST_ROUNDS)
}

/// Most cells of a model that is fitted so many times.
fn cells(wanted: f64, rounds: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "some hundred rounds at most")]
    let affordable = MOST_WORK / rounds as f64;
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
        assert_eq!([rounds(20, 1.5), rounds(1, 0.1), rounds(1_000, 1.5)], [30, 1, MOST_ROUNDS]);
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
}
