//! A table that a driver reads, as a DataFusion table with one partition.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Schema as ArrowSchema, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::TableType;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;
use scumble_schema::Schema;

use super::address::Address;
use super::connection::Connection;
use crate::codes::encode::supports;
use crate::error::{ColumnProblem, EngineError};
use crate::push_down::quoted;
use crate::source::database_problem::DatabaseProblem;

/// Batches that may wait for the encoder. While they wait, the driver waits too.
const BATCHES_AHEAD: usize = 2;

/// The columns of a schema in a table of a database.
#[derive(Debug)]
pub(super) struct DriverTable {
    address: Address,
    columns: SchemaRef,
}

impl DriverTable {
    /// Finds the columns of `schema` in the table at `address`.
    pub(super) fn open(address: &Address, schema: &Schema) -> std::result::Result<Self, EngineError> {
        let fail = |column: &str, problem| EngineError::Schema {
            path: address.shown().to_owned(),
            column: column.to_owned(),
            problem,
        };
        let all = Connection::open(address)?.columns(address)?;
        let mut fields = vec![];
        for name in schema.columns_read() {
            let found = all.fields().iter().filter(|field| field.name() == name);
            let names = all.fields().iter().map(|field| field.name().as_str());
            let field = ColumnProblem::find_unique(found, name, names).map_err(|problem| fail(name, problem))?;
            if !supports(field.data_type()) {
                return Err(fail(name, ColumnProblem::Type(field.data_type().to_string())));
            }
            fields.push(Arc::clone(field));
        }
        Ok(Self { address: address.clone(), columns: Arc::new(ArrowSchema::new(fields)) })
    }
}

#[async_trait::async_trait]
impl TableProvider for DriverTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.columns)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = match projection {
            Some(projection) => Arc::new(self.columns.project(projection)?),
            None => Arc::clone(&self.columns),
        };
        let rows = DriverRows { address: self.address.clone(), columns: Arc::clone(&columns) };
        StreamingTable::try_new(columns, vec![Arc::new(rows)])?.scan(session, None, filters, limit).await
    }
}

/// Rows that a driver reads. It connects when it is executed, so it can run on any thread, and
/// repeatedly.
struct DriverRows {
    address: Address,
    columns: SchemaRef,
}

impl fmt::Debug for DriverRows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("DriverRows").field(&self.address).finish()
    }
}

impl PartitionStream for DriverRows {
    fn schema(&self) -> &SchemaRef {
        &self.columns
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStream::builder(Arc::clone(&self.columns), BATCHES_AHEAD);
        let (sender, address, columns) = (stream.tx(), self.address.clone(), Arc::clone(&self.columns));
        stream.spawn_blocking(move || {
            let fail = |error: EngineError| DataFusionError::External(Box::new(error));
            let damaged = |problem| fail(EngineError::database(address.shown(), problem));
            let names = columns.fields().iter().map(|field| quoted(field.name()));
            // Some column must provide the number of rows.
            let names = names.reduce(|all, name| format!("{all}, {name}")).unwrap_or_else(|| "1".into());
            let mut connection = Connection::open(&address).map_err(fail)?;
            let batches = connection.query(&format!("SELECT {names} FROM {}", address.from())).map_err(fail)?;
            for batch in batches {
                let batch = batch.map_err(|_| damaged(DatabaseProblem::Lost))?;
                // The table may have been altered since it was inspected.
                let has_changed = || {
                    batch
                        .schema()
                        .fields()
                        .iter()
                        .map(|field| field.data_type())
                        .ne(columns.fields().iter().map(|field| field.data_type()))
                };
                if !columns.fields().is_empty() && has_changed() {
                    return Err(damaged(DatabaseProblem::Changed));
                }
                let batch = if columns.fields().is_empty() {
                    batch.project(&[])?
                } else {
                    batch.with_schema(Arc::clone(&columns))?
                };
                if sender.blocking_send(Ok(batch)).is_err() {
                    return Ok(());
                }
            }
            Ok(())
        });
        stream.build()
    }
}
