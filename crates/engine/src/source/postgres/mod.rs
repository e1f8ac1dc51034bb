//! A table of a PostgreSQL database as a source.
//!
//! `COPY (SELECT ...) TO STDOUT (FORMAT BINARY)` over one connection, in one read-only transaction,
//! decoded row by row into record batches. Nothing is written to disk, and no message of the server
//! is shown.
//!
//! * [`Address`]: the parsed URL of a table, shown without its password;
//! * [`Session`](session::Session): the connection and its transaction;
//! * [`Column`](column::Column): how a column of a PostgreSQL type is selected and read;
//! * [`Decoder`](decode::Decoder): decodes the bytes of the copy into batches;
//! * [`PostgresTable`]: the table for DataFusion;
//! * [`Counting`]: a connection for statements that count inside the database.

mod address;
mod column;
mod count;
mod decode;
mod fields;
mod password;
mod problem;
mod scan;
mod session;
mod tls;

use std::collections::HashSet;
use std::sync::Arc;

use datafusion::arrow::datatypes::Schema as ArrowSchema;
use datafusion::catalog::TableProvider;
use scumble_schema::Schema;

pub(crate) use address::Address;
pub(crate) use count::Counting;

use crate::error::EngineError;
use scan::PostgresTable;
use session::{Session, Table};

/// Returns the tables at `addresses` with the columns of `schema`, after checking that each has
/// them; and the approximate number of bytes of each, or 0 if unknown.
pub(crate) async fn tables(
    addresses: &[Address],
    schema: &Schema,
) -> Result<Vec<(Arc<dyn TableProvider>, u64)>, EngineError> {
    let mut tables: Vec<(Arc<dyn TableProvider>, u64)> = Vec::with_capacity(addresses.len());
    let mut seen = HashSet::new();
    for address in addresses {
        let table = describe(address).await?;
        // A table may be named with and without its schema; only the server can resolve that.
        if !seen.insert((address.database(), table.oid)) {
            return Err(EngineError::named_twice(address.shown()));
        }
        let bytes = table.bytes;
        tables.push((Arc::new(PostgresTable::new(address.clone(), &table, schema)?), bytes));
    }
    Ok(tables)
}

/// Returns the column names of the table at `address`, and the closest Arrow types. No row is read.
pub(crate) async fn column_types(address: &Address) -> Result<ArrowSchema, EngineError> {
    let table = describe(address).await?;
    Ok(ArrowSchema::new(table.columns.iter().map(column::Column::declared).collect::<Vec<_>>()))
}

async fn describe(address: &Address) -> Result<Table, EngineError> {
    let session = Session::open(address).await?;
    let table = session.describe(address).await?;
    session.close().await;
    Ok(table)
}
