//! The file: an SQLite database whose every byte is checked before a record of it is believed. A record is a text here.

use std::fs;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use super::super::LedgerError;
use super::chain::{self, GENESIS, Hash};
use super::files::Files;
use super::seal::Seal;
use crate::hex;

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_mins(1);

const SCHEMA: &str = "
    CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
    CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record
        BEGIN SELECT RAISE(ABORT, 'records are never changed'); END;
    CREATE TRIGGER record_is_never_deleted BEFORE DELETE ON record
        BEGIN SELECT RAISE(ABORT, 'records are never deleted'); END;";

/// One connection for one transaction: what it reads comes from the file and not from an older cache.
///
/// Dropped without [`append`](Self::append), it leaves the file as it was.
#[derive(Debug)]
pub(in crate::ledger) struct Store {
    connection: Connection,
    files: Files,
    /// The texts of the records, each with its link of the chain.
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
        // A connection that is about to write puts a page count of zero right before anyone sees it. What is on disk is
        // what one sees that only reads.
        check_seal(&mut connect(files)?, files)?;
        files.refuse_if_suspect()?;
        Ok(store)
    }

    /// Checks the ledger as it is now. Others may read at the same time, and write afterwards.
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

    /// The link that a record with this text will get.
    pub(in crate::ledger) fn next_link(&self, body: &str) -> Hash {
        chain::link(self.records.last().map_or(&GENESIS, |(_, hash)| hash), body)
    }

    /// Adds a record and seals the file. It lasts once this returns.
    pub(in crate::ledger) fn append(mut self, body: &str) -> Result<(), LedgerError> {
        // The mark is made while the lock is held, so that the next writer sees it.
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
        // The transaction ends when its rollback journal is removed; were that undone by a power failure, so would be the
        // record. SQLite can sync the directory by itself (`synchronous = EXTRA`), but ignores that it cannot open it.
        self.files.sync_directory()
    }

    /// SQLite's own check of everything that is not the records' meaning.
    pub(in crate::ledger) fn check_structure(&self) -> Result<(), LedgerError> {
        let found: String = self
            .connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(LedgerError::sqlite(&self.files.name))?;
        if found == "ok" { Ok(()) } else { Err(LedgerError::Damaged { what: "the database is inconsistent" }) }
    }
}

/// Opens for writing where that is allowed, also to read: the journal of a writer that was killed has to be rolled back first.
fn connect(files: &Files) -> Result<Connection, LedgerError> {
    let failed = LedgerError::sqlite(&files.name);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&files.ledger, flags).map_err(&failed)?;
    connection.busy_timeout(PATIENCE).map_err(&failed)?;
    // The mode of the rollback journal is left at its default, DELETE: setting it would write to a file whose header is damaged
    // so that it claims another. Pages stay in memory from the first check to the commit, so that no read can fail between
    // them and no page is written before the seal is known. Freed bytes are overwritten, so that no memory of the
    // process gets into the file.
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
    // The length is looked up again: reading rolls back what a killed writer left, and keeps other writers out from then on.
    if image.len() as u64 != look()?.len() || Seal::on(&image) != Seal::of(&image) {
        return Err(LedgerError::Damaged { what: "the bytes of the file do not match its seal" });
    }
    Ok(())
}

/// Whether the file has more names than one, where the system tells.
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
