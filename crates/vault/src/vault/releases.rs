//! The releases of a job: its budget, its events and their values.

use std::marker::PhantomData;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Drawing, Exact, MAX_CELLS_PER_CALL};
use crate::account::{
    Accounting, Adjacency, Amount, ApproxDp, Budget, Certificate, Event, EventId, Issuer, Mechanism, Question,
    ThresholdDelta,
};
use crate::error::VaultError;
use crate::released::Released;

/// The releases of a job so far, and what is left of its budget.
#[derive(Debug)]
pub(super) struct Releases<A: Adjacency, M: Accounting> {
    drawing: Drawing,
    goal: ApproxDp,
    max_contributions: NonZeroU32,
    issuer: Issuer,
    /// Remaining budget.
    left: Amount<M>,
    /// Remaining `delta` for thresholds.
    for_thresholds: ThresholdDelta,
    /// Number of the next release. A number is never reused.
    next: u32,
    events: Vec<Event>,
    /// Released values of each event.
    values: Vec<Vec<i64>>,
    adjacency: PhantomData<fn() -> A>,
}

impl<A: Adjacency, M: Accounting> Releases<A, M> {
    /// Fixes the goal of a job, of whose `delta` a part is for thresholds, and issues its budget.
    pub(super) fn open(
        goal: ApproxDp,
        for_thresholds: ThresholdDelta,
        max_contributions: NonZeroU32,
        drawing: Drawing,
    ) -> Result<(Self, Budget<A, M>), VaultError> {
        static VAULTS: AtomicU64 = AtomicU64::new(0);
        let issuer = Issuer(VAULTS.fetch_add(1, Ordering::Relaxed));
        let for_noise = goal.without(for_thresholds);
        let for_noise =
            for_noise.ok_or_else(|| VaultError::config("delta", &goal.delta, "above the part for thresholds"))?;
        let left = Amount::from_quanta(M::KIND.largest(for_noise)?.quanta);
        let releases = Self {
            drawing,
            goal,
            max_contributions,
            issuer,
            left,
            for_thresholds,
            next: 0,
            events: Vec::new(),
            values: Vec::new(),
            adjacency: PhantomData,
        };
        Ok((releases, Budget::issue(left, issuer)))
    }

    pub(super) fn max_contributions(&self) -> NonZeroU32 {
        self.max_contributions
    }

    /// Returns the number of releases, refused ones included.
    pub(super) fn count(&self) -> u32 {
        self.next
    }

    pub(super) fn drawing(&self) -> &Drawing {
        &self.drawing
    }

    /// Returns the released values of each event, in order.
    pub(super) fn values(&self) -> &[Vec<i64>] {
        &self.values
    }

    /// Returns the remaining `delta` for thresholds.
    pub(super) fn for_thresholds(&self) -> ThresholdDelta {
        self.for_thresholds
    }

    /// Closes the job and returns the certificate of its releases.
    pub(super) fn close(self) -> Certificate {
        let certificate =
            Certificate::new(A::KIND, self.max_contributions, M::KIND, self.goal, self.drawing.stamp(), self.events);
        match self.drawing.into_ledger_entry() {
            Some(entry) => certificate.with_ledger_entry(entry),
            None => certificate,
        }
    }

