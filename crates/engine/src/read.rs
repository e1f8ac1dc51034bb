//! Runs the plan scan -> encode over all partitions and collects the codes.

use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::dataframe::DataFrame;
use datafusion::datasource::MemTable;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::optimizer::OptimizerRule;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::StreamExt;
use scumble_schema::Schema;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::coded::CodedTable;
use crate::encode::supports;
use crate::error::{ColumnProblem, Damage, EngineError};
use crate::input::{Format, Input, resolve};
use crate::inspect::{check_sizes, inspect};
use crate::progress::{Progress, ProgressSink, bytes_scanned};
use crate::scan::scans;
use crate::udf::EncodeColumn;

/// Rows of one chunk of a coded table. Counting wants blocks of this size: with fewer rows a table of counts is fetched
/// into the cache more often than it is used there.
const CHUNK_ROWS: usize = 1 << 16;
/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// How tables that are not in a file are called in messages.
const IN_MEMORY: &str = "table in memory";

/// How to read.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format of all inputs; told by their names without it.
    pub format: Option<Format>,
    /// How many threads; as many as the machine has cores without it. Counts do not depend on it.
    pub threads: Option<usize>,
    /// Who is told how far the scan has come.
    pub progress: Option<ProgressSink>,
}

impl ReadOptions {
    fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)).max(1)
    }
}

/// Reads and encodes files; see [`CodedTable::read`].
pub(crate) fn read(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<CodedTable, EngineError> {
    let files = resolve(inputs, options.format)?;
    let path = files[0].shown.clone();
    let damage = if files.len() == 1 { Damage::Damaged } else { Damage::OneDamaged };
    let (threads, progress, schema) = (options.threads(), options.progress.clone(), schema.clone());
    Workers::new(threads)?.run(&path.clone(), damage, async move {
        let context = session(threads);
        let mut columns = Vec::with_capacity(files.len());
        for file in &files {
            let found = inspect(&context.state(), file).await?;
            check_sizes(file, &found, &schema)?;
            columns.push(found);
        }
        let bytes_total = columns.iter().map(|file| file.meta.size).sum();
        let scans = scans(columns, &schema)?;
        let tables = scans.into_iter().map(|scan| Arc::new(scan) as Arc<dyn TableProvider>).collect();
        let tell = progress.map(|sink| (sink, bytes_total));
        let fail = |error: &DataFusionError| EngineError::reading(&path, error, damage);
        let chunks = encode_tables(&context, tables, &schema, tell, &fail).await?;
        Ok(CodedTable::new(schema.domain().clone(), chunks))
    })?
}

/// Encodes batches in memory; see [`CodedTable::from_batches`].
pub(crate) fn read_batches(
    partitions: Vec<Vec<RecordBatch>>,
    schema: &Schema,
    options: &ReadOptions,
) -> Result<CodedTable, EngineError> {
    let Some(first) = partitions.iter().flatten().next() else {
        return Ok(CodedTable::new(schema.domain().clone(), vec![]));
    };
    let columns = first.schema();
    check_columns(&columns, schema)?;
    if partitions.iter().flatten().any(|batch| batch.schema().fields() != columns.fields()) {
        return Err(EngineError::config(
            "the record batches have different columns or types",
            "cast them to one Arrow schema first",
        ));
    }
    let (threads, schema) = (options.threads(), schema.clone());
    Workers::new(threads)?.run(IN_MEMORY, Damage::Damaged, async move {
        let fail = |error: &DataFusionError| EngineError::reading(IN_MEMORY, error, Damage::Damaged);
        let table = MemTable::try_new(columns, partitions).map_err(|error| fail(&error))?;
        let chunks = encode_tables(&session(threads), vec![Arc::new(table)], &schema, None, &fail).await?;
        Ok(CodedTable::new(schema.domain().clone(), chunks))
    })?
}

fn check_columns(columns: &SchemaRef, schema: &Schema) -> Result<(), EngineError> {
    for attribute in schema.attributes() {
        let mut found = columns.fields().iter().filter(|field| field.name() == attribute.name());
        let problem = match (found.next(), found.next()) {
            (None, _) => ColumnProblem::Missing,
            (Some(_), Some(_)) => ColumnProblem::Repeated,
            (Some(field), None) if !supports(field.data_type()) => ColumnProblem::Type(field.data_type().to_string()),
            (Some(_), None) => continue,
        };
        return Err(EngineError::Schema { path: IN_MEMORY.into(), column: attribute.name().to_owned(), problem });
    }
    Ok(())
}

/// The threads of one call. A runtime of its own keeps DataFusion's tasks apart from the caller's, and the rest of Scumble
/// free of async code.
pub(crate) struct Workers(Runtime);

impl Workers {
    pub(crate) fn new(threads: usize) -> Result<Self, EngineError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_time().build();
        runtime.map(Self).map_err(|error| EngineError::io("thread pool", &error))
    }

    /// Runs `work` to its end. A panic in it is a decoder's, on bytes it did not expect, and becomes an error about `path`.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        path: &str,
        damage: Damage,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, EngineError> {
        let done = self.0.block_on(self.0.spawn(work));
        done.map_err(|_| EngineError::Engine { path: path.into(), problem: damage })
    }
}

