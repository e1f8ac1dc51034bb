//! Private files for what does not fit the memory limit.
//!
//! A spill room is a directory that only its owner can enter (mode 0700), made when the first file is needed and removed
//! when its table is dropped. A process that was killed cannot remove anything, so every start looks for rooms that
//! nobody lives in any more: each room has a file that its process keeps locked, and a lock ends with its process,
//! however that ends. A room gets its name only once it is locked, so that no start takes it for an abandoned one.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::error::EngineError;

/// How the names of spill rooms begin.
const PREFIX: &str = "scumble-spill-";
/// How the name of a room begins while it is being made; nothing private is in it yet.
const PREPARED: &str = "scumble-prepares-";
/// The file in a room that its process keeps locked.
const LOCK: &str = "in-use";
/// A room that is being made is left alone for so long: its process may be slow.
const MOVING_IN: Duration = Duration::from_mins(10);
/// Rows of one row group: it is held in memory until it is written.
const GROUP_ROWS: usize = 1 << 18;

/// A place for private files: a directory that only its owner can enter, made when it is first asked for and removed when this
/// is dropped, or, after an end without that, by the next that is opened at the same place.
pub struct SpillRoom {
    parent: PathBuf,
    room: OnceLock<Result<Room, EngineError>>,
}

/// A directory of ours, and its lock.
struct Room {
    path: PathBuf,
    _lock: File,
}

/// The rooms of this process, for an end that drops nothing. A room is made and removed under this lock, so that a thread
/// that holds it sees every room that is on the disk.
static ROOMS: Mutex<Rooms> = Mutex::new(Rooms { paths: vec![], closed: false });

struct Rooms {
    paths: Vec<PathBuf>,
    /// Whether the process is about to end and makes no room any more.
    closed: bool,
}

/// Removes the private files of this process, as far as the system lets it, and lets it make no new ones. For a program
/// that is about to exit without dropping its tables, such as one that was interrupted: a table that is still in use
/// cannot be read any more.
pub fn remove_private_files() {
    let mut rooms = ROOMS.lock().unwrap_or_else(PoisonError::into_inner);
    rooms.closed = true;
    for room in rooms.paths.drain(..) {
        // A thread that still writes may put a file into the directory that is being emptied.
        let gone = |_: &u32| fs::remove_dir_all(&room).is_ok() || !room.exists();
        let _ = (0..100).find(gone);
    }
}

impl SpillRoom {
    /// A room in `parent`, or in the system's directory for temporary files. Rooms of dead processes there are removed.
    pub fn new(parent: Option<&Path>) -> Arc<Self> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
        // Object stores name files by absolute paths. Without a working directory the path stays as it is, and is refused later.
        let parent = std::path::absolute(&parent).unwrap_or(parent);
        remove_abandoned(&parent);
        Arc::new(Self { parent, room: OnceLock::new() })
    }

    /// The directory, made on the first call.
    pub fn path(&self) -> Result<&Path, EngineError> {
        let room = self.room.get_or_init(|| Room::new(&self.parent).map_err(|error| self.refused(&error)));
        room.as_ref().map(|room| room.path.as_path()).map_err(Clone::clone)
    }

    /// A new file for batches of these columns.
    pub(crate) fn file(&self, number: usize, columns: SchemaRef) -> Result<SpillFile, EngineError> {
        let path = self.path()?.join(format!("codes-{number}.parquet"));
        let file = File::create_new(&path).map_err(|error| self.refused(&error))?;
        // Nobody prunes by statistics here, and codes are packed by their dictionary already.
        let properties = WriterProperties::builder()
            .set_statistics_enabled(EnabledStatistics::None)
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let writer = ArrowWriter::try_new(file, columns, Some(properties)).map_err(|error| self.not_written(&error))?;
        Ok(SpillFile { path, writer })
    }

    pub(crate) fn not_written(&self, error: &ParquetError) -> EngineError {
        match error {
            ParquetError::External(cause) => match cause.downcast_ref::<io::Error>() {
                Some(error) => self.refused(error),
                None => EngineError::Bug { what: "codes could not be written" },
            },
            _ => EngineError::Bug { what: "codes could not be written" },
        }
    }

    fn refused(&self, error: &io::Error) -> EngineError {
        EngineError::refused(&self.parent, error)
    }
}

