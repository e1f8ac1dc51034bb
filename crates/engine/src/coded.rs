//! The coded table: every row as one code per attribute, in memory as far as it fits, the rest in private files.

use std::fmt;
use std::iter::Sum;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::{Field, Schema as Columns, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::datasource::MemTable;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use scumble_schema::{Clique, Domain, Recoding, Schema};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::encode::code_type;
use crate::error::EngineError;
use crate::input::Input;
use crate::kernel::BLOCK_ROWS;
use crate::memory::MemoryLimit;
use crate::rows::{Origin, Rows};
use crate::scan::FileScan;
use crate::session::Workers;
use crate::spill::{SpillFile, SpillRoom};
use crate::table_scan::{ReadOptions, TableScan, seal};

/// A table in which every value is a code of its attribute.
///
/// Columns are `UInt8`, `UInt16` or `UInt32` without nulls, the narrowest that holds the attribute's codes. Rows that do not
/// fit half of the memory limit are in Parquet files that only their owner can read, and that are removed with the table.
/// The order of the rows is nobody's: it depends on which thread was first. Counts do not.
///
/// `Debug` prints nothing of the rows, nor how many there are.
pub struct CodedTable {
    rows: Rows,
    workers: Workers,
    spilled: bool,
    _spill: Arc<SpillRoom>,
}

impl CodedTable {
    /// Reads the columns of `schema` from all `inputs` and encodes them; see [`TableScan::open`].
    pub fn read(inputs: &[Input], schema: &Schema, options: &ReadOptions) -> Result<Self, EngineError> {
        TableScan::open(inputs, schema, options)?.code()
    }

    /// Encodes rows that are in memory already; see [`TableScan::of_batches`].
    pub fn from_batches(
        partitions: Vec<Vec<RecordBatch>>,
        schema: &Schema,
        options: &ReadOptions,
    ) -> Result<Self, EngineError> {
        TableScan::of_batches(partitions, schema, options)?.code()
    }

    pub(crate) fn of_scan(
        scan: Rows,
        workers: Workers,
        spill: Arc<SpillRoom>,
        limit: MemoryLimit,
    ) -> Result<Self, EngineError> {
        let columns = scan.schema.attributes().iter();
        let columns = columns.map(|attribute| Field::new(attribute.name(), code_type(attribute.size()), false));
        let columns: SchemaRef = Arc::new(Columns::new(columns.collect::<Vec<_>>()));
        let sink =
            ChunkSink { spill: Arc::clone(&spill), columns: Arc::clone(&columns), held: 0.into(), most: limit.half() };
        let chunks = if scan.tables.is_empty() { Chunks::default() } else { scan.encode(&workers, Arc::new(sink))? };
        let spilled = !chunks.files.is_empty();
        let rows = Rows {
            are_coded: true,
            tables: chunks.tables(&columns, scan.context.state().config().target_partitions())?,
            origin: Origin::in_memory(),
            progress: None,
            ..scan
        };
        Ok(Self { rows, workers, spilled, _spill: spill })
    }

    /// How many codes each attribute has.
    pub fn domain(&self) -> &Domain {
        self.rows.schema.domain()
    }

    /// Whether some rows did not fit the memory and are in private files.
    pub fn spilled(&self) -> bool {
        self.spilled
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

impl fmt::Debug for CodedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CodedTable").field("domain", self.rows.schema.domain()).finish_non_exhaustive()
    }
}

impl MarginalSource for CodedTable {
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

/// Where the codes of all partitions go.
pub(crate) struct ChunkSink {
    spill: Arc<SpillRoom>,
    columns: SchemaRef,
    /// Bytes in memory so far, over all partitions.
    held: AtomicUsize,
    most: usize,
}

/// The codes of some partitions.
#[derive(Default)]
pub(crate) struct Chunks {
    in_memory: Vec<RecordBatch>,
    files: Vec<PathBuf>,
}

impl Sum for Chunks {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), |mut all, part| {
            all.in_memory.extend(part.in_memory);
            all.files.extend(part.files);
            all
        })
    }
}

impl ChunkSink {
    /// Takes all rows of one partition.
    pub(crate) async fn collect(
        &self,
        partition: usize,
        mut batches: SendableRecordBatchStream,
    ) -> Result<Chunks, DataFusionError> {
        let mut coalescer = BatchCoalescer::new(batches.schema(), BLOCK_ROWS);
        let mut chunks = Chunks::default();
        let mut file: Option<SpillFile> = None;
        loop {
            let batch = batches.next().await.transpose()?;
            let is_last = batch.is_none();
            match batch {
                Some(batch) => coalescer.push_batch(batch)?,
                None => coalescer.finish_buffered_batch()?,
            }
            while let Some(chunk) = coalescer.next_completed_batch() {
                let bytes = chunk.get_array_memory_size();
                // Once a partition has begun a file, all the rest goes there: one file each, written in one go.
                if file.is_none() && self.held.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.most {
                    chunks.in_memory.push(chunk);
                    continue;
                }
                let file = match &mut file {
                    Some(file) => file,
                    none => none.insert(self.spill.file(partition, Arc::clone(&self.columns)).map_err(external)?),
                };
                file.write(&chunk).map_err(|error| external(self.spill.not_written(&error)))?;
            }
            if is_last {
                break;
            }
        }
        if let Some(file) = file {
            chunks.files.push(file.finish().map_err(|error| external(self.spill.not_written(&error)))?);
        }
        Ok(chunks)
    }
}

fn external(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

impl Chunks {
    /// As tables of DataFusion: the chunks in memory, dealt out to `threads` partitions, and the files.
    fn tables(self, columns: &SchemaRef, threads: usize) -> Result<Vec<Arc<dyn TableProvider>>, EngineError> {
        let mut partitions = vec![vec![]; threads];
        for (position, chunk) in self.in_memory.into_iter().enumerate() {
            partitions[position % threads].push(chunk);
        }
        let bug = |_| EngineError::Bug { what: "no table of codes" };
        let mut tables: Vec<Arc<dyn TableProvider>> = vec![];
        tables.push(Arc::new(MemTable::try_new(Arc::clone(columns), partitions).map_err(bug)?));
        if !self.files.is_empty() {
            tables.push(Arc::new(FileScan::of_spill(Arc::clone(columns), &self.files)?));
        }
        Ok(tables)
    }
}