/// A DataFusion session with nothing but what scans and encoding need.
pub(crate) fn session(threads: usize) -> SessionContext {
    let mut config = SessionConfig::new().with_target_partitions(threads).with_collect_statistics(false);
    // Old timestamps come as nanoseconds, which wrap around outside the years 1677 to 2262.
    config.options_mut().execution.parquet.coerce_int96 = Some("us".into());
    // There is no filter that a page index could serve, and a file's index need not agree with its pages, which are what
    // the guard has looked at.
    config.options_mut().execution.parquet.enable_page_index = false;
    // The plan is one projection over one scan. The other rules could not change it, and some take time quadratic in the
    // number of columns to find that out.
    let rules = vec![Arc::new(OptimizeProjections::new()) as Arc<dyn OptimizerRule + Send + Sync>];
    let state = SessionStateBuilder::new().with_config(config).with_analyzer_rules(vec![]).with_optimizer_rules(rules);
    SessionContext::new_with_state(state.build())
}

/// Encodes the union of `tables` and collects the codes in chunks.
async fn encode_tables(
    context: &SessionContext,
    tables: Vec<Arc<dyn TableProvider>>,
    schema: &Schema,
    progress: Option<(ProgressSink, u64)>,
    fail: &(impl Fn(&DataFusionError) -> EngineError + Sync),
) -> Result<Vec<RecordBatch>, EngineError> {
    // The plan is made of public facts only, so a plan that cannot be made is ours to mend.
    let plan = plan(context, tables, schema).await.map_err(|_| EngineError::Bug { what: "no plan for the scan" })?;
    let mut tasks = JoinSet::new();
    for partition in 0..plan.output_partitioning().partition_count() {
        tasks.spawn(collect(Arc::clone(&plan), partition, context.task_ctx()));
    }
    let mut clock = tokio::time::interval(PROGRESS_EVERY);
    let mut chunks = vec![];
    loop {
        tokio::select! {
            done = tasks.join_next() => match done {
                None => break,
                Some(Ok(part)) => chunks.extend(part.map_err(|error| fail(&error))?),
                // The panic of a decoder; `Workers::run` says which file.
                Some(Err(error)) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => return Err(EngineError::Bug { what: "a scan was cancelled" }),
                },
            },
            _ = clock.tick(), if progress.is_some() => {
                if let Some((sink, bytes_total)) = &progress {
                    let bytes_read = bytes_scanned(plan.as_ref()).min(*bytes_total);
                    sink.tell(Progress { bytes_read, bytes_total: *bytes_total });
                }
            }
        }
    }
    if let Some((sink, bytes_total)) = progress {
        sink.tell(Progress { bytes_read: bytes_total, bytes_total });
    }
    Ok(chunks)
}

/// scan -> encode every column, for each table, one below the other.
async fn plan(
    context: &SessionContext,
    tables: Vec<Arc<dyn TableProvider>>,
    schema: &Schema,
) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
    let codes: Vec<_> = schema.attributes().iter().map(EncodeColumn::of_column).collect();
    let mut all: Option<DataFrame> = None;
    for table in tables {
        let part = context.read_table(table)?.select(codes.clone())?;
        all = Some(match all {
            None => part,
            Some(before) => before.union(part)?,
        });
    }
    let all = all.ok_or_else(|| DataFusionError::Plan("no table".into()))?;
    all.create_physical_plan().await
}

/// The rows of one partition, in chunks.
async fn collect(
    plan: Arc<dyn ExecutionPlan>,
    partition: usize,
    context: Arc<datafusion::execution::TaskContext>,
) -> Result<Vec<RecordBatch>, DataFusionError> {
    let mut batches = plan.execute(partition, context)?;
    let mut coalescer = BatchCoalescer::new(batches.schema(), CHUNK_ROWS);
    let mut chunks = vec![];
    while let Some(batch) = batches.next().await {
        coalescer.push_batch(batch?)?;
        chunks.extend(std::iter::from_fn(|| coalescer.next_completed_batch()));
    }
    coalescer.finish_buffered_batch()?;
    chunks.extend(std::iter::from_fn(|| coalescer.next_completed_batch()));
    Ok(chunks)
}

#[cfg(test)]
mod tests {
    use datafusion::physical_plan::displayable;

    use super::*;

    #[test]
    fn a_single_csv_file_is_encoded_on_all_threads() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        let schema =
            Schema::parse("fields:\n  - {name: b, type: integer, constraints: {minimum: 0, maximum: 9}}\n").unwrap();
        let files = resolve(&[path.into()], None).unwrap();
        let shown = Workers::new(2).unwrap().run("a.csv", Damage::Damaged, async move {
            let context = session(2);
            let columns = inspect(&context.state(), &files[0]).await.unwrap();
            let scan = scans(vec![columns], &schema).unwrap().swap_remove(0);
            let plan = plan(&context, vec![Arc::new(scan)], &schema).await.unwrap();
            displayable(plan.as_ref()).indent(false).to_string()
        });
        let shown = shown.unwrap();
        let at = |node: &str| shown.find(node).unwrap_or_else(|| panic!("no {node} in {shown}"));
        assert!(
            at("ProjectionExec") < at("RepartitionExec") && at("RepartitionExec") < at("DataSourceExec"),
            "{shown}"
        );
    }
}
