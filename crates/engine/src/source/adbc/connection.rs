//! One connection, in one transaction.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use adbc_core::LOAD_FLAG_DEFAULT;
use adbc_core::error::{Error as DriverError, Status};
use adbc_core::options::{AdbcVersion, InfoCode, OptionConnection, OptionDatabase, OptionValue};
use adbc_core::sync::{CancelHandle, Connection as _, Database as _, Driver as _, Optionable as _, Statement as _};
use adbc_driver_manager::{ManagedConnection, ManagedDriver};
use datafusion::arrow::array::types::{Int32Type, Int64Type};
use datafusion::arrow::array::{Array, AsArray, RecordBatch, RecordBatchReader, UnionArray};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::runtime::SpawnedTask;

use super::address::Address;
use super::described;
use crate::error::EngineError;
use crate::push_down::{CountedCell, DatabaseColumn, Dialect};
use crate::source::database_problem::DatabaseProblem;

/// The function of DuckDB's library that a driver manager calls first.
const DUCKDB_ENTRY_POINT: &str = "duckdb_adbc_init";

/// The result of a statement.
pub(super) type Batches = Box<dyn RecordBatchReader + Send>;

/// A connection to a database.
pub(super) struct Connection {
    inner: ManagedConnection,
    shown: String,
}

impl Connection {
    /// Loads the driver, connects, and begins a transaction. No row is read.
    pub(super) fn open(address: &Address) -> Result<Self, EngineError> {
        let fail = |problem| EngineError::database(address.shown(), problem);
        let is_duckdb = address.driver.to_ascii_lowercase().contains("duckdb");
        let entry_point = address.entry_point.as_deref().or(is_duckdb.then_some(DUCKDB_ENTRY_POINT));
        let entry_point = entry_point.map(str::as_bytes);
        let load =
            |version| ManagedDriver::load_from_name(&address.driver, entry_point, version, LOAD_FLAG_DEFAULT, None);
        // Only drivers of version 1.1 can be asked to stop.
        let driver = load(AdbcVersion::V110).or_else(|_| load(AdbcVersion::V100));
        let mut driver = driver.map_err(|_| fail(DatabaseProblem::NoDriver))?;
        let options = address.options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        // DuckDB would create a file that does not exist.
        let read_only = (is_duckdb && !address.has_option("access_mode")).then_some(("access_mode", "READ_ONLY"));
        let options =
            options.chain(read_only).map(|(name, value)| (OptionDatabase::from(name), OptionValue::from(value)));
        let database = driver.new_database_with_opts(options).map_err(|error| fail(problem(&error)))?;
        let mut connection = database.new_connection().map_err(|error| fail(problem(&error)))?;
        // One state of the table for all statements.
        let in_transaction = connection.set_option(OptionConnection::AutoCommit, OptionValue::from("false"));
        in_transaction.map_err(|error| fail(problem(&error)))?;
        Ok(Self { inner: connection, shown: address.shown().to_owned() })
    }

    /// Returns the columns of the table.
    pub(super) fn columns(&mut self, address: &Address) -> Result<SchemaRef, EngineError> {
        Ok(self.query(&format!("SELECT * FROM {} LIMIT 0", address.from()))?.schema())
    }

    /// Starts a statement.
    pub(super) fn query(&mut self, text: &str) -> Result<Batches, EngineError> {
        let shown = self.shown.clone();
        let fail = |error: DriverError| EngineError::database(&shown, problem(&error));
        let mut statement = self.inner.new_statement().map_err(fail)?;
        statement.set_sql_query(text).map_err(fail)?;
        statement.execute().map_err(fail)
    }

