//! A table of a database as a DataFusion table with one partition.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session as PlanSession, TableProvider};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, internal_err};
use datafusion::datasource::TableType;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use scumble_schema::Schema;
use tokio::sync::mpsc::Sender;

use super::address::Address;
use super::column::{Column, Value, field_limit};
use super::decode::Decoder;
use super::fields::arrow_schema;
use super::session::{Session, Table};
use crate::error::{ColumnProblem, EngineError};
use crate::run::progress::BYTES_SCANNED;
use crate::source::database_problem::DatabaseProblem;

/// Batches that may wait for the encoder. While they wait, nothing is read, and the server waits
/// too.
const BATCHES_AHEAD: usize = 2;

/// The columns of a schema in a table of a database.
#[derive(Debug, Clone)]
pub(super) struct PostgresTable {
    address: Arc<Address>,
    columns: Vec<Column>,
    values: Vec<(String, Value)>,
}

impl PostgresTable {
    /// Finds the columns of `schema` in `table`.
    pub(super) fn new(address: Address, table: &Table, schema: &Schema) -> std::result::Result<Self, EngineError> {
        let fail = |column: &str, problem| EngineError::Schema {
            path: address.shown().to_owned(),
            column: column.to_owned(),
            problem,
        };
        let (mut columns, mut values) = (vec![], vec![]);
        for name in schema.columns_read() {
            let found = table.columns.iter().filter(|column| column.name() == name);
            let names = table.columns.iter().map(Column::name);
            let column = ColumnProblem::find_unique(found, name, names).map_err(|problem| fail(name, problem))?;
            let value = column.value();
            let value = value.ok_or_else(|| fail(name, ColumnProblem::Type(column.type_name().to_owned())))?;
            columns.push(column.clone());
            values.push((name.to_owned(), value));
        }
        Ok(Self { address: Arc::new(address), columns, values })
    }
}

#[async_trait]
impl TableProvider for PostgresTable {
    fn schema(&self) -> SchemaRef {
        arrow_schema(&self.values)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn PlanSession,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        _limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut table = self.clone();
        if let Some(projection) = projection {
            table.columns = projection.iter().map(|&index| self.columns[index].clone()).collect();
            table.values = projection.iter().map(|&index| self.values[index].clone()).collect();
        }
        Ok(Arc::new(PostgresScan::new(table)))
    }
}

/// Copies a table from a database. It connects when it is executed, so it can run on any thread,
/// and repeatedly.
#[derive(Debug)]
struct PostgresScan {
    table: PostgresTable,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl PostgresScan {
    fn new(table: PostgresTable) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(table.schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        .with_scheduling_type(SchedulingType::Cooperative);
        Self { table, properties: Arc::new(properties), metrics: ExecutionPlanMetricsSet::new() }
    }
}

impl DisplayAs for PostgresScan {
    fn fmt_as(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PostgresScan: {}", self.table.address.shown())
    }
}

impl ExecutionPlan for PostgresScan {
    fn name(&self) -> &'static str {
        "PostgresScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        if children.is_empty() { Ok(self) } else { internal_err!("a scan has no children") }
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let scanned = MetricBuilder::new(&self.metrics).counter(BYTES_SCANNED, partition);
        let batch_rows = context.session_config().batch_size();
        let mut stream = RecordBatchReceiverStream::builder(self.schema(), BATCHES_AHEAD);
        let (table, sender) = (self.table.clone(), stream.tx());
        stream.spawn(async move {
            let copied = copy(&table, batch_rows, &scanned, &sender).await;
            copied.map_err(|error| DataFusionError::External(Box::new(error)))
        });
        Ok(stream.build())
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// Sends all rows to `sender`, until the end or until the receiver is dropped.
async fn copy(
    table: &PostgresTable,
    batch_rows: usize,
    scanned: &Count,
    sender: &Sender<Result<RecordBatch>>,
) -> std::result::Result<(), EngineError> {
    let address = &table.address;
    let fail = |problem| EngineError::database(address.shown(), problem);
    let session = Session::open(address).await?;
    // The plan may be older than the table. From here on, the transaction sees one snapshot of it.
    let now = session.describe(address).await?;
    if !table.columns.iter().all(|column| now.columns.contains(column)) {
        return Err(fail(DatabaseProblem::Changed));
    }
    let mut decoder = Decoder::new(&table.values, field_limit(&table.columns), batch_rows);
    let mut chunks = pin!(session.copy(address, &table.columns).await?);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| session.fail(&error))?;
        scanned.add(chunk.len());
        decoder.feed(&chunk).map_err(|_| fail(DatabaseProblem::Damaged))?;
        while let Some(batch) = decoder.pop() {
            if sender.send(Ok(batch)).await.is_err() {
                return Ok(());
            }
        }
    }
    decoder.finish().map_err(|_| fail(DatabaseProblem::Damaged))?;
    while let Some(batch) = decoder.pop() {
        if sender.send(Ok(batch)).await.is_err() {
            return Ok(());
        }
    }
    session.close().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use datafusion::physical_plan::displayable;
    use tokio_postgres::types::Type;

    use super::*;
    use crate::codes::udf::EncodeColumn;
    use crate::run::session::session;

    #[tokio::test]
    async fn a_table_is_encoded_on_all_threads_and_its_plan_shows_no_password() {
        let schema = Schema::parse("fields:\n  - {name: b, type: boolean}\n  - {name: a, type: boolean}\n").unwrap();
        let schema = Arc::new(schema);
        let address = Address::parse("postgresql://ann:SECRET@localhost/d?table=t").unwrap();
        let columns = ["a", "unused", "b"].map(|name| Column::new(name, &Type::INT4, -1)).to_vec();
        let table = PostgresTable::new(address, &Table { oid: 1, bytes: 1, columns }, &schema).unwrap();
        let codes = schema.domain().attributes().map(|attribute| EncodeColumn::of_column(&schema, attribute));
        let rows = session(2, None, None)
            .unwrap()
            .read_table(Arc::new(table))
            .unwrap()
            .select(codes.collect::<Vec<_>>())
            .unwrap();
        let plan = rows.create_physical_plan().await.unwrap();
        let shown = displayable(plan.as_ref()).indent(true).to_string();
        let at = |node: &str| shown.find(node).unwrap_or_else(|| panic!("no {node} in {shown}"));
        assert!(at("ProjectionExec") < at("RepartitionExec") && at("RepartitionExec") < at("PostgresScan"), "{shown}");
        assert!(!format!("{shown} {plan:?}").contains("SECRET"));
    }
}
