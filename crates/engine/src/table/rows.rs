//! Rows that can be counted or encoded: a set of DataFusion tables of values or codes.
//!
//! All operations run one plan: scan, encode, apply the bound on rows per unit, recode if the query
//! needs it, and then either count or collect the codes, in chunks or column by column.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::common::{Column, DataFusionError};
use datafusion::dataframe::DataFrame;
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, Recoding, Schema};
use scumble_vault::{CountTable, Private, SourceError, ValueSink};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::codes::code_column;
use crate::codes::recode::RecodeColumn;
use crate::codes::udf::EncodeColumn;
use crate::count::aggregate::CountCliques;
use crate::count::kernel::{CountPlan, KernelError, table_len};
use crate::count::slices;
use crate::error::{Damage, EngineError};
use crate::run::progress::{Progress, ProgressSink, bytes_scanned};
use crate::run::remote::RemoteFiles;
use crate::run::session::Workers;
use crate::source::input::IN_MEMORY;
use crate::table::chunks::{ChunkSink, Chunks};
use crate::table::kept::KeptCodes;
use crate::unit::{ROW, UnitBound};
use crate::values;

/// Interval of progress reports.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);
/// Maximum number of batches of values that wait for the vault.
const VALUE_BATCHES: usize = 4;
/// Cells that values on other machines count as, which settles the number of partitions: what a
/// partition returns is not added up, so it may be much.
const REMOTE_VALUE_CELLS: usize = 1 << 16;
/// Cells that codes on other machines count as, for the same reason.
const KEPT_CELLS: usize = 1;
/// Bytes per cell of the counted tables.
const BYTES_PER_COUNTED_CELL: usize = 4;
/// Bytes per cell of the requested tables: in the state that is passed on, and in the sum.
const BYTES_PER_OUTPUT_CELL: usize = 8 + 8;

/// Name of the rows in messages.
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

/// Tables whose rows are read one table after another.
#[derive(Clone)]
pub(crate) struct RowSource {
    pub(crate) context: SessionContext,
    pub(crate) tables: Vec<Arc<dyn TableProvider>>,
    pub(crate) schema: Arc<Schema>,
    /// Whether the tables hold codes of bounded rows, instead of values.
    pub(crate) are_coded: bool,
    pub(crate) origin: Origin,
    /// Receives progress, with the total number of bytes to read.
    pub(crate) progress: Option<(ProgressSink, u64)>,
    /// Maximum bytes for the counts of one partition of a scan.
    pub(crate) count_bytes: usize,
    /// The remote that counts instead of this process, and its files.
    pub(crate) remote: Option<RemoteFiles>,
}

impl RowSource {
    /// Returns exact counts for each clique, of the columns of `recoding` if there is one. Counts
    /// that exceed the memory together are counted in several scans.
    pub(crate) fn count(
        &self,
        workers: &Workers,
        recoding: Option<&Recoding>,
        cliques: &[Clique],
    ) -> Result<Vec<Vec<u64>>, EngineError> {
        let recoding = effective(recoding, self.schema.domain())?;
        let recoding = recoding.as_ref();
        let domain = recoding.map_or(self.schema.domain(), |recoding| recoding.domain());
        if self.tables.is_empty() {
            let empty = |clique| Ok(vec![0; table_len(domain, clique)?]);
            return cliques.iter().map(empty).collect();
        }
        let mut counts = Vec::with_capacity(cliques.len());
        let mut rest = cliques;
        while !rest.is_empty() {
            let plan = Arc::new(plan_that_fits(domain, rest, self.count_bytes, CountPlan::new)?);
            rest = &rest[plan.cliques().len()..];
            let (mut rows, recoding) = (self.clone(), recoding.cloned());
            if let Some(remote) = &self.remote {
                rows.context = remote.session(plan.output_cells())?;
            }
            let Origin { path, damage } = &self.origin;
            let once = async move { rows.count_once(plan, recoding.as_deref()).await };
            counts.extend(workers.run(path, *damage, once)??);
        }
        Ok(counts)
    }

