//! Files, database tables and tables in memory that hold the rows.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;

use scumble_schema::Dialect;

use crate::error::EngineError;
use crate::run::spill::SpillDirectory;
use crate::source::adbc;
use crate::source::delta_table;
use crate::source::path_columns::{FoundPath, PathColumns, is_hidden};
use crate::source::postgres::Address;

/// A file, a directory, a glob such as `data/part-*.parquet`, a table of a PostgreSQL database:
/// `postgresql://user@host:5432/database?table=schema.name`, one of a database with an ADBC driver:
/// `adbc:duckdb?path=people.duckdb&table=people`, or [a table in memory](Self::of_batches).
///
/// An input that begins with `postgresql://` or `postgres://` is a table; one that begins with
/// `s3://`, `gs://`, `az://`, `abfs://` or `abfss://` is a Parquet file in an object store, or all
/// of them below a prefix that ends in `/`. Everything else is a path. A path that exists is taken
/// literally, so a file may have `*` or `[` in its name. A directory stands for all its files with
/// a known extension, at any depth, except those whose name begins with `.` or `_`, and except
/// workbooks and archives, which must be named one by one.
///
/// A directory with a `_delta_log` is a Delta table: only the files of its newest version count, or
/// of the version in `people@v12`. Directories of Iceberg and Hudi tables, and directories above
/// any such table, are refused.
///
/// Directories below a directory, a prefix or the first wildcard of a glob may be columns: all rows
/// below `year=2024/` have this year, unless their file has a column `year` itself. Names and
/// values are percent-encoded, and `__HIVE_DEFAULT_PARTITION__` is a missing value.
///
/// `Debug` prints neither the password of a database nor anything of rows in memory.
///
/// ```
/// use std::path::Path;
/// use scumble_engine::Input;
///
/// assert_eq!(Input::new("data/part-*.parquet").path(), Some(Path::new("data/part-*.parquet")));
/// let database = Input::new("postgresql://clerk:secret@db.example/survey?table=people");
/// assert!(database.path().is_none());
/// assert!(!format!("{database:?}").contains("secret"));
/// ```
#[derive(Clone)]
pub struct Input {
    place: Place,
    sheet: Option<String>,
    /// Version of a Delta table, if it is not in the address.
    version: Option<u64>,
}

#[derive(Clone)]
enum Place {
    Files(PathBuf),
    /// The URL, which may hold a password.
    Table(String),
    /// The address of a table that a driver reaches, which may hold a password.
    Driven(String),
    /// An object of a store, or all objects below a prefix.
    Objects(String),
    Memory(MemoryRows),
    /// A private copy of standard input.
    Copied(Copied),
}

