//! The certificate of a job: its guarantee, and the events that prove it.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use scumble_schema::{AdjacencyKind, Assumption};
use serde::{Deserialize, Serialize};

use super::amount::Quanta;
use super::{AccountingKind, ApproxDp, Cost, Delta, Epsilon, Event, EventId, ThresholdDelta};
use crate::error::VaultError;

/// Version of the certificate format. A reader refuses any other.
const FORMAT: u32 = 1;
/// Relative tolerance between the claimed `epsilon` and the recomputed one: bisections from
/// different starting points end at slightly different values.
const SAME: f64 = 1e-12;
/// Relative error of a reader of decimal numbers. The margin of the profiles is larger at every
/// goal, so a claim that holds up to this error is not below the exact value. A pure epsilon is an
/// exact sum without a margin, and no error is allowed.
const READING_ERROR: f64 = 1e-15;

/// Origin of the noise of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Noise {
    /// Drawn once, for this job, from the operating system's randomness.
    #[serde(rename = "fresh")]
    Fresh,
    /// The vault was opened for the replay test or an audit: it kept exact answers or functions of
    /// them, or released recorded values.
    #[serde(rename = "forced (NOT PRIVATE)")]
    Forced,
}

/// Reference to a job in a ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// Name of the dataset.
    pub dataset: String,
    /// Id of the job.
    pub job: String,
    /// Hash of the record that reserved its budget.
    pub head: String,
    /// Cap of the ledger, as declared by the steward. Absent from older certificates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<ApproxDp>,
}

/// The guarantee of a job: `(epsilon, delta)`-differential privacy of all its releases, with the
/// events that prove it.
///
/// # Privacy
/// Holds public facts only. [`Certificate::verify`] recomputes every total from the events, so a
/// reader must trust only that the events are those that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    format: u32,
    adjacency: AdjacencyKind,
    max_contributions: NonZeroU32,
    accounting: AccountingKind,
    noise: Noise,
    goal: ApproxDp,
    epsilon: Epsilon,
    delta: Delta,
    /// Sum of the costs of the events.
    total: Quanta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ledger: Option<LedgerEntry>,
    /// Assumptions of the claim besides the events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<Assumption>,
    events: Vec<Event>,
}

impl Certificate {
    /// Creates the certificate of a job with this goal and these events.
    pub(crate) fn new(
        adjacency: AdjacencyKind,
        max_contributions: NonZeroU32,
        accounting: AccountingKind,
        goal: ApproxDp,
        noise: Noise,
        events: Vec<Event>,
    ) -> Self {
        let (total, epsilon) = totals(accounting, &events, goal).expect("the filter admitted no event above the goal");
        let (format, delta) = (FORMAT, accounting.claimed_delta(goal));
        let (ledger, assumptions) = (None, Vec::new());
        Self {
            format,
            adjacency,
            max_contributions,
            accounting,
            noise,
            goal,
            epsilon,
            delta,
            total,
            ledger,
            assumptions,
            events,
        }
    }

    /// Adds the ledger entry of the job.
    pub(crate) fn with_ledger_entry(self, ledger: LedgerEntry) -> Self {
        Self { ledger: Some(ledger), ..self }
    }

    /// Sets the assumptions of the claim: statements of the data owner, besides the events.
    #[must_use]
    pub fn with_assumptions(self, assumptions: Vec<Assumption>) -> Self {
        Self { assumptions, ..self }
    }

