//! Delta tables: the data files of one version, as the log of the table lists them.
//!
//! The folder of a Delta table holds the files of all its versions, with rows that were deleted or
//! replaced. Its log, `_delta_log`, says which files are a version: it is replayed here, from the
//! newest checkpoint on. The files are then read as other Parquet files are.
//!
//! A table states what a reader must know. Whatever is not known here is refused: otherwise deleted
//! rows would count.

mod checkpoint;
mod log;
mod pinned;
mod problem;
mod replay;

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use bytes::Bytes;

use crate::error::EngineError;

pub(crate) use self::log::LogFiles;
pub use self::pinned::pinned;
use self::problem::DeltaProblem;
pub(crate) use self::replay::Snapshot;

/// Name of the directory of a table's log.
pub(crate) const LOG: &str = "_delta_log";

/// Whether a directory is a Delta table.
pub(crate) fn is_table(directory: &Path) -> bool {
    directory.join(LOG).is_dir()
}

/// Splits the version off an address such as `people@v12`.
pub(crate) fn split_version(address: &str) -> Option<(&str, u64)> {
    let (table, version) = address.rsplit_once("@v")?;
    let is_number = !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    Some((table, version.parse().ok().filter(|_| is_number)?))
}

/// Returns the files of a version of a local table; by default, of the newest.
pub(crate) fn snapshot(table: &Path, version: Option<u64>) -> Result<Snapshot, EngineError> {
    let shown = table.display().to_string();
    let log = table.join(LOG);
    let refused = |error| EngineError::unreadable(log.display().to_string(), &error);
    let entries = fs::read_dir(&log).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(refused)?;
    let names = entries.iter().filter_map(|entry| entry.file_name().into_string().ok());
    let files = LogFiles::of(names, version).map_err(|problem| problem.of(&shown))?;
    let read = |name: &String| fs::read(log.join(name)).map(Bytes::from).map_err(refused);
    let checkpoint = files.checkpoint.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let commits = files.commits.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    replayed(&shown, files.version, checkpoint, &commits)
}

/// Returns the files of a version from the bytes of the files of its log.
pub(crate) fn replayed(
    shown: &str,
    version: u64,
    checkpoint: Vec<Bytes>,
    commits: &[Bytes],
) -> Result<Snapshot, EngineError> {
    // A decoder may panic on a damaged checkpoint.
    let replayed = panic::catch_unwind(AssertUnwindSafe(|| Snapshot::replay(version, checkpoint, commits)));
    replayed.unwrap_or(Err(DeltaProblem::Damaged { version })).map_err(|problem| problem.of(shown))
}

/// Returns the files of a table's log that make a version.
pub(crate) fn log_files(
    shown: &str,
    names: impl Iterator<Item = String>,
    version: Option<u64>,
) -> Result<LogFiles, EngineError> {
    LogFiles::of(names, version).map_err(|problem| problem.of(shown))
}

/// The error for a version of something that is no Delta table.
pub(crate) fn not_a_table(shown: &str) -> EngineError {
    DeltaProblem::NoTable.of(shown)
}

/// The error for a version whose data files are not all there.
pub(crate) fn without_files(shown: &str, version: u64) -> EngineError {
    DeltaProblem::Removed { version }.of(shown)
}

/// The error for files that are named without their table.
pub(crate) fn inside_a_table(table: &str) -> EngineError {
    DeltaProblem::Inside.of(table)
}
