//! A job of the vault that has its budget reserved in a ledger.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scumble_planted::Mutant;
use scumble_schema::AdjacencyKind;
use sha2::{Digest, Sha256};

use super::binding::{AnswerDigest, Binding};
use super::{Ledger, LedgerError, Request, Reservation};
use crate::account::{AccountingKind, ApproxDp, Event, LedgerEntry, sum_of_costs};
use crate::error::VaultError;
use crate::hex;

/// What a job is about to do. All of it is public.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// Whose rows are protected: `row`, or a column.
    pub privacy_unit: String,
    /// The most rows of one unit.
    pub max_contributions: NonZeroU32,
    /// How the job accounts.
    pub accounting: AccountingKind,
    /// What it aims at.
    pub goal: ApproxDp,
    /// What it does, for people to read.
    pub description: String,
    /// Everything its questions depend on besides the rows, as text. A job that was cut off is taken up by one with the same.
    pub request: String,
    /// The command that begins the job, for whoever finds it open.
    pub command: Option<String>,
}

impl Plan {
    fn fingerprint(&self) -> String {
        hex(&Sha256::digest(&self.request))
    }
}

/// A running job: its reservation and what it has released so far.
///
/// A [`Vault`](crate::Vault) opened on it journals every release before anyone sees it. Copies are the same job.
///
/// # Privacy
/// All that was reserved counts as spent until [`Job::commit`] lowers it to what was released, which is to be called when
/// what was made of the releases is durable. A job that is dropped or killed stays spent, and can be taken up again.
#[derive(Debug, Clone)]
pub struct Job {
    plan: Arc<Plan>,
    entry: LedgerEntry,
    ledger: AccountingKind,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// Gone once the job is committed.
    reservation: Option<Reservation>,
    /// The table that it was begun on.
    binding: Binding,
    /// What was released, in order, with the values of those releases that were made before the job was cut off.
    events: Vec<Event>,
    /// For the one vault of this job.
    before: Option<Vec<(Event, Vec<i64>)>>,
}

impl Ledger {
    /// Reserves the most that the job may spend. Only then may it look at rows.
    ///
    /// # Errors
    /// [`LedgerError::Open`] if a job of the same plan never ended; otherwise if the ledger is for other terms, or too little is left, or
    /// the ledger cannot be trusted or written.
    pub fn begin(&self, plan: Plan) -> Result<Job, VaultError> {
        self.begin_beside(plan, false)
    }

    /// As [`begin`](Self::begin), but also if jobs of the same plan never ended. What they reserved stays spent.
    ///
    /// # Errors
    /// As those of [`begin`](Self::begin), but for [`LedgerError::Open`].
    pub fn begin_anew(&self, plan: Plan) -> Result<Job, VaultError> {
        self.begin_beside(plan, true)
    }

    fn begin_beside(&self, plan: Plan, anew: bool) -> Result<Job, VaultError> {
        let reservation = self.reserve(&self.request(&plan, anew)?)?;
        self.job(plan, reservation)
    }

    /// Whether a job of this plan would be begun now, and with `anew` also beside one that never ended. Nothing is reserved.
    ///
    /// # Errors
    /// As those of [`begin`](Self::begin).
    pub fn check(&self, plan: &Plan, anew: bool) -> Result<(), VaultError> {
        let request = self.request(plan, anew)?;
        let statement = self.verify()?;
        statement.refuse_beside_open(&request)?;
        Ok(statement.check_room(&request)?)
    }

    fn request(&self, plan: &Plan, anew: bool) -> Result<Request, VaultError> {
        Ok(Request {
            fingerprint: plan.fingerprint(),
            description: plan.description.clone(),
            accounting: plan.accounting,
            goal: plan.goal,
            quanta: self.most(plan)?,
            command: plan.command.clone(),
            anew,
        })
    }

