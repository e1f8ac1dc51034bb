//! Reads the column names and types of a data file or table, but no values.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::{FileReader, StreamReader};
use datafusion::catalog::Session;
use datafusion::common::DataFusionError;
use datafusion::datasource::file_format::FileFormat;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use scumble_schema::{AsciiSymbol, Dialect};

use crate::error::{ColumnProblem, Damage, EngineError};
use crate::run::session::{Workers, session};
use crate::run::spill::SpillDirectory;
use crate::source::adbc;
use crate::source::column_types::{ColumnTypes, NamedBy};
use crate::source::csv::{DELIMITERS, HeaderProblem, TextLayout, read_header, text, without_header};
use crate::source::guard::{check_arrow, check_footer, check_pages, unpacking};
use crate::source::input::{DataFile, Format, Input, resolve};
use crate::source::packed::unpack;
use crate::source::path_columns::PathColumns;
use crate::source::postgres;

/// Layout of the rows of a file, for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    Csv(TextLayout),
    Parquet,
    ArrowFile,
    ArrowStream,
}

/// A file with its columns.
#[derive(Debug)]
pub(crate) struct FileColumns {
    pub(crate) shown: String,
    pub(crate) store: ObjectStoreUrl,
    pub(crate) meta: ObjectMeta,
    pub(crate) layout: Layout,
    pub(crate) compression: FileCompressionType,
    pub(crate) columns: SchemaRef,
    /// Positions of each name; several if a name is repeated, which only CSV permits.
    pub(crate) positions: HashMap<String, Vec<usize>>,
    /// Columns in the path of the file. One that the file has too is read from the file.
    pub(crate) path_columns: PathColumns,
}

impl FileColumns {
    /// Returns an error about a column.
    pub(crate) fn fail(&self, column: &str, problem: ColumnProblem) -> EngineError {
        EngineError::Schema { path: self.shown.clone(), column: column.to_owned(), problem }
    }
}

/// Returns the column names and Arrow types of the first file of `input`, or of its database table.
///
/// A CSV file has no types, so its columns are all `Utf8`; its header is parsed according to
/// `dialect`. Columns in the path of the file are `Utf8` too, and follow those of the file. A
/// column of a database has the Arrow type closest to its own. Only headers, footers, schema
/// messages and the catalog of a database are read.
///
/// Blocks on an async runtime of its own, so it must not be called from inside one.
///
/// ```
/// use scumble_schema::Dialect;
/// # let directory = tempfile::tempdir().unwrap();
/// # let path = directory.path().join("people.csv");
/// std::fs::write(&path, "age,sex\n41,f\n")?;
/// let columns = scumble_engine::column_types(&path.into(), None, &Dialect::default())?;
/// assert_eq!(columns.types.field(1).name(), "sex");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn column_types(input: &Input, format: Option<Format>, dialect: &Dialect) -> Result<ColumnTypes, EngineError> {
    let mut sources = resolve(std::slice::from_ref(input), format)?;
    let path = sources.shown();
    if let Some(table) = sources.tables.pop() {
        let read = Workers::new(1)?.run(&path, Damage::Damaged, async move { postgres::column_types(&table).await });
        return Ok(ColumnTypes::new(read??, NamedBy::Table));
    }
    if let Some(table) = sources.driven.pop() {
        return Ok(ColumnTypes::new(adbc::column_types(&table)?, NamedBy::Table));
    }
    if let Some(rows) = sources.memory.pop() {
        return Ok(ColumnTypes::new(rows.columns.as_ref().clone(), NamedBy::Frame));
    }
    if let Some(url) = sources.objects.pop() {
        let hint = "copy one file to a local disk for that; `fit` reads objects where they are";
        return Err(EngineError::config(format!("the columns of `{url}` cannot be inspected"), hint));
    }
    sources.files.truncate(1);
    let spill = SpillDirectory::new(None);
    let file = unpack(sources.files, dialect, &spill)?.swap_remove(0);
    let is_named_by_dialect = dialect.column_names.is_some();
    let dialect = dialect.clone();
    let columns = Workers::new(1)?.run(&path, Damage::Damaged, async move {
        let context = session(1, None, None)?;
        inspect(&context.state(), &file, &dialect).await
    })??;
    let is_text = matches!(columns.layout, Layout::Csv(_));
    let fields = columns.columns.fields().iter().map(|field| {
        if is_text { Arc::new(Field::new(field.name(), DataType::Utf8, true)) } else { Arc::clone(field) }
    });
    let mut fields: Vec<_> = fields.collect();
    for name in columns.path_columns.names().filter(|name| !columns.positions.contains_key(*name)) {
        columns.path_columns.value(name).map_err(|problem| columns.fail(name, problem))?;
        fields.push(Arc::new(Field::new(name, DataType::Utf8, true)));
    }
    let named_by = match (is_text, is_named_by_dialect) {
        (true, true) => NamedBy::Dialect,
        (true, false) => NamedBy::FirstLine,
        (false, _) => NamedBy::Table,
    };
    Ok(ColumnTypes::new(Schema::new(fields), named_by))
}

