//! Replaces the source of ADBC drivers in builds without it: every address is refused.

use std::sync::Arc;

use datafusion::arrow::datatypes::Schema as ArrowSchema;
use datafusion::catalog::TableProvider;
use scumble_schema::Schema;

use crate::error::EngineError;
use crate::push_down::{CountedCell, DatabaseColumn, Dialect};

/// An address of a table; it has no values in this build.
#[derive(Debug, Clone)]
pub(crate) enum Address {}

impl Address {
    pub(crate) fn parse(_: &str) -> Result<Self, EngineError> {
        Err(EngineError::config(
            "this build loads no database drivers",
            "turn on the cargo feature `adbc`, or export the table to a file",
        ))
    }

    pub(crate) fn shown(&self) -> &str {
        match *self {}
    }

    pub(crate) fn from(&self) -> String {
        match *self {}
    }
}

pub(crate) fn tables(addresses: &[Address], _: &Schema) -> Result<Vec<Arc<dyn TableProvider>>, EngineError> {
    addresses.iter().map(|address| match *address {}).collect()
}

pub(crate) fn column_types(address: &Address) -> Result<ArrowSchema, EngineError> {
    match *address {}
}

/// A connection that counts; it has no values in this build.
pub(crate) enum Counting {}

impl Counting {
    pub(crate) fn open(address: &Address) -> Result<(Self, Vec<DatabaseColumn>), EngineError> {
        match *address {}
    }

    pub(crate) fn dialect(&self) -> Dialect {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "the source that it replaces waits")]
    pub(crate) async fn count(
        &self,
        _: String,
        _: &mut (dyn FnMut(CountedCell) -> Option<()> + Send),
    ) -> Result<(), EngineError> {
        match *self {}
    }
}
