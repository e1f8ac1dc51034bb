//! What the records mean: who reserved what, who is done, and what is left.

use std::collections::HashMap;

use scumble_planted::Mutant;

use super::error::LedgerError;
use super::record::{Record, VERSION};
use super::storage::Hash;
use super::{Request, Terms};
use crate::account::{AccountingKind, ApproxDp, Epsilon};
use crate::hex;

/// A refused job is offered an epsilon of four decimals. Divided by and not multiplied with, so that the number is the one that its
/// decimals are read as.
const STEPS_PER_EPSILON: f64 = 1e4;

/// The state of a ledger at one time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Statement {
    /// What the ledger is kept for.
    pub terms: Terms,
    /// When it was made, in seconds since 1970, UTC.
    pub opened: u64,
    /// The jobs, in the order of their reservations.
    pub jobs: Vec<JobRecord>,
    /// What is spent, in quanta of 2^-96: by finished jobs what they spent, by open ones all that they reserved.
    pub spent: u128,
    /// What is left of the cap, in quanta of 2^-96.
    pub left: u128,
    /// How many records there are.
    pub records: usize,
    /// The hash of the last record, which depends on all of them.
    pub head: String,
    /// Whether storage failed under the ledger and nobody has removed the mark since.
    pub suspect: bool,
}

/// What a ledger knows of one job: what it asked for and promised, what it reserved, and what became of that.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct JobRecord {
    /// 128 random bits, as text.
    pub id: String,
    /// When it reserved, in seconds since 1970, UTC.
    pub time: u64,
    /// What was asked for, as a digest.
    pub fingerprint: String,
    /// What was asked for, in words.
    pub description: String,
    /// How the job itself accounts.
    pub accounting: AccountingKind,
    /// What the job itself promises.
    pub goal: ApproxDp,
    /// What it reserved, in quanta of 2^-96.
    pub reserved: u128,
    /// The command that began it, if there was one.
    pub command: Option<String>,
    /// The hash of the record of the reservation.
    pub head: String,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It runs, was killed or failed. All that it reserved counts as spent.
    Open,
    /// It finished, and what it did not spend of its reservation was given back.
    Committed {
        /// What it spent, in quanta of 2^-96.
        spent: u128,
        /// How many releases it made.
        events: u64,
        /// When, in seconds since 1970, UTC.
        time: u64,
    },
}

impl Statement {
    /// Reads the records in order and refuses those that cannot follow from each other.
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

    /// The cap is a filter: what would exceed it is refused before anything is reserved.
    pub(super) fn check_room(&self, request: &Request) -> Result<(), LedgerError> {
        let asked = request.quanta;
        if asked > self.left && !Mutant::LedgerWithoutCap.is_planted() {
            let (goal, fits) = (request.goal, self.largest_fit(request));
            return Err(LedgerError::OverCap { goal, fits, asked, left: self.left });
        }
        Ok(())
    }

    /// The largest epsilon of four decimals with which the job would find room.
    fn largest_fit(&self, request: &Request) -> Option<Epsilon> {
        let epsilon = |steps: u32| Epsilon::new(f64::from(steps) / STEPS_PER_EPSILON).ok();
        let has_room = |steps: u32| {
            let goal = ApproxDp { epsilon: epsilon(steps)?, ..request.goal };
            let cost = self.terms.accounting.bound(request.accounting.largest(goal).ok()?)?;
            (cost.quanta <= self.left).then_some(())
        };
        // What is asked for has no room, and nothing always has.
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

    /// Refuses a second job beside one of the same request that never ended: most likely somebody started it again by mistake.
    pub(super) fn refuse_beside_open(&self, request: &Request) -> Result<(), LedgerError> {
        match self.open_jobs().find(|job| job.fingerprint == request.fingerprint) {
            Some(open) if !request.anew => {
                Err(LedgerError::Open { job: open.id.clone(), goal: open.goal, command: open.command.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The jobs that never committed: they run, or were cut off, and all that they reserved counts as spent.
    pub fn open_jobs(&self) -> impl Iterator<Item = &JobRecord> {
        self.jobs.iter().filter(|job| job.outcome == Outcome::Open)
    }
}
