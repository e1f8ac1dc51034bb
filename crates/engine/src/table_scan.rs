//! A table in files, counted where it is.

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Field, Schema as ArrowSchema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::execution::object_store::ObjectStoreRegistry;
use scumble_schema::{Clique, CodeColumn, Domain, Recoding, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::coded::CodedTable;
use crate::encode::{supports, unknown_type, unknown_values};
use crate::error::{ColumnProblem, Damage, EngineError};
use crate::input::{Format, Input, resolve};
use crate::inspect::{FileColumns, Layout, check_sizes, inspect};
use crate::memory::MemoryLimit;
use crate::objects;
use crate::packed::unpack;
use crate::postgres::{self, PostgresTable};
use crate::progress::ProgressSink;
use crate::remote::{Remote, RemoteFiles};
use crate::rows::{Origin, Rows};
use crate::scan::scans;
use crate::session::{Workers, WorkingMemory, session};
use crate::spill::SpillRoom;

/// What the counts of one part may take on a machine that counts for us. So much fits any that is worth asking, and one part's
/// counts go over the network in one piece.
const REMOTE_COUNT_BYTES: usize = 256 << 20;

/// How a table is read: none of it changes what is counted. The default is right for files on this machine.
///
/// ```
/// use scumble_engine::{MemoryLimit, ProgressSink, ReadOptions};
///
/// let options = ReadOptions {
///     memory_limit: Some(MemoryLimit::of_bytes(2 << 30)),
///     progress: Some(ProgressSink::new(|progress| eprintln!("{} bytes read", progress.bytes_read))),
///     ..ReadOptions::default()
/// };
/// assert!(options.remote.is_none(), "this process counts");
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The format of all inputs; told by their names without it.
    pub format: Option<Format>,
    /// How many threads; as many as the machine has cores without it. Counts do not depend on it.
    pub threads: Option<usize>,
    /// Who is told how far the scan has come.
    pub progress: Option<ProgressSink>,
    /// How much memory may be used; half of the machine's without it.
    pub memory_limit: Option<MemoryLimit>,
    /// Where private files go that do not fit the memory; the system's directory for temporary files without it.
    pub spill_directory: Option<PathBuf>,
    /// Who counts, if not this process. Files and objects only, and every question is a scan of its own.
    pub remote: Option<Arc<dyn Remote>>,
    /// Where objects such as `s3://bucket/people.parquet` are; without it only local files can be read.
    pub stores: Option<Arc<dyn ObjectStoreRegistry>>,
}

impl ReadOptions {
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)).max(1)
    }

    pub(crate) fn memory_limit(&self) -> MemoryLimit {
        self.memory_limit.unwrap_or_else(MemoryLimit::of_this_machine)
    }
}

/// A table that is read anew for every question: nothing of its rows is kept, so memory does not depend on their number.
///
/// Right for methods that ask once. Those that ask again and again keep the [codes](Self::code).
pub struct TableScan {
    rows: Rows,
    workers: Workers,
    spill: Arc<SpillRoom>,
    /// Where copies of inputs are, which must be there while rows are read.
    rooms: Vec<Arc<SpillRoom>>,
    memory_limit: MemoryLimit,
}

