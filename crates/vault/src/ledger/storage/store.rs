//! SQLite database of records. Every byte is checked before a record is used. A record is a text
//! here.

use std::fs;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use super::super::LedgerError;
use super::chain::{self, GENESIS, Hash};
use super::files::Files;
use super::seal::Seal;
use crate::hex;

/// Time that a writer waits for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_mins(1);

const SCHEMA: &str = "
    CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
    CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record
        BEGIN SELECT RAISE(ABORT, 'records are never changed'); END;
    CREATE TRIGGER record_is_never_deleted BEFORE DELETE ON record
        BEGIN SELECT RAISE(ABORT, 'records are never deleted'); END;";

/// One connection for one transaction, so that reads come from the file and not from an older
/// cache.
///
/// If dropped without [`append`](Self::append), it leaves the file unchanged.
#[derive(Debug)]
pub(in crate::ledger) struct Store {
    connection: Connection,
    files: Files,
    /// Texts of the records, each with its link of the chain.
    records: Vec<(String, Hash)>,
}

impl Store {
    /// Writes the first record to the empty file.
    pub(in crate::ledger) fn create(files: &Files, first: &str) -> Result<(), LedgerError> {
        let connection = connect(files)?;
        connection.execute_batch("BEGIN EXCLUSIVE").map_err(LedgerError::sqlite(&files.name))?;
        connection.execute_batch(SCHEMA).map_err(LedgerError::sqlite(&files.name))?;
        Self { connection, files: files.clone(), records: Vec::new() }.append(first)
    }

    /// Locks the ledger against other writers and checks it.
    pub(in crate::ledger) fn lock(files: &Files) -> Result<Self, LedgerError> {
        let store = Self::begin(files, "BEGIN IMMEDIATE")?;
        // A connection that is about to write corrects a page count of zero in memory. A second
        // connection that only reads shows what is on disk.
        check_seal(&mut connect(files)?, files)?;
        files.refuse_if_suspect()?;
        Ok(store)
    }

    /// Reads and checks the ledger. Others may read at the same time, and write afterwards.
    pub(in crate::ledger) fn read(files: &Files) -> Result<Self, LedgerError> {
        Self::begin(files, "BEGIN")
    }

    fn begin(files: &Files, begin: &str) -> Result<Self, LedgerError> {
        let mut connection = connect(files)?;
        connection.execute_batch(begin).map_err(LedgerError::sqlite(&files.name))?;
        check_seal(&mut connection, files)?;
        let records = read_chain(&connection, files)?;
        Ok(Self { connection, files: files.clone(), records })
    }

    pub(in crate::ledger) fn records(&self) -> &[(String, Hash)] {
        &self.records
    }

    /// Returns the link that a record with this text will get.
    pub(in crate::ledger) fn next_link(&self, body: &str) -> Hash {
        chain::link(self.records.last().map_or(&GENESIS, |(_, hash)| hash), body)
    }

    /// Appends a record and seals the file. The record is durable once this returns.
    pub(in crate::ledger) fn append(mut self, body: &str) -> Result<(), LedgerError> {
        // The mark is written while the lock is held, so that the next writer sees it.
        self.write(body).inspect_err(|error| self.files.mark_if_storage_failed(error))
    }

    fn write(&mut self, body: &str) -> Result<(), LedgerError> {
        let hash = hex(&self.next_link(body));
        let failed = LedgerError::sqlite(&self.files.name);
        self.connection
            .execute("INSERT INTO record SELECT count(*), ?1, ?2 FROM record", params![body, hash])
            .map_err(&failed)?;
        let seal = Seal::after_commit(&self.connection.serialize("main").map_err(&failed)?);
        let Seal { user_version, application_id } = seal;
        let commit = format!("PRAGMA user_version = {user_version}; PRAGMA application_id = {application_id}; COMMIT;");
        self.connection.execute_batch(&commit).map_err(&failed)?;
        // The transaction ends when its rollback journal is removed. If a power failure undid the
        // removal, the record would be rolled back. SQLite can sync the directory itself
        // (`synchronous = EXTRA`), but ignores a failure to open it.
        self.files.sync_directory()
    }

    /// Runs SQLite's own check of the structure of the database.
    pub(in crate::ledger) fn check_structure(&self) -> Result<(), LedgerError> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(LedgerError::sqlite(&self.files.name))?;
        if found == "ok" { Ok(()) } else { Err(LedgerError::Damaged { what: "the database is inconsistent" }) }
    }
}

/// Opens a connection, for writing where that is permitted: even a reader must first roll back the
/// journal of a killed writer.
fn connect(files: &Files) -> Result<Connection, LedgerError> {
    let failed = LedgerError::sqlite(&files.name);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&files.ledger, flags).map_err(&failed)?;
    connection.busy_timeout(LOCK_TIMEOUT).map_err(&failed)?;
    // The mode of the rollback journal keeps its default, DELETE: setting it would write to a file
    // whose damaged header claims another mode. Pages stay in memory from the first check to the
    // commit, so that no read can fail between them and no page is written before the seal is
    // known. Freed bytes are overwritten, so that no memory of the process gets into the file.
    let settings = "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA cache_spill = OFF;
        PRAGMA cache_size = -4194304; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF;";
    connection.execute_batch(settings).map_err(&failed)?;
    Ok(connection)
}

fn check_seal(connection: &mut Connection, files: &Files) -> Result<(), LedgerError> {
    let look = || fs::metadata(&files.ledger).map_err(LedgerError::io("looking at the ledger"));
    let metadata = look()?;
    if metadata.len() == 0 {
        return Err(LedgerError::NotALedger { path: files.name.clone() });
    }
    if has_second_name(&metadata) {
        return Err(LedgerError::Linked);
    }
    let image = connection.serialize("main").map_err(LedgerError::sqlite(&files.name))?;
    // The length is read again: the first read rolls back what a killed writer left, and locks out
    // other writers from then on.
    if image.len() as u64 != look()?.len() || Seal::on(&image) != Seal::of(&image) {
        return Err(LedgerError::Damaged { what: "the bytes of the file do not match its seal" });
    }
    Ok(())
}

/// Returns whether the file has more than one name; false where the system does not report it.
fn has_second_name(metadata: &fs::Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(metadata) != 1;
    #[cfg(not(unix))]
    return false;
}

fn read_chain(connection: &Connection, files: &Files) -> Result<Vec<(String, Hash)>, LedgerError> {
    let failed = LedgerError::sqlite(&files.name);
    let mut statement = connection.prepare("SELECT number, body, hash FROM record ORDER BY number").map_err(&failed)?;
    let mut rows = statement.query([]).map_err(&failed)?;
    let mut records = Vec::new();
    let mut link = GENESIS;
    while let Some(row) = rows.next().map_err(&failed)? {
        let number: i64 = row.get(0).map_err(&failed)?;
        let body: String = row.get(1).map_err(&failed)?;
        let hash: String = row.get(2).map_err(&failed)?;
        link = chain::link(&link, &body);
        if usize::try_from(number) != Ok(records.len()) || hash != hex(&link) {
            return Err(LedgerError::Damaged { what: "the chain of records is broken" });
        }
        records.push((body, link));
    }
    Ok(records)
}
