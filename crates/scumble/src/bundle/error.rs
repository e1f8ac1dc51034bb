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
    /// The name of the folder is that of a file, such as a table.
    #[error("a bundle is a folder, and `{path}` is the name of a file")]
    NamesFile {
        /// The name.
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
    /// `ssh-keygen` cannot be run.
    #[error("cannot run `ssh-keygen`: {problem}")]
    Keygen {
        /// The problem.
        problem: String,
    },
    /// A key does not sign.
    #[error("cannot sign with `{key}`: {problem}")]
    Sign {
        /// The file of the key.
        key: String,
        /// The problem, in the words of `ssh-keygen`.
        problem: String,
    },
    /// A file of signers cannot be read.
    #[error("cannot read the signers in `{path}`: {problem}")]
    Signers {
        /// The file.
        path: String,
        /// The problem.
        problem: String,
    },
    /// The model was fitted without a ledger.
    #[error("the model was not fitted on a ledger")]
    WithoutLedger,
    /// The model was fitted on another ledger, or the ledger does not know its job.
    #[error("the ledger does not have the job that the certificate of the model names")]
    OtherLedger,
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
            Self::NamesFile { .. } => {
                "name a folder without such an extension; `synth`, `fit` and `sample` write single files"
            }
            Self::Io { hint, .. } => hint,
            Self::Text { .. } => "write one line of text",
            Self::Unmeasured { .. } => "write a bundle of exactly the rows that the fit checked by these criteria",
            Self::Keygen { .. } => "install OpenSSH 8.2 or later, for example with `apt-get install openssh-client`",
            Self::Sign { .. } => {
                "give the file of a private key, or of a public key whose private key is in `ssh-agent`; `ssh-keygen -t ed25519` \
                 makes one"
            }
            Self::Signers { .. } => {
                "give a file with lines of a name and a public key, such as `data@office.example ssh-ed25519 AAAA...`"
            }
            Self::WithoutLedger => "leave out the ledger: it did not count this model",
            Self::OtherLedger => {
                "give the ledger that the model was fitted on; if this is its name, the file may be an older copy: do not fit on it"
            }
            Self::Date => "write it as YYYY-MM-DD",
        }
    }
}