    /// Returns exact counts, sealed for the vault.
    pub(crate) fn count_sealed(
        &self,
        workers: &Workers,
        recoding: Option<&Recoding>,
        cliques: &[Clique],
    ) -> Result<Private<Vec<CountTable>>, SourceError> {
        seal(cliques, self.count(workers, recoding, cliques))
    }

    /// Encodes every row on other machines, which keep the codes.
    pub(crate) fn keep(&self, workers: &Workers) -> Result<Self, EngineError> {
        let remote = self.remote.clone().ok_or(EngineError::Bug { what: "no other machines" })?;
        let mut codes = Self { remote: Some(remote.without_files()), are_coded: true, ..self.clone() };
        if self.tables.is_empty() {
            return Ok(codes);
        }
        let mut values = self.clone();
        values.context = remote.session(KEPT_CELLS)?;
        let Origin { path, damage } = &self.origin;
        let (columns, kept) = workers.run(path, *damage, async move {
            let plan = async { values.codes(values.schema.domain().attributes())?.create_physical_plan().await };
            let plan = plan.await.map_err(|_| EngineError::Bug { what: "no plan for the codes" })?;
            Ok::<_, EngineError>((plan.schema(), remote.keep(plan, &values.context).await?))
        })??;
        codes.tables = vec![Arc::new(KeptCodes::new(kept, columns))];
        Ok(codes)
    }

    /// Encodes every row.
    pub(crate) fn encode(&self, workers: &Workers, sink: Arc<ChunkSink>) -> Result<Chunks, EngineError> {
        let rows = self.clone();
        let Origin { path, damage } = &self.origin;
        workers.run(path, *damage, async move { rows.encode_all(sink).await })?
    }

