//! What a fit asks, in words and numbers.

use serde::Serialize;

/// Releases of one kind that a fit is planned to make.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Step {
    /// What is asked.
    pub what: Asked,
    /// How many releases there are.
    pub events: Events,
    /// How many columns a table or score ranges over; none for choices, which have tables of several sizes as candidates.
    pub columns: Extent<u64>,
    /// How many cells a table has, how many scores a list has, or how many candidates a choice has.
    pub cells: Extent<u64>,
    /// How far one unit can move the answer, in rows: in L2 for Gaussian noise, in L1 for Laplace noise and choices.
    pub sensitivity: f64,
    /// The standard deviation of the noise on each number, in rows; none for choices.
    pub noise: Option<Extent<f64>>,
    /// The epsilon of each choice.
    pub preference: Option<Extent<f64>>,
}

/// The kinds of questions that a fit puts to the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// How many rows there are.
    Rows,
    /// How many rows there are in every cell of a table.
    Tables,
    /// How much pairs or larger sets of columns tell about each other, or how badly a model explains them, with noise.
    Scores,
    /// Which of some candidates scores best.
    Choices,
    /// Rows from the smoothed table of all columns.
    Draws,
}

/// How many releases there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Events {
    /// As many as this, as far as can be told without rows.
    pub expected: u64,
    /// Never fewer than these.
    pub at_least: u64,
    /// Never more than these.
    pub at_most: u64,
}

impl Events {
    /// So many, whatever the rows.
    pub(crate) fn certain(events: usize) -> Self {
        let events = events as u64;
        Self { expected: events, at_least: events, at_most: events }
    }

    /// About so many, and never more than that.
    pub(crate) fn about(expected: usize, at_most: usize) -> Self {
        let at_most = at_most as u64;
        Self { expected: (expected as u64).min(at_most), at_least: 0, at_most }
    }

    /// Whether rows have no say in it.
    pub fn are_certain(self) -> bool {
        self.at_least == self.at_most
    }
}

/// From the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Extent<T> {
    /// The least.
    pub least: T,
    /// The most.
    pub most: T,
}

impl<T: Copy + PartialOrd> Extent<T> {
    /// From this to this.
    pub(crate) fn both(value: T) -> Self {
        Self { least: value, most: value }
    }

    /// That of some values; `None` if there are none.
    pub(crate) fn of(values: impl IntoIterator<Item = T>) -> Option<Self> {
        values.into_iter().fold(None, |extent: Option<Self>, value| {
            Some(extent.map_or(Self::both(value), |Self { least, most }| Self {
                least: if value < least { value } else { least },
                most: if value > most { value } else { most },
            }))
        })
    }
}