    /// The privacy filter: deducts the cost of `releases` from the remaining budget, or refuses.
    /// Returns the mechanism of each release.
    pub(super) fn charge(
        &mut self,
        releases: usize,
        budget: Budget<A, M>,
        mechanism: impl FnOnce(Amount<M>) -> Option<Mechanism>,
    ) -> Result<Mechanism, VaultError> {
        let (amount, issuer) = budget.spend();
        if issuer != self.issuer {
            return Err(VaultError::ForeignBudget);
        }
        // Rounded down: all releases get the same scale, and less than one quantum of 2^-96 each is
        // lost.
        let share = Amount::from_quanta(amount.quanta() / releases as u128);
        let mechanism = mechanism(share).ok_or(VaultError::BudgetTooSmall { share: share.cost(), releases })?;
        let asks = mechanism.quanta(M::KIND).and_then(|each| each.checked_mul(releases as u128));
        let asks = Amount::from_quanta(asks.ok_or(VaultError::Bug { what: "a cost does not fit" })?);
        let refused = VaultError::Budget { asks: asks.cost(), left: self.left.cost() };
        let thresholds = mechanism.delta().quanta().checked_mul(releases as u128).map(ThresholdDelta::from_quanta);
        let thresholds = thresholds.and_then(|asks| self.for_thresholds.checked_sub(asks));
        let thresholds = thresholds.ok_or(VaultError::Bug { what: "thresholds exceed their part of delta" })?;
        self.left = self.left.checked_sub(asks).ok_or(refused)?;
        self.for_thresholds = thresholds;
        Ok(mechanism)
    }

    /// Returns the noise that `tables` tables would get for `amount`.
    pub(super) fn planned_noise(&self, tables: NonZeroUsize, amount: Amount<M>) -> Option<Mechanism> {
        let share = Amount::from_quanta(amount.quanta() / tables.get() as u128);
        M::noise(A::table_sensitivity(self.max_contributions), share)
    }

    /// Charges for noisy tables of these lengths, each for an equal share of `budget`, and creates
    /// their events. Nothing is counted before this succeeds.
    pub(super) fn charge_tables(
        &mut self,
        questions: impl Iterator<Item = Question>,
        lengths: &[usize],
        budget: Budget<A, M>,
    ) -> Result<(Vec<Event>, Mechanism), VaultError> {
        let cells = lengths.iter().map(|&length| length as u128).sum();
        if cells > MAX_CELLS_PER_CALL {
            return Err(VaultError::TooManyCells { tables: lengths.len(), cells, limit: MAX_CELLS_PER_CALL });
        }
        let sensitivity = A::table_sensitivity(self.max_contributions);
        let mechanism = self.charge(lengths.len(), budget, |share| M::noise(sensitivity, share))?;
        let event = |(question, &length)| self.event(question, mechanism, sensitivity.lattice_log2(), length);
        Ok((questions.zip(lengths).map(event).collect(), mechanism))
    }

    /// Creates the event of the next release.
    pub(super) fn event(
        &mut self,
        question: Question,
        mechanism: Mechanism,
        lattice_log2: u32,
        length: usize,
    ) -> Event {
        let id = EventId(self.next);
        self.next = self.next.checked_add(1).expect("2^32 releases do not fit a machine");
        Event { id, adjacency: A::KIND, question, mechanism, lattice_log2, length: length as u64 }
    }

    /// Returns the journalled values of the first of `events`, up to the end of the journal.
    pub(super) fn resume(&mut self, events: &[Event]) -> Result<Vec<Vec<i64>>, VaultError> {
        self.drawing.resume(events)
    }

    /// Releases `events`: those that `resumed` has the values of, after checking that their exact
    /// answers are unchanged, and the others by drawing them.
    pub(super) fn draw(
        &mut self,
        events: Vec<Event>,
        resumed: Vec<Vec<i64>>,
        mut exact: Vec<Exact>,
    ) -> Result<Released<Vec<Vec<i64>>>, VaultError> {
        let mut released = resumed;
        let resumed = released.len();
        self.drawing.check_table(&events[..resumed], &exact)?;
        if resumed < events.len() {
            released.extend(self.drawing.draw(&events[resumed..], exact.split_off(resumed))?);
        }
        Ok(self.keep(events, released))
    }

    /// Keeps events and their released values for the certificate and the model.
    pub(super) fn keep(&mut self, events: Vec<Event>, released: Vec<Vec<i64>>) -> Released<Vec<Vec<i64>>> {
        let ids = events.iter().map(Event::id).collect();
        self.events.extend(events);
        self.values.extend(released.iter().cloned());
        Released::new(released, ids)
    }
}