    /// Takes up a job of the same plan that was cut off, if there is one. Nothing more is spent.
    ///
    /// # Errors
    /// If it is still running, its journal is damaged, or as those of [`Ledger::begin`].
    pub fn resume_job(&self, plan: Plan) -> Result<Option<Job>, VaultError> {
        self.most(&plan)?;
        let reservation = self.resume(&plan.fingerprint())?;
        reservation.map(|reservation| self.job(plan, reservation)).transpose()
    }

    /// Whether a job of the same plan is open: running, or cut off.
    ///
    /// # Errors
    /// If the ledger cannot be trusted.
    pub fn has_open(&self, plan: &Plan) -> Result<bool, LedgerError> {
        let fingerprint = plan.fingerprint();
        Ok(self.verify()?.open_jobs().any(|job| job.fingerprint == fingerprint))
    }

    /// The most that the job may spend, in quanta of the ledger.
    fn most(&self, plan: &Plan) -> Result<u128, VaultError> {
        let terms = self.terms();
        terms.check(plan.adjacency, &plan.privacy_unit, plan.max_contributions)?;
        let bound = terms.accounting.bound(plan.accounting.largest(plan.goal)?);
        let differs = || LedgerError::Terms {
            what: "accounting",
            ledger: terms.accounting.to_string(),
            job: plan.accounting.to_string(),
        };
        let halves = if Mutant::LedgerReservesHalf.is_planted() { 2 } else { 1 };
        Ok(bound.ok_or_else(differs)?.quanta / halves)
    }

    fn job(&self, plan: Plan, reservation: Reservation) -> Result<Job, VaultError> {
        let entry = LedgerEntry {
            dataset: self.terms().dataset.clone(),
            job: reservation.job().to_owned(),
            head: reservation.head().to_owned(),
            cap: Some(self.terms().goal),
        };
        let event = |text: &str| {
            serde_json::from_str(text).map_err(|_| LedgerError::Journal { what: "its journal has an unknown event" })
        };
        let before: Vec<(Event, Vec<i64>)> = reservation
            .journalled()
            .iter()
            .map(|entry| Ok((event(&entry.event)?, entry.values.clone())))
            .collect::<Result<_, LedgerError>>()?;
        let events = before.iter().map(|(event, _)| event.clone()).collect();
        let files = &reservation.files;
        let binding = Binding::resume(&files.binding(reservation.job()), before.len())
            .inspect_err(|error| files.mark_if_storage_failed(error))?;
        let state = State { reservation: Some(reservation), binding, events, before: Some(before) };
        let (plan, ledger) = (Arc::new(plan), self.terms().accounting);
        Ok(Job { plan, entry, ledger, state: Arc::new(Mutex::new(state)) })
    }
}

impl Job {
    /// Where in the ledger it is written down.
    pub fn entry(&self) -> LedgerEntry {
        self.entry.clone()
    }

    /// What it aims at, and has reserved.
    pub fn goal(&self) -> ApproxDp {
        self.plan.goal
    }

    /// How many releases it has made.
    pub fn releases(&self) -> usize {
        self.state().events.len()
    }

    /// Ends the job: from now on only what was released counts as spent.
    ///
    /// # Privacy
    /// To be called when everything that was made of the releases is durable, or when there is nothing. The spend is worked
    /// out from the journalled events.
    ///
    /// # Errors
    /// If the record cannot be written. The whole reservation stays spent then, as it does if this is never called.
    pub fn commit(self) -> Result<(), VaultError> {
        let mut state = self.state();
        let spent = sum_of_costs(self.ledger, &state.events).ok_or(VaultError::Bug { what: "costs do not add up" })?;
        let events = state.events.len() as u64;
        let reservation = state.reservation.take().ok_or(LedgerError::Stopped)?;
        let quanta = if Mutant::LedgerCommitsNothing.is_planted() { 0 } else { spent.quanta };
        Ok(reservation.commit(quanta, events)?)
    }

