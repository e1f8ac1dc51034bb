//! Private files for data that exceeds the memory limit.
//!
//! A spill directory is a directory that only its owner can enter (mode 0700), created with its
//! first file and removed when its table is dropped. A process that was killed removes nothing, so
//! every start looks for abandoned directories: each directory has a file that its process keeps
//! locked, and a lock ends with its process. A directory gets its final name only after it is
//! locked, so that no other start takes it for abandoned.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::error::EngineError;

/// Prefix of the names of spill directories.
const PREFIX: &str = "scumble-spill-";
/// Prefix of the name of a directory under construction; it holds nothing private yet.
const PREPARED: &str = "scumble-prepares-";
/// File in a directory that its process keeps locked.
const LOCK: &str = "in-use";
/// Age at which a directory under construction counts as abandoned.
const SETUP_TIME: Duration = Duration::from_mins(10);

/// A place for private files: a directory that only its owner can enter. It is created on first use
/// and removed on drop; after a crash, by the next directory that is opened at the same place.
pub struct SpillDirectory {
    parent: PathBuf,
    directory: OnceLock<Result<LockedDirectory, EngineError>>,
}

/// A directory of this process, and its lock.
struct LockedDirectory {
    path: PathBuf,
    _lock: File,
}

/// The directories of this process, to remove them if the program exits without dropping.
/// Directories are created and removed under this lock, so a thread that holds it knows every
/// directory on disk.
static LIVE_DIRECTORIES: Mutex<LiveDirectories> = Mutex::new(LiveDirectories { paths: vec![], closed: false });

struct LiveDirectories {
    paths: Vec<PathBuf>,
    /// Whether the process is about to end and creates no more directories.
    closed: bool,
}

/// Removes the private files of this process, as far as the system permits, and prevents new ones.
/// For a program that exits without dropping its tables, such as after an interrupt: tables that
/// are still in use become unreadable.
pub fn remove_private_files() {
    let mut directories = LIVE_DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
    directories.closed = true;
    for directory in directories.paths.drain(..) {
        // A thread that is still writing may add a file to the directory meanwhile.
        let gone = |_: &u32| fs::remove_dir_all(&directory).is_ok() || !directory.exists();
        let _ = (0..100).find(gone);
    }
}

impl SpillDirectory {
    /// Creates a directory in `parent`, or in the system's temporary directory. Abandoned
    /// directories there are removed.
    pub fn new(parent: Option<&Path>) -> Arc<Self> {
        let parent = parent.map_or_else(std::env::temp_dir, Path::to_owned);
        // Object stores need absolute paths. Without a working directory the path stays relative,
        // and is refused later.
        let parent = std::path::absolute(&parent).unwrap_or(parent);
        remove_abandoned(&parent);
        Arc::new(Self { parent, directory: OnceLock::new() })
    }

    /// Returns the directory, which the first call creates.
    pub fn path(&self) -> Result<&Path, EngineError> {
        let directory =
            self.directory.get_or_init(|| LockedDirectory::new(&self.parent).map_err(|error| self.refused(&error)));
        directory.as_ref().map(|directory| directory.path.as_path()).map_err(Clone::clone)
    }

    /// Converts an error of writing a private file.
    pub(crate) fn refused(&self, error: &io::Error) -> EngineError {
        EngineError::refused(&self.parent, error)
    }
}

impl fmt::Debug for SpillDirectory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SpillDirectory").field("parent", &self.parent).finish_non_exhaustive()
    }
}

impl LockedDirectory {
    fn new(parent: &Path) -> io::Result<Self> {
        let mut directories = LIVE_DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
        if directories.closed {
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
        let name = name.ok_or_else(|| io::Error::other("a directory was created under another name than requested"))?;
        let path = parent.join(format!("{PREFIX}{name}"));
        // From here on, only our own drop or the end of the program removes the directory.
        fs::rename(prepared.keep(), &path)?;
        directories.paths.push(path.clone());
        Ok(Self { path, _lock: lock })
    }
}

impl Drop for LockedDirectory {
    fn drop(&mut self) {
        let mut directories = LIVE_DIRECTORIES.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = fs::remove_dir_all(&self.path);
        directories.paths.retain(|directory| *directory != self.path);
    }
}

/// Removes the directories in `parent` whose processes have ended. Directories that cannot be
/// inspected or removed are kept: they belong to another user, or the system has a more serious
/// problem.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        // Symbolic links are not followed: they may point anywhere.
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

/// Whether a directory has its lock file and no process holds it. A directory without the file is
/// being removed, by its own process or by another start; if that was interrupted, its age shows
/// it.
fn is_unlocked(directory: &Path) -> bool {
    match File::open(directory.join(LOCK)) {
        Ok(lock) => !matches!(lock.try_lock(), Err(TryLockError::WouldBlock | TryLockError::Error(_))),
        Err(error) => error.kind() == io::ErrorKind::NotFound && is_old(directory),
    }
}

fn is_old(directory: &Path) -> bool {
    let age =
        fs::metadata(directory).and_then(|directory| directory.modified()).ok().and_then(|made| made.elapsed().ok());
    age.is_some_and(|age| age > SETUP_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_private_and_removed_on_drop() {
        let parent = tempfile::tempdir().unwrap();
        let directory = SpillDirectory::new(Some(parent.path()));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "nothing is made before it is needed");
        let path = directory.path().unwrap().to_owned();
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777, 0o700);
        drop(SpillDirectory::new(Some(parent.path())));
        assert!(path.exists(), "a directory in use is kept");
        drop(directory);
        assert!(!path.exists());
    }

    #[test]
    fn abandoned_directories_are_removed_at_the_next_start() {
        let parent = tempfile::tempdir().unwrap();
        let left_behind = parent.path().join("scumble-spill-left");
        fs::create_dir(&left_behind).unwrap();
        fs::write(left_behind.join("codes-0.parquet"), "rows").unwrap();
        // As after `kill -9`: nothing was removed, and the lock is free.
        fs::write(left_behind.join(LOCK), "").unwrap();
        let (young, other) = (parent.path().join("scumble-prepares-young"), parent.path().join("something-else"));
        fs::create_dir(&young).unwrap();
        fs::create_dir(&other).unwrap();
        drop(SpillDirectory::new(Some(parent.path())));
        assert!(!left_behind.exists());
        assert!(young.exists() && other.exists());
    }

    #[test]
    fn an_unwritable_place_is_named() {
        let directory = SpillDirectory::new(Some(Path::new("/nowhere/at/all")));
        assert!(matches!(directory.path(), Err(EngineError::Io { path, .. }) if path == "/nowhere/at/all"));
    }
}