/// Reads the columns of one file.
pub(crate) async fn inspect(
    state: &dyn Session,
    file: &DataFile,
    dialect: &Dialect,
) -> Result<FileColumns, EngineError> {
    let fail = |error: &DataFusionError, otherwise| EngineError::reading(&file.shown, error, otherwise);
    let store = local_store(state).map_err(|error| fail(&error, Damage::Damaged))?;
    let location = object_store::path::Path::from_absolute_path(&file.path).map_err(|_| not_unicode(&file.shown))?;
    let meta = store.head(&location).await.map_err(|error| fail(&error.into(), Damage::Damaged))?;
    let dialect = file.dialect.as_ref().unwrap_or(dialect);
    let (layout, columns) = match file.format {
        Format::Csv => csv_columns(file, dialect, &DELIMITERS)?,
        Format::Tsv => csv_columns(file, dialect, b"\t")?,
        Format::Parquet => {
            check_parquet_names(file)?;
            let columns = parquet_format(state).infer_schema(state, &store, std::slice::from_ref(&meta)).await;
            (Layout::Parquet, columns.map_err(|error| fail(&error, Damage::NotParquet))?)
        }
        Format::Arrow => arrow_columns(file)?,
        Format::Xlsx | Format::Zip => return Err(EngineError::Bug { what: "a packed file was not unpacked" }),
    };
    Ok(FileColumns {
        shown: file.shown.clone(),
        store: ObjectStoreUrl::local_filesystem(),
        meta,
        layout,
        compression: file.compression,
        positions: positions(&columns),
        columns,
        path_columns: file.path_columns.clone(),
    })
}

/// Returns the positions of each name.
pub(crate) fn positions(columns: &Schema) -> HashMap<String, Vec<usize>> {
    let mut positions: HashMap<String, Vec<usize>> = HashMap::with_capacity(columns.fields().len());
    for (position, field) in columns.fields().iter().enumerate() {
        positions.entry(field.name().clone()).or_default().push(position);
    }
    positions
}

/// The error for a path that object stores cannot represent.
pub(crate) fn not_unicode(path: &str) -> EngineError {
    EngineError::config(format!("the path `{path}` is not valid Unicode"), "rename the file or directory")
}

/// Refuses a file whose columns of `schema` would unpack to far more than its size suggests.
pub(crate) fn check_sizes(
    file: &DataFile,
    found: &FileColumns,
    schema: &scumble_schema::Schema,
) -> Result<(), EngineError> {
    if file.format != Format::Parquet {
        return Ok(());
    }
    let mut bytes = File::open(&file.path).map_err(|error| EngineError::unreadable(&file.shown, &error))?;
    let names: HashSet<&str> = schema.columns_read().collect();
    let read_type = |name: &str| {
        let position = names.contains(name).then(|| found.positions.get(name)).flatten()?.first()?;
        Some(found.columns.field(*position).data_type().clone())
    };
    check_pages(&mut bytes, read_type).map_err(|refusal| refusal.in_file(&file.shown, Damage::Damaged))
}

/// Returns the Parquet reader with the session's options.
pub(crate) fn parquet_format(state: &dyn Session) -> ParquetFormat {
    ParquetFormat::default().with_options(state.default_table_options().parquet)
}

fn local_store(state: &dyn Session) -> Result<Arc<dyn ObjectStore>, DataFusionError> {
    state.runtime_env().object_store(ObjectStoreUrl::local_filesystem())
}

