//! A job's part of the budget, from the moment it is durably reserved.

use std::fs;

use super::error::LedgerError;
use super::record::{self, Record};
use super::statement::{JobRecord, Outcome, Statement};
use super::storage::{Files, Journal, JournalEntry, Store};
use crate::account::{AccountingKind, ApproxDp};

/// What a job wants to reserve.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// A digest of everything that the job's questions depend on. A job that was killed is resumed by the same.
    pub fingerprint: String,
    /// What is asked for, in public words.
    pub description: String,
    /// How the job itself accounts.
    pub accounting: AccountingKind,
    /// What the job itself promises.
    pub goal: ApproxDp,
    /// The most that the job can spend, in the ledger's accounting and quanta of 2^-96.
    pub quanta: u128,
    /// The command that asks, for whoever finds the job open.
    pub command: Option<String>,
    /// Whether to begin also if a job of the same fingerprint never ended. What that one reserved stays spent.
    pub anew: bool,
}

/// Permission to release up to what was reserved, and the journal of what was released.
///
/// # Privacy
/// It exists only after the reservation is durable. Dropping it, being killed, or a failing [`commit`](Self::commit) leave
/// all of the reservation spent.
#[derive(Debug)]
#[must_use = "a reservation that is dropped stays spent"]
pub struct Reservation {
    pub(super) files: Files,
    pub(super) job: String,
    pub(super) head: String,
    pub(super) reserved: u128,
    pub(super) journal: Journal,
    pub(super) journalled: Vec<JournalEntry>,
}

impl Reservation {
    /// The id of the job.
    pub fn job(&self) -> &str {
        &self.job
    }

    /// The hash of the record of this reservation, for the certificate.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// What was reserved, in quanta of 2^-96.
    pub fn reserved(&self) -> u128 {
        self.reserved
    }

    /// What the job had released before it was resumed, in order. Empty for a new job.
    ///
    /// # Privacy
    /// These releases have been made: they are to be repeated word for word, never drawn again.
    pub fn journalled(&self) -> &[JournalEntry] {
        &self.journalled
    }

    /// Journals releases, each an event and its values.
    ///
    /// # Privacy
    /// The values may leave the process when this has returned, not earlier. After an error the job is stopped.
    ///
    /// # Errors
    /// If the entries are not durable. Storage that failed marks the ledger suspect.
    pub fn journal<'a>(&mut self, releases: impl IntoIterator<Item = (&'a str, &'a [i64])>) -> Result<(), LedgerError> {
        self.journal.append(releases).inspect_err(|error| self.files.mark_if_storage_failed(error))
    }

    /// Writes what has to be durable before an entry of the journal is. After an error the job is stopped, as it is after one of
    /// the journal itself.
    ///
    /// # Errors
    /// That of `write`. Storage that failed marks the ledger suspect.
    pub(super) fn before_journal(
        &mut self,
        write: impl FnOnce() -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        self.journal.refuse_if_stopped()?;
        write().inspect_err(|error| {
            self.journal.stop();
            self.files.mark_if_storage_failed(error);
        })
    }

    /// Ends the job: from now on only `spent` of the reservation counts.
    ///
    /// # Privacy
    /// `spent` is what the releases of this job cost together, those of [`journalled`](Self::journalled) included; the
    /// ledger cannot check that and takes the vault's word.
    ///
    /// # Errors
    /// If more was spent than reserved or the record is not durable. The whole reservation stays spent then.
    pub fn commit(self, spent: u128, events: u64) -> Result<(), LedgerError> {
        self.journal.refuse_if_stopped()?;
        if spent > self.reserved {
            return Err(LedgerError::AboveReservation { spent, reserved: self.reserved });
        }
        self.append_commit(spent, events).inspect_err(|error| self.files.mark_if_storage_failed(error))?;
        // It is of no use any more. If it cannot be removed now, the next reservation does it.
        let _ = fs::remove_file(self.files.journal(&self.job));
        let _ = fs::remove_file(self.files.binding(&self.job));
        Ok(())
    }

    fn append_commit(&self, spent: u128, events: u64) -> Result<(), LedgerError> {
        let store = Store::lock(&self.files)?;
        let statement = Statement::of(store.records(), false)?;
        let is_ours = |job: &JobRecord| job.head == self.head && job.outcome == Outcome::Open;
        if !statement.jobs.iter().any(is_ours) {
            return Err(LedgerError::Damaged { what: "the reservation of the job is gone" });
        }
        let record = Record::Commit { time: record::now(), job: self.job.clone(), spent, events };
        store.append(&record.to_body())
    }
}
