//! Jobs of the vault with a budget reserved in a ledger.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scumble_planted::Mutant;
use scumble_schema::AdjacencyKind;
use sha2::{Digest, Sha256};

use super::binding::{AnswerDigest, Binding};
use super::{Ledger, LedgerError, Reservation, ReservationRequest};
use crate::account::{AccountingKind, ApproxDp, Event, LedgerEntry, ThresholdDelta, sum_of_costs, sum_of_deltas};
use crate::error::VaultError;
use crate::hex;

/// Plan of a job. All fields are public.
#[derive(Debug, Clone, PartialEq)]
pub struct JobPlan {
    /// Neighbouring relation.
    pub adjacency: AdjacencyKind,
    /// Privacy unit: `row`, or the column that identifies units.
    pub privacy_unit: String,
    /// Maximum number of rows per unit.
    pub max_contributions: NonZeroU32,
    /// Accounting of the job.
    pub accounting: AccountingKind,
    /// Goal of the job.
    pub goal: ApproxDp,
    /// Part of the goal's delta that is set aside for thresholds.
    pub for_thresholds: ThresholdDelta,
    /// Description for display.
    pub description: String,
    /// Text of everything that the questions depend on besides the rows. An interrupted job is
    /// resumed by a plan with the same text.
    pub request: String,
    /// Command that begins the job, shown if the job is found open later.
    pub command: Option<String>,
}

impl JobPlan {
    /// Returns the goal that thresholds leave for noise.
    fn goal_of_noise(&self) -> Result<ApproxDp, VaultError> {
        let left = self.goal.without(self.for_thresholds);
        left.ok_or_else(|| VaultError::config("delta", &self.goal.delta, "above the part for thresholds"))
    }

    fn fingerprint(&self) -> String {
        hex(&Sha256::digest(&self.request))
    }
}

/// A running job: its reservation and its releases so far.
///
/// A [`Vault`](crate::Vault) opened on it journals every release before returning it. Clones are
/// the same job.
///
/// # Privacy
/// The whole reservation counts as spent until [`Job::commit`] lowers it to the cost of the
/// releases. Call it when everything made of the releases is durable. A job that is dropped or
/// killed stays spent, and can be resumed.
#[derive(Debug, Clone)]
pub struct Job {
    plan: Arc<JobPlan>,
    entry: LedgerEntry,
    ledger: AccountingKind,
    state: Arc<Mutex<State>>,
}

#[derive(Debug)]
struct State {
    /// `None` once the job is committed.
    reservation: Option<Reservation>,
    /// Binding to the table of the job.
    binding: Binding,
    /// Events of all releases, in order.
    events: Vec<Event>,
    /// Releases made before the job was interrupted. Taken by the one vault of this job.
    before: Option<Vec<(Event, Vec<i64>)>>,
}

impl Ledger {
    /// Begins a job by reserving its maximum spend. The job may read rows only after that.
    ///
    /// # Errors
    /// [`LedgerError::Open`] if a job of the same plan is open; otherwise if the ledger has other
    /// terms, its remainder is too small, or it cannot be verified or written.
    pub fn begin(&self, plan: JobPlan) -> Result<Job, VaultError> {
        self.begin_beside(plan, false)
    }

    /// Begins a job like [`begin`](Self::begin), even if jobs of the same plan are open. Their
    /// reservations stay spent.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin), except [`LedgerError::Open`].
    pub fn begin_anew(&self, plan: JobPlan) -> Result<Job, VaultError> {
        self.begin_beside(plan, true)
    }

    fn begin_beside(&self, plan: JobPlan, anew: bool) -> Result<Job, VaultError> {
        let reservation = self.reserve(&self.request(&plan, anew)?)?;
        self.job(plan, reservation)
    }

