//! The ledger of a dataset: the privacy budget spent by all its jobs, and the remainder.
//!
//! ```
//! # use std::num::NonZeroU32;
//! # use scumble_schema::AdjacencyKind;
//! # use scumble_vault::ledger::{Ledger, LedgerError, JobPlan, Terms};
//! # use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon, VaultError, account::ThresholdDelta};
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("people.ledger");
//! let goal = |epsilon| Ok::<_, VaultError>(ApproxDp { epsilon: Epsilon::new(epsilon)?, delta: Delta::new(1e-9)? });
//! let (adjacency, unit, one) = (AdjacencyKind::AddRemove, "row", NonZeroU32::MIN);
//! let terms = Terms::new("people".into(), adjacency, unit.into(), one, AccountingKind::Gdp, goal(1.0)?)?;
//! let ledger = Ledger::create(&path, &terms)?;
//!
//! let plan = JobPlan {
//!     adjacency,
//!     privacy_unit: unit.into(),
//!     max_contributions: one,
//!     accounting: AccountingKind::Gdp,
//!     goal: goal(0.7)?,
//!     for_thresholds: ThresholdDelta::ZERO,
//!     description: "independent".into(),
//!     request: "schema, method and parameters".into(),
//!     command: None,
//! };
//! let job = ledger.begin(plan.clone())?;
//! // Vault::open_on(&job, ..) measures, the caller writes the model, and then:
//! job.commit()?;
//! assert_eq!(ledger.verify()?.spent, 0, "nothing was released, so nothing is spent");
//!
//! // A job that is not committed stays spent, and is not begun a second time by mistake.
//! drop(ledger.begin(plan.clone())?);
//! let refused = ledger.begin(plan.clone());
//! assert!(matches!(refused, Err(VaultError::Ledger(LedgerError::Open { .. }))));
//! // Two jobs of (0.7, 1e-9) exceed a cap of (1, 1e-9).
//! let refused = ledger.begin_anew(plan);
//! assert!(matches!(refused, Err(VaultError::Ledger(LedgerError::OverCap { .. }))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Structure
//! Privacy decisions: [`Terms`] (units and cap), `record` (the records), [`Statement`] (what is
//! spent, and the filter), [`Reservation`] and [`Job`] (from a plan to the final spend). Integrity
//! of the bytes: `storage` (SQLite, seal, chain, journals, `fsync`), which stores texts without
//! interpreting them.
#![doc = include_str!("ledger.md")]

mod binding;
mod error;
mod job;
mod record;
mod reservation;
mod statement;
mod storage;
mod terms;

use std::path::Path;

pub(crate) use binding::AnswerDigest;
pub use error::LedgerError;
pub use job::{Job, JobPlan};
pub use reservation::{Reservation, ReservationRequest};
pub use statement::{JobRecord, Outcome, Statement};
pub use storage::JournalEntry;
pub use terms::Terms;

use record::{Record, VERSION};
use storage::{Files, Journal, Store};

use crate::hex;

/// The ledger of one dataset.
///
/// # Privacy
/// All releases under [`Reservation`]s of one ledger together cost at most its cap, also if
/// processes run concurrently, are killed, or lose power.
#[derive(Debug)]
pub struct Ledger {
    files: Files,
    terms: Terms,
}

impl Ledger {
    /// Creates a ledger, durably. An existing file is never changed.
    ///
    /// # Errors
    /// If the cap exceeds the goal, or the file exists or cannot be written.
    pub fn create(path: &Path, terms: &Terms) -> Result<Self, LedgerError> {
        terms.check_cap()?;
        let files = Files::create(path)?;
        let first = Record::Open { version: VERSION, time: record::now(), terms: terms.clone() };
        Store::create(&files, &first.to_body())?;
        Ok(Self { files, terms: terms.clone() })
    }

