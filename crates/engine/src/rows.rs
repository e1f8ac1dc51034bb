//! Rows that can be counted or encoded: a set of DataFusion tables, and whether they hold values or codes already.
//!
//! What runs over them is one plan: scan, codes, what a bound on units keeps of them, and then either the counting
//! aggregate or the collection of the codes.

use std::sync::Arc;
use std::time::Duration;

use datafusion::catalog::TableProvider;
use datafusion::common::{Column, DataFusionError};
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::SessionContext;
use scumble_schema::{Attribute, Clique, Schema};
use tokio::task::JoinSet;

use crate::aggregate::CountCliques;
use crate::coded::{ChunkSink, Chunks};
use crate::error::{Damage, EngineError};
use crate::kernel::{CountPlan, table_len};
use crate::progress::{Progress, ProgressSink, bytes_scanned};
use crate::session::Workers;
use crate::udf::EncodeColumn;
use crate::unit::UnitBound;

/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// What a cell takes while it is counted: in the counter, in the state that is handed over, and in the sum.
const BYTES_PER_CELL: usize = 4 + 8 + 8;

/// How the rows are called in messages.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) damage: Damage,
}

impl Origin {
    pub(crate) fn in_memory() -> Self {
        Self { path: "table in memory".into(), damage: Damage::Damaged }
    }

    fn fail(&self, error: &DataFusionError) -> EngineError {
        EngineError::reading(&self.path, error, self.damage)
    }
}

/// Tables that are read one below the other.
#[derive(Clone)]
pub(crate) struct Rows {
    pub(crate) context: SessionContext,
    pub(crate) tables: Vec<Arc<dyn TableProvider>>,
    pub(crate) schema: Arc<Schema>,
    /// Whether the tables hold codes of rows that were kept, and not values.
    pub(crate) are_coded: bool,
    pub(crate) origin: Origin,
    /// Who is told about progress, and how many bytes there are to read.
    pub(crate) progress: Option<(ProgressSink, u64)>,
    /// How many bytes all counts of one scan may take.
    pub(crate) count_bytes: usize,
}

impl Rows {
    /// Exact counts for each clique. Counts that do not fit the memory together are counted in several scans.
    pub(crate) fn count(&self, workers: &Workers, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        if self.tables.is_empty() {
            let empty = |clique| Ok(vec![0; table_len(self.schema.domain(), clique)?]);
            return cliques.iter().map(empty).collect();
        }
        let threads = self.context.state().config().target_partitions();
        let mut counts = Vec::with_capacity(cliques.len());
        for cliques in self.groups(cliques, threads)? {
            let plan = Arc::new(CountPlan::new(self.schema.domain(), cliques)?);
            let rows = self.clone();
            let Origin { path, damage } = &self.origin;
            counts.extend(workers.run(path, *damage, async move { rows.count_once(plan).await })??);
        }
        Ok(counts)
    }

    /// Every row as codes.
    pub(crate) fn encode(&self, workers: &Workers, sink: Arc<ChunkSink>) -> Result<Chunks, EngineError> {
        let rows = self.clone();
        let Origin { path, damage } = &self.origin;
        workers.run(path, *damage, async move { rows.encode_all(sink).await })?
    }

