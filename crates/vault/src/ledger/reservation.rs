//! Durable reservations of budget.

use std::fs;

use super::error::LedgerError;
use super::record::{self, Record};
use super::statement::{JobRecord, Outcome, Statement};
use super::storage::{Files, Journal, JournalEntry, Store};
use crate::account::{AccountingKind, ApproxDp, ThresholdDelta};

/// A request for a reservation.
#[derive(Debug, Clone, PartialEq)]
pub struct ReservationRequest {
    /// Digest of everything that the job's questions depend on. An interrupted job is resumed by
    /// it.
    pub fingerprint: String,
    /// Public description of the job.
    pub description: String,
    /// Accounting of the job.
    pub accounting: AccountingKind,
    /// Goal of the job.
    pub goal: ApproxDp,
    /// Maximum spend of the job, under the accounting of the ledger, in quanta of 2^-96.
    pub quanta: u128,
    /// Part of delta that thresholds of the job may add at most.
    pub thresholds: ThresholdDelta,
    /// Command that begins the job, shown if the job is found open later.
    pub command: Option<String>,
    /// Whether to begin even if a job of the same fingerprint is open. Its reservation stays spent.
    pub anew: bool,
}

/// Permission to release up to the reserved amount, with the journal of the releases.
///
/// # Privacy
/// Exists only after the reservation is durable. If it is dropped, the process is killed, or
/// [`commit`](Self::commit) fails, the whole reservation stays spent.
#[derive(Debug)]
#[must_use = "a reservation that is dropped stays spent"]
pub struct Reservation {
    pub(super) files: Files,
    pub(super) job: String,
    pub(super) head: String,
    pub(super) reserved: u128,
    pub(super) thresholds: ThresholdDelta,
    pub(super) journal: Journal,
    pub(super) journalled: Vec<JournalEntry>,
}

impl Reservation {
    /// Returns the id of the job.
    pub fn job(&self) -> &str {
        &self.job
    }

    /// Returns the hash of the record of this reservation, for the certificate.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// Returns the reserved amount, in quanta of 2^-96.
    pub fn reserved(&self) -> u128 {
        self.reserved
    }

    /// Returns the releases that the job made before it was resumed, in order. Empty for a new job.
    ///
    /// # Privacy
    /// The caller must repeat these values unchanged, and never draw them again.
    pub fn journalled(&self) -> &[JournalEntry] {
        &self.journalled
    }

    /// Journals releases, each an event and its values.
    ///
    /// # Privacy
    /// The values may leave the process only after this has returned. After an error the job is
    /// stopped.
    ///
    /// # Errors
    /// If the entries are not durable. Storage that failed marks the ledger suspect.
    pub fn journal<'a>(&mut self, releases: impl IntoIterator<Item = (&'a str, &'a [i64])>) -> Result<(), LedgerError> {
        self.journal.append(releases).inspect_err(|error| self.files.mark_if_storage_failed(error))
    }

    /// Runs `write`, which makes data durable that must precede an entry of the journal. After an
    /// error the job is stopped, as after an error of the journal itself.
    ///
    /// # Errors
    /// Those of `write`. Storage that failed marks the ledger suspect.
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

    /// Ends the job: from now on only `spent` of the reservation counts, and what its `thresholds`
    /// added to delta.
    ///
    /// # Privacy
    /// `spent` must be the total cost of the job's releases, including those of
    /// [`journalled`](Self::journalled), and `thresholds` the sum over all of them. The ledger
    /// cannot check it.
    ///
    /// # Errors
    /// If they exceed the reservation or the record is not durable. Then the whole reservation
    /// stays spent.
    pub fn commit(self, spent: u128, thresholds: ThresholdDelta, events: u64) -> Result<(), LedgerError> {
        self.journal.refuse_if_stopped()?;
        if spent > self.reserved || thresholds > self.thresholds {
            return Err(LedgerError::AboveReservation { spent, reserved: self.reserved });
        }
        self.append_commit(spent, thresholds, events).inspect_err(|error| self.files.mark_if_storage_failed(error))?;
        // Both files are no longer needed. If they cannot be removed now, the next reservation
        // removes them.
        let _ = fs::remove_file(self.files.journal(&self.job));
        let _ = fs::remove_file(self.files.binding(&self.job));
        Ok(())
    }

    fn append_commit(&self, spent: u128, thresholds: ThresholdDelta, events: u64) -> Result<(), LedgerError> {
        let store = Store::lock(&self.files)?;
        let statement = Statement::of(store.records(), false)?;
        let is_ours = |job: &JobRecord| job.head == self.head && job.outcome == Outcome::Open;
        if !statement.jobs.iter().any(is_ours) {
            return Err(LedgerError::Damaged { what: "the reservation of the job is gone" });
        }
        let record = Record::Commit { time: record::now(), job: self.job.clone(), spent, thresholds, events };
        store.append(&record.to_body())
    }
}
