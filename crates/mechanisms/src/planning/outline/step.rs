//! Planned releases, by kind.

use serde::Serialize;

/// Planned releases of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// Kind of question.
    pub what: Asked,
    /// Number of releases.
    pub events: Events,
    /// Number of columns of a table or score; 0 for selections, whose candidates differ in it.
    pub columns: Extent<u64>,
    /// Number of cells of a table, of scores in a list, or of candidates of a selection.
    pub cells: Extent<u64>,
    /// Sensitivity to one unit, in rows: L2 for Gaussian noise, L1 for Laplace noise and
    /// selections.
    pub sensitivity: f64,
    /// Standard deviation of the noise on each number, in rows; `None` for selections.
    pub noise: Option<Extent<f64>>,
    /// Epsilon of each selection.
    pub preference: Option<Extent<f64>>,
}

/// Kind of question that a fit asks the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// The number of rows.
    Rows,
    /// The counts of a table.
    Tables,
    /// Noisy scores: how related columns are, or how badly a model explains them.
    Scores,
    /// The parities of sets of binary columns.
    Parities,
    /// A selection by the exponential mechanism.
    Choices,
    /// Rows drawn from the smoothed table of all columns.
    Draws,
}

/// Number of releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Events {
    /// Expected number.
    pub expected: u64,
    /// Minimum number.
    pub at_least: u64,
    /// Maximum number.
    pub at_most: u64,
}

impl Events {
    /// A number that does not depend on rows.
    pub(crate) fn certain(events: usize) -> Self {
        let events = events as u64;
        Self { expected: events, at_least: events, at_most: events }
    }

    /// An expected number with a maximum.
    pub(crate) fn about(expected: usize, at_most: usize) -> Self {
        let at_most = at_most as u64;
        Self { expected: (expected as u64).min(at_most), at_least: 0, at_most }
    }

    /// Returns whether the number does not depend on rows.
    pub fn are_certain(self) -> bool {
        self.at_least == self.at_most
    }
}

/// A range of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Extent<T> {
    /// Minimum.
    pub least: T,
    /// Maximum.
    pub most: T,
}

impl<T: Copy + PartialOrd> Extent<T> {
    /// The range of a single value.
    pub(crate) fn both(value: T) -> Self {
        Self { least: value, most: value }
    }

    /// The range of several values; `None` if there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = T>) -> Option<Self> {
        values.into_iter().fold(None, |extent: Option<Self>, value| {
            Some(extent.map_or(Self::both(value), |Self { least, most }| Self {
                least: if value < least { value } else { least },
                most: if value > most { value } else { most },
            }))
        })
    }
}
