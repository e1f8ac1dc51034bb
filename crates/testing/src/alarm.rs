//! What the battery reports if a mechanism distinguishes neighbours.

use std::error::Error;
use std::fmt;

use scumble_schema::AdjacencyKind;
use scumble_vault::{AccountingKind, ApproxDp, VaultError};

use crate::tables::Table;

/// The first difference between two runs that must not differ.
#[derive(Debug)]
pub struct Alarm {
    /// The part of the battery.
    pub part: &'static str,
    /// The adjacency: which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// The accounting.
    pub accounting: AccountingKind,
    /// The privacy goal of the runs.
    pub goal: ApproxDp,
    /// The table of the first run, and the neighbour on which its released values were forced.
    pub tables: [Table; 2],
    /// The difference.
    pub difference: Difference,
}

/// How two runs with the same released values differed. Any of these is a leak.
#[derive(Debug)]
#[non_exhaustive]
pub enum Difference {
    /// The releases differ: other questions, more of them, or exact answers further apart than the
    /// sensitivity.
    Release {
        /// The fault found in the recordings.
        fault: VaultError,
        /// How the forced run ended, if it failed.
        failure: Option<String>,
    },
    /// An artefact differs.
    Artefact {
        /// Its name.
        name: &'static str,
        /// The content of each around the first difference.
        excerpts: [String; 2],
    },
    /// The runs prove nothing: nothing was released, or every run failed.
    NothingShown {
        /// How the last run ended, if it failed.
        failure: Option<String>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Release { fault, failure: None } => write!(formatter, "{fault}"),
            Self::Release { fault, failure: Some(failure) } => {
                write!(formatter, "{fault}; the run ended with: {failure}")
            }
            Self::Artefact { name, excerpts: [one, other] } => {
                write!(formatter, "the artefact `{name}` differs: {one} became {other}")
            }
            Self::NothingShown { failure: None } => formatter.write_str("nothing was shown: no run released anything"),
            Self::NothingShown { failure: Some(failure) } => {
                write!(formatter, "nothing was shown: every run failed, the last with: {failure}")
            }
        }
    }
}

impl fmt::Display for Alarm {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, adjacency, accounting, goal, tables: [table, neighbour], difference } = self;
        write!(
            formatter,
            "{difference}\n  in `{part}` under {adjacency} and {accounting}, epsilon {}\n",
            goal.epsilon
        )?;
        write!(formatter, "  table     {table:?}\n  neighbour {neighbour:?}")
    }
}

impl Error for Alarm {}
