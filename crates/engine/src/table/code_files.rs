//! Private files of codes: chunks of rows, and in each chunk the codes of one column after another,
//! as they are in memory.
//!
//! Codes are not packed, which would take more processor time than reading the table, and a query
//! reads only the columns that it needs.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::array::types::{UInt8Type, UInt16Type, UInt32Type};
use datafusion::arrow::array::{
    ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::buffer::{Buffer, MutableBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::streaming::StreamingTable;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::TableType;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::Expr;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use datafusion::physical_plan::streaming::PartitionStream;

use crate::error::EngineError;

/// Maximum bytes of a batch that is read, unless one row has more.
const BATCH_BYTES: usize = 4 << 20;
/// Batches that may wait to be counted.
const BATCHES_AHEAD: usize = 2;

/// A file of codes.
#[derive(Debug)]
pub(crate) struct CodeFile {
    path: PathBuf,
    columns: Box<[StoredColumn]>,
    /// Bytes of the codes of a row.
    row_bytes: usize,
    /// Rows of each chunk.
    chunks: Vec<usize>,
}

/// Where the codes of a column are.
#[derive(Debug, Clone, Copy)]
struct StoredColumn {
    /// Bytes of a row before its code.
    before: usize,
    /// Bytes of its code.
    width: usize,
}

/// A file of codes that is being written.
pub(crate) struct CodeWriter {
    file: File,
    written: CodeFile,
}

impl CodeWriter {
    /// Creates the file at `path`, for codes of these columns.
    pub(crate) fn create(path: PathBuf, columns: &SchemaRef) -> io::Result<Self> {
        let file = File::create_new(&path)?;
        let mut row_bytes = 0;
        let stored = columns.fields().iter().map(|column| {
            let width = column.data_type().primitive_width().unwrap_or_default();
            let before = row_bytes;
            row_bytes += width;
            StoredColumn { before, width }
        });
        let columns = stored.collect();
        Ok(Self { file, written: CodeFile { path, columns, row_bytes, chunks: vec![] } })
    }

    /// Writes the next chunk, whose columns have no nulls.
    pub(crate) fn write(&mut self, chunk: &RecordBatch) -> io::Result<()> {
        for column in chunk.columns() {
            self.file.write_all(bytes_of(column))?;
        }
        self.written.chunks.push(chunk.num_rows());
        Ok(())
    }

    /// Returns the complete file.
    pub(crate) fn finish(self) -> CodeFile {
        self.written
    }
}

/// The codes of a column, as bytes.
fn bytes_of(column: &ArrayRef) -> &[u8] {
    let codes: &Buffer = match column.data_type() {
        DataType::UInt8 => column.as_primitive::<UInt8Type>().values().inner(),
        DataType::UInt16 => column.as_primitive::<UInt16Type>().values().inner(),
        _ => column.as_primitive::<UInt32Type>().values().inner(),
    };
    codes.as_slice()
}

/// A table of code files with the same columns, as a DataFusion table with a partition for each.
#[derive(Debug)]
pub(crate) struct CodeFiles {
    columns: SchemaRef,
    files: Vec<Arc<CodeFile>>,
}

impl CodeFiles {
    pub(crate) fn new(columns: SchemaRef, files: Vec<CodeFile>) -> Self {
        Self { columns, files: files.into_iter().map(Arc::new).collect() }
    }
}

#[async_trait::async_trait]
impl TableProvider for CodeFiles {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.columns)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let places: Arc<[usize]> = match projection {
            Some(projection) => projection.as_slice().into(),
            None => (0..self.columns.fields().len()).collect(),
        };
        let columns: SchemaRef = Arc::new(self.columns.project(&places)?);
        let streams = self.files.iter().map(|file| -> Arc<dyn PartitionStream> {
            let (file, places, columns) = (Arc::clone(file), Arc::clone(&places), Arc::clone(&columns));
            Arc::new(CodeRows { file, places, columns })
        });
        StreamingTable::try_new(Arc::clone(&columns), streams.collect())?.scan(session, None, filters, limit).await
    }
}

/// Some columns of a file of codes.
#[derive(Debug)]
struct CodeRows {
    file: Arc<CodeFile>,
    /// The places of the columns in the file.
    places: Arc<[usize]>,
    columns: SchemaRef,
}

