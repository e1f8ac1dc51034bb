//! Events: the public description of releases.

use std::num::{NonZeroU32, NonZeroU64};

use scumble_schema::{AdjacencyKind, Clique};
use serde::{Deserialize, Serialize};

use super::{AccountingKind, Cost, Mechanism, RowUnits, ScoreUnits, Sensitivity, Smoothing, Threshold, Unit};
use crate::score::ScoreKind;

/// Number of a release within its job, counted from zero. It also selects the sub-stream of its
/// noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(pub(crate) u32);

impl EventId {
    /// Returns the number.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// A question about the rows: everything that determines how far one unit can move the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Question {
    /// The counts of a table over these attributes.
    Table(Clique),
    /// Rows drawn from the smoothed table over these attributes.
    Rows(Clique),
    /// The scores of candidates, or the candidate of the best score.
    Scores {
        /// Kind of the score.
        score: ScoreKind,
        /// Number of candidates.
        candidates: NonZeroU64,
        /// Largest weight of a candidate.
        heaviest: NonZeroU32,
        /// Number of rows, where it is public and the sensitivity depends on it.
        rows: Option<u64>,
        /// SHA-256 of all public facts about the candidates: tables, expected counts, weights,
        /// penalties.
        digest: String,
    },
    /// The number of rows in each cell of a public grid over one column.
    Grid {
        /// Name of the column.
        column: String,
        /// Name of the grid.
        grid: String,
    },
    /// The values present in one column, with their numbers of rows.
    Values {
        /// Name of the column.
        column: String,
    },
}

impl Question {
    /// Returns whether it asks about a column that no schema describes.
    pub fn is_of_columns(&self) -> bool {
        matches!(self, Self::Grid { .. } | Self::Values { .. })
    }

    /// Returns the number of rows, where it is public and the sensitivity depends on it.
    pub(super) fn public_rows(&self) -> Option<u64> {
        match self {
            Self::Scores { rows, .. } => *rows,
            _ => None,
        }
    }

    /// Returns whether it compares released rows with the real ones.
    pub fn is_comparison(&self) -> bool {
        matches!(self, Self::Scores { score: ScoreKind::Comparison, .. })
    }

    /// Returns whether it asks for the parities of sets of binary columns.
    pub fn is_of_parities(&self) -> bool {
        matches!(self, Self::Scores { score: ScoreKind::Parity, .. })
    }
}

/// Description of one release: the question, its sensitivity, and the mechanism.
///
/// # Privacy
/// All fields are public. The cost is computed from them alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    pub(crate) id: EventId,
    pub(crate) adjacency: AdjacencyKind,
    pub(crate) question: Question,
    pub(crate) mechanism: Mechanism,
    /// Every answer is an integer times `g = 2^-lattice_log2`.
    pub(crate) lattice_log2: u32,
    /// Number of released values; 0 where the release itself decides it.
    pub(crate) length: u64,
}

impl Event {
    /// Returns the number of the release within its job.
    pub fn id(&self) -> EventId {
        self.id
    }

    /// Returns the neighbouring relation.
    pub fn adjacency(&self) -> AdjacencyKind {
        self.adjacency
    }

    /// Returns the question.
    pub fn question(&self) -> &Question {
        &self.question
    }

    /// Returns the attributes of the released table; `None` for any other release.
    pub fn table(&self) -> Option<&Clique> {
        match &self.question {
            Question::Table(clique) => Some(clique),
            _ => None,
        }
    }

    /// Returns the mechanism.
    pub fn mechanism(&self) -> Mechanism {
        self.mechanism
    }

    /// Returns the exponent of the lattice: every answer is an integer times `2^-lattice_log2`.
    pub fn lattice_log2(&self) -> u32 {
        self.lattice_log2
    }

    /// Returns the number of released values; 0 where the release itself decides it.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the cost of the release, rounded up; `None` if the accounting has no cost for it, or
    /// it does not fit.
    ///
    /// # Privacy
    /// The cost of a noisy table does not depend on its number of cells: one unit moves the whole
    /// table by at most `Δ`.
    pub fn cost(&self, accounting: AccountingKind) -> Option<Cost> {
        self.mechanism.quanta(accounting).map(|quanta| Cost { accounting, quanta })
    }

    /// Returns what is wrong with the event in a job of this adjacency, or `None`.
    ///
    /// # Privacy
    /// Uses public facts alone. The expected sensitivity is computed by
    /// [`sensitivity`](super::sensitivity), as the vault does before it charges.
    pub(super) fn fault(&self, neighbours: AdjacencyKind, max_contributions: NonZeroU32) -> Option<&'static str> {
        if self.adjacency != neighbours {
            return Some("an event has another adjacency");
        }
        match (&self.question, self.mechanism) {
            (
                Question::Table(_) | Question::Grid { .. },
                Mechanism::RoundedGaussian { .. } | Mechanism::DiscreteLaplace { .. },
            ) => self.fault_of(self.length, &[Sensitivity::of_table(neighbours, max_contributions)]),
            (Question::Values { .. }, Mechanism::ThresholdedGaussian { sigma, threshold, .. }) => {
                let due = Threshold::new(sigma, max_contributions, threshold.rows);
                if due.is_none_or(|due| threshold.delta < due.delta) {
                    return Some("a threshold adds more to delta than its event states");
                }
                self.fault_of(0, &[Sensitivity::of_table(neighbours, max_contributions)])
            }
            (Question::Rows(_), Mechanism::SmoothedHistogram(Smoothing { unit, drawn, .. })) => {
                let agrees = neighbours == AdjacencyKind::ReplaceOne
                    && unit == max_contributions
                    && (self.lattice_log2, self.length) == (RowUnits::LATTICE_LOG2, drawn.get());
                (!agrees).then_some("rows were drawn for other neighbours, or in another number")
            }
            (
                Question::Scores { .. },
                Mechanism::RoundedGaussian { .. } | Mechanism::DiscreteLaplace { .. } | Mechanism::Exponential { .. },
            ) => {
                let (length, due) = self.due_of_scores(max_contributions);
                self.fault_of(length, &due)
            }
            _ => Some("an event is not an answer to its question"),
        }
    }

    /// Returns the number of values, and every sensitivity, that a release of scores may state.
    fn due_of_scores(&self, max_contributions: NonZeroU32) -> (u64, Vec<Sensitivity<ScoreUnits>>) {
        let Question::Scores { score, candidates, heaviest, rows, .. } = &self.question else { return (0, Vec::new()) };
        let length = if matches!(self.mechanism, Mechanism::Exponential { .. }) { 1 } else { candidates.get() };
        let due = |one_row| Sensitivity::of_scores(ScoreUnits::of_unit(one_row, *heaviest, max_contributions)?, length);
        (length, score.sensitivities(self.adjacency, *rows).into_iter().filter_map(due).collect())
    }

    /// Returns whether the stated sensitivity holds only for scores of a binary column: others move
    /// by more. A certificate does not show the columns, so a reader that knows them has to check.
    pub fn assumes_a_binary_column(&self, max_contributions: NonZeroU32) -> bool {
        let (_, due) = self.due_of_scores(max_contributions);
        let largest = due.into_iter().max_by_key(|due| due.l1());
        largest.is_some_and(|largest| !self.mechanism.covers(largest))
    }

    /// Returns what is wrong with the lattice, the length or the sensitivity, which must be one of
    /// `due`.
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