/// Returns the layouts to try for a file of `dialect`: with its delimiter, or with each of
/// `otherwise` if it declares none.
fn layouts(dialect: &Dialect, otherwise: &[u8]) -> Vec<TextLayout> {
    let declared = dialect.delimiter.map(AsciiSymbol::byte);
    let delimiters = declared.as_ref().map_or(otherwise, std::slice::from_ref).iter();
    // A character with another meaning in the dialect cannot be the delimiter.
    let is_free = |delimiter: &&u8| {
        let comment = dialect.comment_char.map(AsciiSymbol::byte);
        **delimiter != dialect.quote() && Some(**delimiter) != comment
    };
    delimiters.filter(is_free).map(|&delimiter| TextLayout::new(dialect, delimiter)).collect()
}

fn csv_columns(file: &DataFile, dialect: &Dialect, delimiters: &[u8]) -> Result<(Layout, SchemaRef), EngineError> {
    let layouts = layouts(dialect, delimiters);
    let fail = |error: &std::io::Error| EngineError::unreadable(&file.shown, error);
    let bytes = File::open(&file.path).map_err(|error| fail(&error))?;
    let reader = unpacking(file.compression, bytes);
    let reader = reader.map_err(|error| EngineError::reading(&file.shown, &error, Damage::Damaged))?;
    let header = match &dialect.column_names {
        None => {
            // They differ in the delimiter only.
            let reader = match layouts.first() {
                Some(&layout) => text(layout, reader),
                None => reader,
            };
            read_header(reader, &layouts)
        }
        Some(names) => without_header(reader, names, &layouts),
    };
    let header = header.map_err(|problem: HeaderProblem| problem.in_file(&file.shown))?;
    let fields: Vec<_> = header.names.into_iter().map(|name| Field::new(name, DataType::Binary, true)).collect();
    Ok((Layout::Csv(header.layout), Arc::new(Schema::new(fields))))
}

/// Refuses repeated names in the file `shown`, because a schema cannot say which column it means.
/// DataFusion would silently merge the two columns into one, and then read one of them, or, from an
/// Arrow file, its neighbour.
///
/// # Errors
/// Names the first column that is there more than once.
pub fn check_names(shown: &str, columns: &Schema) -> Result<(), EngineError> {
    let mut seen = HashSet::with_capacity(columns.fields().len());
    match columns.fields().iter().find(|field| !seen.insert(field.name())) {
        None => Ok(()),
        Some(field) => Err(EngineError::Schema {
            path: shown.to_owned(),
            column: field.name().clone(),
            problem: ColumnProblem::Repeated,
        }),
    }
}

fn check_parquet_names(file: &DataFile) -> Result<(), EngineError> {
    let mut bytes = File::open(&file.path).map_err(|error| EngineError::unreadable(&file.shown, &error))?;
    check_footer(&mut bytes).map_err(|refusal| refusal.in_file(&file.shown, Damage::NotParquet))?;
    let metadata = ArrowReaderMetadata::load(&bytes, ArrowReaderOptions::new());
    let metadata = metadata.map_err(|error| EngineError::reading(&file.shown, &error.into(), Damage::NotParquet))?;
    check_names(&file.shown, metadata.schema())
}

/// Reads the columns of an Arrow file, which begins with a magic word, or of a stream, which does
/// not.
fn arrow_columns(file: &DataFile) -> Result<(Layout, SchemaRef), EngineError> {
    let fail = |error: ArrowError| EngineError::reading(&file.shown, &error.into(), Damage::NotArrow);
    let mut bytes = File::open(&file.path).map_err(|error| EngineError::unreadable(&file.shown, &error))?;
    check_arrow(&mut bytes).map_err(|refusal| refusal.in_file(&file.shown, Damage::NotArrow))?;
    bytes.rewind().map_err(|error| EngineError::unreadable(&file.shown, &error))?;
    let mut start = [0; 6];
    let is_file = bytes.read_exact(&mut start).is_ok() && &start == b"ARROW1";
    bytes.rewind().map_err(|error| EngineError::unreadable(&file.shown, &error))?;
    let (layout, columns) = if is_file {
        (Layout::ArrowFile, FileReader::try_new(bytes, None).map_err(fail)?.schema())
    } else {
        (Layout::ArrowStream, StreamReader::try_new(bytes, None).map_err(fail)?.schema())
    };
    check_names(&file.shown, &columns)?;
    // Metadata about the whole table does not make two files different.
    Ok((layout, Arc::new(Schema::new(columns.fields().clone()))))
}
