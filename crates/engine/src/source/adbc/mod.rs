//! Tables of databases with a driver for ADBC, Arrow's interface to databases.
//!
//! Drivers are shared libraries that the user has; no part of a database is compiled into this
//! crate. A driver is code that runs in this process, so it must be trusted like the program
//! itself. Its messages are dropped, because they may quote a value.

mod address;
mod connection;
mod scan;

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Schema as ArrowSchema};
use datafusion::catalog::TableProvider;
use scumble_schema::Schema;

pub(crate) use address::Address;
use connection::Connection;
pub(crate) use connection::Counting;
use scan::DriverTable;

use crate::error::EngineError;
use crate::push_down::{DatabaseColumn, ValueKind};

/// Returns the tables at `addresses` with the columns of `schema`, after checking that each has
/// them.
pub(crate) fn tables(addresses: &[Address], schema: &Schema) -> Result<Vec<Arc<dyn TableProvider>>, EngineError> {
    let table = |address: &Address| -> Result<Arc<dyn TableProvider>, EngineError> {
        Ok(Arc::new(DriverTable::open(address, schema)?))
    };
    addresses.iter().map(table).collect()
}

/// Returns the column names and types of the table at `address`. No row is read.
pub(crate) fn column_types(address: &Address) -> Result<ArrowSchema, EngineError> {
    Ok(Connection::open(address)?.columns(address)?.as_ref().clone())
}

/// Describes the columns for counting inside the database.
fn described(columns: &ArrowSchema) -> Vec<DatabaseColumn> {
    let described = columns.fields().iter().map(|field| DatabaseColumn {
        name: field.name().clone(),
        type_name: field.data_type().to_string(),
        kind: kind(field.data_type()),
    });
    described.collect()
}

fn kind(data_type: &DataType) -> Option<ValueKind> {
    Some(match data_type {
        DataType::Boolean => ValueKind::Boolean,
        DataType::Int8
        | DataType::Int16
        | DataType::Int32
        | DataType::Int64
        | DataType::UInt8
        | DataType::UInt16
        | DataType::UInt32 => ValueKind::Integer,
        DataType::Float32 | DataType::Float64 => ValueKind::Real,
        DataType::Decimal128(_, _) => ValueKind::Decimal,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => ValueKind::Text,
        DataType::Dictionary(_, values) if kind(values) == Some(ValueKind::Text) => ValueKind::Text,
        DataType::Date32 => ValueKind::Day,
        DataType::Timestamp(_, zone) => ValueKind::Instant { has_zone: zone.is_some() },
        _ => return None,
    })
}
