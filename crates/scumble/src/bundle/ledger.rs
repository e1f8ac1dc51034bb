//! `ledger.json`: the state of the ledger that the model of a bundle was charged to.

use std::fmt;
use std::path::Path;

use scumble_mechanisms::Model;
use scumble_vault::account::LedgerEntry;
use scumble_vault::ledger::{JobRecord, Ledger, Statement};
use scumble_vault::{AccountingKind, ApproxDp};
use serde::{Deserialize, Serialize};

use super::error::BundleError;
use crate::error::Error;

/// The public state of a ledger: its cap, what is spent, and its head, by which an older copy of
/// the ledger is noticed.
///
/// The head is the newest reservation. Later records only end jobs and free a part of what they
/// reserved, so a copy that lacks them allows nothing more, and their times stay unpublished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerState {
    /// Name of the dataset.
    pub dataset: String,
    /// Accounting that adds up the fits.
    pub accounting: AccountingKind,
    /// Guarantee for all releases together.
    pub goal: ApproxDp,
    /// The guarantee as an amount of `accounting`, in quanta of 2^-96.
    #[serde(with = "quanta")]
    pub cap: u128,
    /// Spent amount, in quanta of 2^-96; open jobs count with all that they reserved.
    #[serde(with = "quanta")]
    pub spent: u128,
    /// Number of jobs.
    pub jobs: usize,
    /// Newest reservation.
    pub head: LedgerHead,
    /// Reservation of the job that fitted the model. Its hash is in the certificate.
    pub job: LedgerHead,
}

/// A record of a ledger with its hash, which depends on all records before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerHead {
    /// Number of the record; the first is number 0.
    pub record: usize,
    /// Hash of the record.
    pub hash: String,
}

impl LedgerHead {
    /// Returns the newest reservation of a ledger, or its opening if it has no jobs.
    pub fn newest(statement: &Statement) -> Self {
        match statement.jobs.last() {
            Some(job) => Self::of(job),
            None => Self { record: 0, hash: statement.hashes.first().cloned().unwrap_or_default() },
        }
    }

    fn of(job: &JobRecord) -> Self {
        Self { record: job.record, hash: job.head.clone() }
    }
}

impl fmt::Display for LedgerHead {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.record, self.hash)
    }
}

impl LedgerState {
    /// Reads the ledger on which a model was fitted, and verifies it.
    ///
    /// # Errors
    /// Those of the ledger, and if the model was fitted without a ledger, or on another one.
    pub fn read(ledger: &Path, model: &Model) -> Result<Self, Error> {
        Ok(Self::new(&Ledger::open(ledger)?.verify()?, model)?)
    }

    /// Returns the state of a verified ledger on which a model was fitted.
    ///
    /// # Errors
    /// If the model was fitted without a ledger, or on another one.
    pub fn new(statement: &Statement, model: &Model) -> Result<Self, BundleError> {
        let entry = entry_of(model).ok_or(BundleError::WithoutLedger)?;
        let job = statement.jobs.iter().find(|job| (&job.id, &job.head) == (&entry.job, &entry.head));
        let terms = &statement.terms;
        let state = Self {
            dataset: terms.dataset.clone(),
            accounting: terms.accounting,
            goal: terms.goal,
            cap: terms.cap,
            spent: statement.spent,
            jobs: statement.jobs.len(),
            head: LedgerHead::newest(statement),
            job: job.map(LedgerHead::of).ok_or(BundleError::OtherLedger)?,
        };
        state.check(model)?;
        Ok(state)
    }

    /// Refuses the state of a ledger that the certificate of the model does not name, and one that
    /// no ledger can have.
    pub(super) fn check(&self, model: &Model) -> Result<(), BundleError> {
        let entry = entry_of(model).ok_or(BundleError::WithoutLedger)?;
        // Every reservation is one record, and the opening is the first.
        let is_possible = self.spent <= self.cap
            && (1..=self.head.record).contains(&self.job.record)
            && (1..=self.head.record).contains(&self.jobs)
            && (self.job.record < self.head.record || self.job == self.head);
        let is_named = self.dataset == entry.dataset
            && self.job.hash == entry.head
            && entry.cap.is_none_or(|goal| goal == self.goal);
        if is_possible && is_named { Ok(()) } else { Err(BundleError::OtherLedger) }
    }
}

fn entry_of(model: &Model) -> Option<&LedgerEntry> {
    model.certificate()?.ledger()
}

/// Serialises amounts as certificates do.
mod quanta {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    const UNIT: &str = "/2^96";

    pub(super) fn serialize<S: Serializer>(quanta: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{quanta}{UNIT}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = text.strip_suffix(UNIT).and_then(|digits| digits.parse().ok());
        number.ok_or_else(|| D::Error::custom("an amount is not a number of quanta"))
    }
}
