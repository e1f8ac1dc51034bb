//! Errors of an attack on a release.

/// An error of an attack on a release. Messages hold no values of the rows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// Columns that do not form a table of the domain.
    #[error("the columns do not form a table of the domain: {problem}")]
    Columns {
        /// The problem.
        problem: String,
    },
    /// A table over another domain than that of the members.
    #[error("{what} and the members are over different domains")]
    OtherDomain {
        /// The table.
        what: &'static str,
    },
    /// A table with too few rows to attack or to judge an attack.
    #[error("{what} has fewer than {least} rows")]
    TooFewRows {
        /// The table.
        what: &'static str,
        /// Number of rows that are needed.
        least: usize,
    },
    /// A setting that breaks a rule.
    #[error("`{parameter}` must be {rule}")]
    Config {
        /// The setting.
        parameter: &'static str,
        /// The values that are allowed.
        rule: &'static str,
    },
}

impl ReleaseError {
    /// Returns what to do about the error.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Columns { .. } | Self::OtherDomain { .. } => {
                "encode members, control and synthetic rows with the schema of the model"
            }
            Self::TooFewRows { .. } => "hold out more rows before the fit, or release more synthetic rows",
            Self::Config { .. } => "see the documentation of the setting",
        }
    }

    /// Returns [`ReleaseError::Columns`].
    pub(super) fn columns(problem: impl Into<String>) -> Self {
        Self::Columns { problem: problem.into() }
    }
}
