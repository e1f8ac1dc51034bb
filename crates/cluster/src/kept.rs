//! Rows that stay on the executors that computed them, as the result of a job that is not removed,
//! and a plan that reads them.
//!
//! Ballista keeps the result of a job where it was computed, until it is removed, and serves it to
//! other executors. So codes that are kept are such a result. A later job reads them with
//! Ballista's own reader: an executor that has a partition reads its file, and any other fetches
//! it.
//!
//! Ballista answers the loss of an input by running the stage again that made it. Here that stage
//! belongs to another job, so [`ReadKept`] turns every failure to read into one of its own kind,
//! and the engine makes the rows again.

use std::fmt;
use std::sync::Arc;

use ballista_core::execution_plans::ShuffleReaderExec;
use ballista_core::serde::scheduler::PartitionLocation;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use futures::TryStreamExt;
use scumble_engine::KeptRows;

use crate::client::Job;

/// What an executor reports if rows that were kept cannot be read.
pub(crate) const LOST: &str = "rows that were kept are lost";

/// Rows on executors, which are removed when this is dropped.
pub(crate) struct KeptJob {
    places: Vec<PartitionLocation>,
    columns: SchemaRef,
    /// Removes the rows when it is dropped.
    _job: Job,
}

impl KeptJob {
    pub(crate) fn new(places: Vec<PartitionLocation>, columns: SchemaRef, job: Job) -> Self {
        Self { places, columns, _job: job }
    }
}

impl KeptRows for KeptJob {
    fn read(&self, parts: usize) -> Result<Arc<dyn ExecutionPlan>> {
        // Partitions of one executor go together where there are more of them than parts.
        let mut places: Vec<&PartitionLocation> = self.places.iter().collect();
        places.sort_by(|one, other| one.executor_meta.id.cmp(&other.executor_meta.id));
        let size = places.len().div_ceil(parts.max(1)).max(1);
        let groups: Vec<Vec<_>> = places.chunks(size).map(|group| group.iter().copied().cloned().collect()).collect();
        let partitioning = Partitioning::UnknownPartitioning(groups.len());
        let stage = self.places.first().map_or(0, |place| place.partition_id.stage_id);
        let reader = ShuffleReaderExec::try_new(stage, groups, Arc::clone(&self.columns), partitioning)?;
        Ok(Arc::new(ReadKept::new(Arc::new(reader))))
    }
}

impl fmt::Debug for KeptJob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("KeptJob(..)")
    }
}

/// Reads kept rows. Its input is Ballista's reader.
#[derive(Debug)]
pub(crate) struct ReadKept {
    reader: Arc<dyn ExecutionPlan>,
}

impl ReadKept {
    pub(crate) fn new(reader: Arc<dyn ExecutionPlan>) -> Self {
        Self { reader }
    }
}

impl DisplayAs for ReadKept {
    fn fmt_as(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ReadKept")
    }
}

impl ExecutionPlan for ReadKept {
    fn name(&self) -> &'static str {
        "ReadKept"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.reader.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.reader]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let [reader] = &children[..] else { return plan_err!("kept rows have one reader") };
        Ok(Arc::new(Self::new(Arc::clone(reader))))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let lost = |_| DataFusionError::Execution(LOST.into());
        let rows = self.reader.execute(partition, context).map_err(lost)?;
        Ok(Box::pin(RecordBatchStreamAdapter::new(rows.schema(), rows.map_err(lost))))
    }
}
