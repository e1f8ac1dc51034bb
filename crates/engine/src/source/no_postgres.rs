//! Replaces the PostgreSQL source in builds without it: every address is refused.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema as ArrowSchema;
use datafusion::catalog::TableProvider;
use scumble_schema::Schema;

use crate::error::EngineError;
use crate::push_down::{CountedCell, DatabaseColumn};

/// An address of a table; it has no values in this build.
#[derive(Debug, Clone)]
pub(crate) enum Address {}

impl Address {
    pub(crate) fn parse(_: &str) -> Result<Self, EngineError> {
        Err(EngineError::config(
            "this build reads no databases",
            "turn on the cargo feature `postgres`, or export the table to a file",
        ))
    }

    pub(crate) fn shown(&self) -> &str {
        match *self {}
    }

    pub(crate) fn from(&self) -> String {
        match *self {}
    }
}

#[expect(clippy::unused_async, reason = "the source that it replaces connects")]
pub(crate) async fn tables(
    addresses: &[Address],
    _: &Schema,
) -> Result<Vec<(Arc<dyn TableProvider>, u64)>, EngineError> {
    addresses.iter().map(|address| match *address {}).collect()
}

#[expect(clippy::unused_async, reason = "the source that it replaces connects")]
pub(crate) async fn column_types(address: &Address) -> Result<ArrowSchema, EngineError> {
    match *address {}
}

/// A connection that counts; it has no values in this build.
pub(crate) enum Counting {}

#[expect(clippy::unused_async, reason = "the source that it replaces connects and waits")]
impl Counting {
    pub(crate) async fn open(address: &Address) -> Result<(Self, Vec<DatabaseColumn>), EngineError> {
        match *address {}
    }

    pub(crate) async fn count(
        &self,
        _: &str,
        _: &mut (dyn FnMut(CountedCell) -> Option<()> + Send),
    ) -> Result<(), EngineError> {
        match *self {}
    }
}
