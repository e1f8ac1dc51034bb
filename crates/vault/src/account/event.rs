//! One release, and what it costs.

use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{AdjacencyKind, Clique};
use serde::{Deserialize, Serialize};

use super::{AccountingKind, Cost, Mechanism, RowUnits, ScoreUnits, Sensitivity, Smoothing, Unit};
use crate::score::ScoreKind;

/// The number of a release within its job, counted from zero. It also names the sub-stream of its noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub(crate) u32);

impl EventId {
    /// The number, from zero on.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// What was asked about the rows: everything that decides how far one unit can move the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Question {
    /// How many rows there are in every cell of a table over these attributes.
    Table(Clique),
    /// Some rows, drawn from the smoothed table over these attributes.
    Rows(Clique),
    /// What these candidates score, or which of them scores best.
    Scores {
        /// How they are scored.
        score: ScoreKind,
        /// How many there are.
        candidates: NonZeroU64,
        /// The largest factor on a score.
        heaviest: NonZeroU32,
        /// The number of rows, where it is public and the sensitivity depends on it.
        rows: Option<u64>,
        /// SHA-256 of all that is public about them: tables, expected counts, weights, penalties.
        digest: String,
    },
}

/// One release: what was asked, how far one unit can move it, how it was made random.
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
    /// What was asked.
    pub(crate) question: Question,
    /// How the answer was made random.
    pub(crate) mechanism: Mechanism,
    /// Every answer is an integer times `g = 2^-lattice_log2`.
    pub(crate) lattice_log2: u32,
    /// How many numbers were released.
    pub(crate) length: u64,
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

    /// What was asked.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// What the table ranges over, if a table was asked for; `None` for scores, choices and rows.
    pub fn table(&self) -> Option<&Clique> {
        match &self.question {
            Question::Table(clique) => Some(clique),
            Question::Rows(_) | Question::Scores { .. } => None,
        }
    }

    /// How the answer was made random.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Every answer is an integer times `2^-lattice_log2`.
    pub fn lattice_log2(&self) -> u32 {
        self.lattice_log2
    }

    /// How many numbers were released.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What the release costs, rounded up; `None` if that accounting has no cost for it, or it does not fit.
    ///
    /// # Privacy
    /// Of a noisy table the number of cells does not matter: one unit moves the whole table by at most `Δ`.
    pub fn cost(&self, accounting: AccountingKind) -> Option<Cost> {
        self.mechanism.quanta(accounting).map(|quanta| Cost { accounting, quanta })
    }

    /// What is wrong with it in a job of these neighbours, if anything is.
    ///
    /// # Privacy
    /// From public facts alone. What is due is computed as the vault computes it before it charges: by
    /// [`sensitivity`](super::sensitivity).
    pub(super) fn fault(&self, neighbours: AdjacencyKind, max_contributions: NonZeroU32) -> Option<&'static str> {
        if self.adjacency != neighbours {
            return Some("an event has another adjacency");
        }
        match (&self.question, self.mechanism) {
            (Question::Table(_), Mechanism::RoundedGaussian { .. } | Mechanism::DiscreteLaplace { .. }) => {
                self.fault_of(self.length, &[Sensitivity::of_table(neighbours, max_contributions)])
            }
            (Question::Rows(_), Mechanism::SmoothedHistogram(Smoothing { unit, drawn, .. })) => {
                let agrees = neighbours == AdjacencyKind::ReplaceOne
                    && unit == max_contributions
                    && (self.lattice_log2, self.length) == (RowUnits::LATTICE_LOG2, drawn.get());
                (!agrees).then_some("rows were drawn for other neighbours, or in another number")
            }
            (Question::Scores { .. }, Mechanism::SmoothedHistogram(_))
            | (Question::Rows(_), _)
            | (Question::Table(_), Mechanism::Exponential { .. } | Mechanism::SmoothedHistogram(_)) => {
                Some("an event is not an answer to its question")
            }
            (Question::Scores { score, candidates, heaviest, rows, .. }, mechanism) => {
                let length = if matches!(mechanism, Mechanism::Exponential { .. }) { 1 } else { candidates.get() };
                let due = |one_row| {
                    Sensitivity::of_scores(ScoreUnits::of_unit(one_row, *heaviest, max_contributions)?, length)
                };
                let due: Vec<_> = score.sensitivities(neighbours, *rows).into_iter().filter_map(due).collect();
                self.fault_of(length, &due)
            }
        }
    }

    /// What is wrong with its lattice, its length or its sensitivity, which has to be one of those that are `due`.
    fn fault_of<U: Unit>(&self, length: u64, due: &[Sensitivity<U>]) -> Option<&'static str> {
        if (self.lattice_log2, self.length) != (U::LATTICE_LOG2, length) {
            return Some("an event is not on the lattice or of the length of its question");
        }
        if !due.iter().any(|&due| self.mechanism.covers(due)) {
            return Some("an event has another sensitivity than its question");
        }
        None
    }
}
