//! Records of a ledger.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{LedgerError, Terms};
use crate::account::{AccountingKind, ApproxDp, ThresholdDelta};

/// Version of the format.
pub(super) const VERSION: u32 = 1;

/// One record of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Record {
    /// The first record, and only the first.
    Open { version: u32, time: u64, terms: Terms },
    /// Reserves up to `quanta` for a job.
    Reserve {
        time: u64,
        job: String,
        fingerprint: String,
        description: String,
        accounting: AccountingKind,
        goal: ApproxDp,
        #[serde(with = "quanta")]
        quanta: u128,
        /// Part of delta that thresholds of the job may add. Absent if it has none.
        #[serde(default, skip_serializing_if = "is_zero")]
        thresholds: ThresholdDelta,
        /// Absent if no command began the job, and in ledgers of older versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
    },
    /// Ends a job and frees the unspent part of its reservation.
    Commit {
        time: u64,
        job: String,
        #[serde(with = "quanta")]
        spent: u128,
        /// What the thresholds of the job added to delta. Absent if it had none.
        #[serde(default, skip_serializing_if = "is_zero")]
        thresholds: ThresholdDelta,
        events: u64,
    },
}

fn is_zero(delta: &ThresholdDelta) -> bool {
    *delta == ThresholdDelta::ZERO
}

impl Record {
    /// Returns the text that is stored and hashed.
    pub(super) fn to_body(&self) -> String {
        serde_json::to_string(self).expect("strings and integers have a JSON form")
    }

    pub(super) fn from_body(body: &str) -> Result<Self, LedgerError> {
        serde_json::from_str(body).map_err(|_| LedgerError::Damaged { what: "a record has an unknown form" })
    }
}

/// Returns the seconds since 1970, UTC; 0 for an earlier clock. For display only: nothing is
/// decided by it.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// Serializes quanta as certificates do.
pub(super) mod quanta {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::account::amount::Quanta;

    pub(in crate::ledger) fn serialize<S: Serializer>(quanta: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        Quanta(*quanta).serialize(serializer)
    }

    pub(in crate::ledger) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        Quanta::deserialize(deserializer).map(|quanta| quanta.0)
    }
}