impl TableScan {
    /// Looks at the columns of all `inputs`; no row is read yet.
    ///
    /// Every row of every file counts: no value raises and no row is dropped, except by a bound on the rows of each unit,
    /// if the schema names a unit column. To read synthetic rows, which have no such column, take
    /// [`Schema::without_unit`]. Only what the files are made of can fail: a missing file or column, a nested type, a
    /// damaged Parquet page. A Parquet or Arrow file whose text columns hold bytes that are not UTF-8 breaks its own format
    /// and counts as damaged; in CSV any bytes are fine.
    ///
    /// Not to be called from inside an async runtime: it starts one of its own and waits for it.
    pub fn open(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        let mut sources = resolve(inputs, options.format)?;
        if options.remote.is_some() && !(sources.tables.is_empty() && sources.memory.is_empty()) {
            return Err(EngineError::config(
                format!("`{}` cannot be read by a cluster", sources.shown()),
                "a cluster reads files and objects; count this table with `--engine local`",
            ));
        }
        let is_remote = options.remote.is_some();
        let private = sources.files.iter().find(|file| is_remote && (file.is_copy || file.format.is_packed()));
        if let Some(file) = private {
            return Err(EngineError::config(
                format!(
                    "`{}` cannot be read by a cluster: it is read by way of a private copy on this machine",
                    file.shown
                ),
                "unpack it to a file that all executors can read, or count it with `--engine local`",
            ));
        }
        let damage = if sources.files.len() > 1 { Damage::OneDamaged } else { Damage::Damaged };
        let origin = Origin { path: sources.shown(), damage };
        let mut scan = Self::of_tables(vec![], schema, options, origin.clone())?;
        sources.files = unpack(sources.files, &scan.spill)?;
        scan.rooms = std::mem::take(&mut sources.rooms);
        let in_memory =
            sources.memory.iter().map(|rows| memory_table(&rows.columns, rows.dealt_to(options.threads()), schema));
        let in_memory = in_memory.collect::<Result<Vec<_>, _>>()?;
        let (context, schema) = (scan.rows.context.clone(), schema.clone());
        let (tables, bytes_total, places) = scan.workers.run(&origin.path, damage, async move {
            let mut columns = Vec::with_capacity(sources.files.len());
            for file in &sources.files {
                let found = inspect(&context.state(), file, schema.dialect()).await?;
                check_sizes(file, &found, &schema)?;
                columns.push(found);
            }
            columns.extend(objects::inspect(&context.state(), &sources.objects).await?);
            if let Some(stream) = columns.iter().find(|file| is_remote && file.layout == Layout::ArrowStream) {
                return Err(EngineError::config(
                    format!("`{}` is an Arrow stream, which a cluster cannot read", stream.shown),
                    "write it as a Parquet file, or as an Arrow file",
                ));
            }
            let databases = postgres::tables(&sources.tables, &schema).await?;
            let bytes_total = total_bytes(&columns, &databases);
            let places = columns.iter().map(|file| (file.store.clone(), file.meta.clone())).collect();
            let files = scans(columns, &schema)?.into_iter().map(|scan| Arc::new(scan) as Arc<dyn TableProvider>);
            let databases = databases.into_iter().map(|table| Arc::new(table) as Arc<dyn TableProvider>);
            let tables = files.chain(databases);
            Ok::<_, EngineError>((tables.collect(), bytes_total, places))
        })??;
        scan.rows.tables = tables;
        if let Some(remote) = &options.remote {
            scan.rows.count_bytes = REMOTE_COUNT_BYTES;
            scan.rows.remote = Some(RemoteFiles::new(Arc::clone(remote), places, options.stores.clone()));
        }
        // What is in memory is read in no time, so a bar goes by the files.
        scan.rows.tables.extend(in_memory);
        scan.rows.progress = options.progress.clone().map(|sink| (sink, bytes_total));
        Ok(scan)
    }

    /// Rows that are in memory already, partition by partition; columns are found by name.
    ///
    /// All batches must have the same columns. To have them dealt out to partitions, take [`Input::of_batches`].
    pub fn of_batches(
        partitions: Vec<Vec<RecordBatch>>,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        let mut scan = Self::of_tables(vec![], schema, options, Origin::in_memory())?;
        let Some(first) = partitions.iter().flatten().next() else { return Ok(scan) };
        scan.rows.tables.push(memory_table(&first.schema(), partitions, schema)?);
        Ok(scan)
    }

    fn of_tables(
        tables: Vec<Arc<dyn TableProvider>>,
        schema: &Schema,
        options: &ReadOptions,
        origin: Origin,
    ) -> Result<Self, EngineError> {
        let (threads, memory_limit) = (options.threads(), options.memory_limit());
        let spill = SpillRoom::new(options.spill_directory.as_deref());
        // Keeping so many rows of each unit means sorting, and that may not fit.
        let sorts_in = schema.privacy().bound().map(|_| &*spill);
        let memory = WorkingMemory { bytes: memory_limit.half(), sorts_in };
        let rows = Rows {
            context: session(threads, Some(&memory), options.stores.as_ref())?,
            tables,
            schema: Arc::new(schema.clone()),
            are_coded: false,
            origin,
            progress: None,
            count_bytes: memory_limit.half() / threads,
            remote: None,
        };
        Ok(Self { rows, workers: Workers::new(threads)?, spill, rooms: vec![], memory_limit })
    }

    /// Whether somebody else counts. Then the rows stay where they are, and must not be [coded](Self::code) here.
    pub fn is_remote(&self) -> bool {
        self.rows.remote.is_some()
    }

    /// Fails if the rows are somebody else's to read.
    fn is_here(&self) -> Result<(), EngineError> {
        if self.is_remote() {
            return Err(EngineError::config(
                "the rows of a cluster's table stay where they are",
                "take `--engine local`",
            ));
        }
        Ok(())
    }

    /// Reads all rows once and keeps their codes.
    pub fn code(self) -> Result<CodedTable, EngineError> {
        self.is_here()?;
        CodedTable::of_scan(self.rows, self.workers, self.spill, self.memory_limit)
    }

    /// Reads all rows once and hands out their codes, column by column in the order of the schema, all of them in memory.
    ///
    /// Read with one thread, rows stand in the order of the inputs, so that what is drawn from them by a seed can be drawn
    /// again. With several, the order depends on which thread was first.
    ///
    /// # Privacy
    /// These are the rows themselves. This way is for `scumble-evaluate`, whose every output is stamped NOT DIFFERENTIALLY
    /// PRIVATE, and for tests; nothing else may ask.
    pub fn code_columns(&self) -> Result<Vec<CodeColumn>, EngineError> {
        self.is_here()?;
        self.rows.code_columns(&self.workers)
    }

