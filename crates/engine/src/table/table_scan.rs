//! A table in files, counted by scans.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::catalog::TableProvider;
use datafusion::prelude::SessionContext;
use scumble_schema::{Clique, CodeColumn, Domain, Recoding, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError, ValueSink, ValueSource};

use crate::error::{Damage, EngineError};
use crate::run::memory::MemoryLimit;
use crate::run::read_options::ReadOptions;
use crate::run::remote::{RemoteFile, RemoteFiles};
use crate::run::session::{Workers, WorkingMemory, session};
use crate::run::spill::SpillDirectory;
use crate::source::adbc;
use crate::source::input::{Input, Sources, resolve};
use crate::source::inspect::{FileColumns, Layout, check_sizes, inspect};
use crate::source::memory_table::memory_table;
use crate::source::objects;
use crate::source::packed::unpack;
use crate::source::postgres;
use crate::source::scan::scans;
use crate::table::coded::CodedTable;
use crate::table::rows::{Origin, RowSource};

/// Memory for the counts of one partition on another machine. It suits any machine of a cluster,
/// and the counts of a partition are sent over the network in one piece.
const REMOTE_COUNT_BYTES: usize = 256 << 20;

/// A table that is read again for every query: no rows are kept, so memory does not depend on their
/// number.
///
/// Suits methods that query once. Methods that query repeatedly keep the [codes](Self::code).
pub struct TableScan {
    rows: RowSource,
    workers: Workers,
    spill: Arc<SpillDirectory>,
    /// Directories of copies of inputs, which must exist while rows are read.
    _copies: Vec<Arc<SpillDirectory>>,
    memory_limit: MemoryLimit,
}

impl TableScan {
    /// Inspects the columns of all `inputs`; no row is read yet.
    ///
    /// Every row of every file counts: no value raises and no row is dropped, except by a bound on
    /// the rows of each unit, if the schema names a unit column. Synthetic rows have no such
    /// column: to read them, use [`Schema::without_unit`]. An error depends only on the structure
    /// of the files: a missing file or column, a nested type, a damaged Parquet page. A Parquet or
    /// Arrow file whose text columns are not UTF-8 breaks its own format and counts as damaged; in
    /// CSV any bytes are valid.
    ///
    /// Blocks on an async runtime of its own, so it must not be called from inside one.
    pub fn open(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        let mut sources = resolve(inputs, options.format)?;
        if options.remote.is_some() {
            check_remote(&sources)?;
        }
        let damage = if sources.files.len() > 1 { Damage::OneDamaged } else { Damage::Damaged };
        let origin = Origin { path: sources.shown(), damage };
        let resources = Resources::new(schema, options)?;
        sources.files = unpack(sources.files, schema.dialect(), &resources.spill)?;
        let copies = std::mem::take(&mut sources.directories);
        let in_memory =
            sources.memory.iter().map(|rows| memory_table(&rows.columns, rows.partitioned(options.threads()), schema));
        let in_memory = in_memory.collect::<Result<Vec<_>, _>>()?;
        let (context, of_schema, is_remote) = (resources.context.clone(), schema.clone(), options.remote.is_some());
        let mut found = resources.workers.run(&origin.path, damage, async move {
            StoredTables::inspect(&context, &sources, &of_schema, is_remote).await
        })??;
        found.tables.extend(in_memory);
        Ok(resources.scan(schema, options, origin, found, copies))
    }

    /// Scans rows in memory, partition by partition; columns are found by name.
    ///
    /// All batches must have the same columns. [`Input::of_batches`] distributes them to
    /// partitions.
    pub fn of_batches(
        partitions: Vec<Vec<RecordBatch>>,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        let first = partitions.iter().flatten().next().map(RecordBatch::schema);
        let table = first.map(|columns| memory_table(&columns, partitions, schema)).transpose()?;
        let found = StoredTables { tables: table.into_iter().collect(), ..StoredTables::default() };
        let local = ReadOptions { remote: None, progress: None, ..options.clone() };
        Ok(Resources::new(schema, options)?.scan(schema, &local, Origin::in_memory(), found, vec![]))
    }

    /// Whether other machines count. Then rows, and the [codes](Self::code) made of them, stay
    /// there.
    pub fn is_remote(&self) -> bool {
        self.rows.remote.is_some()
    }

    /// Reads all rows once and keeps their codes: here, or on the machines that read them.
    pub fn code(self) -> Result<CodedTable, EngineError> {
        CodedTable::of_scan(self.rows, self.workers, self.spill, self.memory_limit)
    }

    /// The codes of all rows, which are private.
    pub(crate) fn code_columns(&self) -> Result<Vec<CodeColumn>, EngineError> {
        if self.is_remote() {
            return Err(EngineError::config(
                "the rows of a cluster's table stay where they are",
                "use `--engine local`",
            ));
        }
        self.rows.code_columns(&self.workers)
    }

    /// Exact counts, which are private.
    pub(crate) fn exact(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.rows.count(&self.workers, recoding, cliques)
    }

    #[cfg(test)]
    pub(crate) fn rows(&self) -> &RowSource {
        &self.rows
    }

    /// Number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        self.rows.schema.domain()
    }
}

impl CodedTable {
    /// Reads the columns of `schema` from all `inputs` and encodes them; see [`TableScan::open`].
    pub fn read(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        TableScan::open(inputs, schema, options)?.code()
    }

    /// Encodes rows in memory; see [`TableScan::of_batches`].
    pub fn from_batches(
        partitions: Vec<Vec<RecordBatch>>,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        TableScan::of_batches(partitions, schema, options)?.code()
    }
}