/// A place where a Delta table may be.
pub(crate) enum Named<'a> {
    Path(&'a Path),
    /// A URL.
    Objects(&'a str),
}

/// The address of a table of a database.
pub(crate) enum DatabaseAddress {
    Postgres(Box<Address>),
    Driven(adbc::Address),
}

/// A private file, and the directory that contains it.
#[derive(Clone)]
struct Copied {
    path: PathBuf,
    directory: Arc<SpillDirectory>,
}

/// Rows of a piece of a batch in memory: a data frame often has all its rows in one batch.
const PIECE_ROWS: usize = 1 << 16;

/// Rows in memory, and the columns of all batches.
#[derive(Clone)]
pub(crate) struct MemoryRows {
    pub(crate) columns: SchemaRef,
    pub(crate) batches: Vec<RecordBatch>,
}

impl MemoryRows {
    /// Splits the rows into pieces and distributes them to `partitions`.
    pub(crate) fn partitioned(&self, partitions: usize) -> Vec<Vec<RecordBatch>> {
        let pieces = self.batches.iter().flat_map(|batch| {
            let starts = (0..batch.num_rows()).step_by(PIECE_ROWS);
            starts.map(|start| batch.slice(start, PIECE_ROWS.min(batch.num_rows() - start)))
        });
        let mut batches = vec![vec![]; partitions];
        for (position, piece) in pieces.enumerate() {
            batches[position % partitions].push(piece);
        }
        batches
    }
}

impl Input {
    /// Creates an input from a path, or from the URL of a database table or an object. Nothing is
    /// opened yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self::of_place(match path.to_str() {
            Some(url) if DATABASES.iter().any(|scheme| url.starts_with(scheme)) => Place::Table(url.to_owned()),
            Some(address) if address.starts_with(DRIVERS) => Place::Driven(address.to_owned()),
            Some(url) if OBJECTS.iter().any(|scheme| url.starts_with(scheme)) => Place::Objects(url.to_owned()),
            _ => Place::Files(path),
        })
    }

    fn of_place(place: Place) -> Self {
        Self { place, sheet: None, version: None }
    }

    /// Copies standard input, to its end, into a private file below `parent`, or below the system's
    /// temporary directory: a table may be read several times. The file is removed with the last
    /// clone of this input and of its readers.
    ///
    /// The format is CSV unless another one is given. A second call finds nothing left to read, and
    /// fails.
    pub fn of_standard_input(parent: Option<&Path>) -> Result<Self, EngineError> {
        static IS_READ: AtomicBool = AtomicBool::new(false);
        if IS_READ.swap(true, Ordering::SeqCst) {
            return Err(EngineError::config(
                "standard input is named twice, but can be read only once",
                "write its contents to a file first",
            ));
        }
        let directory = SpillDirectory::new(parent);
        let path = directory.path()?.join("standard-input");
        let refused = |error: io::Error| EngineError::refused(&path, &error);
        let mut copy = fs::File::create_new(&path).map_err(refused)?;
        io::copy(&mut io::stdin().lock(), &mut copy).map_err(refused)?;
        Ok(Self::of_place(Place::Copied(Copied { path, directory })))
    }

    /// Selects the sheet of a workbook; by default, the first one. Other inputs do not change.
    #[must_use]
    pub fn with_sheet(self, name: Option<String>) -> Self {
        Self { sheet: name, ..self }
    }

    /// Returns the place where a Delta table may be, if the input names no version of one.
    pub(crate) fn without_version(&self) -> Option<Named<'_>> {
        match &self.place {
            Place::Files(path) if self.version.is_none() => Some(Named::Path(path)),
            Place::Objects(url) if self.version.is_none() => Some(Named::Objects(url)),
            _ => None,
        }
    }

    /// Selects a version of a Delta table.
    pub(crate) fn at_version(&self, version: u64) -> Self {
        Self { version: Some(version), ..self.clone() }
    }

    /// Returns the version of a Delta table, if the input names one: `people@v12` does, and so does
    /// an input that was [pinned](crate::pinned).
    pub fn version(&self) -> Option<u64> {
        let in_address = || match &self.place {
            Place::Files(path) if !path.exists() => delta_table::split_version(path.to_str()?),
            Place::Objects(url) => delta_table::split_version(url),
            _ => None,
        };
        self.version.or_else(|| Some(in_address()?.1))
    }

    /// Creates an input from rows in memory, which are not copied.
    ///
    /// All batches must have these columns, in this order.
    pub fn of_batches(columns: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self::of_place(Place::Memory(MemoryRows { columns, batches }))
    }

    /// Returns the path or glob, without the version of a Delta table; `None` for a table of a
    /// database or in memory, and for objects.
    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            Place::Files(path) if path.exists() => Some(path),
            Place::Files(path) => {
                let table = path.to_str().and_then(delta_table::split_version);
                Some(table.map_or(path, |(table, _)| Path::new(table)))
            }
            Place::Table(_) | Place::Driven(_) | Place::Objects(_) | Place::Memory(_) | Place::Copied(_) => None,
        }
    }

    /// Returns the table, if the input is one of a database.
    pub(crate) fn database(&self) -> Result<Option<DatabaseAddress>, EngineError> {
        Ok(match &self.place {
            Place::Table(url) => Some(DatabaseAddress::Postgres(Address::parse(url)?.into())),
            Place::Driven(address) => Some(DatabaseAddress::Driven(adbc::Address::parse(address)?)),
            Place::Files(_) | Place::Objects(_) | Place::Memory(_) | Place::Copied(_) => None,
        })
    }

    /// Returns the name of the input in messages: the path, or the address without its password.
    pub fn shown(&self) -> String {
        match &self.place {
            Place::Files(path) => path.display().to_string(),
            Place::Objects(url) => url.clone(),
            Place::Table(url) => {
                Address::parse(url).map_or_else(|_| "a database".into(), |address| address.shown().into())
            }
            Place::Driven(address) => {
                adbc::Address::parse(address).map_or_else(|_| "a database".into(), |address| address.shown().into())
            }
            Place::Memory(_) => IN_MEMORY.into(),
            Place::Copied(_) => STANDARD_INPUT.into(),
        }
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Input").field(&self.shown()).finish()
    }
}