    /// Recomputes everything from the events.
    ///
    /// # Errors
    /// If the format is unknown, the events do not belong together, a sensitivity is not that of
    /// its question, or a total differs from the recomputed one.
    pub fn verify(&self) -> Result<(), VaultError> {
        let agree =
            |holds: bool, disagreement| if holds { Ok(()) } else { Err(VaultError::Certificate { disagreement }) };
        agree(self.format == FORMAT, "the format is unknown to this version")?;
        for event in &self.events {
            if let Some(disagreement) = event.fault(self.adjacency, self.max_contributions) {
                return Err(VaultError::Certificate { disagreement });
            }
        }
        let numbered = self.events.iter().zip(0..).all(|(event, number)| event.id == EventId(number));
        agree(numbered, "the events are not numbered in the order of their release, or one is missing")?;
        let rows: BTreeSet<u64> = self.events.iter().filter_map(|event| event.question.public_rows()).collect();
        agree(rows.len() <= 1, "the events state different public numbers of rows")?;
        let (total, epsilon) = totals(self.accounting, &self.events, self.goal)?;
        agree(total == self.total, "the total is not the sum over the events")?;
        let delta = self.accounting.claimed_delta(self.goal);
        agree(self.delta == delta, "delta does not follow from the goal and the accounting")?;
        let claim = self.epsilon.get();
        let for_noise = for_noise(&self.events, ApproxDp { delta, ..self.goal });
        let reading_error = match self.accounting {
            AccountingKind::Pure => 0.0,
            AccountingKind::Gdp | AccountingKind::Zcdp => READING_ERROR,
        };
        let holds =
            Epsilon::try_from((claim * (1.0 + reading_error)).min(self.goal.epsilon.get())).is_ok_and(|epsilon| {
                for_noise
                    .is_some_and(|goal| self.accounting.epsilon_within(total.0, ApproxDp { epsilon, ..goal }).is_some())
            });
        let same = (claim - epsilon.get()).abs() <= SAME * epsilon.get();
        agree(holds && same, "epsilon does not follow from the total and delta")
    }

    /// Returns the neighbouring relation of the claim.
    pub fn adjacency(&self) -> AdjacencyKind {
        self.adjacency
    }

    /// Returns the maximum number of rows per unit.
    pub fn max_contributions(&self) -> NonZeroU32 {
        self.max_contributions
    }

    /// Returns the accounting under which the costs add up.
    pub fn accounting(&self) -> AccountingKind {
        self.accounting
    }

    /// Returns the origin of the noise.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// Returns the goal of the job. The claim is [`Certificate::epsilon`], which is never above it.
    pub fn goal(&self) -> ApproxDp {
        self.goal
    }

    /// Returns the claimed `epsilon`: at most that of the goal, less if budget was left over.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// Returns the `delta` that goes with [`Certificate::epsilon`].
    pub fn delta(&self) -> Delta {
        self.delta
    }

    /// Returns the total cost of all events.
    pub fn total(&self) -> Cost {
        Cost { accounting: self.accounting, quanta: self.total.0 }
    }

    /// Returns the part of [`Certificate::delta`] that thresholds add, zero if there are none.
    pub fn threshold_delta(&self) -> ThresholdDelta {
        sum_of_deltas(&self.events).unwrap_or(ThresholdDelta::from_quanta(u128::MAX))
    }

    /// Returns the ledger entry of the job, if it ran on a ledger.
    pub fn ledger(&self) -> Option<&LedgerEntry> {
        self.ledger.as_ref()
    }

    /// Returns the assumptions of the claim: statements of the data owner that no program can
    /// check.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Returns the events of all releases, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

/// Returns the total cost of the events, and the `epsilon` that follows.
///
/// # Errors
/// If the total cannot be computed, or is above what the goal allows.
fn totals(accounting: AccountingKind, events: &[Event], goal: ApproxDp) -> Result<(Quanta, Epsilon), VaultError> {
    let disagrees = |disagreement| VaultError::Certificate { disagreement };
    let total = sum_of_costs(accounting, events).ok_or(disagrees("the events cost more than can be added up"))?;
    let goal = for_noise(events, goal).ok_or(disagrees("the thresholds add more to delta than the goal allows"))?;
    let epsilon = accounting.epsilon_within(total.quanta, goal);
    Ok((Quanta(total.quanta), epsilon.ok_or(disagrees("the events cost more than the goal allows"))?))
}

/// Returns the goal that the thresholds of the events leave for their noise; `None` if they leave
/// nothing.
fn for_noise(events: &[Event], goal: ApproxDp) -> Option<ApproxDp> {
    goal.without(sum_of_deltas(events)?)
}

/// Returns what all thresholds of the events add to `delta`; `None` if the sum does not fit.
pub(crate) fn sum_of_deltas<'a>(events: impl IntoIterator<Item = &'a Event>) -> Option<ThresholdDelta> {
    events.into_iter().try_fold(ThresholdDelta::ZERO, |sum, event| sum.checked_add(event.mechanism.delta()))
}

/// Returns the total cost of the events; `None` if one has no cost under this accounting, or the
/// sum does not fit.
pub(crate) fn sum_of_costs<'a>(
    accounting: AccountingKind,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<Cost> {
    let quanta = events.into_iter().try_fold(0_u128, |sum, event| sum.checked_add(event.cost(accounting)?.quanta))?;
    Some(Cost { accounting, quanta })
}
