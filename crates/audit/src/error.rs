//! Errors of audits.

use std::io;
use std::num::NonZeroU32;

use scumble_mechanisms::MechanismError;
use scumble_vault::VaultError;
use thiserror::Error;

use crate::release::ReleaseError;

/// An error of an audit. Its text contains nothing of the rows.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// A method refused or failed.
    #[error(transparent)]
    Mechanism(#[from] MechanismError),
    /// A table or a budget was refused.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// A release cannot be attacked.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// Rows can be added only where the number of rows is private.
    #[error("rows can be planted only under add-remove adjacency")]
    NotAddRemove,
    /// All rows of the schema are equal.
    #[error("every column of the schema has a single value, so there is nothing to protect")]
    OneRow,
    /// There are no planted rows, or more than a unit has.
    #[error("the planted rows must be those of one unit: at least one, and at most {limit}")]
    PlantedRows {
        /// Maximum number of rows of a unit.
        limit: NonZeroU32,
    },
    /// The file of runs was written by another audit.
    #[error("the file of runs is of another audit, or is damaged at line {line}")]
    OtherRuns {
        /// Number of the line.
        line: usize,
    },
    /// A file could not be read or written.
    #[error("{what}: {error}")]
    File {
        /// What was done to which file.
        what: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The audited program failed.
    #[error("the program failed in run {run}: {message}")]
    Program {
        /// Number of the run.
        run: u64,
        /// What it printed last.
        message: String,
    },
}

impl AuditError {
    /// Returns what to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Mechanism(error) => error.hint(),
            Self::Vault(error) => error.hint(),
            Self::Release(error) => error.hint(),
            Self::NotAddRemove => "audit a made-up table instead: leave out the data",
            Self::PlantedRows { .. } => "give a file of the rows of one person, with the columns of the schema",
            Self::OneRow => "audit a schema of the table that you will publish",
            Self::OtherRuns { .. } => "repeat the arguments of that audit, or name another file of runs",
            Self::File { .. } => "check the path and its permissions",
            Self::Program { .. } => "run the command by hand on a table of your own",
        }
    }
}