impl<T: Into<PathBuf>> From<T> for Input {
    fn from(path: T) -> Self {
        Self::new(path)
    }
}

/// Starts of the addresses of objects, whether or not this build reads object stores: of Amazon S3
/// and all that speak its protocol, of Google Cloud Storage, and of Azure, where a container may
/// have any of three.
pub(crate) const OBJECTS: [&str; 5] = ["s3://", "gs://", "az://", "abfs://", "abfss://"];
/// Starts of the address of a database table, whether or not this build reads databases.
pub(crate) const DATABASES: [&str; 2] = ["postgresql://", "postgres://"];
/// Start of the address of a table that a driver reaches, whether or not this build loads drivers.
pub(crate) const DRIVERS: &str = "adbc:";
/// Name of rows in memory in messages.
pub(crate) const IN_MEMORY: &str = "table in memory";
/// Name of a copy of standard input in messages.
const STANDARD_INPUT: &str = "standard input";
/// Hint with the values of `--format`.
pub(crate) const FORMAT_HINT: &str = "say what it is with `--format csv|tsv|parquet|arrow|xlsx`";

/// File format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Separated by commas, semicolons, tabs or pipes, with a header line: `.csv`. Also `.txt`,
    /// `.dat`, `.data` and `.psv`, but not in a directory, where they may be other things.
    Csv,
    /// Tab-separated, with a header line: `.tsv`, `.tab`.
    Tsv,
    /// Parquet: `.parquet`, `.pq`.
    Parquet,
    /// Arrow IPC, file or stream: `.arrow`, `.arrows`, `.feather`, `.ipc`.
    Arrow,
    /// A sheet of a workbook, with a header row: `.xlsx`, `.xlsm`. It can be read but not written.
    Xlsx,
    /// One table of another format in a ZIP archive: `.zip`. It can be read but not written.
    Zip,
}

impl Format {
    /// Returns the format of a file with this name, which has no compression extension.
    pub(crate) fn of_stem(stem: &str) -> Option<Self> {
        match Path::new(stem).extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "parquet" | "pq" => Some(Self::Parquet),
            "arrow" | "arrows" | "feather" | "ipc" => Some(Self::Arrow),
            "xlsx" | "xlsm" => Some(Self::Xlsx),
            "zip" => Some(Self::Zip),
            _ => None,
        }
    }

    /// Returns the format of a named file that is probably a table.
    pub(crate) fn of_named(stem: &str) -> Option<Self> {
        Self::of_stem(stem).or_else(|| {
            let extension = Path::new(stem).extension()?.to_str()?.to_ascii_lowercase();
            matches!(extension.as_str(), "txt" | "dat" | "data" | "psv").then_some(Self::Csv)
        })
    }

    /// Returns the format in which to write a file with this name.
    pub(crate) fn of_output(path: &Path) -> Option<Self> {
        Self::of_stem(path.file_name()?.to_str()?).filter(|format| !format.is_packed())
    }

    /// Whether files of this format are read through a private copy.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Self::Xlsx | Self::Zip)
    }

    /// Whether the format is text, which may be compressed as a whole.
    fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv)
    }
}

/// One file with rows.
#[derive(Debug, Clone)]
pub(crate) struct DataFile {
    /// Name in messages, as the user wrote it; without the values of directories below.
    pub(crate) shown: String,
    /// Absolute, with links resolved.
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    pub(crate) compression: FileCompressionType,
    /// The sheet of a workbook; by default, the first.
    pub(crate) sheet: Option<String>,
    /// The format of the table in an archive, if it was given.
    pub(crate) inner: Option<Format>,
    /// The dialect of a text file, if it does not depend on the schema.
    pub(crate) dialect: Option<Dialect>,
    /// Whether it is a private copy, which other machines cannot read.
    pub(crate) is_copy: bool,
    /// Columns of the directories between the input and the file.
    pub(crate) path_columns: PathColumns,
}

