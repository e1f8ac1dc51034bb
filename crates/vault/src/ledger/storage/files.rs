//! Files of a ledger, and their durability.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::super::LedgerError;

/// Paths of a ledger and its files.
#[derive(Debug, Clone)]
pub(in crate::ledger) struct Files {
    /// The ledger. Only SQLite may open it while the program runs: on Unix, closing any handle of a
    /// file releases all locks that the process holds on it.
    pub(in crate::ledger) ledger: PathBuf,
    /// Path given by the user, for messages.
    pub(in crate::ledger) name: PathBuf,
    directory: PathBuf,
    jobs: PathBuf,
    mark: PathBuf,
}

impl Files {
    /// Returns the files of an existing ledger. Links are resolved first, so that every name of the
    /// ledger leads to the same journals.
    pub(in crate::ledger) fn find(path: &Path) -> Result<Self, LedgerError> {
        let ledger = fs::canonicalize(path).map_err(|cause| match cause.kind() {
            io::ErrorKind::NotFound => LedgerError::Missing { path: path.to_owned() },
            _ => LedgerError::io("finding the ledger")(cause),
        })?;
        let beside = |suffix: &str| {
            let mut name = ledger.clone().into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        };
        let directory = ledger.parent().unwrap_or(Path::new("/")).to_owned();
        Ok(Self { name: path.to_owned(), directory, jobs: beside(".jobs"), mark: beside(".suspect"), ledger })
    }

    /// Creates an empty file for a new ledger.
    pub(in crate::ledger) fn create(path: &Path) -> Result<Self, LedgerError> {
        private_file().create_new(true).open(path).map_err(|cause| match cause.kind() {
            io::ErrorKind::AlreadyExists => LedgerError::Exists { path: path.to_owned() },
            _ => LedgerError::io("creating the ledger")(cause),
        })?;
        Self::find(path)
    }

    /// Makes file names that were added or removed beside the ledger durable.
    pub(in crate::ledger) fn sync_directory(&self) -> Result<(), LedgerError> {
        sync(&self.directory)
    }

    /// Returns the path of the journal of a job.
    pub(in crate::ledger) fn journal(&self, job: &str) -> PathBuf {
        self.jobs.join(job)
    }

    /// Returns the path of the binding of a job.
    pub(in crate::ledger) fn binding(&self, job: &str) -> PathBuf {
        self.jobs.join(job).with_extension("table")
    }

    /// Creates the journal of a new job, durably. The name of the directory itself becomes durable
    /// when the directory of the ledger is synced, which happens before a reservation is returned.
    pub(in crate::ledger) fn create_journal(&self, job: &str) -> Result<File, LedgerError> {
        match private_directory().create(&self.jobs) {
            Err(cause) if cause.kind() != io::ErrorKind::AlreadyExists => Err(cause),
            _ => private_file().create_new(true).open(self.journal(job)),
        }
        .map_err(|cause| match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => LedgerError::Full,
            _ => LedgerError::io("creating a journal")(cause),
        })
        .and_then(|file| sync(&self.jobs).map(|()| file))
    }

    /// Removes journals and bindings of jobs that are not open: those killed before their
    /// reservation or after their commit. The caller holds the lock under which journals are
    /// created and jobs end. A file that cannot be removed is harmless.
    pub(in crate::ledger) fn sweep_journals(&self, is_open: impl Fn(&str) -> bool) {
        for entry in fs::read_dir(&self.jobs).into_iter().flatten().flatten() {
            let path = entry.path();
            if !path.file_stem().and_then(|job| job.to_str()).is_some_and(&is_open) {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Marks the ledger as suspect if `error` is a storage failure. Ignores a failure to write the
    /// mark.
    pub(in crate::ledger) fn mark_if_storage_failed(&self, error: &LedgerError) {
        if matches!(error, LedgerError::Storage { .. }) {
            let _ = private_file().create(true).open(&self.mark).and_then(|mark| mark.sync_all());
            let _ = self.sync_directory();
        }
    }

    /// Returns whether the mark exists. If that cannot be determined, it counts as existing.
    pub(in crate::ledger) fn are_suspect(&self) -> bool {
        !fs::symlink_metadata(&self.mark).is_err_and(|cause| cause.kind() == io::ErrorKind::NotFound)
    }

    pub(in crate::ledger) fn refuse_if_suspect(&self) -> Result<(), LedgerError> {
        if self.are_suspect() { Err(LedgerError::Suspect { mark: self.mark.clone() }) } else { Ok(()) }
    }
}

/// Returns options for a file that only its owner may read: the releases of a job may be
/// unpublished.
pub(in crate::ledger) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn private_directory() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no modes to set"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(unix)]
fn sync(directory: &Path) -> Result<(), LedgerError> {
    let synced = File::open(directory).and_then(|directory| directory.sync_all());
    synced.map_err(LedgerError::storage("syncing a directory"))
}

/// Does nothing: other systems cannot open a directory, and their file systems decide when names
/// are durable.
#[cfg(not(unix))]
fn sync(_directory: &Path) -> Result<(), LedgerError> {
    Ok(())
}
