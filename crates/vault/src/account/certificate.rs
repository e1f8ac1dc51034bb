//! What a job may claim, recomputed from what it released.

use std::num::NonZeroU32;

use scumble_schema::{AdjacencyKind, Assumption};
use serde::{Deserialize, Serialize};

use super::amount::Quanta;
use super::{AccountingKind, ApproxDp, Cost, Delta, Epsilon, Event};
use crate::error::VaultError;

/// The version of the certificate's form; a reader refuses any other.
const FORMAT: u32 = 1;
/// How far the claimed `epsilon` may lie from the recomputed one, relatively: bisections from other ends end elsewhere.
const SAME: f64 = 1e-12;
/// How far a reader of decimal numbers may be off, relatively. The margin of the profiles is larger at every goal, so a claim
/// that holds but for this is not below the truth.
const READING_ERROR: f64 = 1e-15;

/// Whether the noise was drawn for this job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Noise {
    /// Drawn once, for this job, from the operating system's randomness.
    #[serde(rename = "fresh")]
    Fresh,
    /// The vault was opened for the replay test: it kept exact counts, or released values that were handed to it.
    #[serde(rename = "forced (NOT PRIVATE)")]
    Forced,
}

/// Where in a ledger a job is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// The name of the dataset.
    pub dataset: String,
    /// The number of the job.
    pub job: String,
    /// The hash of the record that reserved its budget.
    pub head: String,
    /// What the steward declared that everything on the ledger may lose together. Older certificates do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cap: Option<ApproxDp>,
}

/// What a job may claim: `(epsilon, delta)`-differential privacy of everything it released, with the events that prove it.
///
/// # Privacy
/// Holds public facts only. [`Certificate::verify`] recomputes every total from the events, so a reader need not trust
/// whoever wrote it, only that the events are those that happened.
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
    /// The sum over the events.
    total: Quanta,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ledger: Option<LedgerEntry>,
    /// What the claim rests on besides the events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<Assumption>,
    events: Vec<Event>,
}

impl Certificate {
    /// The certificate of a job that aimed at `goal` and made these releases.
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

    /// The same, written down in a ledger.
    pub(crate) fn entered(self, ledger: LedgerEntry) -> Self {
        Self { ledger: Some(ledger), ..self }
    }

    /// The certificate with what its claim rests on besides the events: statements of the table's owner.
    #[must_use]
    pub fn assuming(self, assumptions: Vec<Assumption>) -> Self {
        Self { assumptions, ..self }
    }

    /// Recomputes everything from the events.
    ///
    /// # Errors
    /// If the form is unknown, the events do not belong together, a sensitivity is not the one of its question, or a total
    /// differs from the recomputed one.
    pub fn verify(&self) -> Result<(), VaultError> {
        let agree =
            |holds: bool, disagreement| if holds { Ok(()) } else { Err(VaultError::Certificate { disagreement }) };
        agree(self.format == FORMAT, "the format is unknown to this version")?;
        for event in &self.events {
            if let Some(disagreement) = event.fault(self.adjacency, self.max_contributions) {
                return Err(VaultError::Certificate { disagreement });
            }
        }
        let ascending = self.events.is_sorted_by(|earlier, later| earlier.id < later.id);
        agree(ascending, "the events are not in the order of their release")?;
        let (total, epsilon) = totals(self.accounting, &self.events, self.goal)?;
        agree(total == self.total, "the total is not the sum over the events")?;
        let delta = self.accounting.claimed_delta(self.goal);
        agree(self.delta == delta, "delta does not follow from the goal and the accounting")?;
        let claim = self.epsilon.get();
        let holds = Epsilon::try_from((claim * (1.0 + READING_ERROR)).min(self.goal.epsilon.get()))
            .is_ok_and(|epsilon| self.accounting.epsilon_within(total.0, ApproxDp { epsilon, delta }).is_some());
        let same = (claim - epsilon.get()).abs() <= SAME * epsilon.get();
        agree(holds && same, "epsilon does not follow from the total and delta")
    }

    /// Which tables the claim makes hard to tell apart.
    pub fn adjacency(&self) -> AdjacencyKind {
        self.adjacency
    }

    /// Most rows that one unit contributes.
    pub fn max_contributions(&self) -> NonZeroU32 {
        self.max_contributions
    }

    /// How the events were added up.
    pub fn accounting(&self) -> AccountingKind {
        self.accounting
    }

    /// Whether the noise was drawn for this job.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// What the job aimed at. What may be claimed is [`Certificate::epsilon`], which is never more.
    pub fn goal(&self) -> ApproxDp {
        self.goal
    }

    /// What the job reached: at most the goal, less if budget was left over.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// The `delta` that goes with [`Certificate::epsilon`].
    pub fn delta(&self) -> Delta {
        self.delta
    }

    /// What all events cost together, in the unit of the accounting.
    pub fn total(&self) -> Cost {
        Cost { accounting: self.accounting, quanta: self.total.0 }
    }

    /// Where in a ledger the job is written down, if it was run on one.
    pub fn ledger(&self) -> Option<&LedgerEntry> {
        self.ledger.as_ref()
    }

    /// What the claim rests on besides the events: statements of the table's owner that no program can check.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Every release, in the order in which they were made: all that [`Certificate::verify`] needs.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

/// What the events cost together, and the `epsilon` that follows; an error if that is above the goal.
fn totals(accounting: AccountingKind, events: &[Event], goal: ApproxDp) -> Result<(Quanta, Epsilon), VaultError> {
    let disagrees = |disagreement| VaultError::Certificate { disagreement };
    let total = sum_of_costs(accounting, events).ok_or(disagrees("the events cost more than can be added up"))?;
    let epsilon = accounting.epsilon_within(total.quanta, goal);
    Ok((Quanta(total.quanta), epsilon.ok_or(disagrees("the events cost more than the goal allows"))?))
}

/// What the events cost together; `None` if one has no cost under this accounting, or the sum does not fit.
pub(crate) fn sum_of_costs<'a>(
    accounting: AccountingKind,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<Cost> {
    let quanta = events.into_iter().try_fold(0_u128, |sum, event| sum.checked_add(event.cost(accounting)?.quanta))?;
    Some(Cost { accounting, quanta })
}