impl DataFile {
    fn new(found: FoundPath<'_>, format: Option<Format>) -> Result<Self, EngineError> {
        let (path, shown) = (found.to_path(), found.shown());
        let (stem, compression) = split_compression(&path);
        let of_name = Format::of_named(stem);
        // The given format is that of the table in the archive.
        let inner = format.filter(|_| of_name == Some(Format::Zip));
        let format = if inner.is_some() { of_name } else { format.or(of_name) };
        let format = format.ok_or_else(|| {
            let hint = unsupported_format(stem).unwrap_or(FORMAT_HINT);
            EngineError::config(format!("the name of `{shown}` does not give its format"), hint)
        })?;
        if compression.is_compressed() && !format.is_text() {
            return Err(EngineError::config(
                format!("`{shown}` is compressed as a whole, which only CSV and TSV files may be"),
                "unpack it; Parquet and Arrow files compress their columns themselves",
            ));
        }
        let path = fs::canonicalize(&path).map_err(|error| EngineError::unreadable(&shown, &error))?;
        // A pipe can be read only once, but a file is read twice; a device may never end.
        if !path.is_file() {
            return Err(EngineError::config(
                format!("`{shown}` is not a regular file"),
                "write its contents to a file first",
            ));
        }
        let path_columns = found.columns();
        Ok(Self { shown, path, format, compression, sheet: None, inner, dialect: None, is_copy: false, path_columns })
    }

    /// Returns the copy of standard input at `path`.
    fn of_standard_input(path: &Path, format: Option<Format>) -> Self {
        Self {
            shown: STANDARD_INPUT.into(),
            path: path.to_owned(),
            format: format.unwrap_or(Format::Csv),
            compression: FileCompressionType::UNCOMPRESSED,
            sheet: None,
            inner: None,
            dialect: None,
            is_copy: true,
            path_columns: PathColumns::default(),
        }
    }
}

fn has_known_name(path: &Path) -> bool {
    Format::of_stem(split_compression(path).0).is_some_and(|format| !format.is_packed())
}

/// Returns what to do if the extension is that of a table in a format that is not read.
fn unsupported_format(name: &str) -> Option<&'static str> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str())?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "xls" | "xlsb" | "ods" | "numbers" => "save it as an Excel workbook (.xlsx), or as CSV",
        "sav" | "zsav" | "por" | "dta" | "sas7bdat" | "xpt" | "rds" | "rda" | "rdata" => {
            "save it as Parquet or CSV with the program that wrote it, or with R or Python"
        }
        "json" | "jsonl" | "ndjson" | "xml" => "convert it to Parquet or CSV",
        "duckdb" => "name a table of it: `adbc:duckdb?path=FILE&table=NAME`, or export that as Parquet",
        "db" | "sqlite" | "sqlite3" | "mdb" | "accdb" => "export the table as Parquet or CSV",
        _ => return None,
    })
}

/// Returns the file's name without the extension of its compression, and the compression.
pub(crate) fn split_compression(path: &Path) -> (&str, FileCompressionType) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let compression = match extension.to_ascii_lowercase().as_str() {
        "gz" | "gzip" => FileCompressionType::GZIP,
        "zst" | "zstd" => FileCompressionType::ZSTD,
        "bz2" => FileCompressionType::BZIP2,
        "xz" => FileCompressionType::XZ,
        _ => return (name, FileCompressionType::UNCOMPRESSED),
    };
    (&name[..name.len() - extension.len() - 1], compression)
}

/// All inputs, resolved.
pub(crate) struct Sources {
    /// In the order of the inputs, sorted within each.
    pub(crate) files: Vec<DataFile>,
    pub(crate) tables: Vec<Address>,
    pub(crate) driven: Vec<adbc::Address>,
    /// URLs of objects and of prefixes, as given.
    pub(crate) objects: Vec<String>,
    pub(crate) memory: Vec<MemoryRows>,
    /// Directories of copies of inputs, kept while they are read.
    pub(crate) directories: Vec<Arc<SpillDirectory>>,
}

