//! What can go wrong with a server.

use ballista_core::error::BallistaError;
use scumble_engine::EngineError;

/// Why a scheduler or an executor ended, or could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// It cannot listen at its address.
    #[error("cannot listen at `{0}`")]
    Listen(String),
    /// An executor could not connect to its scheduler.
    #[error("no connection to the scheduler at `{0}`")]
    NoScheduler(String),
    /// The directory for private files cannot be used.
    #[error(transparent)]
    WorkDirectory(#[from] EngineError),
    /// Ballista failed.
    #[error("the server ended: {0}")]
    Ended(String),
}

impl ServerError {
    /// What to do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Listen(_) => {
                "check that the address belongs to this machine, and that no other program listens there".into()
            }
            Self::NoScheduler(_) => {
                "see that `scumble scheduler` runs there, and that both have certificates of the same authority".into()
            }
            Self::WorkDirectory(error) => return error.hint(),
            Self::Ended(_) => "its log says more: start it with `--log info`".into(),
        })
    }
}

impl From<BallistaError> for ServerError {
    fn from(error: BallistaError) -> Self {
        Self::Ended(error.to_string())
    }
}

impl From<tonic::transport::Error> for ServerError {
    fn from(error: tonic::transport::Error) -> Self {
        Self::Ended(error.to_string())
    }
}
