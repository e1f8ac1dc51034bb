//! What the battery reports when a mechanism can tell neighbours apart.

use std::error::Error;
use std::fmt;

use scumble_schema::AdjacencyKind;
use scumble_vault::{AccountingKind, ApproxDp, VaultError};

use crate::tables::Table;

/// The first difference between two runs that should not have differed.
#[derive(Debug)]
pub struct Alarm {
    /// The part of the battery.
    pub part: &'static str,
    /// Which tables are neighbours.
    pub adjacency: AdjacencyKind,
    /// How releases were added up.
    pub accounting: AccountingKind,
    /// What the runs aimed at.
    pub goal: ApproxDp,
    /// The table that was run on, and the neighbour that its released values were forced on.
    pub tables: [Table; 2],
    /// What differed.
    pub difference: Difference,
}

/// How two runs differed that were given the same released values: any of these is a leak.
#[derive(Debug)]
#[non_exhaustive]
pub enum Difference {
    /// The releases: other questions, more of them, or exact answers further apart than the sensitivity.
    Release {
        /// What the recordings say.
        fault: VaultError,
        /// How the forced run ended, if it failed.
        failure: Option<String>,
    },
    /// An artefact.
    Artefact {
        /// Its name.
        name: &'static str,
        /// What stands in each, from just before they part.
        excerpts: [String; 2],
    },
    /// None, but nothing was shown either: nothing was released, or every run failed.
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