    /// Returns the codes of every row, column by column.
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
        // Partitions finish in any order; sorted, they are in the order of the inputs.
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
            let sliced = slices::sliced(physical, plan.output_cells());
            let physical = sliced.map_err(|_| EngineError::Bug { what: "no plan for the sum" })?;
            remote.collect(physical, &self.context).await?
        } else {
            let mut tasks = JoinSet::new();
            let (task_plan, context) = (Arc::clone(&physical), self.context.task_ctx());
            tasks.spawn(async move { datafusion::physical_plan::collect(task_plan, context).await });
            self.finish(tasks, &physical).await?.concat()
        };
        let counts = slices::joined(&batches, plan.output_cells());
        let tables = counts.and_then(|counts| CountCliques::split(&plan, &counts));
        tables.map_err(|_| EngineError::Bug { what: "counts of another query" })
    }

    /// Adds every value present in `columns` to `sink`, with its number of rows.
    pub(crate) fn count_values(
        &self,
        workers: &Workers,
        columns: &[&str],
        sink: &mut ValueSink<'_>,
    ) -> Result<(), EngineError> {
        if self.tables.is_empty() || columns.is_empty() {
            return Ok(());
        }
        let (send, mut receive) = mpsc::channel::<RecordBatch>(VALUE_BATCHES);
        let (mut rows, columns) = (self.clone(), columns.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        if let Some(remote) = &self.remote {
            rows.context = remote.session(REMOTE_VALUE_CELLS)?;
        }
        let Origin { path, damage } = &self.origin;
        // Groups go into the sink while others are still counted, so that they are never all in
        // memory.
        thread::scope(|scope| {
            let taken = scope.spawn(move || {
                while let Some(batch) = receive.blocking_recv() {
                    values::each_group(&batch, &mut |column, text, rows| sink.add(column, text, rows));
                }
            });
            let counted = workers.run(path, *damage, async move { rows.send_values(&columns, send).await });
            let taken = taken.join();
            counted??;
            taken.map_err(|_| EngineError::Bug { what: "a value could not be taken" })
        })
    }

    async fn send_values(&self, columns: &[String], send: mpsc::Sender<RecordBatch>) -> Result<(), EngineError> {
        let plan = async {
            let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
            let packed = values::packed(&columns);
            let rows = match UnitBound::of(&self.schema) {
                None => self.select(&[packed.alias(ROW)])?,
                Some(bound) => bound.keep_rows(self.select(&bound.columns_of(packed))?)?,
            };
            values::grouped(rows, ROW)?.create_physical_plan().await
        };
        let plan = plan.await.map_err(|_| EngineError::Bug { what: "no plan for the values" })?;
        if let Some(remote) = &self.remote {
            for batch in remote.collect(plan, &self.context).await? {
                let _ = send.send(batch).await;
            }
            return Ok(());
        }
        let mut tasks = JoinSet::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let (plan, context, send) = (Arc::clone(&plan), self.context.task_ctx(), send.clone());
            tasks.spawn(async move {
                let mut batches = plan.execute(partition, context)?;
                while let Some(batch) = batches.next().await {
                    // The receiver ends only after all senders.
                    let _ = send.send(batch?).await;
                }
                Ok(())
            });
        }
        drop(send);
        self.finish(tasks, &plan).await?;
        Ok(())
    }

    async fn encode_all(&self, sink: Arc<ChunkSink>) -> Result<Chunks, EngineError> {
        let plan = async { self.codes(self.schema.domain().attributes())?.create_physical_plan().await };
        // A plan depends on public facts only, so a failure to plan is a bug.
        let plan = plan.await.map_err(|_| EngineError::Bug { what: "no plan for the scan" })?;
        let mut tasks = JoinSet::new();
        for partition in 0..plan.output_partitioning().partition_count() {
            let (sink, plan, context) = (Arc::clone(&sink), Arc::clone(&plan), self.context.task_ctx());
            tasks.spawn(async move { sink.collect(partition, plan.execute(partition, context)?).await });
        }
        Ok(self.finish(tasks, &plan).await?.into_iter().sum())
    }

    /// Returns the codes of `attributes`, each under its name, of all rows within the bound.
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
            // The bound depends on all columns.
            Some(bound) => {
                bound.keep(self.select(&bound.columns())?)?.select(attributes.map(|attribute| self.column(attribute)))
            }
        }
    }

    /// Returns the codes of columns of `recoding`, each under its number, of all rows within the
    /// bound. Only their base columns are read.
    fn recoded(&self, recoding: &Recoding, columns: &[AttributeId]) -> Result<DataFrame, DataFusionError> {
        let base = Clique::new(columns.iter().map(|&column| recoding.of(column)));
        let new = columns.iter().map(|&column| {
            let codes = self.column(recoding.of(column));
            RecodeColumn::of_codes(recoding, column, codes).alias(column.index().to_string())
        });
        self.codes(base.attributes().iter().copied())?.select(new)
    }

    /// The column named after an attribute.
    fn column(&self, attribute: AttributeId) -> Expr {
        Expr::Column(Column::new_unqualified(self.schema.attribute(attribute).name()))
    }

    /// Selects `columns` of all tables, one table after another.
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

    /// Waits for the tasks that run `plan`, and reports progress meanwhile.
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
                    // A decoder panicked; `Workers::run` names the file.
                    Some(Err(error)) => match error.try_into_panic() {
                        Ok(panic) => std::panic::resume_unwind(panic),
                        Err(_) => return Err(EngineError::Bug { what: "a scan was cancelled" }),
                    },
                },
                _ = clock.tick(), if self.progress.is_some() => {
                    if let Some((sink, bytes_total)) = &self.progress {
                        let bytes_read = bytes_scanned(plan.as_ref()).min(*bytes_total);
                        sink.report(Progress { bytes_read, bytes_total: *bytes_total });
                    }
                }
            }
        }
        if let Some((sink, bytes_total)) = &self.progress {
            sink.report(Progress { bytes_read: *bytes_total, bytes_total: *bytes_total });
        }
        Ok(results)
    }
}

/// Seals exact counts for the vault.
pub(crate) fn seal(
    cliques: &[Clique],
    counts: Result<Vec<Vec<u64>>, EngineError>,
) -> Result<Private<Vec<CountTable>>, SourceError> {
    let tables = cliques.iter().cloned().zip(counts.map_err(SourceError::new)?);
    Ok(Private::new(tables.map(|(clique, counts)| CountTable::new(clique, counts)).collect()))
}

