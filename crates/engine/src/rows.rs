//! Rows that can be counted or encoded: a set of DataFusion tables, and whether they hold values or codes already.
//!
//! What runs over them is one plan: scan, codes, what a bound on units keeps of them, other codes if the question is about
//! such, and then either the counting aggregate or the collection of the codes, in chunks or column by column.

use std::sync::Arc;
use std::time::Duration;

use datafusion::catalog::TableProvider;
use datafusion::common::{Column, DataFusionError};
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::SessionContext;
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, Recoding, Schema};
use tokio::task::JoinSet;

use crate::aggregate::CountCliques;
use crate::code_column;
use crate::coded::{ChunkSink, Chunks};
use crate::error::{Damage, EngineError};
use crate::input::IN_MEMORY;
use crate::kernel::{CountPlan, table_len};
use crate::progress::{Progress, ProgressSink, bytes_scanned};
use crate::recode::RecodeColumn;
use crate::remote::RemoteFiles;
use crate::session::Workers;
use crate::udf::EncodeColumn;
use crate::unit::UnitBound;

/// How often progress is told.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// What a cell takes that rows are counted into.
const BYTES_PER_COUNTED_CELL: usize = 4;
/// What a cell takes that was asked for: in the state that is handed over, and in the sum.
const BYTES_PER_WANTED_CELL: usize = 8 + 8;

/// How the rows are called in messages.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) path: String,
    pub(crate) damage: Damage,
}

impl Origin {
    pub(crate) fn in_memory() -> Self {
        Self { path: IN_MEMORY.into(), damage: Damage::Damaged }
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
    /// How many bytes the counts of one partition of a scan may take.
    pub(crate) count_bytes: usize,
    /// Who runs the counting, if not this process, and over which files.
    pub(crate) remote: Option<RemoteFiles>,
}

impl Rows {
    /// Exact counts for each clique. Counts that do not fit the memory together are counted in several scans.
    pub(crate) fn count(&self, workers: &Workers, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.count_as(workers, None, cliques)
    }

    /// The same, for cliques of the columns of `recoding`.
    pub(crate) fn count_recoded(
        &self,
        workers: &Workers,
        recoding: &Recoding,
        cliques: &[Clique],
    ) -> Result<Vec<Vec<u64>>, EngineError> {
        if recoding.base() != self.schema.domain() {
            return Err(EngineError::config(
                "the question is about columns of another table",
                "make the recoding from the domain of this one",
            ));
        }
        let recoding = (!recoding.is_identity()).then(|| Arc::new(recoding.clone()));
        self.count_as(workers, recoding.as_ref(), cliques)
    }

    fn count_as(
        &self,
        workers: &Workers,
        recoding: Option<&Arc<Recoding>>,
        cliques: &[Clique],
    ) -> Result<Vec<Vec<u64>>, EngineError> {
        let domain = recoding.map_or(self.schema.domain(), |recoding| recoding.domain());
        if self.tables.is_empty() {
            let empty = |clique| Ok(vec![0; table_len(domain, clique)?]);
            return cliques.iter().map(empty).collect();
        }
        let mut counts = Vec::with_capacity(cliques.len());
        let mut rest = cliques;
        while !rest.is_empty() {
            let plan = Arc::new(plan_that_fits(domain, rest, self.count_bytes)?);
            rest = &rest[plan.wanted().len()..];
            let (mut rows, recoding) = (self.clone(), recoding.cloned());
            if let Some(remote) = &self.remote {
                rows.context = remote.session(plan.wanted_cells())?;
            }
            let Origin { path, damage } = &self.origin;
            let once = async move { rows.count_once(plan, recoding.as_deref()).await };
            counts.extend(workers.run(path, *damage, once)??);
        }
        Ok(counts)
    }

    /// Every row as codes.
    pub(crate) fn encode(&self, workers: &Workers, sink: Arc<ChunkSink>) -> Result<Chunks, EngineError> {
        let rows = self.clone();
        let Origin { path, damage } = &self.origin;
        workers.run(path, *damage, async move { rows.encode_all(sink).await })?
    }

    /// The codes of every row, column by column.
    pub(crate) fn code_columns(&self, workers: &Workers) -> Result<Vec<CodeColumn>, EngineError> {
        if self.tables.is_empty() {
            return Ok(code_column::empty(&self.schema));
        }
        let rows = self.clone();
        let Origin { path, damage } = &self.origin;
        workers.run(path, *damage, async move { rows.collect_columns().await })?
    }

