//! What a ledger is kept for, and which jobs it takes.

use std::num::NonZeroU32;

use scumble_schema::AdjacencyKind;
use serde::{Deserialize, Serialize};

use super::{LedgerError, record};
use crate::account::{AccountingKind, ApproxDp};
use crate::error::VaultError;

/// What a ledger is kept for. Fixed when it is made.
///
/// # Privacy
/// Amounts of different adjacency, unit or accounting do not add up to one promise, so a ledger knows one of each and refuses
/// a job that has others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The dataset, by the name that people use.
    pub dataset: String,
    /// Which datasets are neighbours.
    pub adjacency: AdjacencyKind,
    /// Whose privacy is protected: a row, or the unit that a column names.
    pub privacy_unit: String,
    /// The most rows of one unit.
    pub max_contributions: NonZeroU32,
    /// How amounts add up.
    pub accounting: AccountingKind,
    /// The promise for everything that is ever released from the dataset.
    pub goal: ApproxDp,
    /// The same promise as an amount of `accounting`, in quanta of 2^-96. This is what decides.
    #[serde(with = "record::quanta")]
    pub cap: u128,
}

impl Terms {
    /// Terms with the largest cap that keeps the promise.
    ///
    /// # Errors
    /// If the goal allows nothing under that accounting.
    pub fn new(
        dataset: String,
        adjacency: AdjacencyKind,
        privacy_unit: String,
        max_contributions: NonZeroU32,
        accounting: AccountingKind,
        goal: ApproxDp,
    ) -> Result<Self, VaultError> {
        let cap = accounting.largest(goal)?.quanta;
        // What is promised: a pure ledger needs no delta, whatever was asked for.
        let goal = ApproxDp { delta: accounting.claimed_delta(goal), ..goal };
        Ok(Self { dataset, adjacency, privacy_unit, max_contributions, accounting, goal, cap })
    }

    /// Refuses a cap that does not keep the promise.
    pub(super) fn check_cap(&self) -> Result<(), LedgerError> {
        match self.accounting.epsilon_within(self.cap, self.goal) {
            Some(_) => Ok(()),
            None => Err(LedgerError::Config { parameter: "cap", rule: "small enough for the goal" }),
        }
    }

    /// Refuses a job whose amounts do not add up with those of the ledger.
    pub(super) fn check(
        &self,
        adjacency: AdjacencyKind,
        privacy_unit: &str,
        max_contributions: NonZeroU32,
    ) -> Result<(), LedgerError> {
        let pairs = [
            ("adjacency", self.adjacency.to_string(), adjacency.to_string()),
            ("the privacy unit", self.privacy_unit.clone(), privacy_unit.to_owned()),
            ("rows per unit", self.max_contributions.to_string(), max_contributions.to_string()),
        ];
        match pairs.into_iter().find(|(_, ledger, job)| ledger != job) {
            Some((what, ledger, job)) => Err(LedgerError::Terms { what, ledger, job }),
            None => Ok(()),
        }
    }
}
