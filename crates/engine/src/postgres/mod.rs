//! A table of a PostgreSQL database as a source.
//!
//! `COPY (SELECT ...) TO STDOUT (FORMAT BINARY)` over one connection, in one read-only transaction, decoded row by row
//! into record batches. What is private stays on the way: nothing is written, and no text of the server is shown.
//!
//! * [`Address`]: the URL of a table, taken apart, and shown without its password;
//! * [`Session`](session::Session): the connection and its transaction;
//! * [`Column`](column::Column): how a column of a PostgreSQL type is asked for and read;
//! * [`Decoder`](decode::Decoder): the bytes of the copy into batches;
//! * [`PostgresTable`]: all of it as a DataFusion table.

mod address;
mod column;
mod decode;
mod fields;
mod identifier;
mod password;
mod problem;
mod scan;
mod session;
mod tls;

use std::collections::HashSet;

use datafusion::arrow::datatypes::Schema as ArrowSchema;
use scumble_schema::Schema;

pub(crate) use address::{Address, is_address};
pub use problem::DatabaseProblem;
pub(crate) use scan::PostgresTable;

use crate::error::EngineError;
use session::{Session, Table};

/// The tables at `addresses` with the columns of `schema`, after checking that each has them.
pub(crate) async fn tables(addresses: &[Address], schema: &Schema) -> Result<Vec<PostgresTable>, EngineError> {
    let mut tables = Vec::with_capacity(addresses.len());
    let mut met = HashSet::new();
    for address in addresses {
        let table = describe(address).await?;
        // The same table may be named with and without its schema, which only the server can tell.
        if !met.insert((address.database(), table.oid)) {
            return Err(EngineError::named_twice(address.shown()));
        }
        tables.push(PostgresTable::new(address.clone(), &table, schema)?);
    }
    Ok(tables)
}

/// The column names of the table at `address`, and the Arrow types that are nearest to theirs. No row is looked at.
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
