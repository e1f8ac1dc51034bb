//! Codes of rows, in memory up to a limit and in private files beyond it.

use std::iter::Sum;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::BatchCoalescer;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::DataFusionError;
use datafusion::datasource::MemTable;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;

use crate::count::kernel::BLOCK_ROWS;
use crate::error::EngineError;
use crate::run::spill::SpillDirectory;
use crate::table::code_files::{CodeFile, CodeFiles, CodeWriter};

/// Collects the codes of all partitions.
pub(crate) struct ChunkSink {
    spill: Arc<SpillDirectory>,
    columns: SchemaRef,
    /// Bytes in memory so far, of all partitions.
    held: AtomicUsize,
    max_bytes: usize,
}

/// The codes of one or more partitions.
#[derive(Default)]
pub(crate) struct Chunks {
    in_memory: Vec<RecordBatch>,
    files: Vec<CodeFile>,
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
    /// A sink that keeps up to `max_bytes` in memory and writes the rest to `spill`.
    pub(crate) fn new(spill: Arc<SpillDirectory>, columns: SchemaRef, max_bytes: usize) -> Self {
        Self { spill, columns, held: 0.into(), max_bytes }
    }

    /// Collects all rows of one partition.
    pub(crate) async fn collect(
        &self,
        partition: usize,
        mut batches: SendableRecordBatchStream,
    ) -> Result<Chunks, DataFusionError> {
        let mut coalescer = BatchCoalescer::new(batches.schema(), BLOCK_ROWS);
        let mut chunks = Chunks::default();
        let mut file: Option<CodeWriter> = None;
        loop {
            let batch = batches.next().await.transpose()?;
            let is_last = batch.is_none();
            match batch {
                Some(batch) => coalescer.push_batch(batch)?,
                None => coalescer.finish_buffered_batch()?,
            }
            while let Some(chunk) = coalescer.next_completed_batch() {
                let bytes = chunk.get_array_memory_size();
                // Once a partition has started a file, all its remaining rows go there: one file
                // each, written sequentially.
                if file.is_none() && self.held.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.max_bytes {
                    chunks.in_memory.push(chunk);
                    continue;
                }
                let file = match &mut file {
                    Some(file) => file,
                    none => none.insert(self.file(partition).map_err(external)?),
                };
                file.write(&chunk).map_err(|error| external(self.spill.refused(&error)))?;
            }
            if is_last {
                break;
            }
        }
        if let Some(file) = file {
            chunks.files.push(file.finish());
        }
        Ok(chunks)
    }

    /// Creates the file of a partition.
    fn file(&self, partition: usize) -> Result<CodeWriter, EngineError> {
        let path = self.spill.path()?.join(format!("codes-{partition}"));
        CodeWriter::create(path, &self.columns).map_err(|error| self.spill.refused(&error))
    }
}

fn external(error: EngineError) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

impl Chunks {
    /// Whether some rows are in files.
    pub(crate) fn spilled(&self) -> bool {
        !self.files.is_empty()
    }

    /// Returns the chunks as DataFusion tables: those in memory, in `threads` partitions, and the
    /// files.
    pub(crate) fn tables(
        self,
        columns: &SchemaRef,
        threads: usize,
    ) -> Result<Vec<Arc<dyn TableProvider>>, EngineError> {
        let mut partitions = vec![vec![]; threads];
        for (position, chunk) in self.in_memory.into_iter().enumerate() {
            partitions[position % threads].push(chunk);
        }
        let bug = |_| EngineError::Bug { what: "no table of codes" };
        let mut tables: Vec<Arc<dyn TableProvider>> = vec![];
        tables.push(Arc::new(MemTable::try_new(Arc::clone(columns), partitions).map_err(bug)?));
        if !self.files.is_empty() {
            tables.push(Arc::new(CodeFiles::new(Arc::clone(columns), self.files)));
        }
        Ok(tables)
    }
}
