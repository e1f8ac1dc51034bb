//! One release, and what it costs.

use scumble_schema::{AdjacencyKind, Clique};
use serde::{Deserialize, Serialize};

use super::{MuSquared, Sensitivity, Sigma};

/// The number of a release within its job, counted from zero. It also names the sub-stream of its noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub(crate) u32);

impl EventId {
    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// How the noise of a release was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventKind {
    /// `q + g floor(σ N / g + 1/2)` with `N` exactly standard normal.
    RoundedGaussian,
}

/// One release: what was asked, how far one unit can move it, how much noise it got.
///
/// # Privacy
/// Everything in here is public. The cost is computed from these fields and nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Its number within the job.
    pub(crate) id: EventId,
    /// Which tables are neighbours.
    pub(crate) adjacency: AdjacencyKind,
    /// How the noise was drawn.
    pub(crate) kind: EventKind,
    /// `Δ²`, written as a decimal string because readers of JSON lose digits above 2^53.
    #[serde(rename = "squared_sensitivity", with = "squared")]
    pub(crate) sensitivity: Sensitivity,
    /// `σ`, exactly.
    pub(crate) scale: Sigma,
    /// `g`: every released number is a multiple of it.
    pub(crate) lattice: u32,
    /// How many numbers were released.
    pub(crate) length: u64,
    /// What the table ranges over.
    pub(crate) clique: Clique,
}

impl Event {
    /// Its number within the job.
    pub fn id(&self) -> EventId {
        self.id
    }

    /// Which tables are neighbours.
    pub fn adjacency(&self) -> AdjacencyKind {
        self.adjacency
    }

    /// How the noise was drawn.
    pub fn kind(&self) -> EventKind {
        self.kind
    }

    /// How far one unit can move the exact answer.
    pub fn sensitivity(&self) -> Sensitivity {
        self.sensitivity
    }

    /// The scale of the noise, in rows.
    pub fn scale(&self) -> Sigma {
        self.scale
    }

    /// Every released number is a multiple of it.
    pub fn lattice(&self) -> u32 {
        self.lattice
    }

    /// How many numbers were released.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What the table ranges over.
    pub fn clique(&self) -> &Clique {
        &self.clique
    }

    /// What the release costs under Gaussian differential privacy, rounded up; `None` if it does not fit.
    ///
    /// # Privacy
    /// `mu² = Δ² / σ²`. The number of cells does not matter: one unit moves the whole table by at most `Δ` in L2.
    pub fn mu_squared(&self) -> Option<MuSquared> {
        match self.kind {
            EventKind::RoundedGaussian => MuSquared::of_gaussian(self.sensitivity, self.scale),
        }
    }
}

/// `Δ²` as a decimal string.
mod squared {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Sensitivity;

    pub(super) fn serialize<S: Serializer>(sensitivity: &Sensitivity, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&sensitivity.squared())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sensitivity, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map(Sensitivity::from_squared)
            .map_err(|_| D::Error::custom("a squared sensitivity is not an integer"))
    }
}