    /// Opens and checks a ledger.
    ///
    /// # Errors
    /// If the file is missing or damaged. A suspect ledger can be opened for verification, but
    /// refuses to spend.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let files = Files::find(path)?;
        let store = Store::read(&files).inspect_err(|error| files.mark_if_storage_failed(error))?;
        let terms = Statement::of(store.records(), false)?.terms;
        Ok(Self { files, terms })
    }

    /// Returns the terms of the ledger.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Checks every byte of the file, the chain, the structure of the database and the meaning of
    /// the records, and returns the state of the ledger.
    ///
    /// # Errors
    /// If a check fails.
    pub fn verify(&self) -> Result<Statement, LedgerError> {
        let store = Store::read(&self.files).inspect_err(|error| self.files.mark_if_storage_failed(error))?;
        store.check_structure()?;
        Statement::of(store.records(), self.files.are_suspect())
    }

    /// Reserves the maximum spend of a job.
    ///
    /// # Privacy
    /// The job may read rows only after this has returned. One writer at a time checks the whole
    /// ledger and the cap, and its reservation is durable before the next writer starts.
    ///
    /// # Errors
    /// [`LedgerError::OverCap`] if the remainder is too small, [`LedgerError::Open`] if a job of
    /// the same fingerprint is open; otherwise if the ledger is damaged, suspect, or cannot be
    /// written.
    pub fn reserve(&self, request: &ReservationRequest) -> Result<Reservation, LedgerError> {
        self.reserve_unmarked(request).inspect_err(|error| self.files.mark_if_storage_failed(error))
    }

    fn reserve_unmarked(&self, request: &ReservationRequest) -> Result<Reservation, LedgerError> {
        let (store, statement) = self.lock()?;
        statement.refuse_beside_open(request)?;
        statement.check_room(request)?;
        self.files.sweep_journals(|name| statement.open_jobs().any(|job| job.id == name));
        let job = new_id()?;
        let ReservationRequest { fingerprint, description, accounting, goal, quanta, thresholds, command, anew: _ } =
            request.clone();
        let (time, id) = (record::now(), job.clone());
        let record =
            Record::Reserve { time, job: id, fingerprint, description, accounting, goal, quanta, thresholds, command };
        let body = record.to_body();
        let head = hex(&store.next_link(&body));
        // The journal is created and locked first: a process that sees the reservation also sees
        // that the job is running.
        let journal = Journal::start(self.files.create_journal(&job)?, &job, &head)?;
        store.append(&body)?;
        let (files, journalled) = (self.files.clone(), Vec::new());
        Ok(Reservation { files, job, head, reserved: quanta, thresholds, journal, journalled })
    }

    /// Resumes the interrupted job with this fingerprint, if there is one.
    ///
    /// # Privacy
    /// Nothing more is spent: the reservation stands, and [`Reservation::journalled`] holds its
    /// releases.
    ///
    /// # Errors
    /// [`LedgerError::Running`] if the job is still running; [`LedgerError::Journal`] if its
    /// journal is missing or broken, since its releases are then unknown.
    pub fn resume(&self, fingerprint: &str) -> Result<Option<Reservation>, LedgerError> {
        self.resume_unmarked(fingerprint).inspect_err(|error| self.files.mark_if_storage_failed(error))
    }

    fn resume_unmarked(&self, fingerprint: &str) -> Result<Option<Reservation>, LedgerError> {
        // Under the lock no job ends, so an open job whose journal can be locked was interrupted.
        let (locked, statement) = self.lock()?;
        let mut running = None;
        for job in statement.open_jobs().filter(|job| job.fingerprint == fingerprint) {
            match storage::claim(&self.files.journal(&job.id), &job.id) {
                Ok(file) => {
                    // From here on no other process can end the job, so others need not wait while
                    // its journal is read.
                    drop(locked);
                    let (journal, journalled) = Journal::resume(file, &job.head)?;
                    let JobRecord { id: job, head, reserved, thresholds, .. } = job.clone();
                    let files = self.files.clone();
                    return Ok(Some(Reservation { files, job, head, reserved, thresholds, journal, journalled }));
                }
                Err(error @ LedgerError::Running { .. }) => running = Some(error),
                Err(error) => return Err(error),
            }
        }
        running.map_or(Ok(None), Err)
    }

    /// Locks and checks the ledger.
    fn lock(&self) -> Result<(Store, Statement), LedgerError> {
        let store = Store::lock(&self.files)?;
        let statement = Statement::of(store.records(), false)?;
        if statement.terms != self.terms {
            return Err(LedgerError::Damaged { what: "another ledger has taken its place" });
        }
        Ok((store, statement))
    }
}

fn new_id() -> Result<String, LedgerError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(LedgerError::Entropy)?;
    Ok(hex(&id))
}
