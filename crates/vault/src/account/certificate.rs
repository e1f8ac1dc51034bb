//! What a job may claim, recomputed from what it released.

use std::num::NonZeroU32;

use scumble_schema::AdjacencyKind;
use serde::{Deserialize, Serialize};

use super::{Accounting, ApproxDp, Delta, Epsilon, Event, Gdp, MuSquared, adjacency, gdp};
use crate::error::VaultError;

/// The version of the certificate's form; a reader refuses any other.
const FORMAT: u32 = 1;
/// How far the claimed `epsilon` may lie below the recomputed one, relatively: readers of decimal numbers may be off in
/// the last bit. The margin of the profile is a hundred times larger, so the claim is still not below the truth.
const READING_ERROR: f64 = 1e-12;

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
    accounting: String,
    noise: Noise,
    goal: ApproxDp,
    epsilon: Epsilon,
    delta: Delta,
    mu_squared: MuSquared,
    events: Vec<Event>,
}

impl Certificate {
    /// The certificate of a job that aimed at `goal` and made these releases.
    pub(crate) fn new(
        adjacency: AdjacencyKind,
        max_contributions: NonZeroU32,
        noise: Noise,
        goal: ApproxDp,
        events: Vec<Event>,
    ) -> Self {
        let (mu_squared, epsilon) = totals(&events, goal).expect("the filter admitted no event above the goal");
        let accounting = Gdp::NAME.to_owned();
        let delta = goal.delta;
        Self {
            format: FORMAT,
            adjacency,
            max_contributions,
            accounting,
            noise,
            goal,
            epsilon,
            delta,
            mu_squared,
            events,
        }
    }

    /// Recomputes everything from the events.
    ///
    /// # Errors
    /// If the form is unknown, the events do not belong together, a sensitivity is not the one of a count table, or a
    /// total differs from the recomputed one.
    pub fn verify(&self) -> Result<(), VaultError> {
        let agree =
            |holds: bool, disagreement| if holds { Ok(()) } else { Err(VaultError::Certificate { disagreement }) };
        agree(self.format == FORMAT, "the format is unknown to this version")?;
        agree(self.accounting == Gdp::NAME, "the accounting is unknown to this version")?;
        let due = adjacency::count_table(self.adjacency, self.max_contributions);
        for event in &self.events {
            agree(event.adjacency == self.adjacency, "an event has another adjacency")?;
            agree(event.sensitivity == due, "an event has another sensitivity than a count table")?;
            agree(event.lattice == 1, "an event is not on the lattice of counts")?;
        }
        let ascending = self.events.is_sorted_by(|earlier, later| earlier.id < later.id);
        agree(ascending, "the events are not in the order of their release")?;
        let (mu_squared, epsilon) = totals(&self.events, self.goal)?;
        agree(mu_squared == self.mu_squared, "mu² is not the sum over the events")?;
        agree(self.delta == self.goal.delta, "delta is not the one that was asked for")?;
        let difference = (self.epsilon.get() - epsilon.get()).abs();
        agree(difference <= READING_ERROR * epsilon.get(), "epsilon does not follow from mu² and delta")
    }

    /// Which tables are neighbours.
    pub fn adjacency(&self) -> AdjacencyKind {
        self.adjacency
    }

    /// Most rows that one unit contributes.
    pub fn max_contributions(&self) -> NonZeroU32 {
        self.max_contributions
    }

    /// How the events were added up.
    pub fn accounting(&self) -> &str {
        &self.accounting
    }

    /// Whether the noise was drawn for this job.
    pub fn noise(&self) -> Noise {
        self.noise
    }

    /// What the job aimed at.
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

    /// The sum over the events.
    pub fn mu_squared(&self) -> MuSquared {
        self.mu_squared
    }

    /// Every release, in order.
    pub fn events(&self) -> &[Event] {
        &self.events
    }
}

/// What the events cost together, and the `epsilon` that follows; an error if that is above the goal.
fn totals(events: &[Event], goal: ApproxDp) -> Result<(MuSquared, Epsilon), VaultError> {
    let disagrees = |disagreement| VaultError::Certificate { disagreement };
    let costs: Option<Vec<_>> = events.iter().map(Event::mu_squared).collect();
    let mu_squared = costs.and_then(MuSquared::total).ok_or(disagrees("the events cost more than can be added up"))?;
    let epsilon = gdp::epsilon_within(mu_squared, goal);
    Ok((mu_squared, epsilon.ok_or(disagrees("the events cost more than the goal allows"))?))
}