    /// Checks whether a job of this plan could begin now; with `anew`, even if one is open.
    /// Reserves nothing.
    ///
    /// # Errors
    /// Those of [`begin`](Self::begin).
    pub fn check(&self, plan: &JobPlan, anew: bool) -> Result<(), VaultError> {
        let request = self.request(plan, anew)?;
        let statement = self.verify()?;
        statement.refuse_beside_open(&request)?;
        Ok(statement.check_room(&request)?)
    }

    fn request(&self, plan: &JobPlan, anew: bool) -> Result<ReservationRequest, VaultError> {
        Ok(ReservationRequest {
            fingerprint: plan.fingerprint(),
            description: plan.description.clone(),
            accounting: plan.accounting,
            goal: plan.goal,
            quanta: self.max_spend(plan)?,
            thresholds: plan.for_thresholds,
            command: plan.command.clone(),
            anew,
        })
    }

    /// Resumes an interrupted job of the same plan, if there is one. Nothing more is spent.
    ///
    /// # Errors
    /// If it is still running or its journal is damaged, and those of [`Ledger::begin`].
    pub fn resume_job(&self, plan: JobPlan) -> Result<Option<Job>, VaultError> {
        self.max_spend(&plan)?;
        let reservation = self.resume(&plan.fingerprint())?;
        reservation.map(|reservation| self.job(plan, reservation)).transpose()
    }

    /// Returns whether a job of the same plan is open: running or interrupted.
    ///
    /// # Errors
    /// If the ledger cannot be verified.
    pub fn has_open(&self, plan: &JobPlan) -> Result<bool, LedgerError> {
        let fingerprint = plan.fingerprint();
        Ok(self.verify()?.open_jobs().any(|job| job.fingerprint == fingerprint))
    }

    /// Returns the maximum spend of the job, in quanta under the accounting of the ledger.
    fn max_spend(&self, plan: &JobPlan) -> Result<u128, VaultError> {
        let terms = self.terms();
        terms.check(plan.adjacency, &plan.privacy_unit, plan.max_contributions)?;
        let bound = terms.accounting.bound(plan.accounting.largest(plan.goal_of_noise()?)?);
        let differs = || LedgerError::Terms {
            what: "accounting",
            ledger: terms.accounting.to_string(),
            job: plan.accounting.to_string(),
        };
        let halves = if Mutant::LedgerReservesHalf.is_planted() { 2 } else { 1 };
        Ok(bound.ok_or_else(differs)?.quanta / halves)
    }