    /// Refuses a vault that is for something else than was reserved for.
    pub(crate) fn check(
        &self,
        adjacency: AdjacencyKind,
        max_contributions: NonZeroU32,
        accounting: AccountingKind,
        goal: ApproxDp,
    ) -> Result<(), VaultError> {
        let plan = &self.plan;
        let planned = (plan.adjacency, plan.max_contributions, plan.accounting, plan.goal);
        if planned == (adjacency, max_contributions, accounting, goal) {
            Ok(())
        } else {
            Err(VaultError::Bug { what: "a job was reserved for other terms than it is run on" })
        }
    }

    /// Begins the work: what was released before the job was cut off. A second vault would number its releases from zero
    /// again, so a job has one.
    pub(crate) fn start(&self) -> Result<Vec<(Event, Vec<i64>)>, VaultError> {
        self.state().before.take().ok_or(VaultError::Bug { what: "a job is run twice" })
    }

    /// The digest of an exact answer, under the key of this job. It is as private as the answer.
    pub(crate) fn digest(&self, event: &Event, write: impl FnOnce(&mut Sha256)) -> AnswerDigest {
        self.state().binding.digest(|digest| {
            digest.update(event.id().get().to_le_bytes());
            write(digest);
        })
    }

    /// Refuses a table on which an answer differs from the one that was released before the job was cut off.
    pub(crate) fn check_table(&self, event: &Event, answer: AnswerDigest) -> Result<(), VaultError> {
        let release = event.id().get();
        let state = self.state();
        let journalled = usize::try_from(release).ok().and_then(|release| state.binding.journalled().get(release));
        if journalled == Some(&answer) || Mutant::ResumeOnAnyTable.is_planted() {
            Ok(())
        } else {
            Err(VaultError::OtherTable { release })
        }
    }

    /// Writes releases down, durably, with digests of the exact answers behind them. Only then may anyone see them.
    pub(crate) fn journal(
        &self,
        events: &[Event],
        values: &[Vec<i64>],
        answers: &[AnswerDigest],
    ) -> Result<(), VaultError> {
        let mut state = self.state();
        let State { reservation, binding, .. } = &mut *state;
        let reservation = reservation.as_mut().ok_or(LedgerError::Stopped)?;
        // First: a release without its digest could be taken for one of another table, a digest without its release is cut off.
        reservation.before_journal(|| binding.append(answers))?;
        let bodies: Vec<String> =
            events.iter().map(|event| serde_json::to_string(event).expect("an event has a JSON form")).collect();
        reservation.journal(bodies.iter().map(String::as_str).zip(values.iter().map(Vec::as_slice)))?;
        state.events.extend_from_slice(events);
        Ok(())
    }

    /// A thread that panicked while it journalled has left the reservation stopped, or the entry durable.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::account::{Delta, Epsilon};
    use crate::ledger::Terms;

    #[test]
    fn a_job_whose_binding_does_not_last_is_stopped_and_its_ledger_suspect() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
        let (adjacency, unit, accounting) = (AdjacencyKind::AddRemove, "row".to_owned(), AccountingKind::Gdp);
        let one = NonZeroU32::MIN;
        let terms = Terms::new("people".into(), adjacency, unit.clone(), one, accounting, goal).unwrap();
        let ledger = Ledger::create(&path, &terms).unwrap();
        let (description, request) = ("a test".into(), "its parameters".into());
        let job = ledger.begin(Plan {
            adjacency,
            privacy_unit: unit,
            max_contributions: one,
            accounting,
            goal,
            description,
            request,
            command: None,
        });
        let job = job.unwrap();
        // The real thing: a handle that cannot be written to.
        job.state().binding.break_file(File::open(&path).unwrap());
        let refused = job.journal(&[], &[], &[[0; 32]]).unwrap_err();
        assert!(matches!(refused, VaultError::Ledger(LedgerError::Storage { .. })), "{refused}");
        let refused = job.journal(&[], &[], &[[0; 32]]).unwrap_err();
        assert!(matches!(refused, VaultError::Ledger(LedgerError::Stopped)), "{refused}");
        assert!(matches!(job.commit(), Err(VaultError::Ledger(LedgerError::Stopped))));
        assert!(path.with_extension("ledger.suspect").exists());
    }
}