impl Sources {
    /// Returns the name of the first input, for messages.
    pub(crate) fn shown(&self) -> String {
        let table = || self.tables.first().map(|table| table.shown().to_owned());
        let driven = || self.driven.first().map(|table| table.shown().to_owned());
        let object = || self.objects.first().cloned();
        let file = self.files.first().map(|file| file.shown.clone());
        file.or_else(table).or_else(driven).or_else(object).unwrap_or_else(|| IN_MEMORY.into())
    }
}

/// Resolves all inputs to files, tables and rows in memory.
///
/// A file that is named twice is refused: its rows, and so those of each person, would count twice.
/// Whether two names refer to the same table is known only to the database.
pub(crate) fn resolve(inputs: &[Input], format: Option<Format>) -> Result<Sources, EngineError> {
    if inputs.is_empty() {
        return Err(EngineError::config("no input file", "name at least one file, directory or glob"));
    }
    let (mut files, mut tables, mut driven, mut objects) = (vec![], vec![], vec![], vec![]);
    let (mut memory, mut directories) = (vec![], vec![]);
    for input in inputs {
        match &input.place {
            Place::Files(path) => {
                let found = resolve_one(path, input.version, format)?.into_iter();
                files.extend(found.map(|file| DataFile { sheet: input.sheet.clone(), ..file }));
            }
            Place::Copied(copied) => {
                let file = DataFile::of_standard_input(&copied.path, format);
                files.push(DataFile { sheet: input.sheet.clone(), ..file });
                directories.push(Arc::clone(&copied.directory));
            }
            Place::Table(url) => tables.push(Address::parse(url)?),
            Place::Driven(address) => driven.push(adbc::Address::parse(address)?),
            Place::Objects(url) => {
                objects.push(input.version.map_or_else(|| url.clone(), |version| format!("{url}@v{version}")));
            }
            Place::Memory(rows) => memory.push(rows.clone()),
        }
    }
    let mut seen = HashSet::new();
    match files.iter().find(|file| !seen.insert(&file.path)) {
        Some(twice) => Err(EngineError::named_twice(&twice.shown)),
        None => Ok(Sources { files, tables, driven, objects, memory, directories }),
    }
}

fn resolve_one(path: &Path, version: Option<u64>, format: Option<Format>) -> Result<Vec<DataFile>, EngineError> {
    let shown = path.display().to_string();
    if delta_table::is_table(path) {
        return files_of_version(path, version);
    }
    if path.is_dir() {
        let mut paths = vec![];
        walk(path, Path::new(""), &mut paths)?;
        // Other files may be beside the data: a schema, a note, a checksum.
        let data = paths.iter().filter(|below| format.is_some() || has_known_name(below));
        let files = data.map(|below| DataFile::new(FoundPath { named: path, below }, format));
        let files: Vec<_> = files.collect::<Result<_, _>>()?;
        let kind = |file: &DataFile| (file.format, *file.compression.get_variant());
        if let Some(other) = files.iter().find(|file| kind(file) != kind(&files[0])) {
            return Err(EngineError::config(
                format!(
                    "the directory `{shown}` holds data in several formats, such as `{}` and `{}`",
                    files[0].shown, other.shown
                ),
                "they may be copies of the same rows; name the files, or give a glob such as `DIR/*.parquet`",
            ));
        }
        return some(files, &shown);
    }
    if path.exists() {
        return Ok(vec![DataFile::new(FoundPath::named(path), format)?]);
    }
    if let Some((table, version)) = delta_table::split_version(&shown) {
        let table = Path::new(table);
        if delta_table::is_table(table) {
            return files_of_version(table, Some(version));
        }
        if table.exists() {
            return Err(delta_table::not_a_table(&table.display().to_string()));
        }
    }
    if shown.contains("://") {
        return Err(EngineError::config(
            format!("`{shown}` is not a local file"),
            "copy the data to a local disk first; addresses of object stores begin with `s3://`, `gs://`, `az://` or `abfss://`",
        ));
    }
    if shown.contains(['*', '?', '[']) {
        let bad = || EngineError::config(format!("`{shown}` is not a glob"), "see that every `[` has its `]`");
        let mut paths: Vec<PathBuf> =
            glob::glob(&shown).map_err(|_| bad())?.flatten().filter(|path| path.is_file()).collect();
        paths.sort_unstable();
        let files = paths.iter().map(|found| {
            let (named, below) = split_match(path, found);
            for below in below.ancestors().skip(1) {
                let directory = FoundPath { named: &named, below };
                refuse_table(directory, &directory.to_path().join(delta_table::LOG))?;
            }
            DataFile::new(FoundPath { named: &named, below: &below }, format)
        });
        return some(files.collect::<Result<_, _>>()?, &shown);
    }
    Err(EngineError::unreadable(&shown, &std::io::ErrorKind::NotFound.into()))
}

