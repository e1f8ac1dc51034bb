//! What can go wrong in an evaluation, and whose fault it is.

use std::io;
use std::path::PathBuf;

use scumble_engine::EngineError;
use scumble_schema::SchemaError;
use scumble_vault::VaultError;

/// A refusal to evaluate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A parameter breaks a rule.
    #[error("`{parameter}` must be {rule}")]
    Config {
        /// The parameter.
        parameter: &'static str,
        /// What is possible.
        rule: String,
    },
    /// Columns that are no table of the domain.
    #[error("the columns are no table of the domain: {problem}")]
    Columns {
        /// What is wrong.
        problem: String,
    },
    /// Two tables that are not over the same domain, or sets over attributes that it does not have.
    #[error("{what} and the real table are over different domains")]
    OtherDomain {
        /// What does not belong to the real table.
        what: &'static str,
    },
    /// A table with fewer than two rows, of which nothing can be said.
    #[error("{what} has fewer than two rows")]
    TooFewRows {
        /// Which table.
        what: &'static str,
    },
    /// A file of marginal sets that is none.
    #[error("not a file of marginal sets: {problem}")]
    Sets {
        /// What is wrong.
        problem: String,
    },
    /// A marginal has so many cells that they cannot be numbered.
    #[error("a marginal over {columns} columns has {cells} cells, at most 2^62 are possible")]
    TooManyCells {
        /// How many columns it spans.
        columns: usize,
        /// How many cells it has.
        cells: u128,
    },
    /// A table is too large to hold, or a domain is none.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A table could not be read.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The vault refused a baseline.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// A file could not be read.
    #[error("`{}` could not be read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl EvaluateError {
    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Config { .. } => "see the documentation of the parameter".into(),
            Self::Columns { .. } => "encode both tables with the same schema".into(),
            Self::OtherDomain { .. } => "read all of them with the domain of the real table".into(),
            Self::TooFewRows { .. } => "evaluate tables with rows".into(),
            Self::Sets { .. } => "write the file with `evaluate.py sets`, from the same `domain.json`".into(),
            Self::TooManyCells { .. } => "judge marginals over fewer columns".into(),
            Self::Schema(error) => error.hint(),
            Self::Engine(error) => error.hint().unwrap_or_default(),
            Self::Vault(error) => error.hint().into(),
            Self::Io { .. } => "check the path and its permissions".into(),
        }
    }

    /// A parameter that breaks a rule.
    pub(crate) fn config(parameter: &'static str, rule: impl Into<String>) -> Self {
        Self::Config { parameter, rule: rule.into() }
    }

    /// Columns that are no table of the domain.
    pub(crate) fn columns(problem: impl Into<String>) -> Self {
        Self::Columns { problem: problem.into() }
    }

    /// A file of marginal sets that is none.
    pub(crate) fn sets(problem: impl Into<String>) -> Self {
        Self::Sets { problem: problem.into() }
    }
}