impl fmt::Debug for SpillRoom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SpillRoom").field("parent", &self.parent).finish_non_exhaustive()
    }
}

impl Room {
    fn new(parent: &Path) -> io::Result<Self> {
        let mut rooms = ROOMS.lock().unwrap_or_else(PoisonError::into_inner);
        if rooms.closed {
            return Err(io::Error::other("the program is ending"));
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREPARED);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let prepared = builder.tempdir_in(parent)?;
        let lock = File::create_new(prepared.path().join(LOCK))?;
        lock.lock()?;
        let name = prepared.path().file_name().and_then(|name| name.to_str()?.strip_prefix(PREPARED));
        let name = name.ok_or_else(|| io::Error::other("a directory was made under another name than asked for"))?;
        let path = parent.join(format!("{PREFIX}{name}"));
        // From here on nothing removes the directory but our own drop, or the end of the program.
        fs::rename(prepared.keep(), &path)?;
        rooms.paths.push(path.clone());
        Ok(Self { path, _lock: lock })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let mut rooms = ROOMS.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = fs::remove_dir_all(&self.path);
        rooms.paths.retain(|room| *room != self.path);
    }
}

/// A file of codes that is being written.
pub(crate) struct SpillFile {
    path: PathBuf,
    writer: ArrowWriter<File>,
}

impl SpillFile {
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), ParquetError> {
        self.writer.write(batch)
    }

    /// Where the finished file is.
    pub(crate) fn finish(self) -> Result<PathBuf, ParquetError> {
        self.writer.close()?;
        Ok(self.path)
    }
}

/// Removes the rooms in `parent` whose processes are gone. What cannot be looked at or removed is left: it belongs to
/// somebody else, or to a system that has worse problems.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        // Not followed: a link may point anywhere.
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let abandoned = match entry.file_name().to_str() {
            Some(name) if name.starts_with(PREFIX) => is_unlocked(&entry.path()),
            Some(name) if name.starts_with(PREPARED) => is_old(&entry.path()),
            _ => false,
        };
        if abandoned {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a room has its lock file and nobody holds it. One without the file is being removed, by its own process or by
/// another start; if that died half-way, its age tells.
fn is_unlocked(room: &Path) -> bool {
    match File::open(room.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_))),
        Err(error) => error.kind() == io::ErrorKind::NotFound && is_old(room),
    }
}

fn is_old(room: &Path) -> bool {
    let age = fs::metadata(room).and_then(|room| room.modified()).ok().and_then(|made| made.elapsed().ok());
    age.is_some_and(|age| age > MOVING_IN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_room_is_private_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let room = SpillRoom::new(Some(parent.path()));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "nothing is made before it is needed");
        let path = room.path().unwrap().to_owned();
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777, 0o700);
        drop(SpillRoom::new(Some(parent.path())));
        assert!(path.exists(), "a room in use is left alone");
        drop(room);
        assert!(!path.exists());
    }

    #[test]
    fn rooms_of_the_dead_are_removed_at_the_next_start() {
        let parent = tempfile::tempdir().unwrap();
        let left_behind = parent.path().join("scumble-spill-left");
        fs::create_dir(&left_behind).unwrap();
        fs::write(left_behind.join("codes-0.parquet"), "rows").unwrap();
        // As after `kill -9`: nothing was removed, and nobody holds the lock.
        fs::write(left_behind.join(LOCK), "").unwrap();
        let (young, other) = (parent.path().join("scumble-prepares-young"), parent.path().join("something-else"));
        fs::create_dir(&young).unwrap();
        fs::create_dir(&other).unwrap();
        drop(SpillRoom::new(Some(parent.path())));
        assert!(!left_behind.exists());
        assert!(young.exists() && other.exists());
    }

    #[test]
    fn a_place_where_nothing_can_be_written_is_named() {
        let room = SpillRoom::new(Some(Path::new("/nowhere/at/all")));
        assert!(matches!(room.path(), Err(EngineError::Io { path, .. }) if path == "/nowhere/at/all"));
    }
}