/// Returns the files of a version of a Delta table; by default, of the newest.
fn files_of_version(table: &Path, version: Option<u64>) -> Result<Vec<DataFile>, EngineError> {
    let snapshot = delta_table::snapshot(table, version)?;
    let files = snapshot.files.into_iter().map(|file| {
        let below = Path::new(&file.path);
        if !table.join(below).exists() {
            return Err(delta_table::without_files(&table.display().to_string(), snapshot.version));
        }
        let found = DataFile::new(FoundPath { named: table, below }, Some(Format::Parquet))?;
        Ok(DataFile { path_columns: file.columns, ..found })
    });
    let files: Vec<_> = files.collect::<Result<_, EngineError>>()?;
    Ok(files)
}

/// Refuses a directory that holds files of several versions of a table, if `entry` says so.
fn refuse_table(directory: FoundPath<'_>, entry: &Path) -> Result<(), EngineError> {
    let shown = || Some(directory.shown()).filter(|path| !path.is_empty()).unwrap_or_else(|| ".".into());
    let name = entry.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match name {
        delta_table::LOG if entry.is_dir() => Err(delta_table::inside_a_table(&shown())),
        ".hoodie" if entry.is_dir() => Err(other_table("Hudi", &shown())),
        "metadata" if holds_iceberg(entry) => Err(other_table("Iceberg", &shown())),
        _ => Ok(()),
    }
}

fn holds_iceberg(directory: &Path) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names = entries.map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().ends_with(ICEBERG_METADATA))
}

/// End of the names of the files that describe versions of an Iceberg table.
pub(crate) const ICEBERG_METADATA: &str = ".metadata.json";

/// The error for a folder that holds the files of several versions of a table.
pub(crate) fn other_table(kind: &str, shown: &str) -> EngineError {
    EngineError::config(
        format!("`{shown}` is a table of {kind}, whose folder also holds files of older versions"),
        "write its rows to Parquet files with the program that made it, and name those",
    )
}

fn some(files: Vec<DataFile>, shown: &str) -> Result<Vec<DataFile>, EngineError> {
    if files.is_empty() {
        return Err(EngineError::config(
            format!("`{shown}` holds no data file"),
            "known extensions are csv, tsv, parquet and arrow, and csv.gz, csv.zst, csv.bz2, csv.xz; name a workbook or an \
             archive itself",
        ));
    }
    Ok(files)
}

/// Splits a match of a glob before the first part that the glob leaves open.
fn split_match(pattern: &Path, found: &Path) -> (PathBuf, PathBuf) {
    // A leading `.` may be in one of the two only.
    let parts = |path| Path::components(path).filter(|part| *part != Component::CurDir);
    let is_open = |part: &Component<'_>| part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    let named = parts(pattern).take_while(|part| !is_open(part)).count();
    (parts(found).take(named).collect(), parts(found).skip(named).collect())
}

/// Collects the paths of all regular files in the directory `below` of `named`, sorted, without the
/// path of `named`.
fn walk(named: &Path, below: &Path, paths: &mut Vec<PathBuf>) -> Result<(), EngineError> {
    let directory = FoundPath { named, below };
    let entries = fs::read_dir(directory.to_path()).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.map_err(|error| EngineError::unreadable(directory.shown(), &error))?;
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // The type of a link is `link`, so there are no cycles; linked files are included, linked
        // directories are not.
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        refuse_table(directory, &entry.path())?;
        if is_hidden(&entry.file_name().to_string_lossy(), is_directory) {
            continue;
        }
        let path = below.join(entry.file_name());
        if is_directory {
            walk(named, &path, paths)?;
        } else if entry.path().is_file() {
            paths.push(path);
        }
    }
    Ok(())
}