    /// Returns the SQL of the database.
    fn dialect(&mut self) -> Result<Dialect, EngineError> {
        let vendor = self.vendor().unwrap_or_default().to_ascii_lowercase();
        match vendor.as_str() {
            "duckdb" => Ok(Dialect::DuckDb),
            "postgresql" => Ok(Dialect::Postgres),
            _ => Err(EngineError::config(
                format!("`{}` is in a database whose SQL is not known here", self.shown),
                "PostgreSQL and DuckDB can count; leave out `--push-down` to read the rows of any other",
            )),
        }
    }

    /// Returns the vendor's name for the database.
    fn vendor(&mut self) -> Option<String> {
        let info = self.inner.get_info(Some(HashSet::from([InfoCode::VendorName]))).ok()?;
        for batch in info {
            let batch = batch.ok()?;
            let values = batch.column_by_name("info_value")?.as_any().downcast_ref::<UnionArray>()?;
            if !values.is_empty() {
                let value = values.value(0);
                return value.as_string_opt::<i32>().map(|value| value.value(0).to_owned());
            }
        }
        None
    }
}

/// A connection that counts.
pub(crate) struct Counting {
    connection: Arc<Mutex<Connection>>,
    dialect: Dialect,
    shown: String,
}

impl Counting {
    /// Connects, and describes the columns of the table.
    pub(crate) fn open(address: &Address) -> Result<(Self, Vec<DatabaseColumn>), EngineError> {
        let mut connection = Connection::open(address)?;
        let dialect = connection.dialect()?;
        let columns = described(&*connection.columns(address)?);
        let counting =
            Self { connection: Arc::new(Mutex::new(connection)), dialect, shown: address.shown().to_owned() };
        Ok((counting, columns))
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Runs a statement that counts, and adds each cell of its result. If the caller does not wait
    /// for the end, the database is asked to stop.
    pub(crate) async fn count(
        &self,
        statement: String,
        add: &mut (dyn FnMut(CountedCell) -> Option<()> + Send),
    ) -> Result<(), EngineError> {
        let damaged = || EngineError::database(&self.shown, DatabaseProblem::Damaged);
        let connection = Arc::clone(&self.connection);
        let mut stop = CancelUnlessDone(None);
        stop.0 = {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            Some(connection.inner.get_cancel_handle())
        };
        let shown = self.shown.clone();
        let batches = SpawnedTask::spawn_blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let batches: Result<Vec<RecordBatch>, _> = connection.query(&statement)?.collect();
            batches.map_err(|_| EngineError::database(&shown, DatabaseProblem::Failed))
        });
        let batches = batches.join().await.map_err(|_| damaged())??;
        stop.0 = None;
        for batch in batches {
            cells(&batch, add).ok_or_else(damaged)?;
        }
        Ok(())
    }
}

/// Asks the database to stop when it is dropped before the end.
struct CancelUnlessDone(Option<Box<dyn CancelHandle>>);

impl Drop for CancelUnlessDone {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            // It may have ended by itself.
            let _ = handle.try_cancel();
        }
    }
}

fn cells(batch: &RecordBatch, add: &mut (dyn FnMut(CountedCell) -> Option<()> + Send)) -> Option<()> {
    let [tables, cells, rows] = batch.columns() else { return None };
    let (tables, cells) = (tables.as_primitive_opt::<Int32Type>()?, cells.as_primitive_opt::<Int64Type>()?);
    let rows = rows.as_primitive_opt::<Int64Type>()?;
    (0..batch.num_rows()).try_for_each(|row| add((tables.value(row), cells.value(row), rows.value(row))))
}

/// Returns what went wrong, by the class of the error alone.
fn problem(error: &DriverError) -> DatabaseProblem {
    match error.status {
        Status::NotFound => DatabaseProblem::NoTable,
        Status::Unauthenticated => DatabaseProblem::Authentication,
        Status::Unauthorized => DatabaseProblem::Denied,
        Status::IO => DatabaseProblem::Unreachable,
        Status::Timeout => DatabaseProblem::Timeout,
        Status::Cancelled => DatabaseProblem::Cancelled,
        _ => DatabaseProblem::Failed,
    }
}
