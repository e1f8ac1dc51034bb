//! Terms of a ledger.

use std::num::NonZeroU32;

use scumble_schema::AdjacencyKind;
use serde::{Deserialize, Serialize};

use super::{LedgerError, record};
use crate::account::{AccountingKind, ApproxDp};
use crate::error::VaultError;

/// Terms of a ledger: dataset, adjacency, unit, accounting and cap. Fixed when it is created.
///
/// # Privacy
/// Amounts of different adjacency, unit or accounting do not add up to one guarantee, so a ledger
/// has one of each and refuses other jobs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// Name of the dataset.
    pub dataset: String,
    /// Neighbouring relation.
    pub adjacency: AdjacencyKind,
    /// Privacy unit: `row`, or the column that identifies units.
    pub privacy_unit: String,
    /// Maximum number of rows per unit.
    pub max_contributions: NonZeroU32,
    /// Accounting under which amounts add up.
    pub accounting: AccountingKind,
    /// Guarantee for everything ever released from the dataset.
    pub goal: ApproxDp,
    /// The guarantee as an amount of `accounting`, in quanta of 2^-96. All decisions use this
    /// number.
    #[serde(with = "record::quanta")]
    pub cap: u128,
}

impl Terms {
    /// Creates terms with the largest cap under `goal`.
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
        // A pure ledger guarantees a delta of 0, whatever the requested goal.
        let goal = ApproxDp { delta: accounting.claimed_delta(goal), ..goal };
        Ok(Self { dataset, adjacency, privacy_unit, max_contributions, accounting, goal, cap })
    }

    /// Refuses a cap above what the goal allows.
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
