//! The state of a ledger, computed from its records.

use std::collections::HashMap;

use scumble_planted::Mutant;

use super::error::LedgerError;
use super::record::{Record, VERSION};
use super::storage::Hash;
use super::{ReservationRequest, Terms};
use crate::account::{AccountingKind, ApproxDp, Epsilon};
use crate::hex;

/// Resolution of the epsilon that is offered to a refused job: four decimals. Epsilon is an integer
/// divided by this number, so that it equals the float that its decimals parse to.
const STEPS_PER_EPSILON: f64 = 1e4;

/// The state of a ledger.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statement {
    /// Terms of the ledger.
    pub terms: Terms,
    /// Time of creation, in seconds since 1970, UTC.
    pub opened: u64,
    /// Jobs, in the order of their reservations.
    pub jobs: Vec<JobRecord>,
    /// Spent amount, in quanta of 2^-96: the spend of finished jobs plus the reservations of open
    /// ones.
    pub spent: u128,
    /// Remainder of the cap, in quanta of 2^-96.
    pub left: u128,
    /// Number of records.
    pub records: usize,
    /// Hash of the last record, which depends on all records.
    pub head: String,
    /// Whether storage failed under the ledger and the mark has not been removed since.
    pub suspect: bool,
}

/// A job in a ledger: its request, reservation and outcome.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JobRecord {
    /// Id: 128 random bits in hexadecimal.
    pub id: String,
    /// Time of the reservation, in seconds since 1970, UTC.
    pub time: u64,
    /// Digest of the request.
    pub fingerprint: String,
    /// Public description of the job.
    pub description: String,
    /// Accounting of the job.
    pub accounting: AccountingKind,
    /// Goal of the job.
    pub goal: ApproxDp,
    /// Reserved amount, in quanta of 2^-96.
    pub reserved: u128,
    /// Command that began the job, if there was one.
    pub command: Option<String>,
    /// Hash of the record of the reservation.
    pub head: String,
    /// Outcome of the job.
    pub outcome: Outcome,
}

/// Outcome of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The job is running, was killed or failed. Its whole reservation counts as spent.
    Open,
    /// The job finished, and the unspent part of its reservation was freed.
    Committed {
        /// Spent amount, in quanta of 2^-96.
        spent: u128,
        /// Number of releases.
        events: u64,
        /// Time of the commit, in seconds since 1970, UTC.
        time: u64,
    },
}

impl Statement {
    /// Reads the records in order and refuses inconsistent ones.
    pub(super) fn of(records: &[(String, Hash)], suspect: bool) -> Result<Self, LedgerError> {
        let damaged = |what| LedgerError::Damaged { what };
        let opening = records.first().map(|(body, _)| Record::from_body(body)).transpose()?;
        let Some(Record::Open { version: VERSION, time: opened, terms }) = opening else {
            return Err(damaged("the first record does not open a ledger of this version"));
        };
        let head = records.last().map(|(_, hash)| hex(hash)).unwrap_or_default();
        let (left, jobs) = (terms.cap, Vec::new());
        let mut statement = Self { terms, opened, jobs, spent: 0, left, records: records.len(), head, suspect };
        let mut open = HashMap::new();
        for (body, hash) in &records[1..] {
            match Record::from_body(body)? {
                Record::Open { .. } => return Err(damaged("the ledger is opened twice")),
                Record::Reserve { time, job: id, fingerprint, description, accounting, goal, quanta, command } => {
                    let reserved = quanta;
                    statement.left = statement.left.checked_sub(reserved).ok_or(damaged("the cap is exceeded"))?;
                    if open.insert(id.clone(), statement.jobs.len()).is_some() {
                        return Err(damaged("two jobs have one id"));
                    }
                    let (head, outcome) = (hex(hash), Outcome::Open);
                    statement.jobs.push(JobRecord {
                        id,
                        time,
                        fingerprint,
                        description,
                        accounting,
                        goal,
                        reserved,
                        command,
                        head,
                        outcome,
                    });
                }
                Record::Commit { time, job, spent, events } => {
                    let job = open.remove(&job).and_then(|job| statement.jobs.get_mut(job));
                    let job = job.ok_or(damaged("a job ends that was not open"))?;
                    let freed = job.reserved.checked_sub(spent).ok_or(damaged("a job spent more than it reserved"))?;
                    job.outcome = Outcome::Committed { spent, events, time };
                    statement.left += freed;
                }
            }
        }
        statement.spent = statement.terms.cap - statement.left;
        Ok(statement)
    }

    /// The privacy filter: refuses a request that would exceed the cap, before anything is
    /// reserved.
    pub(super) fn check_room(&self, request: &ReservationRequest) -> Result<(), LedgerError> {
        let asked = request.quanta;
        if asked > self.left && !Mutant::LedgerWithoutCap.is_planted() {
            let (goal, fits) = (request.goal, self.largest_fit(request));
            return Err(LedgerError::OverCap { goal, fits, asked, left: self.left });
        }
        Ok(())
    }

    /// Returns the largest epsilon of four decimals with which the job would fit.
    fn largest_fit(&self, request: &ReservationRequest) -> Option<Epsilon> {
        let epsilon = |steps: u32| Epsilon::new(f64::from(steps) / STEPS_PER_EPSILON).ok();
        let has_room = |steps: u32| {
            let goal = ApproxDp { epsilon: epsilon(steps)?, ..request.goal };
            let cost = self.terms.accounting.bound(request.accounting.largest(goal).ok()?)?;
            (cost.quanta <= self.left).then_some(())
        };
        // The requested epsilon does not fit, and zero always does.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturates, and epsilon is positive"
        )]
        let (mut fits, mut exceeds) = (0, (request.goal.epsilon.get() * STEPS_PER_EPSILON).ceil() as u32);
        while fits + 1 < exceeds {
            let middle = fits + (exceeds - fits) / 2;
            if has_room(middle).is_some() { fits = middle } else { exceeds = middle }
        }
        if fits == 0 { None } else { epsilon(fits) }
    }

    /// Refuses a job while one of the same request is open, since it was most likely started twice
    /// by mistake.
    pub(super) fn refuse_beside_open(&self, request: &ReservationRequest) -> Result<(), LedgerError> {
        match self.open_jobs().find(|job| job.fingerprint == request.fingerprint) {
            Some(open) if !request.anew => {
                Err(LedgerError::Open { job: open.id.clone(), goal: open.goal, command: open.command.clone() })
            }
            _ => Ok(()),
        }
    }

    /// Iterates over the jobs that never committed: they are running or interrupted, and their
    /// whole reservations count as spent.
    pub fn open_jobs(&self) -> impl Iterator<Item = &JobRecord> {
        self.jobs.iter().filter(|job| job.outcome == Outcome::Open)
    }
}
