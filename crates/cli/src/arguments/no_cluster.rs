//! Engine arguments of builds without a cluster: there are none.

use std::sync::Arc;

use clap::Args;
use scumble::engine::Remote;

use crate::failure::Failure;

/// The engine that counts and draws rows: always this machine.
#[derive(Debug, Args)]
pub(crate) struct EngineChoice {}

#[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "as with a cluster")]
impl EngineChoice {
    pub(crate) fn is_local(&self) -> bool {
        true
    }

    pub(crate) fn remote(&self) -> Result<Option<Arc<dyn Remote>>, Failure> {
        Ok(None)
    }
}