/// Returns a recoding of the columns of `domain`, unless it changes nothing.
pub(crate) fn effective(recoding: Option<&Recoding>, domain: &Domain) -> Result<Option<Arc<Recoding>>, EngineError> {
    if recoding.is_some_and(|recoding| recoding.base() != domain) {
        return Err(EngineError::config(
            "the query is about columns of another table",
            "make the recoding from the domain of this one",
        ));
    }
    Ok(recoding.filter(|recoding| !recoding.is_identity()).map(|recoding| Arc::new(recoding.clone())))
}

/// Plans the longest prefix of the cliques that can be counted in `bytes`, at least one clique.
pub(crate) fn plan_that_fits(
    domain: &Domain,
    cliques: &[Clique],
    bytes: usize,
    plan: impl Fn(&Domain, &[Clique]) -> Result<CountPlan, KernelError>,
) -> Result<CountPlan, EngineError> {
    let (mut length, mut output_bytes) = (0, 0);
    for clique in cliques {
        output_bytes += BYTES_PER_OUTPUT_CELL * table_len(domain, clique)?;
        if output_bytes > bytes && length > 0 {
            break;
        }
        length += 1;
    }
    loop {
        let plan = plan(domain, &cliques[..length])?;
        let needed = BYTES_PER_COUNTED_CELL * plan.counted_cells() + BYTES_PER_OUTPUT_CELL * plan.output_cells();
        if needed <= bytes || length == 1 {
            return Ok(plan);
        }
        // The counted tables may be larger than the requested ones; only the plan shows by how
        // much.
        length = length.div_ceil(2);
    }
}

#[cfg(test)]
mod tests {
    use datafusion::physical_plan::displayable;

    use super::*;
    use crate::run::read_options::ReadOptions;
    use crate::table::table_scan::TableScan;

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
    fn a_query_about_bits_reads_only_the_columns_that_have_them() {
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
        // Values are encoded once, below, for any number of requested bits.
        assert_eq!((shown.matches("encode(").count(), shown.matches("recode(").count()), (2, 3), "{shown}");
    }

    #[test]
    fn directories_of_a_column_are_one_scan() {
        let directory = tempfile::tempdir().unwrap();
        for year in 0..40 {
            let folder = directory.path().join(format!("year={year}/note={year}"));
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("a.csv"), "a\n1\n").unwrap();
        }
        let schema = Schema::parse(
            "fields:\n  - {name: a, type: boolean}\n  - {name: year, type: integer, constraints: {minimum: 0, maximum: 39}}\n",
        );
        let scan = TableScan::open(&[directory.path().into()], &schema.unwrap(), &ReadOptions::default()).unwrap();
        assert_eq!(scan.rows().tables.len(), 1);
    }

    #[test]
    fn counted_tables_fit_the_memory_and_not_only_requested_ones() {
        // Two sets of six bits are counted in one table of up to 4,096 cells, although only 128
        // were requested.
        let domain = Domain::new(vec![2; 40]).unwrap();
        // Pseudorandom sets.
        let draw =
            |set: usize, place: usize| (set * 6 + place).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17) % 40;
        let set = |set| Clique::new((0..6).map(|place| AttributeId::new(draw(set, place))));
        let cliques: Vec<Clique> = (0..1_000).map(set).collect();
        let needed = |plan: &CountPlan| {
            BYTES_PER_COUNTED_CELL * plan.counted_cells() + BYTES_PER_OUTPUT_CELL * plan.output_cells()
        };
        let whole = CountPlan::new(&domain, &cliques).unwrap();
        // Enough for the requested tables, and for half of the counted ones.
        let bytes = needed(&whole) - BYTES_PER_COUNTED_CELL * whole.counted_cells() / 2;
        assert!(needed(&whole) > bytes);
        let mut rest = &cliques[..];
        while !rest.is_empty() {
            let plan = plan_that_fits(&domain, rest, bytes, CountPlan::new).unwrap();
            assert!(!plan.cliques().is_empty() && needed(&plan) <= bytes);
            assert_eq!(plan.cliques(), &rest[..plan.cliques().len()]);
            rest = &rest[plan.cliques().len()..];
        }
        assert_eq!(plan_that_fits(&domain, &cliques, 0, CountPlan::new).unwrap().cliques().len(), 1);
    }
}
