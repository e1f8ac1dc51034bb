//! The ledger: its records, and the database that holds them.

use rusqlite::{Connection, params};
use scumble_vault::account::ThresholdDelta;
use scumble_vault::hex;
use scumble_vault::ledger::{Ledger, LedgerError, ReservationRequest, Statement};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::message;

/// The first bytes of a database.
const DATABASE: &[u8] = b"SQLite format 3\0";
const TABLE: &str = "CREATE TABLE record (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT;";
/// Places of the seal in the file.
const SEAL: [std::ops::Range<usize>; 2] = [60..64, 68..72];

/// A ledger that verifies has spent no more than its cap, and reserves no more than is left.
///
/// The bytes are a database, or records, one in every line. Links and seal are computed as a
/// stranger would who forges a ledger.
pub fn ledger(bytes: &[u8]) {
    let file = if bytes.starts_with(DATABASE) {
        sealed(bytes.to_vec())
    } else {
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        sealed_ledger(&text.lines().collect::<Vec<_>>())
    };
    let directory = TempDir::new().expect("a temporary directory");
    let path = directory.path().join("people.ledger");
    std::fs::write(&path, &file).expect("the temporary directory has space");
    let verified = Ledger::open(&path).and_then(|ledger| ledger.verify().map(|statement| (ledger, statement)));
    assert!(std::fs::read(&path).expect("the ledger") == file, "reading a ledger changed it");
    match verified {
        Ok((ledger, statement)) => {
            check(&statement);
            spend(&ledger, &statement);
        }
        Err(error) => check_error(error),
    }
}

/// Returns the file of a ledger with these records.
///
/// # Panics
/// If there is no memory for it.
pub fn sealed_ledger(records: &[&str]) -> Vec<u8> {
    let mut connection = Connection::open_in_memory().expect("a database in memory");
    connection.execute_batch(TABLE).expect("an empty database");
    let mut link = [0; 32];
    for (number, body) in (0_i64..).zip(records) {
        link = Sha256::new().chain_update(link).chain_update(body).finalize().into();
        let values = params![number, body, hex(&link)];
        connection.execute("INSERT INTO record VALUES (?1, ?2, ?3)", values).expect("a new number");
    }
    sealed(connection.serialize("main").expect("a database in memory").to_vec())
}

/// Writes the digest of all other bytes into the seal.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let [first, second] = SEAL;
    if file.len() < second.end {
        return file;
    }
    let others = [&file[..first.start], &file[first.end..second.start], &file[second.end..]];
    let digest = others.into_iter().fold(Sha256::new(), Sha256::chain_update).finalize();
    file[first].copy_from_slice(&digest[..4]);
    file[second].copy_from_slice(&digest[4..8]);
    file
}

fn check_error(error: LedgerError) {
    message::check_error(error);
}

fn check(statement: &Statement) {
    let Statement { terms, spent, left, records, .. } = statement;
    assert!(spent.checked_add(*left).is_some_and(|sum| sum <= terms.cap), "{spent} + {left} exceed {}", terms.cap);
    assert_eq!(statement.hashes.len(), *records);
    assert_eq!(statement.hashes.last(), Some(&statement.head));
    assert!(statement.jobs.len() < *records);
    let names = statement.jobs.iter().all(|job| statement.hashes.get(job.record) == Some(&job.head));
    assert!(names, "a job is not at the record that it names");
}

/// Reserves all that is left, which fits, and then one more, which does not.
fn spend(ledger: &Ledger, before: &Statement) {
    let all = before.left;
    let request = |quanta, fingerprint: &str| ReservationRequest {
        fingerprint: fingerprint.into(),
        description: "all that is left".into(),
        accounting: before.terms.accounting,
        goal: before.terms.goal,
        quanta,
        thresholds: ThresholdDelta::ZERO,
        command: None,
        anew: true,
    };
    match ledger.reserve(&request(all, "one")) {
        Ok(reservation) => drop(reservation),
        Err(error) => return check_error(error),
    }
    let after = ledger.verify().expect("a ledger verifies after a reservation");
    assert_eq!((after.spent, after.left), (before.spent + all, 0));
    assert_eq!(after.jobs.len(), before.jobs.len() + 1);
    let refused = ledger.reserve(&request(1, "two")).expect_err("nothing is left");
    assert!(matches!(refused, LedgerError::OverCap { .. }), "{refused}");
    check_error(refused);
}
