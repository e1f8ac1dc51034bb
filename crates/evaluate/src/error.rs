//! Errors of an evaluation.

use std::io;
use std::path::PathBuf;

use scumble_engine::EngineError;
use scumble_schema::SchemaError;

/// An error of an evaluation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A parameter breaks a rule.
    #[error("`{parameter}` must be {rule}")]
    Config {
        /// The parameter.
        parameter: &'static str,
        /// The values that are allowed.
        rule: String,
    },
    /// Columns that do not form a table of the domain.
    #[error("the columns do not form a table of the domain: {problem}")]
    Columns {
        /// The problem.
        problem: String,
    },
    /// A table or a set of columns that is not over the domain of the real table.
    #[error("{what} and the real table are over different domains")]
    OtherDomain {
        /// The table or set that is over another domain.
        what: &'static str,
    },
    /// A table with fewer than two rows.
    #[error("{what} has fewer than two rows")]
    TooFewRows {
        /// The table.
        what: &'static str,
    },
    /// A file that does not hold marginal sets.
    #[error("not a file of marginal sets: {problem}")]
    Sets {
        /// The problem.
        problem: String,
    },
    /// A marginal with more than 2^62 cells.
    #[error("a marginal over {columns} columns has {cells} cells, at most 2^62 are possible")]
    TooManyCells {
        /// Number of columns of the marginal.
        columns: usize,
        /// Number of cells of the marginal.
        cells: u128,
    },
    /// A table that is too large, or an invalid domain.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// A table that could not be read.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A file that could not be read.
    #[error("`{}` could not be read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

impl EvaluateError {
    /// Returns what to do about the error.
    pub fn hint(&self) -> String {
        match self {
            Self::Config { .. } => "see the documentation of the parameter".into(),
            Self::Columns { .. } => "encode both tables with the same schema".into(),
            Self::OtherDomain { .. } => "read all of them with the domain of the real table".into(),
            Self::TooFewRows { .. } => "evaluate tables with two or more rows".into(),
            Self::Sets { .. } => "write the file with `evaluate.py sets`, from the same `domain.json`".into(),
            Self::TooManyCells { .. } => "compare marginals over fewer columns".into(),
            Self::Schema(error) => error.hint(),
            Self::Engine(error) => error.hint().unwrap_or_default(),
            Self::Io { .. } => "check the path and its permissions".into(),
        }
    }

    /// Returns [`EvaluateError::Config`].
    pub(crate) fn config(parameter: &'static str, rule: impl Into<String>) -> Self {
        Self::Config { parameter, rule: rule.into() }
    }

    /// Returns [`EvaluateError::Columns`].
    pub(crate) fn columns(problem: impl Into<String>) -> Self {
        Self::Columns { problem: problem.into() }
    }

    /// Returns [`EvaluateError::Sets`].
    pub(crate) fn sets(problem: impl Into<String>) -> Self {
        Self::Sets { problem: problem.into() }
    }
}
