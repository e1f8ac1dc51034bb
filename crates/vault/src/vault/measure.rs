//! Tables and scores with noise.

use std::num::NonZeroUsize;

use scumble_schema::Clique;

use super::{Exact, Vault};
use crate::account::{Accounting, Adjacency, Amount, Budget, Mechanism, Question, Sensitivity};
use crate::error::VaultError;
use crate::released::Released;
use crate::score::{self, Score};

/// A table with independent noise on every count, as released by [`Vault::measure`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyTable {
    clique: Clique,
    values: Vec<i64>,
    mechanism: Mechanism,
}

impl NoisyTable {
    /// Returns the released tables over `cliques`.
    pub(super) fn of_release(cliques: &[Clique], tables: Vec<Vec<i64>>, mechanism: Mechanism) -> Vec<Self> {
        let tables = cliques.iter().cloned().zip(tables);
        tables.map(|(clique, values)| Self { clique, values, mechanism }).collect()
    }

    /// Returns the attributes of the table.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// Returns one noisy count per cell, in the order of [`scumble_schema::cells`]. May be
    /// negative.
    pub fn values(&self) -> &[i64] {
        &self.values
    }

    /// Returns the mechanism that drew the noise.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Returns the standard deviation of the noise on each count, in rows.
    pub fn standard_deviation(&self) -> f64 {
        self.mechanism.standard_deviation().expect("a table has noise")
    }
}

/// Scores of candidates with independent noise on each, as released by [`Vault::measure_scores`].
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyScores {
    values: Vec<f64>,
    standard_deviation: f64,
}

impl NoisyScores {
    /// Returns the released values, in lattice units, as rows.
    pub(super) fn new(values: impl IntoIterator<Item = i64>, mechanism: Mechanism) -> Self {
        let units = mechanism.standard_deviation().expect("noise was added");
        Self { values: values.into_iter().map(score::to_f64).collect(), standard_deviation: units * score::to_f64(1) }
    }

    /// Returns one noisy score per candidate, in their order. May be negative.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the standard deviation of the noise on each score.
    pub fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }
}

impl<A: Adjacency, M: Accounting> Vault<A, M> {
    /// Releases a noisy table per clique, each for an equal share of `budget`: with Laplace noise
    /// under [`Pure`](crate::account::Pure) accounting, with Gaussian noise otherwise.
    ///
    /// # Privacy
    /// One event per table: `Δ = m` under add/remove, `2 m` in L1 and `√2 m` in L2 under
    /// replace-one, whatever the number of cells. Every cell of the public domain gets noise, empty
    /// ones included.
    ///
    /// # Errors
    /// If `cliques` is empty or a table is too large, the budget was issued by another vault or is
    /// too small, or the source fails. The budget is consumed in any case.
    pub fn measure(
        &mut self,
        cliques: &[Clique],
        budget: Budget<A, M>,
    ) -> Result<Released<Vec<NoisyTable>>, VaultError> {
        if cliques.is_empty() {
            return Err(VaultError::config("tables", &0, "at least one"));
        }
        let lengths = self.table_lengths(cliques)?;
        let questions = cliques.iter().cloned().map(Question::Table);
        let (events, mechanism) = self.releases.charge_tables(questions, &lengths, budget)?;
        let released = self.release(events, |vault| {
            let tables = vault.tables(cliques, &lengths)?;
            Ok(tables.into_iter().map(|table| Exact::Counts(table.into_counts())).collect())
        })?;
        Ok(released.map(|tables| NoisyTable::of_release(cliques, tables, mechanism)))
    }

    /// Returns the noise that [`Vault::measure`] would add to `tables` tables for `amount`; `None`
    /// if its scale would be too large. Methods use it to decide which tables to measure.
    ///
    /// # Privacy
    /// Nothing is spent and no row is read: adjacency, the maximum number of rows per unit and the
    /// budget are public.
    pub fn planned_noise(&self, tables: NonZeroUsize, amount: Amount<M>) -> Option<Mechanism> {
        self.releases.planned_noise(tables, amount)
    }

    /// Releases a noisy score per candidate, with one event for all of them.
    ///
    /// # Privacy
    /// One unit may move every score by `Δ`, so `k` scores have sensitivity `k Δ` in L1 and `√k Δ`
    /// in L2.
    ///
    /// # Errors
    /// Those of [`Vault::measure`].
    pub fn measure_scores<S: Score<A>>(
        &mut self,
        candidates: &[S],
        budget: Budget<A, M>,
    ) -> Result<Released<NoisyScores>, VaultError> {
        let (question, one) = self.score_question(candidates)?;
        let sensitivity = Sensitivity::of_scores(one, candidates.len() as u64)
            .ok_or(VaultError::Bug { what: "a sensitivity does not fit" })?;
        let mechanism = self.releases.charge(1, budget, |share| M::noise(sensitivity, share))?;
        let event = self.releases.event(question, mechanism, sensitivity.lattice_log2(), candidates.len());
        let released = self.release(vec![event], |vault| Ok(vec![Exact::Scores(vault.scores(candidates)?)]))?;
        Ok(released.map(|values| NoisyScores::new(values.into_iter().flatten(), mechanism)))
    }
}
