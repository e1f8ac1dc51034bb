//! What can go wrong with files and databases.

use std::fmt;
use std::io;
use std::path::Path;

use datafusion::arrow::error::ArrowError;
use datafusion::common::DataFusionError;
use datafusion::parquet::errors::ParquetError;
use scumble_schema::{SchemaError, io_hint, io_problem, printable, similar};

use crate::count::kernel::KernelError;
use crate::source::database_problem::DatabaseProblem;
use crate::source::input::FORMAT_HINT;
use crate::source::objects::keys_hint;

/// Why a table could not be read, counted or written.
///
/// # Privacy
/// No text or field holds anything of the rows: errors of DataFusion, Arrow, Parquet, the object
/// store and database servers are mapped to these and dropped, because some of them quote the value
/// that caused them. Paths, column names and column types are public, except for the value of a
/// directory `column=value` below an input, which is shown as `column=…`. The password of a
/// database is never included.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The request cannot be fulfilled.
    #[error("{}", printable(problem))]
    Config {
        /// What is wrong with it.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// A column of the data does not fit the schema.
    #[error("column `{}` {problem} (`{}`)", printable(column), printable(path))]
    Schema {
        /// The file.
        path: String,
        /// The column of the schema.
        column: String,
        /// What is wrong with it.
        problem: ColumnProblem,
    },
    /// A requested table is not in the schema, or is too large.
    #[error(transparent)]
    Table(#[from] SchemaError),
    /// The operating system refused an operation.
    #[error("cannot use `{}`: {problem}", printable(path))]
    Io {
        /// The file.
        path: String,
        /// The error of the operating system.
        problem: IoProblem,
    },
    /// An input does not exist, or may not be read.
    #[error("cannot read `{}`: {problem}", printable(path))]
    Unreadable {
        /// The file.
        path: String,
        /// The error of the operating system.
        problem: IoProblem,
    },
    /// The file exists, but cannot be decoded.
    #[error("`{}` {problem}", printable(path))]
    Engine {
        /// The file, or the first of several that were read together.
        path: String,
        /// What is wrong with it.
        problem: Damage,
    },
    /// A database refused, or the connection was lost.
    #[error("`{}`: {problem}", printable(table))]
    Database {
        /// The table's address, without the password.
        table: String,
        /// What is wrong.
        problem: DatabaseProblem,
    },
    /// A cluster refused, failed, or the connection was lost.
    #[error("`{address}`: {problem}")]
    Cluster {
        /// The address of its scheduler.
        address: String,
        /// What is wrong.
        problem: ClusterProblem,
    },
    /// The work was cancelled.
    #[error("the work was stopped")]
    Stopped,
    /// An error in Scumble itself.
    #[error("bug in the engine: {what}")]
    Bug {
        /// What went wrong, without any data.
        what: &'static str,
    },
}

/// Why a column does not fit the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// No column has this name.
    Missing {
        /// A similar name, which was probably meant. Other names are not listed: in a file without
        /// a header line they are values of a row.
        meant: Option<String>,
    },
    /// Several columns have this name, or several directories of the file's path.
    Repeated,
    /// Only a directory that the user named, or one above it, has this column.
    InNamedPath,
    /// The type of the column has no values that a schema could describe.
    Type(String),
}

impl ColumnProblem {
    /// Returns the only column called `name`; `all` are the names of all columns.
    pub(crate) fn find_unique<'a, T>(
        mut columns: impl Iterator<Item = T>,
        name: &str,
        all: impl Iterator<Item = &'a str>,
    ) -> Result<T, Self> {
        match (columns.next(), columns.next()) {
            (None, _) => Err(Self::missing(name, all)),
            (Some(_), Some(_)) => Err(Self::Repeated),
            (Some(column), None) => Ok(column),
        }
    }

    /// No column is called `name`.
    pub(crate) fn missing<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Self {
        Self::Missing { meant: similar(name, all).map(str::to_owned) }
    }
}

impl fmt::Display for ColumnProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { .. } => formatter.write_str("is not in the data"),
            Self::Repeated => formatter.write_str("is in the data more than once"),
            Self::InNamedPath => formatter.write_str("is not in the data, but in the path of the input"),
            Self::Type(name) => write!(formatter, "has the type `{}`, which cannot be encoded", printable(name)),
        }
    }
}