    async fn collect_columns(&self) -> Result<Vec<CodeColumn>, EngineError> {
        let plan = async { self.codes(self.schema.domain().attributes())?.create_physical_plan().await };
        let plan = plan.await.map_err(|_| EngineError::Bug { what: "no plan for the scan" })?;
        let mut tasks = JoinSet::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let (schema, plan, context) = (Arc::clone(&self.schema), Arc::clone(&plan), self.context.task_ctx());
            tasks.spawn(async move {
                let columns = code_column::collect(&schema, plan.execute(partition, context)?).await?;
                Ok((partition, columns))
            });
        }
        let mut parts = self.finish(tasks, &plan).await?;
        // Whichever was first done: partitions stand in the order of the inputs.
        parts.sort_unstable_by_key(|&(partition, _)| partition);
        let all = parts.into_iter().map(|(_, part)| part).reduce(|mut all, part| {
            all.iter_mut().zip(&part).for_each(|(column, more)| column.append(more));
            all
        });
        Ok(all.unwrap_or_else(|| code_column::empty(&self.schema)))
    }

    async fn count_once(
        &self,
        plan: Arc<CountPlan>,
        recoding: Option<&Recoding>,
    ) -> Result<Vec<Vec<u64>>, EngineError> {
        let physical = async {
            let codes = match recoding {
                None => self.codes(plan.columns().iter().copied())?,
                Some(recoding) => self.recoded(recoding, plan.columns())?,
            };
            let columns = codes.schema().columns().into_iter().map(Expr::Column).collect();
            let count = CountCliques::call(Arc::clone(&plan), columns);
            codes.aggregate(vec![], vec![count])?.create_physical_plan().await
        };
        let physical = physical.await.map_err(|_| EngineError::Bug { what: "no plan for the count" })?;
        let batches = if let Some(remote) = &self.remote {
            remote.collect(physical, &self.context).await?
        } else {
            let mut tasks = JoinSet::new();
            let (task_plan, context) = (Arc::clone(&physical), self.context.task_ctx());
            tasks.spawn(async move { datafusion::physical_plan::collect(task_plan, context).await });
            self.finish(tasks, &physical).await?.concat()
        };
        let [batch] = &batches[..] else { return Err(EngineError::Bug { what: "not one row of counts" }) };
        CountCliques::tables(&plan, batch.column(0))
            .map_err(|_| EngineError::Bug { what: "counts of another question" })
    }

    async fn encode_all(&self, sink: Arc<ChunkSink>) -> Result<Chunks, EngineError> {
        let plan = async { self.codes(self.schema.domain().attributes())?.create_physical_plan().await };
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
    fn codes(&self, attributes: impl Iterator<Item = AttributeId>) -> Result<DataFrame, DataFusionError> {
        if self.are_coded {
            return self.select(&attributes.map(|attribute| self.column(attribute)).collect::<Vec<_>>());
        }
        match UnitBound::of(&self.schema) {
            None => {
                let codes = attributes.map(|attribute| {
                    EncodeColumn::of_column(&self.schema, attribute).alias(self.schema.attribute(attribute).name())
                });
                self.select(&codes.collect::<Vec<_>>())
            }
            // Which rows count is decided by all columns.
            Some(bound) => {
                bound.keep(self.select(&bound.columns())?)?.select(attributes.map(|attribute| self.column(attribute)))
            }
        }
    }

    /// The codes of columns of `recoding`, each under its number, of all rows that count. Only the columns that these are
    /// functions of are read.
    fn recoded(&self, recoding: &Recoding, columns: &[AttributeId]) -> Result<DataFrame, DataFusionError> {
        let base = Clique::new(columns.iter().map(|&column| recoding.of(column)));
        let new = columns.iter().map(|&column| {
            let codes = self.column(recoding.of(column));
            RecodeColumn::of_codes(recoding, column, codes).alias(column.index().to_string())
        });
        self.codes(base.attributes().iter().copied())?.select(new)
    }

    /// The column of an attribute's name.
    fn column(&self, attribute: AttributeId) -> Expr {
        Expr::Column(Column::new_unqualified(self.schema.attribute(attribute).name()))
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

/// A plan for as many of the cliques, from the first on, as can be counted in `bytes`; for one at least.
fn plan_that_fits(domain: &Domain, cliques: &[Clique], bytes: usize) -> Result<CountPlan, EngineError> {
    let (mut length, mut wanted) = (0, 0);
    for clique in cliques {
        wanted += BYTES_PER_WANTED_CELL * table_len(domain, clique)?;
        if wanted > bytes && length > 0 {
            break;
        }
        length += 1;
    }
    loop {
        let plan = CountPlan::new(domain, &cliques[..length])?;
        let needed = BYTES_PER_COUNTED_CELL * plan.counted_cells() + BYTES_PER_WANTED_CELL * plan.wanted_cells();
        if needed <= bytes || length == 1 {
            return Ok(plan);
        }
        // What is counted may be more than what was asked for, and by how much is known only with the plan.
        length = length.div_ceil(2);
    }
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
            let plan = rows.codes(rows.schema.domain().attributes()).unwrap().create_physical_plan().await.unwrap();
            displayable(plan.as_ref()).indent(false).to_string()
        });
        let shown = shown.unwrap();
        let at = |node: &str| shown.find(node).unwrap_or_else(|| panic!("no {node} in {shown}"));
        assert!(
            at("ProjectionExec") < at("RepartitionExec") && at("RepartitionExec") < at("DataSourceExec"),
            "{shown}"
        );
    }

