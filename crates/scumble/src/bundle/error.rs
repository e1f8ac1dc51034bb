//! Why a bundle could not be written or read.

use std::io::ErrorKind;
use std::path::Path;

use scumble_schema::{io_hint, io_problem};

/// A bundle that could not be written, or not be looked at. One that was looked at and is not sound is no error: see
/// [`Verification`](super::Verification).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// There is something where the folder should be.
    #[error("`{path}` exists already")]
    Exists {
        /// The folder.
        path: String,
    },
    /// The operating system refused.
    #[error("cannot use the folder `{path}`: {problem}")]
    Io {
        /// The folder.
        path: String,
        /// Why.
        problem: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A text of the publisher cannot stand on a line.
    #[error("the {what} {problem}")]
    Text {
        /// Which one.
        what: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A date is none.
    #[error("not a date")]
    Date,
}

impl BundleError {
    pub(super) fn io(path: &Path, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            // Whoever verifies a bundle has not to make its folder.
            ErrorKind::NotFound => "check the path and its permissions",
            kind => io_hint(kind),
        };
        Self::Io { path: path.display().to_string(), problem: io_problem(error), hint }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "a bundle is a folder of its own: name one that is not there yet",
            Self::Io { hint, .. } => hint,
            Self::Text { .. } => "write one line of text",
            Self::Date => "write it as YYYY-MM-DD",
        }
    }
}