    #[cfg(test)]
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }

    /// How many codes each attribute has.
    pub fn domain(&self) -> &Domain {
        self.rows.schema.domain()
    }

    /// Exact counts over the cells of each clique, in the order of [`scumble_schema::cells`].
    ///
    /// # Privacy
    /// These are private. They go to the vault by [`MarginalSource::count`]; this way is for `scumble-evaluate`, whose
    /// every output is stamped NOT DIFFERENTIALLY PRIVATE, and for tests.
    pub fn count_tables(&self, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.rows.count(&self.workers, cliques)
    }

    /// Exact counts over the cells of each clique of the columns of `recoding`. Rows are recoded while they are counted, so
    /// bits of many columns are few cells here.
    ///
    /// # Privacy
    /// As those of [`Self::count_tables`], these are private.
    pub fn count_recoded_tables(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.rows.count_recoded(&self.workers, recoding, cliques)
    }
}

/// What a progress bar may count on; 0 if part of it cannot be told, since a bar that is full too early is worse than none.
fn total_bytes(files: &[FileColumns], databases: &[PostgresTable]) -> u64 {
    if databases.iter().any(|table| table.bytes() == 0) {
        return 0;
    }
    files.iter().map(|file| file.meta.size).chain(databases.iter().map(PostgresTable::bytes)).sum()
}

/// Rows in memory as a table of DataFusion.
fn memory_table(
    columns: &SchemaRef,
    partitions: Vec<Vec<RecordBatch>>,
    schema: &Schema,
) -> Result<Arc<dyn TableProvider>, EngineError> {
    check_columns(columns, schema)?;
    if partitions.iter().flatten().any(|batch| batch.schema().fields() != columns.fields()) {
        return Err(EngineError::config(
            "the record batches have different columns or types",
            "cast them to one Arrow schema first",
        ));
    }
    let unknown =
        |field: &Field| !supports(field.data_type()) && schema.columns_read().any(|name| name == field.name());
    // Notes that a library left about the table, such as how it numbers its rows, would go along with codes and counts. Not
    // every library keeps its word that a column has no nulls, and one null must not decide whether the table is read.
    let fields = columns.fields().iter().map(|field| {
        let data_type = if unknown(field) { unknown_type() } else { field.data_type().clone() };
        Field::new(field.name(), data_type, true)
    });
    let shown = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
    let without_notes = |batch: RecordBatch| {
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let arrays = batch.columns().iter().zip(columns.fields());
        let arrays =
            arrays.map(|(array, field)| if unknown(field) { unknown_values(array) } else { Arc::clone(array) });
        RecordBatch::try_new_with_options(Arc::clone(&shown), arrays.collect(), &rows)
    };
    let bug = EngineError::Bug { what: "no table of record batches" };
    let partitions = partitions.into_iter().map(|batches| batches.into_iter().map(without_notes).collect());
    let partitions = partitions.collect::<Result<_, _>>().map_err(|_| bug.clone())?;
    Ok(Arc::new(MemTable::try_new(shown, partitions).map_err(|_| bug)?))
}

/// Checks that the table has every column once, and units that can be told apart.
///
/// A column of a type without codes is read all the same, and its values are unknown: libraries of frames choose a type by the
/// values, so one value may make a column nested.
fn check_columns(columns: &SchemaRef, schema: &Schema) -> Result<(), EngineError> {
    let unit = schema.privacy().bound().map(|(unit, _)| unit);
    for name in schema.columns_read() {
        let found = columns.fields().iter().filter(|field| field.name() == name);
        let names = columns.fields().iter().map(|field| field.name().as_str());
        let problem = match ColumnProblem::unless_one(found, name, names) {
            Ok(field) if supports(field.data_type()) || unit != Some(name) => continue,
            Ok(field) => ColumnProblem::Type(field.data_type().to_string()),
            Err(problem) => problem,
        };
        return Err(EngineError::Schema { path: Origin::in_memory().path, column: name.to_owned(), problem });
    }
    Ok(())
}

impl fmt::Debug for TableScan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TableScan").field("domain", self.rows.schema.domain()).finish_non_exhaustive()
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
        seal(cliques, self.count_tables(cliques))
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        seal(cliques, self.count_recoded_tables(recoding, cliques))
    }
}

/// Counts, sealed for the vault.
pub(crate) fn seal(
    cliques: &[Clique],
    tables: Result<Vec<Vec<u64>>, EngineError>,
) -> Result<Private<Vec<CountTable>>, SourceError> {
    let tables = cliques.iter().cloned().zip(tables.map_err(SourceError::new)?);
    Ok(Private::new(tables.map(|(clique, counts)| CountTable::new(clique, counts)).collect()))
}
