//! Why a fit or a model file failed.

use scumble_pgm::ModelError;
use scumble_vault::VaultError;

/// A fit or a model file that failed.
///
/// No message depends on rows.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MechanismError {
    /// The vault refused.
    #[error(transparent)]
    Vault(#[from] VaultError),
    /// The numbers of a model are no distribution.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The schema is for other data than the source.
    #[error("the source was counted by another schema")]
    OtherSchema,
    /// A model file cannot be read or written.
    #[error("cannot use the model file `{path}`: {problem}")]
    File {
        /// The file.
        path: String,
        /// Why.
        problem: String,
    },
    /// The bytes are no model of ours.
    #[error("not a model file: {problem}")]
    Format {
        /// What was met.
        problem: &'static str,
    },
}

impl MechanismError {
    /// What to do about it.
    pub fn hint(&self) -> &str {
        match self {
            Self::Vault(error) => error.hint(),
            Self::Model(_) | Self::Format { .. } => "fit the model again, or fetch an undamaged copy",
            Self::OtherSchema => "read the data with the schema that is fitted",
            Self::File { .. } => "check the path and its permissions",
        }
    }
}