    #[test]
    fn a_question_about_bits_reads_the_columns_that_have_them_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        std::fs::write(&path, "left,middle,right\n1,2,3\n").unwrap();
        let field = |name| format!("  - {{name: {name}, type: integer, constraints: {{minimum: 0, maximum: 6}}}}\n");
        let schema = Schema::parse(&format!("fields:\n{}", ["left", "middle", "right"].map(field).concat())).unwrap();
        let options = ReadOptions { threads: Some(2), ..ReadOptions::default() };
        let rows = TableScan::open(&[path.into()], &schema, &options).unwrap().rows().clone();
        // Three bits each; one of the first column and two of the last.
        let bits = Recoding::binary(schema.domain()).unwrap();
        let shown = Workers::new(2).unwrap().run("a.csv", Damage::Damaged, async move {
            let codes = rows.recoded(&bits, &[1, 6, 8].map(AttributeId::new)).unwrap();
            displayable(codes.create_physical_plan().await.unwrap().as_ref()).indent(false).to_string()
        });
        let shown = shown.unwrap();
        assert!(!shown.contains("middle"), "{shown}");
        // Values are encoded once, below, however many bits of them are asked for.
        assert_eq!((shown.matches("encode(").count(), shown.matches("recode(").count()), (2, 3), "{shown}");
    }

    #[test]
    fn what_is_counted_fits_the_memory_and_not_only_what_was_asked_for() {
        // Two sets of six bits are counted in one table of up to 4,096 cells, where 128 were asked for.
        let domain = Domain::new(vec![2; 40]).unwrap();
        // Sets without a pattern.
        let draw =
            |set: usize, place: usize| (set * 6 + place).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17) % 40;
        let set = |set| Clique::new((0..6).map(|place| AttributeId::new(draw(set, place))));
        let cliques: Vec<Clique> = (0..1_000).map(set).collect();
        let needed = |plan: &CountPlan| {
            BYTES_PER_COUNTED_CELL * plan.counted_cells() + BYTES_PER_WANTED_CELL * plan.wanted_cells()
        };
        let whole = CountPlan::new(&domain, &cliques).unwrap();
        // Enough for the wanted tables, and for half of those that rows are counted into.
        let bytes = needed(&whole) - BYTES_PER_COUNTED_CELL * whole.counted_cells() / 2;
        assert!(needed(&whole) > bytes);
        let mut rest = &cliques[..];
        while !rest.is_empty() {
            let plan = plan_that_fits(&domain, rest, bytes).unwrap();
            assert!(!plan.wanted().is_empty() && needed(&plan) <= bytes);
            assert_eq!(plan.wanted(), &rest[..plan.wanted().len()]);
            rest = &rest[plan.wanted().len()..];
        }
        assert_eq!(plan_that_fits(&domain, &cliques, 0).unwrap().wanted().len(), 1);
    }
}