    fn job(&self, plan: JobPlan, reservation: Reservation) -> Result<Job, VaultError> {
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
    /// Returns the reference to the job for its certificate.
    pub fn entry(&self) -> LedgerEntry {
        self.entry.clone()
    }

    /// Returns the goal of the job.
    pub fn goal(&self) -> ApproxDp {
        self.plan.goal
    }

    /// Returns the number of releases so far.
    pub fn releases(&self) -> usize {
        self.state().events.len()
    }

    /// Ends the job: from now on only the cost of its releases counts as spent.
    ///
    /// # Privacy
    /// Call it when everything made of the releases is durable. The spend is computed from the
    /// journalled events.
    ///
    /// # Errors
    /// If the record cannot be written. Then the whole reservation stays spent, as it does if this
    /// is never called.
    pub fn commit(self) -> Result<(), VaultError> {
        let mut state = self.state();
        let spent = sum_of_costs(self.ledger, &state.events).ok_or(VaultError::Bug { what: "costs do not add up" })?;
        let thresholds = sum_of_deltas(&state.events).ok_or(VaultError::Bug { what: "deltas do not add up" })?;
        let events = state.events.len() as u64;
        let reservation = state.reservation.take().ok_or(LedgerError::Stopped)?;
        let quanta = if Mutant::LedgerCommitsNothing.is_planted() { 0 } else { spent.quanta };
        Ok(reservation.commit(quanta, thresholds, events)?)
    }

    /// Refuses a vault with other terms than those of the reservation.
    pub(crate) fn check(
        &self,
        adjacency: AdjacencyKind,
        max_contributions: NonZeroU32,
        accounting: AccountingKind,
        goal: ApproxDp,
        for_thresholds: ThresholdDelta,
    ) -> Result<(), VaultError> {
        let plan = &self.plan;
        let planned = (plan.adjacency, plan.max_contributions, plan.accounting, plan.goal, plan.for_thresholds);
        if planned == (adjacency, max_contributions, accounting, goal, for_thresholds) {
            Ok(())
        } else {
            Err(VaultError::Bug { what: "a job was reserved for other terms than it is run on" })
        }
    }

    /// Returns the releases made before the job was interrupted. Fails the second time: a second
    /// vault would number its releases from zero again, so a job has one.
    pub(crate) fn start(&self) -> Result<Vec<(Event, Vec<i64>)>, VaultError> {
        self.state().before.take().ok_or(VaultError::Bug { what: "a job is run twice" })
    }

    /// Computes the digest of an exact answer under the key of this job. It is as private as the
    /// answer.
    pub(crate) fn digest(&self, event: &Event, write: impl FnOnce(&mut Sha256)) -> AnswerDigest {
        self.state().binding.digest(|digest| {
            digest.update(event.id().get().to_le_bytes());
            write(digest);
        })
    }

    /// Refuses a table whose answer differs from the one behind the journalled release.
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

    /// Journals releases durably, with digests of their exact answers. The values may be returned
    /// only after that.
    pub(crate) fn journal(
        &self,
        events: &[Event],
        values: &[Vec<i64>],
        answers: &[AnswerDigest],
    ) -> Result<(), VaultError> {
        let mut state = self.state();
        let State { reservation, binding, .. } = &mut *state;
        let reservation = reservation.as_mut().ok_or(LedgerError::Stopped)?;
        // Digests first: a release without its digest could not be bound to a table, while a digest
        // without its release is removed on resuming.
        reservation.before_journal(|| binding.append(answers))?;
        let bodies: Vec<String> =
            events.iter().map(|event| serde_json::to_string(event).expect("an event has a JSON form")).collect();
        reservation.journal(bodies.iter().map(String::as_str).zip(values.iter().map(Vec::as_slice)))?;
        state.events.extend_from_slice(events);
        Ok(())
    }

    /// Locks the state. A poisoned lock is safe: a thread that panicked while journalling left the
    /// journal stopped or the entry durable.
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
    fn a_job_whose_binding_is_not_durable_is_stopped_and_its_ledger_suspect() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
        let (adjacency, unit, accounting) = (AdjacencyKind::AddRemove, "row".to_owned(), AccountingKind::Gdp);
        let one = NonZeroU32::MIN;
        let terms = Terms::new("people".into(), adjacency, unit.clone(), one, accounting, goal).unwrap();
        let ledger = Ledger::create(&path, &terms).unwrap();
        let (description, request) = ("a test".into(), "its parameters".into());
        let job = ledger.begin(JobPlan {
            adjacency,
            privacy_unit: unit,
            max_contributions: one,
            accounting,
            goal,
            for_thresholds: ThresholdDelta::ZERO,
            description,
            request,
            command: None,
        });
        let job = job.unwrap();
        // A read-only handle, so that writing fails.
        job.state().binding.break_file(File::open(&path).unwrap());
        let refused = job.journal(&[], &[], &[[0; 32]]).unwrap_err();
        assert!(matches!(refused, VaultError::Ledger(LedgerError::Storage { .. })), "{refused}");
        let refused = job.journal(&[], &[], &[[0; 32]]).unwrap_err();
        assert!(matches!(refused, VaultError::Ledger(LedgerError::Stopped)), "{refused}");
        assert!(matches!(job.commit(), Err(VaultError::Ledger(LedgerError::Stopped))));
        assert!(path.with_extension("ledger.suspect").exists());
    }
}
