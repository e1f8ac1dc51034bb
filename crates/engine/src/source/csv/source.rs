//! A DataFusion file source that reads CSV files from an object store.

use std::fmt;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileOpenFuture, FileOpener, FileScanConfig, FileSource};
use datafusion::datasource::projection::{ProjectionOpener, SplitProjection};
use datafusion::datasource::table_schema::TableSchema;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_plan::DisplayFormatType;
use datafusion::physical_plan::apply_expression_roots;
use datafusion::physical_plan::metrics::{Count, ExecutionPlanMetricsSet, MetricBuilder};
use datafusion::physical_plan::stream::RecordBatchReceiverStream;
use futures::StreamExt;
use futures::stream::BoxStream;
use object_store::{GetResultPayload, ObjectStore, ObjectStoreExt};

use super::TextLayout;
use super::decode::Decoder;
use super::preface::{header_line, text};
use crate::error::{Damage, EngineError};
use crate::run::progress::BYTES_SCANNED;
use crate::source::guard::{MAX_FREE_LINE, check_unpacked, unpacking};
use crate::source::path_columns::shown_object;

/// Bytes read from a file at a time.
const CHUNK_BYTES: usize = 256 << 10;
/// Batches that may wait for the encoder.
const BATCHES_AHEAD: usize = 2;

/// Reads CSV files as nullable binary columns. No file is split.
#[derive(Debug, Clone)]
pub(crate) struct CsvSource {
    schema: TableSchema,
    layout: TextLayout,
    batch_rows: usize,
    projection: SplitProjection,
    metrics: ExecutionPlanMetricsSet,
}

impl CsvSource {
    pub(crate) fn new(schema: impl Into<TableSchema>, layout: TextLayout) -> Self {
        let schema = schema.into();
        let projection = SplitProjection::unprojected(&schema);
        Self { schema, layout, batch_rows: 8192, projection, metrics: ExecutionPlanMetricsSet::new() }
    }

    pub(crate) fn layout(&self) -> TextLayout {
        self.layout
    }
}

impl FileSource for CsvSource {
    fn create_file_opener(
        &self,
        store: Arc<dyn ObjectStore>,
        config: &FileScanConfig,
        partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        let columns = self.schema.file_schema().fields();
        let opener = CsvOpener {
            store,
            header: if self.layout.has_header {
                Bytes::new()
            } else {
                header_line(self.layout, columns.iter().map(|column| column.name().as_str())).into()
            },
            schema: Arc::new(self.schema.file_schema().project(&self.projection.file_indices)?),
            layout: self.layout,
            batch_rows: self.batch_rows,
            compression: config.file_compression_type,
            bytes_scanned: MetricBuilder::new(&self.metrics).counter(BYTES_SCANNED, partition),
        };
        ProjectionOpener::try_new(self.projection.clone(), Arc::new(opener), self.schema.file_schema())
    }

    fn table_schema(&self) -> &TableSchema {
        &self.schema
    }

    fn with_batch_size(&self, batch_rows: usize) -> Arc<dyn FileSource> {
        Arc::new(Self { batch_rows, ..self.clone() })
    }

    fn projection(&self) -> Option<&ProjectionExprs> {
        Some(&self.projection.source)
    }

    fn try_pushdown_projection(&self, projection: &ProjectionExprs) -> Result<Option<Arc<dyn FileSource>>> {
        // Only a selection of columns moves into the scan. Encoding stays above it, where
        // DataFusion can distribute the batches of one file to all threads.
        if !projection.iter().all(|column| column.expr.downcast_ref::<Column>().is_some()) {
            return Ok(None);
        }
        let merged = self.projection.source.try_merge(projection)?;
        let projection = SplitProjection::new(self.schema.file_schema(), &merged);
        Ok(Some(Arc::new(Self { projection, ..self.clone() })))
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &'static str {
        "csv"
    }

    fn fmt_extra(&self, _: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, ", total=true")
    }

    fn supports_repartitioning(&self) -> bool {
        false
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        apply_expression_roots(self.projection.source.iter(), visit)
    }
}

struct CsvOpener {
    store: Arc<dyn ObjectStore>,
    /// The line before the file; empty if the file has a header.
    header: Bytes,
    schema: SchemaRef,
    layout: TextLayout,
    batch_rows: usize,
    compression: FileCompressionType,
    bytes_scanned: Count,
}

impl FileOpener for CsvOpener {
    fn open(&self, file: PartitionedFile) -> Result<FileOpenFuture> {
        let location = file.object_meta.location;
        let path = format!("/{}", shown_object(&location, 0));
        let (store, compression, layout) = (Arc::clone(&self.store), self.compression, self.layout);
        let header = io::Cursor::new(self.header.clone());
        let (schema, bytes_scanned) = (Arc::clone(&self.schema), self.bytes_scanned.clone());
        let decoder = Decoder::new(Arc::clone(&self.schema), self.layout, self.batch_rows);
        Ok(Box::pin(async move {
            let bytes: Box<dyn Read + Send> = match store.get(&location).await?.payload {
                GetResultPayload::File(file, _) => Box::new(file),
                GetResultPayload::Stream(stream) => Box::new(StreamRead::new(stream)),
            };
            // Reading, decompressing and parsing block, so they run on a thread of their own. Some
            // decompressors read on construction, so they are constructed there.
            let mut stream = RecordBatchReceiverStream::builder(schema, BATCHES_AHEAD);
            let sender = stream.tx();
            stream.spawn_blocking(move || {
                let packed = Arc::new(AtomicU64::new(0));
                let counted = Counted { bytes, packed: Arc::clone(&packed), bytes_scanned };
                let reader = header.chain(text(layout, unpacking(compression, counted)?));
                decode(reader, &packed, decoder, &path, |batch| sender.blocking_send(Ok(batch)).is_ok())
                    .map_err(|error| DataFusionError::External(Box::new(error)))
            });
            Ok(stream.build().boxed())
        }))
    }
}

