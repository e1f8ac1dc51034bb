//! Seals the reports of an executor about a task: that it is done and where its result is, or what
//! kind of failure it had. Nothing in a report depends on rows.
//!
//! By default Ballista reports far more. Every operator counts its rows, batches and bytes, every
//! file of a result is reported with its number of rows and its size, empty partitions are left
//! out, and an error goes to the scheduler verbatim. The scheduler keeps all of that for minutes
//! and prints it. A scan without a filter counts `n`, exactly.
//!
//! Tasks run through an [`ExecutionEngine`], so ours is the one place where a report is made: it
//! runs Ballista's own engine and replaces everything that depends on rows by constants. Times
//! remain; the guarantee does not cover them.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::JobId;
use ballista_core::error::BallistaError;
use ballista_core::execution_plans::sort_shuffle::{ShuffleIndex, get_index_path};
use ballista_core::execution_plans::{SortShuffleWriterExec, create_shuffle_path};
use ballista_core::serde::protobuf::failed_task::FailedReason;
use ballista_core::serde::protobuf::{FailedTask, ShuffleWritePartition};
use ballista_executor::execution_engine::{DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::prelude::SessionConfig;
use futures::FutureExt;
use scumble_engine::ClusterProblem;

use crate::connections::Connections;
use crate::kept::LOST;

/// Number of rows and of batches that is reported for every partition of a result. It is not 0,
/// because Ballista does not fetch empty results. The scheduler may use it when it plans a stage,
/// which changes no plan of ours: none has a join, or an aggregate that can be computed from
/// statistics.
const REPORTED_ROWS: u64 = 1;
/// Size that is reported for every partition of a result. A reader has 48 MiB in flight, so it
/// fetches three at once.
const REPORTED_BYTES: u64 = 16 << 20;

/// Runs tasks as Ballista does, and seals the reports about them.
pub(crate) struct SealedEngine(DefaultExecutionEngine);

impl SealedEngine {
    pub(crate) fn new() -> Self {
        Self(DefaultExecutionEngine::with_client_pool(Arc::new(Connections::default())))
    }
}

impl ExecutionEngine for SealedEngine {
    fn create_query_stage_exec(
        &self,
        job_id: JobId,
        stage_id: usize,
        task_id: usize,
        global_output_partition_ids: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let hashed = match plan.downcast_ref::<SortShuffleWriterExec>() {
            None => None,
            Some(writer) => {
                let partitions = writer.shuffle_output_partitioning().partition_count() as u64;
                let file_id = task_id as u64;
                let path = create_shuffle_path(work_dir, &job_id, stage_id, 0, Some(file_id), true)?;
                Some(HashedResult { partitions, file_id, path })
            }
        };
        let stage = self.0.create_query_stage_exec(
            job_id,
            stage_id,
            task_id,
            global_output_partition_ids,
            plan,
            work_dir,
            config,
        )?;
        Ok(Arc::new(SealedStage { stage, hashed }))
    }
}

/// A stage whose reports hold nothing that depends on rows.
#[derive(Debug)]
struct SealedStage {
    stage: Arc<dyn QueryStageExecutor>,
    /// The result, if its rows are assigned to partitions by a hash.
    hashed: Option<HashedResult>,
}

/// One file with all partitions of a result.
#[derive(Debug)]
struct HashedResult {
    partitions: u64,
    file_id: u64,
    path: PathBuf,
}

#[async_trait]
impl QueryStageExecutor for SealedStage {
    async fn execute_query_stage(
        &self,
        task_id: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        let stage = AssertUnwindSafe(self.stage.execute_query_stage(task_id, context));
        // The message of a panic may quote lengths and positions, and Ballista would log and send
        // it.
        let written = stage.catch_unwind().await.unwrap_or_else(|_| Err(sealed_error("")));
        let written = written.map_err(seal_error)?;
        match &self.hashed {
            None => Ok(written.into_iter().map(without_statistics).collect()),
            Some(hashed) => hashed.all_partitions().map_err(|error| seal_error(error.into())),
        }
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        // One for every operator, as the scheduler expects, and all empty.
        self.stage.collect_plan_metrics().iter().map(|_| MetricsSet::new()).collect()
    }

    // The other reports of a stage are empty unless it overrides them, and this one does not.
}

/// Hides the metrics: Ballista's executor logs a stage as it is displayed.
impl fmt::Display for SealedStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a stage")
    }
}

fn without_statistics(written: ShuffleWritePartition) -> ShuffleWritePartition {
    ShuffleWritePartition {
        num_rows: REPORTED_ROWS,
        num_batches: REPORTED_ROWS,
        num_bytes: REPORTED_BYTES,
        partition_id: written.partition_id,
        file_id: written.file_id,
        is_sort_shuffle: written.is_sort_shuffle,
    }
}

