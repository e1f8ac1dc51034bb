//! Classification of system errors: whether they leave the bytes on disk uncertain.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;

use super::super::LedgerError;

impl LedgerError {
    /// Returns a failure to write or to sync, which leaves the bytes on disk uncertain.
    pub(in crate::ledger) fn storage(during: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Storage { during, cause: cause.into() }
    }

    /// Returns a failure to write a journal. A partial entry is removed when the job is resumed.
    pub(in crate::ledger) fn write(cause: io::Error) -> Self {
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::storage("writing a journal")(cause),
        }
    }

    /// Returns a failure to open, read or find a file: nothing was changed.
    pub(in crate::ledger) fn io(during: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { during, cause: cause.into() }
    }

    /// Converts an error of SQLite about the file at `path`.
    pub(in crate::ledger) fn sqlite(path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        move |cause| match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::SystemIoFailure) => {
                Self::Storage { during: "reading or writing the ledger", cause: cause.into() }
            }
            Some(ErrorCode::NotADatabase) => Self::NotALedger { path: path.to_owned() },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) | None => {
                Self::Damaged { what: "the database cannot be read" }
            }
            Some(_) => Self::Io { during: "opening the ledger", cause: cause.into() },
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn of_sqlite(code: i32) -> LedgerError {
        LedgerError::sqlite(Path::new("ledger"))(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None))
    }

    #[test]
    fn only_failed_storage_makes_a_ledger_suspect() {
        for code in [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_DIR_FSYNC] {
            assert!(matches!(of_sqlite(code), LedgerError::Storage { .. }));
        }
        assert!(matches!(of_sqlite(ffi::SQLITE_FULL), LedgerError::Full));
        assert!(matches!(of_sqlite(ffi::SQLITE_BUSY), LedgerError::Busy));
        assert!(matches!(of_sqlite(ffi::SQLITE_CORRUPT), LedgerError::Damaged { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_NOTADB), LedgerError::NotALedger { .. }));
        assert!(matches!(of_sqlite(ffi::SQLITE_CANTOPEN), LedgerError::Io { .. }));
    }

    #[test]
    fn a_full_disk_is_not_failed_storage() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(matches!(LedgerError::write(kind.into()), LedgerError::Full));
        }
        assert!(matches!(LedgerError::write(io::ErrorKind::Other.into()), LedgerError::Storage { .. }));
    }
}