/// The error of the operating system, by kind only: its text may contain more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoProblem(io::ErrorKind);

impl fmt::Display for IoProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&io_problem(&self.0.into()))
    }
}

/// Why a file could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// It is not a Parquet file.
    NotParquet,
    /// It is not an Arrow file or stream.
    NotArrow,
    /// It is not a ZIP archive.
    NotZip,
    /// It is not an Excel workbook.
    NotWorkbook,
    /// It is truncated, or its bytes are inconsistent.
    Damaged,
    /// This file, or another one read together with it, is truncated or inconsistent.
    OneDamaged,
    /// Reading it needs more memory than allowed.
    Memory,
    /// It claims, or unpacks to, far more than a table of its size has.
    Outsized,
    /// It is a Parquet file with Brotli columns, whose unpacked size cannot be checked.
    Brotli,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotParquet => "is not a Parquet file, or its footer is damaged",
            Self::NotArrow => "is not an Arrow IPC file or stream, or its schema is damaged",
            Self::NotZip => "is not a ZIP archive, or is encrypted or damaged",
            Self::NotWorkbook => "is not an Excel workbook (.xlsx), or is encrypted or damaged",
            Self::Damaged => "is truncated or damaged",
            Self::OneDamaged => "or another input file is truncated or damaged",
            Self::Memory => "needs more memory to read than allowed",
            Self::Outsized => "claims, or unpacks to, far more than a table of its size has",
            Self::Brotli => "has columns in Brotli, whose unpacked size cannot be checked",
        })
    }
}

/// Why a cluster did not complete the work.
///
/// Messages of its machines are not forwarded: they come from other programs, and may contain more
/// than a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClusterProblem {
    /// No server is listening at the address, or none with a trusted certificate.
    Unreachable,
    /// It stopped responding.
    Lost,
    /// It has another version, or another encoding of plans.
    Version,
    /// It has no executor.
    NoExecutor,
    /// Its executors failed repeatedly.
    Failed,
    /// An executor could not read the data.
    Unreadable,
    /// An executor could not write to the folder, or wrote to a place that is not visible here.
    Unwritable,
    /// The disk of an executor is full.
    DiskFull,
    /// An executor ran out of memory.
    Memory,
    /// An executor that had rows of the table was lost, repeatedly.
    RowsLost,
    /// It made no progress for too long.
    Silent,
}

impl ClusterProblem {
    fn hint(self) -> &'static str {
        match self {
            Self::Unreachable => {
                "see that `scumble scheduler` runs there, and that `--tls` names certificates of its own authority on both sides"
            }
            Self::Lost => {
                "nothing more was released; run the same command again, with `--resume` if it was on a ledger"
            }
            Self::Version => "run the same version of Scumble on every machine",
            Self::NoExecutor => "see that `scumble executor` runs and reaches the scheduler",
            Self::Failed => "the logs of the executors say more: start them with `--log info`",
            Self::Unreadable => "every executor must read the data at the address that the command names",
            Self::Unwritable => "the output must be in a folder that all executors share and may write to",
            Self::DiskFull => "give the executors another `--work-dir`",
            Self::Memory => "give the executors more memory, or fewer `--threads` each",
            Self::RowsLost => "see why executors end: their logs say more with `--log info`",
            Self::Silent => "check that the executors are running, or wait longer with `--patience`",
        }
    }
}

impl fmt::Display for ClusterProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unreachable => "no connection to the scheduler",
            Self::Lost => "the connection to the cluster was lost",
            Self::Version => "the cluster is of another version",
            Self::NoExecutor => "the cluster has no executor",
            Self::Failed => "the cluster could not do the work",
            Self::Unreadable => "an executor could not read the data",
            Self::Unwritable => "an executor could not write the rows",
            Self::DiskFull => "the disk of an executor is full",
            Self::Memory => "an executor had too little memory",
            Self::RowsLost => "executors were lost, with the rows that they had read",
            Self::Silent => "the cluster was silent for too long",
        })
    }
}