/// Decodes `reader`, for which `packed` bytes were read from the file, until the end or until the
/// receiver is dropped.
fn decode(
    mut reader: impl Read,
    packed: &AtomicU64,
    mut decoder: Decoder,
    path: &str,
    mut send: impl FnMut(datafusion::arrow::array::RecordBatch) -> bool,
) -> std::result::Result<(), EngineError> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut unpacked = 0;
    loop {
        let length = match reader.read(&mut chunk) {
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(EngineError::unreadable(path, &error)),
        };
        let fed = if length == 0 { decoder.finish() } else { decoder.feed(&chunk[..length]) };
        fed.map_err(|problem| problem.in_file(path))?;
        unpacked += length as u64;
        // One line must not make a file count as too large: blanks compress to a thousandth.
        let counted = unpacked - decoder.overlong_bytes().min(MAX_FREE_LINE);
        check_unpacked(packed.load(Ordering::Relaxed), counted)
            .map_err(|refusal| refusal.in_file(path, Damage::Damaged))?;
        while let Some(batch) = decoder.pop() {
            if !send(batch) {
                return Ok(());
            }
        }
        if length == 0 {
            return Ok(());
        }
    }
}

/// Counts the bytes read from the file, before decompression.
struct Counted<R> {
    bytes: R,
    packed: Arc<AtomicU64>,
    bytes_scanned: Count,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.bytes.read(buffer)?;
        self.packed.fetch_add(length as u64, Ordering::Relaxed);
        self.bytes_scanned.add(length);
        Ok(length)
    }
}

/// A stream of an object store as a blocking reader; must be read outside the async threads.
///
/// One reader for local and remote files means one decompressor: DataFusion's stream decompressors
/// stop at the first member of a multi-member zstd, bzip2 or xz file, and would drop the remaining
/// rows.
struct StreamRead {
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    chunk: Bytes,
    runtime: tokio::runtime::Handle,
}

impl StreamRead {
    fn new(stream: BoxStream<'static, object_store::Result<Bytes>>) -> Self {
        Self { stream, chunk: Bytes::new(), runtime: tokio::runtime::Handle::current() }
    }
}

impl Read for StreamRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.runtime.block_on(self.stream.next()) {
                Some(chunk) => self.chunk = chunk.map_err(io::Error::other)?,
                None => return Ok(0),
            }
        }
        let length = self.chunk.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.chunk.split_to(length));
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::RecordBatch;
    use datafusion::arrow::datatypes::{DataType, Field, Schema};
    use datafusion::datasource::physical_plan::FileScanConfigBuilder;
    use datafusion::datasource::source::DataSourceExec;
    use datafusion::execution::object_store::ObjectStoreUrl;
    use datafusion::physical_plan::collect;
    use datafusion::prelude::SessionContext;
    use futures::TryStreamExt;
    use object_store::memory::InMemory;
    use object_store::path::Path;
    use scumble_schema::Dialect;

    use super::*;

    async fn compress(compression: FileCompressionType, bytes: &'static [u8]) -> Vec<u8> {
        let chunk = futures::stream::once(async move { Ok(Bytes::from_static(bytes)) }).boxed();
        let chunks: Vec<Bytes> = compression.convert_to_compress_stream(chunk).unwrap().try_collect().await.unwrap();
        chunks.concat()
    }

    /// Reads rows from a store that streams its files, like a remote one.
    async fn rows_from_a_store(compression: FileCompressionType, bytes: Vec<u8>) -> usize {
        let context = SessionContext::new();
        let (url, store, location) =
            (ObjectStoreUrl::parse("memory://").unwrap(), InMemory::new(), Path::from("a.csv"));
        store.put(&location, bytes.into()).await.unwrap();
        let meta = store.head(&location).await.unwrap();
        context.register_object_store(url.as_ref(), Arc::new(store));
        let schema: SchemaRef = Arc::new(Schema::new(vec![Field::new("b", DataType::Binary, true)]));
        let config = FileScanConfigBuilder::new(
            url,
            Arc::new(CsvSource::new(schema, TextLayout::new(&Dialect::default(), b','))),
        )
        .with_file(PartitionedFile::new_from_meta(meta))
        .with_file_compression_type(compression)
        .build();
        let batches = collect(DataSourceExec::from_data_source(config), context.task_ctx()).await.unwrap();
        batches.iter().map(RecordBatch::num_rows).sum()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_remote_file_of_several_members_is_read_to_its_end() {
        assert_eq!(rows_from_a_store(FileCompressionType::UNCOMPRESSED, b"a,b\n1,2\n3,4\n".to_vec()).await, 2);
        for compression in
            [FileCompressionType::GZIP, FileCompressionType::ZSTD, FileCompressionType::BZIP2, FileCompressionType::XZ]
        {
            let head = compress(compression, b"a,b\n1,2\n3,").await;
            let tail = compress(compression, b"4\n5,6\n").await;
            assert_eq!(rows_from_a_store(compression, [head, tail].concat()).await, 3);
        }
    }
}
