//! Writes synthetic rows to a file that is whole or not there.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::csv::{Writer as CsvWriter, WriterBuilder as CsvWriterBuilder};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::FileWriter as ArrowWriter;
use datafusion::parquet::arrow::ArrowWriter as ParquetWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use scumble_schema::WholeFile;

use crate::error::EngineError;
use crate::input::Format;

/// The temporary file, and what the operating system last refused: Arrow's CSV writer turns that into a text.
struct Output {
    file: BufWriter<WholeFile>,
    refused: Arc<OnceLock<io::ErrorKind>>,
}

impl Output {
    fn refuse(&self, error: &io::Error) {
        // The first refusal is the reason; what follows follows from it.
        self.refused.get_or_init(|| error.kind());
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|error| self.refuse(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().inspect_err(|error| self.refuse(error))
    }
}

/// Writes record batches to one file, in the format that its extension names: `.csv`, `.tsv`, `.parquet` or `.arrow`.
///
/// The target is whole or as it was before: see [`WholeFile`]. [`finish`](Self::finish) gives it its name; a writer that is
/// dropped before leaves nothing.
///
/// ```
/// use std::sync::Arc;
/// use datafusion::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("synth.csv");
/// let age: ArrayRef = Arc::new(Int32Array::from(vec![Some(41), None]));
/// let sex: ArrayRef = Arc::new(StringArray::from(vec!["f", "m"]));
/// let batch = RecordBatch::try_from_iter([("age", age), ("sex", sex)])?;
/// let mut writer = scumble_engine::TableWriter::create(&path, batch.schema())?;
/// writer.write(&batch)?;
/// writer.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "age,sex\n41,f\n,m\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TableWriter {
    target: Target,
    rows: RowWriter,
}

/// Where the rows go, for errors.
struct Target {
    path: PathBuf,
    refused: Arc<OnceLock<io::ErrorKind>>,
}

impl Target {
    /// An error of a writer. Synthetic rows always fit their own schema, so if the operating system refused nothing the
    /// mistake is ours.
    fn fail<E>(&self, _of_writer: E) -> EngineError {
        match self.refused.get() {
            Some(kind) => EngineError::io(&self.path, &(*kind).into()),
            None => EngineError::Bug { what: "the synthetic rows could not be written" },
        }
    }
}

enum RowWriter {
    Text(Box<CsvWriter<Output>>),
    Parquet(Box<ParquetWriter<Output>>),
    Arrow(Box<ArrowWriter<Output>>),
}

impl TableWriter {
    /// A writer for the columns in `schema`. The target is not touched before [`finish`](Self::finish).
    pub fn create(path: impl AsRef<Path>, schema: SchemaRef) -> Result<Self, EngineError> {
        let path = path.as_ref().to_owned();
        let format = Format::of_output(&path).ok_or_else(|| {
            EngineError::config(
                format!("cannot tell from the name of `{}` what to write", path.display()),
                "end it in `.csv`, `.tsv`, `.parquet` or `.arrow`",
            )
        })?;
        let file = WholeFile::create(&path).map_err(|error| EngineError::io(&path, &error))?;
        let target = Target { path, refused: Arc::default() };
        let output = Output { file: BufWriter::with_capacity(1 << 20, file), refused: Arc::clone(&target.refused) };
        let rows = match format {
            Format::Csv => RowWriter::text(output, b',', &schema).map_err(|error| target.fail(error))?,
            Format::Tsv => RowWriter::text(output, b'\t', &schema).map_err(|error| target.fail(error))?,
            Format::Parquet => {
                let zstd = Compression::ZSTD(ZstdLevel::default());
                let properties = WriterProperties::builder().set_compression(zstd).build();
                let writer = ParquetWriter::try_new(output, schema, Some(properties));
                RowWriter::Parquet(Box::new(writer.map_err(|error| target.fail(error))?))
            }
            Format::Arrow => {
                let writer = ArrowWriter::try_new(output, &schema);
                RowWriter::Arrow(Box::new(writer.map_err(|error| target.fail(error))?))
            }
        };
        Ok(Self { target, rows })
    }

    /// Appends rows.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        let target = &self.target;
        match &mut self.rows {
            RowWriter::Text(writer) => writer.write(batch).map_err(|error| target.fail(error)),
            RowWriter::Parquet(writer) => writer.write(batch).map_err(|error| target.fail(error)),
            RowWriter::Arrow(writer) => writer.write(batch).map_err(|error| target.fail(error)),
        }
    }

    /// Makes the file durable under its name.
    pub fn finish(self) -> Result<(), EngineError> {
        let Self { target, rows } = self;
        let output = match rows {
            RowWriter::Text(writer) => writer.into_inner(),
            RowWriter::Parquet(writer) => writer.into_inner().map_err(|error| target.fail(error))?,
            RowWriter::Arrow(writer) => writer.into_inner().map_err(|error| target.fail(error))?,
        };
        let whole = output.file.into_inner().map_err(io::IntoInnerError::into_error);
        whole.and_then(WholeFile::persist).map_err(|error| EngineError::io(&target.path, &error))
    }
}

impl fmt::Debug for TableWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TableWriter").field("path", &self.target.path).finish_non_exhaustive()
    }
}

impl RowWriter {
    fn text(output: Output, delimiter: u8, schema: &SchemaRef) -> Result<Self, ArrowError> {
        let mut writer = CsvWriterBuilder::new().with_delimiter(delimiter).build(output);
        // The header comes with the first batch, so a table without rows would have none.
        writer.write(&RecordBatch::new_empty(Arc::clone(schema)))?;
        Ok(Self::Text(Box::new(writer)))
    }
}