impl From<KernelError> for EngineError {
    fn from(error: KernelError) -> Self {
        match error {
            KernelError::TooLarge(error) => Self::Table(error),
            KernelError::UnknownAttribute => {
                Self::Bug { what: "a table was requested over an attribute that is not in the schema" }
            }
            KernelError::Codes => Self::Bug { what: "a column of codes does not fit its attribute" },
            KernelError::TooManyRows => Self::Bug { what: "more rows than can be counted" },
        }
    }
}

impl EngineError {
    pub(crate) fn config(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Config { problem: problem.into(), hint: hint.into() }
    }

    #[cfg(any(feature = "adbc", feature = "postgres"))]
    pub(crate) fn database(table: &str, problem: DatabaseProblem) -> Self {
        Self::Database { table: table.into(), problem }
    }

    pub(crate) fn named_twice(shown: &str) -> Self {
        let hint = "its rows would be counted twice; check for links and for globs that overlap";
        Self::config(format!("`{shown}` is named twice"), hint)
    }

    /// Returns what to do about the error, if known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Config { hint, .. } => Some(printable(hint).into_owned()),
            Self::Schema { problem: ColumnProblem::Missing { meant: Some(name) }, .. } => {
                let name = printable(name);
                Some(format!("did you mean `{name}`? Names under `fields` agree to the letter with those of the data"))
            }
            Self::Schema { problem: ColumnProblem::Missing { meant: None }, .. } => Some(
                "every file and table has every column of the schema, by names that agree to the letter; a text file names them in its \
                 first line, or in the one that `--header-row` names"
                    .into(),
            ),
            Self::Schema { problem: ColumnProblem::Repeated, column, .. } if column.is_empty() => Some(
                "every column needs a name; if lines such as a title precede the header, name its line, as in \
                 `--header-row 3`, or in `dialect: {headerRows: [3]}` of the schema"
                    .into(),
            ),
            Self::Schema { problem: ColumnProblem::Repeated, .. } => {
                Some("rename or drop all but one; if the file has no header, name its columns: `--column-names`".into())
            }
            Self::Schema { problem: ColumnProblem::InNamedPath, .. } => Some(
                "columns are read from directories below the input: name the directory above, or a glob in quotes, as in \
                 `'sales/*/*.parquet'`"
                    .into(),
            ),
            Self::Schema { problem: ColumnProblem::Type(_), .. } => {
                Some("split the values into plain columns, or remove the column from the schema".into())
            }
            Self::Table(error) => Some(error.hint()),
            Self::Unreadable { path, .. } => {
                Some(keys_hint(path).unwrap_or("check the path and its permissions").into())
            }
            Self::Io { problem, .. } => Some(io_hint(problem.0).into()),
            Self::Stopped => None,
            Self::Engine { problem: Damage::NotParquet | Damage::NotArrow, .. } => Some(FORMAT_HINT.into()),
            Self::Engine { problem: Damage::NotZip, .. } => Some("unpack it, and name the file in it".into()),
            Self::Engine { problem: Damage::NotWorkbook, .. } => {
                Some("save it as an Excel workbook without a password, or as CSV".into())
            }
            Self::Engine { problem: Damage::Memory, .. } => Some("raise the memory limit".into()),
            Self::Engine { problem: Damage::Outsized, .. } => {
                Some("if the file is sound, write it again in smaller pages or batches, or without compression".into())
            }
            Self::Engine { problem: Damage::Brotli, .. } => Some("write the file again with zstd or snappy".into()),
            Self::Engine { .. } => Some("write the file again from its source".into()),
            Self::Database { problem, .. } => Some(problem.hint().into()),
            Self::Cluster { problem, .. } => Some(problem.hint().into()),
            Self::Bug { .. } => Some("please report it, with the command but without the data".into()),
        }
    }

    /// Converts an error of the operating system about the file or directory at `path`.
    pub fn refused(path: impl AsRef<Path>, error: &io::Error) -> Self {
        Self::Io { path: path.as_ref().display().to_string(), problem: IoProblem(error.kind()) }
    }

    /// Converts an error of the operating system or of a decompressor about the input at `path`.
    pub(crate) fn unreadable(path: impl AsRef<Path>, error: &io::Error) -> Self {
        let path = path.as_ref().display().to_string();
        match error.kind() {
            // Decompressors report these for bad input.
            io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::Other => Self::Engine { path, problem: Damage::Damaged },
            kind => Self::Unreadable { path, problem: IoProblem(kind) },
        }
    }

    /// Converts an error that occurred while reading files, the first of which is at `path`;
    /// `otherwise` if its cause is unknown.
    pub(crate) fn reading(path: &str, error: &DataFusionError, otherwise: Damage) -> Self {
        match error {
            DataFusionError::External(cause) => Self::of_cause(path, cause.as_ref(), otherwise),
            DataFusionError::ArrowError(cause, _) => match cause.as_ref() {
                ArrowError::ExternalError(cause) => Self::of_cause(path, cause.as_ref(), otherwise),
                ArrowError::IoError(_, cause) => Self::of_io(path, cause, otherwise),
                _ => Self::Engine { path: path.into(), problem: otherwise },
            },
            DataFusionError::ParquetError(cause) => match cause.as_ref() {
                ParquetError::External(cause) => Self::of_cause(path, cause.as_ref(), otherwise),
                _ => Self::Engine { path: path.into(), problem: otherwise },
            },
            DataFusionError::ObjectStore(cause) => Self::of_store(path, cause, otherwise),
            DataFusionError::IoError(cause) => Self::of_io(path, cause, otherwise),
            DataFusionError::ResourcesExhausted(_) => Self::Engine { path: path.into(), problem: Damage::Memory },
            DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => {
                Self::reading(path, inner, otherwise)
            }
            DataFusionError::Shared(inner) => Self::reading(path, inner, otherwise),
            DataFusionError::Collection(all) if !all.is_empty() => Self::reading(path, &all[0], otherwise),
            _ => Self::Engine { path: path.into(), problem: otherwise },
        }
    }

    fn of_cause(path: &str, cause: &(dyn std::error::Error + Send + Sync + 'static), otherwise: Damage) -> Self {
        if let Some(error) = cause.downcast_ref::<Self>() {
            error.clone()
        } else if let Some(error) = cause.downcast_ref::<KernelError>() {
            error.clone().into()
        } else if let Some(error) = cause.downcast_ref::<DataFusionError>() {
            Self::reading(path, error, otherwise)
        } else if let Some(error) = cause.downcast_ref::<io::Error>() {
            Self::of_io(path, error, otherwise)
        } else if let Some(error) = cause.downcast_ref::<object_store::Error>() {
            Self::of_store(path, error, otherwise)
        } else {
            Self::Engine { path: path.into(), problem: otherwise }
        }
    }

    fn of_io(path: &str, error: &io::Error, otherwise: Damage) -> Self {
        match Self::unreadable(path, error) {
            Self::Engine { path, .. } => Self::Engine { path, problem: otherwise },
            error => error,
        }
    }

    fn of_store(path: &str, error: &object_store::Error, otherwise: Damage) -> Self {
        let kind = match error {
            object_store::Error::NotFound { .. } => io::ErrorKind::NotFound,
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                io::ErrorKind::PermissionDenied
            }
            // A store of local files wraps the error of the system in its own.
            _ => {
                return match io_cause(error) {
                    Some(cause) => Self::of_io(path, cause, otherwise),
                    None => Self::Engine { path: path.into(), problem: otherwise },
                };
            }
        };
        Self::Unreadable { path: path.into(), problem: IoProblem(kind) }
    }
}

/// Returns the error of the operating system that caused `error`, if any.
fn io_cause<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e io::Error> {
    std::iter::successors(Some(error), |error| error.source()).find_map(|error| error.downcast_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_permission_is_not_called_damaged() {
        let refused = |kind: io::ErrorKind| object_store::Error::Generic {
            store: "LocalFileSystem",
            source: Box::new(io::Error::from(kind)),
        };
        let error = EngineError::of_store("a.csv", &refused(io::ErrorKind::PermissionDenied), Damage::Damaged);
        assert_eq!(error.to_string(), "cannot read `a.csv`: permission denied");
        let error = EngineError::of_store("a.csv", &refused(io::ErrorKind::UnexpectedEof), Damage::Damaged);
        assert_eq!(error.to_string(), "`a.csv` is truncated or damaged");
    }
}
