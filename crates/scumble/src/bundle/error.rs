//! Errors of writing or reading a bundle.

use std::io::ErrorKind;
use std::path::Path;

use scumble_schema::{io_hint, io_problem};

/// A bundle that could not be written or read. A bundle that was read and is invalid is not an
/// error: see [`Verification`](super::Verification).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The target of the folder exists.
    #[error("`{path}` exists already")]
    Exists {
        /// The folder.
        path: String,
    },
    /// A system operation failed.
    #[error("cannot use the folder `{path}`: {problem}")]
    Io {
        /// The folder.
        path: String,
        /// The problem.
        problem: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A text of the publisher is not a single line.
    #[error("the {what} {problem}")]
    Text {
        /// Name of the text.
        what: &'static str,
        /// The problem.
        problem: &'static str,
    },
    /// The rows of the bundle were not judged by a criterion of the release.
    #[error("the criterion `{criterion}` was not measured for these rows")]
    Unmeasured {
        /// The criterion.
        criterion: String,
    },
    /// A date is invalid.
    #[error("not a date")]
    Date,
}

impl BundleError {
    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            // Verifying a bundle needs no folder to be created.
            ErrorKind::NotFound => "check the path and its permissions",
            kind => io_hint(kind),
        };
        Self::Io { path: path.display().to_string(), problem: io_problem(error), hint }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "a bundle is a new folder: choose a name that does not exist yet",
            Self::Io { hint, .. } => hint,
            Self::Text { .. } => "write one line of text",
            Self::Unmeasured { .. } => "write a bundle of exactly the rows that the fit checked by these criteria",
            Self::Date => "write it as YYYY-MM-DD",
        }
    }
}
