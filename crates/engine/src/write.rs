//! Writes synthetic rows, to a file that is whole or not there or to whatever else takes bytes.

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

use crate::csv::DELIMITERS;
use crate::error::EngineError;
use crate::input::Format;

/// Where the bytes go, and what was last refused there: Arrow's CSV writer turns that into a text.
struct Output<W: Write> {
    sink: BufWriter<W>,
    refused: Arc<OnceLock<io::ErrorKind>>,
}

impl<W: Write> Output<W> {
    fn refuse(&self, error: &io::Error) {
        // The first refusal is the reason; what follows follows from it.
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

/// Writes record batches to one file, in the format that its extension names: `.csv`, `.tsv`, `.parquet` or `.arrow`.
///
/// The target is whole or as it was before: see [`AtomicFile`]. [`finish`](Self::finish) gives it its name; a writer that is
/// dropped before leaves nothing. For bytes that go elsewhere there is [`into_sink`](Self::into_sink).
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
    /// A writer for the columns in `schema`. The target is not touched before [`finish`](Self::finish).
    pub fn create(path: impl AsRef<Path>, schema: SchemaRef) -> Result<Self, EngineError> {
        let path = path.as_ref().to_owned();
        let format = Format::of_output(&path).ok_or_else(|| {
            EngineError::config(
                format!("cannot tell from the name of `{}` what to write", path.display()),
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
    /// A writer to `sink`. Errors call it by the name of `path`.
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

    /// Appends the rows of a batch, whose columns are those that the writer was made for.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), EngineError> {
        let target = &self.target;
        match &mut self.rows {
            RowWriter::Text(writer) => writer.write(batch).map_err(|error| target.fail(error)),
            RowWriter::Parquet(writer) => writer.write(batch).map_err(|error| target.fail(error)),
            RowWriter::Arrow(writer) => writer.write(batch).map_err(|error| target.fail(error)),
        }
    }

    /// Appends rows that know how their values and missing ones are written in text. Typed files have types and nulls.
    pub fn write_rows(&mut self, rows: &DecodedRows) -> Result<(), EngineError> {
        if matches!(self.rows, RowWriter::Text(_)) && !(rows.blanks.is_empty() && rows.forms.is_empty()) {
            let batch = as_text(rows).map_err(|error| self.target.fail(error))?;
            return self.write(&batch);
        }
        self.write(&rows.batch)
    }

    /// Writes what is still to be written, and hands the sink back.
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

/// The rows with columns of text where values have a form of their own, or missing ones a text.
fn as_text(rows: &DecodedRows) -> Result<RecordBatch, ArrowError> {
    let schema = rows.batch.schema();
    let mut fields: Vec<Field> = schema.fields().iter().map(|field| Field::clone(field)).collect();
    let mut columns = rows.batch.columns().to_vec();
    for (index, form) in &rows.forms {
        columns[*index] = Arc::new(form.texts(&columns[*index]));
        fields[*index] = Field::new(fields[*index].name(), DataType::Utf8, true);
    }
    for (index, blanks) in &rows.blanks {
        columns[*index] = told(&columns[*index], blanks)?;
        fields[*index] = Field::new(fields[*index].name(), DataType::Utf8, true);
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// A column as the text that the CSV writer makes of it, and where it has no value as `blanks`.
fn told(column: &ArrayRef, blanks: &StringArray) -> Result<ArrayRef, ArrowError> {
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
        // By us: Arrow's writer waits for a first batch, so that a table without rows would have no header.
        output.write_all(header_line(schema, delimiter).as_bytes())?;
        let writer = CsvWriterBuilder::new().with_delimiter(delimiter).with_header(false).build(output);
        Ok(Self::Text(Box::new(writer)))
    }
}

/// The names of the columns as a line. A name that holds any usual delimiter is in quotes, so that a reader that decides on
/// the delimiter by the header takes it for one name.
fn header_line(schema: &SchemaRef, delimiter: u8) -> String {
    let is_special = |byte: u8| DELIMITERS.contains(&byte) || matches!(byte, b'"' | b'\n' | b'\r');
    let is_only = schema.fields().len() == 1;
    let name = |field: &Arc<Field>| {
        let name = field.name();
        // An empty line would be no header.
        let is_quoted = name.bytes().any(is_special) || is_only && name.is_empty();
        if is_quoted { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.clone() }
    };
    let names: Vec<String> = schema.fields().iter().map(name).collect();
    names.join(&char::from(delimiter).to_string()) + "\n"
}
