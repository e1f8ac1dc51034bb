//! Writes synthetic rows to a file, complete or not at all, or to any other sink of bytes.

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, StringArray, StringBuilder};
use datafusion::arrow::csv::{Writer as CsvWriter, WriterBuilder as CsvWriterBuilder};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::FileWriter as ArrowWriter;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::parquet::arrow::ArrowWriter as ParquetWriter;
use datafusion::parquet::basic::{Compression, ZstdLevel};
use datafusion::parquet::file::properties::WriterProperties;
use scumble_schema::{AtomicFile, DecodedRows};

use crate::error::EngineError;
use crate::source::csv::DELIMITERS;
use crate::source::input::Format;

/// The sink, and the first error it returned: Arrow's CSV writer converts errors to text.
struct Output<W: Write> {
    sink: BufWriter<W>,
    refused: Arc<OnceLock<io::ErrorKind>>,
}

impl<W: Write> Output<W> {
    fn refuse(&self, error: &io::Error) {
        // The first error is the cause; later ones follow from it.
        self.refused.get_or_init(|| error.kind());
    }
}

impl<W: Write> Write for Output<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes).inspect_err(|error| self.refuse(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush().inspect_err(|error| self.refuse(error))
    }
}

/// Writes record batches to one file, in the format of its extension: `.csv`, `.tsv`, `.parquet` or
/// `.arrow`.
///
/// The target is written completely or not at all: see [`AtomicFile`]. [`finish`](Self::finish)
/// renames the file to its target; a writer that is dropped before leaves nothing. For other sinks
/// there is [`into_sink`](Self::into_sink).
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
pub struct TableWriter<W: Write + Send = AtomicFile> {
    target: Target,
    rows: RowWriter<W>,
}

/// The target of the rows, for errors.
struct Target {
    path: PathBuf,
    refused: Arc<OnceLock<io::ErrorKind>>,
}

impl Target {
    /// Converts an error of a writer. Synthetic rows always fit their own schema, so an error
    /// without a cause in the operating system is a bug.
    fn fail<E>(&self, _of_writer: E) -> EngineError {
        match self.refused.get() {
            Some(kind) => EngineError::refused(&self.path, &(*kind).into()),
            None => EngineError::Bug { what: "the synthetic rows could not be written" },
        }
    }
}

enum RowWriter<W: Write + Send> {
    Text(Box<CsvWriter<Output<W>>>),
    Parquet(Box<ParquetWriter<Output<W>>>),
    Arrow(Box<ArrowWriter<Output<W>>>),
}

impl TableWriter {
    /// Creates a writer for the columns in `schema`. The target is not touched before
    /// [`finish`](Self::finish).
    pub fn create(path: impl AsRef<Path>, schema: SchemaRef) -> Result<Self, EngineError> {
        let path = path.as_ref().to_owned();
        let format = Format::of_output(&path).ok_or_else(|| {
            EngineError::config(
                format!("the name of `{}` does not give a format to write", path.display()),
                "end it in `.csv`, `.tsv`, `.parquet` or `.arrow`",
            )
        })?;
        let file = AtomicFile::create(&path).map_err(|error| EngineError::refused(&path, &error))?;
        Self::into_sink(file, path, format, schema)
    }

