//! The state of a ledger, computed from its records.

use std::collections::HashMap;

use scumble_planted::Mutant;

use super::error::LedgerError;
use super::record::{Record, VERSION};
use super::storage::Hash;
use super::{ReservationRequest, Terms};
use crate::account::{AccountingKind, ApproxDp, Epsilon, ThresholdDelta};
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
    /// What thresholds of finished jobs added to delta, and those of open ones may add.
    pub thresholds: ThresholdDelta,
    /// Number of records.
    pub records: usize,
    /// Hash of the last record, which depends on all records.
    pub head: String,
    /// Hashes of all records, in order; the last is `head`.
    pub hashes: Vec<String>,
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
    /// Part of delta reserved for thresholds.
    pub thresholds: ThresholdDelta,
    /// Command that began the job, if there was one.
    pub command: Option<String>,
    /// Number of the record of the reservation. The first record of the ledger is number 0.
    pub record: usize,
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
        /// What its thresholds added to delta.
        thresholds: ThresholdDelta,
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
        let hashes: Vec<String> = records.iter().map(|(_, hash)| hex(hash)).collect();
        let head = hashes.last().cloned().unwrap_or_default();
        let (left, thresholds) = (terms.cap, ThresholdDelta::ZERO);
        let (jobs, number) = (Vec::new(), records.len());
        let mut statement =
            Self { terms, opened, jobs, spent: 0, left, thresholds, records: number, head, hashes, suspect };
        let mut open = HashMap::new();
        for (record, (body, _)) in records.iter().enumerate().skip(1) {
            match Record::from_body(body)? {
                Record::Open { .. } => return Err(damaged("the ledger is opened twice")),
                Record::Reserve {
                    time,
                    job: id,
                    fingerprint,
                    description,
                    accounting,
                    goal,
                    quanta,
                    thresholds,
                    command,
                } => {
                    let reserved = quanta;
                    let all = statement.thresholds.checked_add(thresholds);
                    let left = all.and_then(|all| statement.left_beside(all)?.checked_sub(reserved));
                    left.ok_or(damaged("the cap is exceeded"))?;
                    statement.spent += reserved;
                    statement.thresholds = all.unwrap_or_default();
                    if open.insert(id.clone(), statement.jobs.len()).is_some() {
                        return Err(damaged("two jobs have one id"));
                    }
                    let (head, outcome) = (statement.hashes[record].clone(), Outcome::Open);
                    statement.jobs.push(JobRecord {
                        id,
                        time,
                        fingerprint,
                        description,
                        accounting,
                        goal,
                        reserved,
                        thresholds,
                        command,
                        record,
                        head,
                        outcome,
                    });
                }
                Record::Commit { time, job, spent, thresholds, events } => {
                    let job = open.remove(&job).and_then(|job| statement.jobs.get_mut(job));
                    let job = job.ok_or(damaged("a job ends that was not open"))?;
                    let freed = job.reserved.checked_sub(spent).ok_or(damaged("a job spent more than it reserved"))?;
                    let kept = job.thresholds.checked_sub(thresholds);
                    let kept = kept.and_then(|freed| statement.thresholds.checked_sub(freed));
                    job.outcome = Outcome::Committed { spent, thresholds, events, time };
                    statement.thresholds = kept.ok_or(damaged("a job spent more than it reserved"))?;
                    statement.spent -= freed;
                }
            }
        }
        statement.left = statement.left_beside(statement.thresholds).ok_or(damaged("the cap is exceeded"))?;
        Ok(statement)
    }

    /// Returns the remainder of the cap if `thresholds` are added to delta in all; `None` if more
    /// is spent.
    ///
    /// # Privacy
    /// All noise and all thresholds together satisfy the goal of the ledger: the cap is then what
    /// the delta allows that thresholds leave.
    fn left_beside(&self, thresholds: ThresholdDelta) -> Option<u128> {
        let Terms { accounting, goal, cap, .. } = self.terms;
        let allowed = if thresholds == ThresholdDelta::ZERO {
            cap
        } else {
            accounting.largest(goal.without(thresholds)?).ok()?.quanta.min(cap)
        };
        allowed.checked_sub(self.spent)
    }

    /// The privacy filter: refuses a request that would exceed the cap, before anything is
    /// reserved.
    pub(super) fn check_room(&self, request: &ReservationRequest) -> Result<(), LedgerError> {
        let asked = request.quanta;
        let thresholds = self.thresholds.checked_add(request.thresholds);
        let left = thresholds.and_then(|thresholds| self.left_beside(thresholds)).unwrap_or(0);
        if asked > left && !Mutant::LedgerWithoutCap.is_planted() {
            let (goal, fits) = (request.goal, self.largest_fit(request, left));
            return Err(LedgerError::OverCap { goal, fits, asked, left });
        }
        Ok(())
    }

    /// Returns the largest epsilon of four decimals with which the job would fit.
    fn largest_fit(&self, request: &ReservationRequest, left: u128) -> Option<Epsilon> {
        let epsilon = |steps: u32| Epsilon::new(f64::from(steps) / STEPS_PER_EPSILON).ok();
        let has_room = |steps: u32| {
            let goal = ApproxDp { epsilon: epsilon(steps)?, ..request.goal }.without(request.thresholds)?;
            let cost = self.terms.accounting.bound(request.accounting.largest(goal).ok()?)?;
            (cost.quanta <= left).then_some(())
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