    /// The cliques in groups whose counts fit the memory, as far as the cliques allow.
    fn groups<'a>(&self, cliques: &'a [Clique], threads: usize) -> Result<Vec<&'a [Clique]>, EngineError> {
        let most_cells = self.count_bytes / BYTES_PER_CELL / threads;
        let mut groups = vec![];
        let (mut start, mut cells) = (0, 0);
        for (position, clique) in cliques.iter().enumerate() {
            let more = table_len(self.schema.domain(), clique)?;
            if cells + more > most_cells && position > start {
                groups.push(&cliques[start..position]);
                (start, cells) = (position, 0);
            }
            cells += more;
        }
        groups.push(&cliques[start..]);
        Ok(groups)
    }

    async fn count_once(&self, plan: Arc<CountPlan>) -> Result<Vec<Vec<u64>>, EngineError> {
        let attributes = || plan.columns().iter().map(|column| &self.schema.attributes()[column.index()]);
        let count = CountCliques::call(Arc::clone(&plan), attributes().map(column_of).collect());
        let physical = async { self.codes(attributes())?.aggregate(vec![], vec![count])?.create_physical_plan().await };
        let physical = physical.await.map_err(|_| EngineError::Bug { what: "no plan for the count" })?;
        let mut tasks = JoinSet::new();
        let (task_plan, context) = (Arc::clone(&physical), self.context.task_ctx());
        tasks.spawn(async move { datafusion::physical_plan::collect(task_plan, context).await });
        let batches = self.finish(tasks, &physical).await?;
        let [batch] = &batches.concat()[..] else { return Err(EngineError::Bug { what: "not one row of counts" }) };
        CountCliques::tables(&plan, batch.column(0))
            .map_err(|_| EngineError::Bug { what: "counts of another question" })
    }

    async fn encode_all(&self, sink: Arc<ChunkSink>) -> Result<Chunks, EngineError> {
        let plan = async { self.codes(self.schema.attributes().iter())?.create_physical_plan().await };
        // The plan is made of public facts only, so a plan that cannot be made is ours to mend.
        let plan = plan.await.map_err(|_| EngineError::Bug { what: "no plan for the scan" })?;
        let mut tasks = JoinSet::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let (sink, plan, context) = (Arc::clone(&sink), Arc::clone(&plan), self.context.task_ctx());
            tasks.spawn(async move { sink.collect(partition, plan.execute(partition, context)?).await });
        }
        Ok(self.finish(tasks, &plan).await?.into_iter().sum())
    }

    /// The codes of `attributes`, each under its name, of all rows that count.
    fn codes<'a>(&'a self, attributes: impl Iterator<Item = &'a Attribute>) -> Result<DataFrame, DataFusionError> {
        if self.are_coded {
            return self.select(&attributes.map(column_of).collect::<Vec<_>>());
        }
        match UnitBound::of(&self.schema) {
            None => {
                let codes = attributes.map(|attribute| EncodeColumn::of_column(attribute).alias(attribute.name()));
                self.select(&codes.collect::<Vec<_>>())
            }
            // Which rows count is decided by all columns.
            Some(bound) => bound.keep(self.select(&bound.columns())?)?.select(attributes.map(column_of)),
        }
    }

    /// `columns` of all tables, one below the other.
    fn select(&self, columns: &[Expr]) -> Result<DataFrame, DataFusionError> {
        let mut all: Option<DataFrame> = None;
        for table in &self.tables {
            let part = self.context.read_table(Arc::clone(table))?.select(columns.to_vec())?;
            all = Some(match all {
                None => part,
                Some(before) => before.union(part)?,
            });
        }
        all.ok_or_else(|| DataFusionError::Plan("no table".into()))
    }

    /// Waits for the tasks that run `plan`, and tells about progress meanwhile.
    async fn finish<T: Send + 'static>(
        &self,
        mut tasks: JoinSet<Result<T, DataFusionError>>,
        plan: &Arc<dyn ExecutionPlan>,
    ) -> Result<Vec<T>, EngineError> {
        let mut clock = tokio::time::interval(PROGRESS_EVERY);
        let mut results = vec![];
        loop {
            tokio::select! {
                done = tasks.join_next() => match done {
                    None => break,
                    Some(Ok(result)) => results.push(result.map_err(|error| self.origin.fail(&error))?),
                    // The panic of a decoder; `Workers::run` says which file.
                    Some(Err(error)) => match error.try_into_panic() {
                        Ok(panic) => std::panic::resume_unwind(panic),
                        Err(_) => return Err(EngineError::Bug { what: "a scan was cancelled" }),
                    },
                },
                _ = clock.tick(), if self.progress.is_some() => {
                    if let Some((sink, bytes_total)) = &self.progress {
                        let bytes_read = bytes_scanned(plan.as_ref()).min(*bytes_total);
                        sink.tell(Progress { bytes_read, bytes_total: *bytes_total });
                    }
                }
            }
        }
        if let Some((sink, bytes_total)) = &self.progress {
            sink.tell(Progress { bytes_read: *bytes_total, bytes_total: *bytes_total });
        }
        Ok(results)
    }
}

/// The column of an attribute's name.
fn column_of(attribute: &Attribute) -> Expr {
    Expr::Column(Column::new_unqualified(attribute.name()))
}

#[cfg(test)]
mod tests {
    use datafusion::physical_plan::displayable;

    use super::*;
    use crate::table_scan::{ReadOptions, TableScan};

    #[test]
    fn a_single_csv_file_is_encoded_on_all_threads() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        let schema =
            Schema::parse("fields:\n  - {name: b, type: integer, constraints: {minimum: 0, maximum: 9}}\n").unwrap();
        let options = ReadOptions { threads: Some(2), ..ReadOptions::default() };
        let scan = TableScan::open(&[path.into()], &schema, &options).unwrap();
        let rows = scan.rows().clone();
        let shown = Workers::new(2).unwrap().run("a.csv", Damage::Damaged, async move {
            let plan = rows.codes(rows.schema.attributes().iter()).unwrap().create_physical_plan().await.unwrap();
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
