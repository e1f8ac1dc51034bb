//! The records, and the chain that ties each to all before it.

use std::num::NonZeroU32;
use std::time::{SystemTime, UNIX_EPOCH};

use scumble_schema::AdjacencyKind;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::LedgerError;
use crate::account::{AccountingKind, ApproxDp};
use crate::error::VaultError;

/// The format that this code writes and reads.
pub(super) const VERSION: u32 = 1;

/// A link of the chain.
pub(super) type Hash = [u8; 32];

/// What the first record is chained to.
pub(super) const GENESIS: Hash = [0; 32];

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
    #[serde(with = "quanta")]
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

/// One line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Record {
    /// The first record, and only the first.
    Open { version: u32, time: u64, terms: Terms },
    /// A job may release up to `quanta` from here on.
    Reserve {
        time: u64,
        job: String,
        fingerprint: String,
        description: String,
        accounting: AccountingKind,
        goal: ApproxDp,
        #[serde(with = "quanta")]
        quanta: u128,
    },
    /// The job is over; what it did not spend is free again.
    Commit {
        time: u64,
        job: String,
        #[serde(with = "quanta")]
        spent: u128,
        events: u64,
    },
}

impl Record {
    /// The text that is stored and hashed.
    pub(super) fn to_body(&self) -> String {
        serde_json::to_string(self).expect("strings and integers have a JSON form")
    }

    pub(super) fn from_body(body: &str) -> Result<Self, LedgerError> {
        serde_json::from_str(body).map_err(|_| LedgerError::Damaged { what: "a record has an unknown form" })
    }
}

/// The link after `previous` for a record of this text.
pub(super) fn chain(previous: &Hash, body: &str) -> Hash {
    Sha256::new().chain_update(previous).chain_update(body).finalize().into()
}

/// Seconds since 1970, UTC. A clock before that is read as that: times are for people, nothing is decided by them.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Quanta as certificates write them.
mod quanta {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::account::amount::Quanta;

    pub(super) fn serialize<S: Serializer>(quanta: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        Quanta(*quanta).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        Quanta::deserialize(deserializer).map(|quanta| quanta.0)
    }
}
