//! Phases of a fit: releases of one kind.

use scumble_vault::Event;
use scumble_vault::account::{Mechanism, Question};
use serde::{Deserialize, Serialize};

/// A kind of release. An audit judges each kind by itself besides all together, because a small
/// phase that is charged too little would be hidden by a large one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Counts of tables with noise.
    Tables,
    /// Scores of candidates with noise.
    Scores,
    /// Selections of a candidate.
    Selections,
    /// Rows drawn from a smoothed table.
    Rows,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 4] = [Self::Tables, Self::Scores, Self::Selections, Self::Rows];

    /// Returns the phase of a release.
    pub(super) fn of(event: &Event) -> Self {
        match (event.mechanism(), event.question()) {
            (Mechanism::Exponential { .. }, _) => Self::Selections,
            (Mechanism::SmoothedHistogram(_), _) => Self::Rows,
            (_, Question::Scores { .. }) => Self::Scores,
            _ => Self::Tables,
        }
    }

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tables => "tables",
            Self::Scores => "noisy scores",
            Self::Selections => "selections",
            Self::Rows => "drawn rows",
        }
    }
}