impl HashedResult {
    /// Lists every partition of the result. Ballista lists those with rows, which depends on the
    /// rows.
    fn all_partitions(&self) -> io::Result<Vec<ShuffleWritePartition>> {
        end_with_schema(&self.path)?;
        let partition = |partition_id| ShuffleWritePartition {
            partition_id,
            num_rows: REPORTED_ROWS,
            num_batches: REPORTED_ROWS,
            num_bytes: REPORTED_BYTES,
            file_id: Some(self.file_id),
            is_sort_shuffle: true,
        };
        Ok((0..self.partitions).map(partition).collect())
    }
}

/// Repeats the schema, with which the file begins, after its last partition.
///
/// To serve a partition, Ballista 55 intends to send the schema and then the partition, but both of
/// its handles on the file share one position: it sends as many bytes as both have, from the start
/// of the partition. A partition with rows contains a schema of its own. An empty one is read from
/// what follows it, which must therefore begin with a schema, and at the end of the file nothing
/// follows. No index points to these bytes, so a version that works as intended never reads them.
fn end_with_schema(path: &Path) -> io::Result<()> {
    let index = ShuffleIndex::read_from_file(&get_index_path(path)).map_err(io::Error::other)?;
    let mut schema = vec![0; usize::try_from(index.header_end_offset()).map_err(io::Error::other)?];
    File::open(path)?.read_exact(&mut schema)?;
    OpenOptions::new().append(true).open(path)?.write_all(&schema)
}

/// Replaces the text of an error by its kind. A lost result and a failing disk keep what Ballista
/// needs to repeat the work.
fn seal_error(error: DataFusionError) -> DataFusionError {
    let failed = FailedTask::from(BallistaError::from(error));
    match failed.failed_reason {
        Some(FailedReason::FetchPartitionError(lost)) => BallistaError::FetchFailed(
            lost.executor_id,
            lost.map_stage_id as usize,
            lost.map_partition_id as usize,
            "a result is lost".into(),
        )
        .into_datafusion(),
        Some(FailedReason::IoError(_)) => DataFusionError::IoError(io::Error::other(sealed_message(&failed.error))),
        _ => sealed_error(&failed.error),
    }
}

fn sealed_error(message: &str) -> DataFusionError {
    BallistaError::General(sealed_message(message).into()).into_datafusion()
}

/// Returns the kind of a failure, from its message.
pub(crate) fn problem_in(message: &str) -> ClusterProblem {
    let says = |text: &str| message.contains(text);
    if says("No space left on device") || says("StorageFull") || says("os error 28") {
        ClusterProblem::DiskFull
    } else if says("Resources exhausted") {
        ClusterProblem::Memory
    } else if says("No such file") || says("not found") || says("Permission denied") || says("Parquet error") {
        ClusterProblem::Unreadable
    } else if says(LOST) {
        ClusterProblem::RowsLost
    } else if says("No executors") || says("no executors") {
        ClusterProblem::NoExecutor
    } else {
        ClusterProblem::Failed
    }
}

/// Returns the message that is reported for a failure, in which [`problem_in`] finds the same kind.
fn sealed_message(message: &str) -> &'static str {
    match problem_in(message) {
        ClusterProblem::DiskFull => "No space left on device",
        ClusterProblem::Memory => "Resources exhausted",
        ClusterProblem::Unreadable => "a file is not found, or cannot be read",
        ClusterProblem::RowsLost => LOST,
        _ => "the task failed",
    }
}

#[cfg(test)]
mod tests {
    use ballista_core::execution_plans::sort_shuffle::{SortShuffleConfig, stream_sort_shuffle_partition};
    use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
    use datafusion::arrow::error::ArrowError;
    use datafusion::datasource::memory::MemorySourceConfig;
    use datafusion::physical_expr::expressions::Column;
    use datafusion::physical_plan::Partitioning;
    use datafusion::prelude::SessionContext;

    use super::*;