    /// Makes the file durable under its name.
    pub fn finish(self) -> Result<(), EngineError> {
        let path = self.target.path.clone();
        self.into_inner()?.persist().map_err(|error| EngineError::refused(&path, &error))
    }
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates a writer to `sink`. Errors name it by `path`.
    pub fn into_sink(
        sink: W,
        path: impl Into<PathBuf>,
        format: Format,
        schema: SchemaRef,
    ) -> Result<Self, EngineError> {
        let target = Target { path: path.into(), refused: Arc::default() };
        let output = Output { sink: BufWriter::with_capacity(1 << 20, sink), refused: Arc::clone(&target.refused) };
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
            Format::Xlsx | Format::Zip => {
                return Err(EngineError::config(
                    format!("`{}` cannot be written: workbooks and archives are only read", target.path.display()),
                    "write CSV, TSV, Parquet or Arrow",
                ));
            }
        };
        Ok(Self { target, rows })
    }

    /// Appends the rows of a batch with the columns of the writer.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        let target = &self.target;
        match &mut self.rows {
            RowWriter::Text(writer) => writer.write(batch).map_err(|error| target.fail(error)),
            RowWriter::Parquet(writer) => writer.write(batch).map_err(|error| target.fail(error)),
            RowWriter::Arrow(writer) => writer.write(batch).map_err(|error| target.fail(error)),
        }
    }

    /// Appends decoded rows. In text formats, values and missing values are written as the schema
    /// declares; other formats store types and nulls.
    pub fn write_rows(&mut self, rows: &DecodedRows) -> Result<(), EngineError> {
        if matches!(self.rows, RowWriter::Text(_)) && !(rows.blanks.is_empty() && rows.forms.is_empty()) {
            let batch = as_text(rows).map_err(|error| self.target.fail(error))?;
            return self.write(&batch);
        }
        self.write(&rows.batch)
    }

    /// Writes buffered rows, and returns the sink.
    pub fn into_inner(self) -> Result<W, EngineError> {
        let Self { target, rows } = self;
        let output = match rows {
            RowWriter::Text(writer) => writer.into_inner(),
            RowWriter::Parquet(writer) => writer.into_inner().map_err(|error| target.fail(error))?,
            RowWriter::Arrow(writer) => writer.into_inner().map_err(|error| target.fail(error))?,
        };
        output.sink.into_inner().map_err(|error| EngineError::refused(&target.path, error.error()))
    }
}

impl<W: Write + Send> fmt::Debug for TableWriter<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TableWriter").field("path", &self.target.path).finish_non_exhaustive()
    }
}

/// Converts columns to text where values have a declared notation, or missing values a text.
fn as_text(rows: &DecodedRows) -> Result<RecordBatch, ArrowError> {
    let schema = rows.batch.schema();
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| Field::clone(field)).collect();
    let mut columns = rows.batch.columns().to_vec();
    for (index, form) in &rows.forms {
        columns[*index] = Arc::new(form.texts(&columns[*index]));
        fields[*index] = Field::new(fields[*index].name(), DataType::Utf8, true);
    }
    for (index, blanks) in &rows.blanks {
        columns[*index] = with_blanks(&columns[*index], blanks)?;
        fields[*index] = Field::new(fields[*index].name(), DataType::Utf8, true);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// Formats a column as the CSV writer does, with `blanks` in place of nulls.
fn with_blanks(column: &ArrayRef, blanks: &StringArray) -> Result<ArrayRef, ArrowError> {
    // The options of the CSV writer.
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
    let mut texts = StringBuilder::new();
    for row in 0..column.len() {
        if column.is_valid(row) {
            formatter.value(row).write(&mut texts)?;
            texts.append_value("");
        } else {
            texts.append_option(blanks.is_valid(row).then(|| blanks.value(row)));
        }
    }
    Ok(Arc::new(texts.finish()))
}

impl<W: Write + Send> RowWriter<W> {
    fn text(mut output: Output<W>, delimiter: u8, schema: &SchemaRef) -> Result<Self, ArrowError> {
        // Written here: Arrow's writer waits for the first batch, so a table without rows would
        // have no header.
        output.write_all(header_line(schema, delimiter).as_bytes())?;
        let writer = CsvWriterBuilder::new().with_delimiter(delimiter).with_header(false).build(output);
        Ok(Self::Text(Box::new(writer)))
    }
}

/// Returns the column names as a header line. A name that contains any usual delimiter is quoted,
/// so that a reader that detects the delimiter from the header reads it as one name.
fn header_line(schema: &SchemaRef, delimiter: u8) -> String {
    let is_special = |byte: u8| DELIMITERS.contains(&byte) || matches!(byte, b'"' | b'\n' | b'\r');
    let is_only = schema.fields().len() == 1;
    let name = |field: &Arc<Field>| {
        let name = field.name();
        // A blank line would not be a header.
        let is_quoted = name.bytes().any(is_special) || is_only && name.is_empty();
        if is_quoted { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.clone() }
    };
    let names: Vec<String> = schema.fields().iter().map(name).collect();
    names.join(&char::from(delimiter).to_string()) + "\n"
}