/// Refuses sources that only this machine can read.
fn check_remote(sources: &Sources) -> Result<(), EngineError> {
    if !(sources.tables.is_empty() && sources.driven.is_empty() && sources.memory.is_empty()) {
        return Err(EngineError::config(
            format!("`{}` cannot be read by a cluster", sources.shown()),
            "a cluster reads files and objects; count this table with `--engine local`",
        ));
    }
    if let Some(file) = sources.files.iter().find(|file| file.is_copy || file.format.is_packed()) {
        return Err(EngineError::config(
            format!(
                "`{}` cannot be read by a cluster: it is read by way of a private copy on this machine",
                file.shown
            ),
            "unpack it to a file that all executors can read, or count it with `--engine local`",
        ));
    }
    Ok(())
}

/// Threads, memory and private files of one scan.
struct Resources {
    context: SessionContext,
    workers: Workers,
    spill: Arc<SpillDirectory>,
    memory_limit: MemoryLimit,
}

impl Resources {
    fn new(schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        let (threads, memory_limit) = (options.threads(), options.memory_limit());
        let spill = SpillDirectory::new(options.spill_directory.as_deref());
        // A bound on the rows of each unit sorts them, and values that are learned are grouped.
        // Either may exceed the memory.
        let is_learning = schema.attributes().iter().any(|attribute| attribute.spec().dp.grid.is_some());
        let sorts_in = (schema.privacy().bound().is_some() || is_learning).then_some(&*spill);
        let memory = WorkingMemory { bytes: memory_limit.half(), sorts_in };
        let context = session(threads, Some(&memory), options.stores.as_ref())?;
        Ok(Self { context, workers: Workers::new(threads)?, spill, memory_limit })
    }

    fn scan(
        self,
        schema: &Schema,
        options: &ReadOptions,
        origin: Origin,
        found: StoredTables,
        copies: Vec<Arc<SpillDirectory>>,
    ) -> TableScan {
        let Self { context, workers, spill, memory_limit } = self;
        let StoredTables { tables, bytes_total, files } = found;
        let remote = options.remote.as_ref();
        let rows = RowSource {
            context,
            tables,
            schema: Arc::new(schema.clone()),
            are_coded: false,
            origin,
            progress: options.progress.clone().map(|sink| (sink, bytes_total)),
            count_bytes: remote.map_or(memory_limit.half() / options.threads(), |_| REMOTE_COUNT_BYTES),
            remote: remote.map(|remote| RemoteFiles::new(Arc::clone(remote), files, options.stores.clone())),
        };
        TableScan { rows, workers, spill, _copies: copies, memory_limit }
    }
}

/// Tables in files, object stores and databases.
#[derive(Default)]
struct StoredTables {
    tables: Vec<Arc<dyn TableProvider>>,
    /// Total input bytes, or 0 if unknown.
    bytes_total: u64,
    files: Vec<RemoteFile>,
}

impl StoredTables {
    async fn inspect(
        context: &SessionContext,
        sources: &Sources,
        schema: &Schema,
        is_remote: bool,
    ) -> Result<Self, EngineError> {
        let mut columns = Vec::with_capacity(sources.files.len());
        for file in &sources.files {
            let found = inspect(&context.state(), file, schema.dialect()).await?;
            check_sizes(file, &found, schema)?;
            columns.push(found);
        }
        columns.extend(objects::inspect(&context.state(), &sources.objects).await?);
        if let Some(stream) = columns.iter().find(|file| is_remote && file.layout == Layout::ArrowStream) {
            return Err(EngineError::config(
                format!("`{}` is an Arrow stream, which a cluster cannot read", stream.shown),
                "write it as a Parquet file, or as an Arrow file",
            ));
        }
        let databases = postgres::tables(&sources.tables, schema).await?;
        let driven = adbc::tables(&sources.driven, schema)?;
        // A driver does not tell the size of a table.
        let sizes = databases.iter().map(|&(_, bytes)| bytes).chain(driven.iter().map(|_| 0));
        let bytes_total = total_bytes(&columns, sizes);
        let files = columns.iter().map(|FileColumns { shown, store, meta, .. }| RemoteFile {
            shown: shown.clone(),
            store: store.clone(),
            meta: meta.clone(),
        });
        let files = files.collect();
        let scans = scans(columns, schema)?.into_iter().map(|scan| Arc::new(scan) as Arc<dyn TableProvider>);
        let databases = databases.into_iter().map(|(table, _)| table).chain(driven);
        Ok(Self { tables: scans.chain(databases).collect(), bytes_total, files })
    }
}

/// Total input bytes, or 0 if unknown: a progress bar that fills too early is worse than none.
fn total_bytes(files: &[FileColumns], mut databases: impl Iterator<Item = u64>) -> u64 {
    let files = files.iter().map(|file| file.meta.size).sum();
    let total = databases.try_fold(files, |sum, bytes| (bytes > 0).then(|| sum + bytes));
    total.unwrap_or(0)
}

impl fmt::Debug for TableScan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TableScan").field("domain", self.rows.schema.domain()).finish_non_exhaustive()
    }
}

impl ValueSource for TableScan {
    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.rows.schema.privacy().bound()
    }

    fn count_values(&self, columns: &[&str], sink: &mut ValueSink<'_>) -> Result<(), SourceError> {
        self.rows.count_values(&self.workers, columns, sink).map_err(SourceError::new)
    }
}

impl MarginalSource for TableScan {
    fn domain(&self) -> &Domain {
        self.rows.schema.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.rows.schema.privacy().bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.rows.count_sealed(&self.workers, None, cliques)
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.rows.count_sealed(&self.workers, Some(recoding), cliques)
    }
}