    /// Runs a task that distributes `rows` rows to four partitions; returns everything that leaves
    /// the executor, and the rows of the file.
    async fn report(rows: i64) -> (Vec<ShuffleWritePartition>, Vec<MetricsSet>, Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows));
        let batch = RecordBatch::try_from_iter([("a", values)]).unwrap();
        let source = MemorySourceConfig::try_new_exec(&[vec![batch.clone()]], batch.schema(), None).unwrap();
        let partitioning = Partitioning::Hash(vec![Arc::new(Column::new("a", 0))], 4);
        let work = folder.path().to_str().unwrap();
        let plan = SortShuffleWriterExec::try_new(
            "job".into(),
            1,
            source,
            work.into(),
            partitioning,
            SortShuffleConfig::default(),
        );
        let context = SessionContext::new();
        let engine = SealedEngine::new();
        let stage = engine
            .create_query_stage_exec(
                "job".into(),
                1,
                7,
                vec![0],
                Arc::new(plan.unwrap()),
                work,
                &context.copied_config(),
            )
            .unwrap();
        let written = stage.execute_query_stage(7, context.task_ctx()).await.unwrap();
        assert!(!stage.to_string().contains(&rows.to_string()));
        assert!(stage.collect_runtime_stats_reports().is_empty() && stage.collect_column_stats().is_empty());
        assert!(stage.collect_window_state_reports().unwrap().is_empty());

        let path = create_shuffle_path(work, &"job".into(), 1, 0, Some(7), true).unwrap();
        let mut found = vec![];
        for partition in 0..4 {
            let stream = stream_sort_shuffle_partition(&path, &get_index_path(&path), partition);
            let batches = datafusion::physical_plan::common::collect(stream.unwrap()).await.unwrap();
            found.push(batches.iter().map(|batch| batch.num_rows() as u64).sum());
        }
        (written, stage.collect_plan_metrics(), found)
    }

    #[tokio::test]
    async fn the_report_of_a_task_does_not_depend_on_its_rows() {
        let (none, no_metrics, found) = report(0).await;
        assert_eq!((none.len(), found.iter().sum::<u64>()), (4, 0));
        for rows in [1, 2, 20_011] {
            let (written, metrics, found) = report(rows).await;
            assert_eq!(written, none, "{rows} rows");
            assert_eq!(metrics.len(), no_metrics.len());
            assert!(metrics.iter().all(|of_operator| of_operator.iter().next().is_none()));
            assert_eq!(found.iter().sum::<u64>(), rows.unsigned_abs(), "all rows are in the file");
        }
    }

    #[test]
    fn only_the_kind_of_an_error_is_reported() {
        let quoting = [
            DataFusionError::ArrowError(Box::new(ArrowError::CastError("no number: 'canary 4711'".into())), None),
            DataFusionError::ResourcesExhausted("4711 bytes for 4711 rows".into()),
            DataFusionError::IoError(io::Error::other("No such file: canary-4711")),
            DataFusionError::Execution("task 3 panicked with message \"4711 of 4712\"".into()).context("canary"),
            BallistaError::FetchFailed("executor".into(), 3, 5, "canary 4711".into()).into_datafusion(),
        ];
        for error in quoting {
            let error = Arc::new(error);
            let before = FailedTask::from(BallistaError::from(DataFusionError::from(&error)));
            assert!(before.error.contains("4711"), "{}", before.error);
            let after = FailedTask::from(BallistaError::from(seal_error(DataFusionError::from(&error))));
            assert!(!after.error.contains("4711") && !after.error.contains("canary"), "{}", after.error);
            assert_eq!(problem_in(&after.error), problem_in(&before.error), "{}", before.error);
        }
    }

    #[test]
    fn a_lost_result_and_a_failing_disk_are_still_retried() {
        let lost = BallistaError::FetchFailed("executor".into(), 3, 5, "canary 4711".into()).into_datafusion();
        let lost = FailedTask::from(BallistaError::from(seal_error(lost)));
        let Some(FailedReason::FetchPartitionError(place)) = lost.failed_reason else { panic!("{lost:?}") };
        assert_eq!((place.executor_id.as_str(), place.map_stage_id, place.map_partition_id), ("executor", 3, 5));
        assert!(!lost.error.contains("4711"));
        let disk = FailedTask::from(BallistaError::from(seal_error(io::Error::other("canary 4711").into())));
        assert!(disk.retryable && !disk.error.contains("4711"), "{disk:?}");
    }

    #[test]
    fn the_kind_of_a_failure_is_found_in_its_report() {
        for (message, problem) in [
            ("Job x failed: IoError(Os { code: 28, message: \"No space left on device\" })", ClusterProblem::DiskFull),
            ("Resources exhausted: Failed to allocate", ClusterProblem::Memory),
            ("Object at location /a.csv not found: No such file or directory", ClusterProblem::Unreadable),
            ("Task failed: rows that were kept are lost", ClusterProblem::RowsLost),
            ("anything else, such as the value 4711", ClusterProblem::Failed),
        ] {
            assert_eq!(problem_in(message), problem);
            assert_eq!(problem_in(sealed_message(message)), problem);
        }
    }
}