impl PartitionStream for CodeRows {
    fn schema(&self) -> &SchemaRef {
        &self.columns
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut stream = RecordBatchReceiverStream::builder(Arc::clone(&self.columns), BATCHES_AHEAD);
        let (sender, file, places) = (stream.tx(), Arc::clone(&self.file), Arc::clone(&self.places));
        let columns = Arc::clone(&self.columns);
        stream.spawn_blocking(move || {
            let refused = |error| DataFusionError::External(Box::new(EngineError::refused(&file.path, &error)));
            let mut reader = Reader { bytes: File::open(&file.path).map_err(refused)?, start: 0 };
            let width: usize = places.iter().map(|&place| file.columns[place].width).sum();
            let most = (BATCH_BYTES / width.max(1)).max(1);
            for &rows in &file.chunks {
                for first in (0..rows).step_by(most) {
                    let count = most.min(rows - first);
                    let codes = places.iter().map(|&place| reader.codes(file.columns[place], rows, first, count));
                    let codes = codes.collect::<io::Result<Vec<_>>>().map_err(refused)?;
                    // Without columns, only the number of rows matters.
                    let options = RecordBatchOptions::new().with_row_count(Some(count));
                    let batch = RecordBatch::try_new_with_options(Arc::clone(&columns), codes, &options)?;
                    if sender.blocking_send(Ok(batch)).is_err() {
                        return Ok(());
                    }
                }
                reader.start += (rows * file.row_bytes) as u64;
            }
            Ok(())
        });
        stream.build()
    }
}

/// Reads a file chunk by chunk.
struct Reader {
    bytes: File,
    /// Where the chunk begins.
    start: u64,
}

impl Reader {
    /// Reads `count` codes of a column, from `first` on, in a chunk of `rows`.
    fn codes(&mut self, column: StoredColumn, rows: usize, first: usize, count: usize) -> io::Result<ArrayRef> {
        let StoredColumn { before, width } = column;
        self.bytes.seek(SeekFrom::Start(self.start + (before * rows + first * width) as u64))?;
        let mut codes = MutableBuffer::from_len_zeroed(count * width);
        self.bytes.read_exact(codes.as_slice_mut())?;
        Ok(match width {
            1 => array::<UInt8Type>(codes),
            2 => array::<UInt16Type>(codes),
            _ => array::<UInt32Type>(codes),
        })
    }
}

fn array<T: ArrowPrimitiveType>(codes: MutableBuffer) -> ArrayRef {
    Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(Buffer::from(codes)), None))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{UInt8Array, UInt16Array, UInt32Array};
    use datafusion::arrow::compute::concat_batches;
    use datafusion::arrow::datatypes::{Field, Schema};
    use datafusion::prelude::SessionContext;

    use super::*;

    /// A chunk of one, two and four bytes per code.
    fn chunk(first: u32, rows: u32) -> RecordBatch {
        let codes = first..first + rows;
        let narrow = |code: u32| u16::try_from(code % 1_000).unwrap();
        let columns: [(&str, ArrayRef); 3] = [
            ("a", Arc::new(UInt8Array::from_iter_values(codes.clone().map(|code| code.to_le_bytes()[0])))),
            ("b", Arc::new(UInt16Array::from_iter_values(codes.clone().map(narrow)))),
            ("c", Arc::new(UInt32Array::from_iter_values(codes))),
        ];
        let fields: Vec<_> =
            columns.iter().map(|(name, codes)| Field::new(*name, codes.data_type().clone(), false)).collect();
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns.into_iter().map(|(_, codes)| codes).collect())
            .unwrap()
    }

    #[tokio::test]
    async fn every_selection_of_columns_reads_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        // The second chunk begins within its buffers, at an odd place of the file, and is
        // read in two batches.
        let chunks = [chunk(7, 3), chunk(500, 900_001).slice(1, 900_000), chunk(0, 1)];
        let columns = chunks[0].schema();
        let mut writer = CodeWriter::create(folder.path().join("codes"), &columns).unwrap();
        for chunk in &chunks {
            writer.write(chunk).unwrap();
        }
        let table = Arc::new(CodeFiles::new(Arc::clone(&columns), vec![writer.finish()]));
        let written = concat_batches(&columns, &chunks).unwrap();
        let context = SessionContext::new();
        for names in [&["a", "b", "c"][..], &["c", "a"], &["b"]] {
            let table: Arc<dyn TableProvider> = Arc::<CodeFiles>::clone(&table);
            let read = context.read_table(table).unwrap().select_columns(names).unwrap().collect().await.unwrap();
            let read = concat_batches(&read[0].schema(), &read).unwrap();
            for (place, name) in names.iter().enumerate() {
                assert_eq!(read.column(place), written.column_by_name(name).unwrap(), "{names:?}");
            }
        }
        let all: Arc<dyn TableProvider> = table;
        assert_eq!(context.read_table(all).unwrap().count().await.unwrap(), written.num_rows());
    }
}
