//! Public interface of the ledger: records, refusals, crashes.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::num::NonZeroU32;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::one_job;
use crate::one_job::{Witness, goal, request, terms};
use proptest::prelude::*;
use rusqlite::Connection;
use scumble_schema::AdjacencyKind;
use scumble_vault::account::ThresholdDelta;
use scumble_vault::ledger::{JournalEntry, Ledger, LedgerError, Outcome, Reservation, Terms};
use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon, VaultError};
use tempfile::TempDir;

fn fresh(cap: u128) -> (TempDir, PathBuf, Ledger) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("people.ledger");
    let ledger = Ledger::create(&path, &terms(cap)).unwrap();
    (directory, path, ledger)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

fn spend(ledger: &Ledger, quanta: u128) {
    ledger.reserve(&request("spend", quanta)).unwrap().commit(quanta, ThresholdDelta::ZERO, 1).unwrap();
}

fn journal_file(path: &Path, job: &Reservation) -> PathBuf {
    beside(path, ".jobs").join(job.job())
}

/// Checks that every operation refuses a changed ledger file.
fn assert_refuses_to_spend(path: &Path, ledger: &Ledger) {
    Ledger::open(path).unwrap_err();
    ledger.verify().unwrap_err();
    ledger.resume("any").unwrap_err();
    ledger.reserve(&request("any", 0)).unwrap_err();
}

#[test]
fn a_statement_shows_every_job_with_what_it_reserved_and_spent() {
    let (_directory, path, ledger) = fresh(100);
    let done = ledger.reserve(&request("first", 60)).unwrap();
    let (done_id, done_head) = (done.job().to_owned(), done.head().to_owned());
    assert_eq!((done.reserved(), done.journalled()), (60, &[][..]));
    assert_eq!(ledger.verify().unwrap().head, done_head);
    done.commit(45, ThresholdDelta::ZERO, 3).unwrap();
    let open = ledger.reserve(&request("second", 30)).unwrap();

    let statement = Ledger::open(&path).unwrap().verify().unwrap();
    assert_eq!((statement.spent, statement.left, statement.records), (75, 25, 4));
    assert_eq!((&statement.terms, ledger.terms()), (&terms(100), &terms(100)));
    assert!(!statement.suspect && statement.opened > 1_700_000_000);
    let [first, second] = &statement.jobs[..] else { panic!("there are two jobs") };
    assert_eq!((&first.id, &first.head, first.reserved), (&done_id, &done_head, 60));
    assert!(matches!(first.outcome, Outcome::Committed { spent: 45, events: 3, .. }));
    assert_eq!((second.id.as_str(), second.fingerprint.as_str()), (open.job(), "second"));
    assert_eq!((second.description.as_str(), second.accounting), ("a test", AccountingKind::Zcdp));
    assert_eq!((second.goal, &second.outcome), (goal(), &Outcome::Open));
    assert_eq!(statement.open_jobs().count(), 1);
    assert_eq!(statement.head, open.head());
}

#[test]
fn a_reservation_that_is_dropped_stays_spent() {
    let (_directory, _path, ledger) = fresh(100);
    drop(ledger.reserve(&request("dropped", 60)).unwrap());
    assert_eq!(ledger.verify().unwrap().left, 40);
}

#[test]
fn the_cap_is_reached_exactly_and_never_passed() {
    let (_directory, _path, ledger) = fresh(100);
    spend(&ledger, 40);
    let open = ledger.reserve(&request("open", 30)).unwrap();
    let refused = ledger.reserve(&request("too much", 31)).unwrap_err();
    assert!(matches!(refused, LedgerError::OverCap { asked: 31, left: 30, fits: None, .. }));
    assert_eq!(
        refused.to_string(),
        "the fit asks for epsilon 1 with delta 1e-9, and what is left of the ledger's cap allows no such fit"
    );
    spend(&ledger, 30);
    assert!(matches!(ledger.reserve(&request("one", 1)), Err(LedgerError::OverCap { asked: 1, left: 0, .. })));
    ledger.reserve(&request("nothing", 0)).unwrap().commit(0, ThresholdDelta::ZERO, 0).unwrap();
    // The freed part of a reservation can be spent again.
    open.commit(10, ThresholdDelta::ZERO, 1).unwrap();
    spend(&ledger, 20);
    let statement = ledger.verify().unwrap();
    assert_eq!((statement.spent, statement.left), (100, 0));
}

#[test]
fn the_largest_amounts_do_not_overflow() {
    let directory = tempfile::tempdir().unwrap();
    let largest = ApproxDp { epsilon: Epsilon::MAX, delta: Delta::ZERO };
    let terms = Terms { accounting: AccountingKind::Pure, goal: largest, ..terms(1_000_000 << 96) };
    let ledger = Ledger::create(&directory.path().join("ledger"), &terms).unwrap();
    let most = ledger.reserve(&request("most", terms.cap)).unwrap();
    for asked in [1, terms.cap, u128::MAX] {
        let refused = ledger.reserve(&request("more", asked)).unwrap_err();
        assert!(matches!(refused, LedgerError::OverCap { left: 0, .. }));
    }
    most.commit(1, ThresholdDelta::ZERO, 1).unwrap();
    spend(&ledger, terms.cap - 1);
    assert_eq!(ledger.verify().unwrap().spent, terms.cap);
}

#[test]
fn a_job_cannot_have_spent_more_than_it_reserved() {
    let (_directory, _path, ledger) = fresh(100);
    let refused = ledger.reserve(&request("job", 10)).unwrap().commit(11, ThresholdDelta::ZERO, 1).unwrap_err();
    assert!(matches!(refused, LedgerError::AboveReservation { spent: 11, reserved: 10 }));
    assert_eq!(ledger.verify().unwrap().spent, 10);
}

#[test]
fn creating_a_ledger_never_overwrites_a_file() {
    let (_directory, path, ledger) = fresh(100);
    spend(&ledger, 5);
    assert!(matches!(Ledger::create(&path, &terms(100)), Err(LedgerError::Exists { .. })));
    assert_eq!(ledger.verify().unwrap().spent, 5);
}

#[test]
fn files_that_are_not_ledgers_are_refused() {
    let (directory, path, _ledger) = fresh(100);
    let missing = directory.path().join("missing");
    assert!(matches!(Ledger::open(&missing), Err(LedgerError::Missing { .. })));
    assert!(!missing.exists(), "opening creates no file");
    let unreachable = directory.path().join("no").join("ledger");
    assert!(matches!(Ledger::create(&unreachable, &terms(1)), Err(LedgerError::Io { .. })));
    assert!(matches!(Ledger::open(&path.join("below a file")), Err(LedgerError::Io { .. })));
    assert!(matches!(Ledger::open(directory.path()), Err(LedgerError::Io { .. })));
    let other = directory.path().join("other");
    for content in [&b""[..], &[b'x'; 5000], b"SQLite format 3"] {
        fs::write(&other, content).unwrap();
        assert!(matches!(Ledger::open(&other), Err(LedgerError::NotALedger { .. })), "{} bytes", content.len());
        fs::remove_file(&other).unwrap();
    }
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE something (else_entirely)").unwrap();
    assert!(matches!(Ledger::open(&other), Err(LedgerError::Damaged { .. })));
}

#[test]
fn a_cap_above_the_goal_is_refused_before_a_file_is_created() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger");
    let make = |accounting| {
        Terms::new("people".into(), AdjacencyKind::AddRemove, "row".into(), NonZeroU32::MIN, accounting, goal())
            .unwrap()
    };
    for accounting in AccountingKind::ALL {
        let terms = make(accounting);
        let more = Terms { cap: terms.cap + (terms.cap >> 20), ..terms };
        assert!(matches!(Ledger::create(&path, &more), Err(LedgerError::Config { parameter: "cap", .. })));
    }
    assert!(!path.exists());
    Ledger::create(&path, &make(AccountingKind::Gdp)).unwrap();
}

#[test]
fn only_the_owner_can_read_the_files_and_journals_are_removed_with_their_jobs() {
    let (directory, path, ledger) = fresh(100);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let job = ledger.reserve(&request("job", 10)).unwrap();
    let journal = journal_file(&path, &job);
    assert_eq!([mode(&path), mode(&beside(&path, ".jobs")), mode(&journal)], [0o600, 0o700, 0o600]);
    job.commit(10, ThresholdDelta::ZERO, 0).unwrap();
    assert!(!journal.exists());
    let mut left: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["people.ledger", "people.ledger.jobs"], "no rollback journal is left over");
}

#[test]
fn journals_without_an_open_job_are_removed() {
    let (_directory, path, ledger) = fresh(100);
    let open = ledger.reserve(&request("open", 10)).unwrap();
    let orphan = beside(&path, ".jobs").join("0123456789abcdef0123456789abcdef");
    fs::write(&orphan, "of a job that was killed before its reservation").unwrap();
    let next = ledger.reserve(&request("next", 10)).unwrap();
    assert!(!orphan.exists());
    assert!(journal_file(&path, &open).exists() && journal_file(&path, &next).exists());
}

#[test]
fn records_cannot_be_changed_or_deleted_through_the_database() {
    let (_directory, path, ledger) = fresh(100);
    spend(&ledger, 10);
    let connection = Connection::open(&path).unwrap();
    for statement in ["UPDATE record SET body = '{}'", "DELETE FROM record", "DELETE FROM record WHERE number = 2"] {
        let refused = connection.execute_batch(statement).unwrap_err();
        assert!(refused.to_string().contains("records are never"), "{refused}");
    }
    drop(connection);
    assert_eq!(ledger.verify().unwrap().spent, 10);
}

#[test]
fn a_record_added_by_another_program_breaks_the_seal() {
    let (_directory, path, ledger) = fresh(100);
    Connection::open(&path).unwrap().execute_batch("INSERT INTO record VALUES (1, '{}', 'x')").unwrap();
    assert!(matches!(ledger.verify(), Err(LedgerError::Damaged { what }) if what.contains("seal")));
    assert_refuses_to_spend(&path, &ledger);
}

/// Changes the ledger as a forger who knows the seal would, and recomputes the seal.
fn forge(path: &Path, change: &str) {
    use sha2::{Digest, Sha256};
    let connection = Connection::open(path).unwrap();
    let without = "DROP TRIGGER record_is_never_changed; DROP TRIGGER record_is_never_deleted;";
    connection.execute_batch(&format!("{without}{change}")).unwrap();
    drop(connection);
    let mut bytes = fs::read(path).unwrap();
    let digest =
        Sha256::new().chain_update(&bytes[..60]).chain_update(&bytes[64..68]).chain_update(&bytes[72..]).finalize();
    bytes[60..64].copy_from_slice(&digest[..4]);
    bytes[68..72].copy_from_slice(&digest[4..8]);
    fs::write(path, bytes).unwrap();
}

/// Returns SQL that adds a record with a valid hash.
fn add_record(path: &Path, body: &str) -> String {
    use sha2::{Digest, Sha256};
    let connection = Connection::open(path).unwrap();
    let last = "SELECT hash FROM record ORDER BY number DESC LIMIT 1";
    let last: String = connection.query_row(last, [], |row| row.get(0)).unwrap();
    let last: Vec<u8> = (0..32).map(|at| u8::from_str_radix(&last[2 * at..2 * at + 2], 16).unwrap()).collect();
    let hash = Sha256::new().chain_update(last).chain_update(body).finalize();
    let hash = hash.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    format!("INSERT INTO record SELECT count(*), '{body}', '{hash}' FROM record;")
}

#[test]
fn sealed_but_inconsistent_records_are_refused() {
    let reserve = |job: &str, quanta: &str| {
        format!(
            r#"{{"kind":"reserve","time":0,"job":"{job}","fingerprint":"","description":"","accounting":"zcdp","goal":{{"epsilon":1.0,"delta":1e-9}},"quanta":"{quanta}"}}"#
        )
    };
    let commit = |job: &str, spent: u128| {
        format!(r#"{{"kind":"commit","time":0,"job":"{job}","spent":"{spent}/2^96","events":0}}"#)
    };
    let cases: [(&str, Vec<String>); 9] = [
        ("", vec![reserve("a", "60/2^96"), commit("a", 50), reserve("b", "50/2^96")]),
        ("cap is exceeded", vec![reserve("a", "60/2^96"), reserve("b", "41/2^96")]),
        ("cap is exceeded", vec![reserve("a", "60/2^96"), reserve("b", &format!("{}/2^96", u128::MAX))]),
        ("two jobs", vec![reserve("a", "6/2^96"), reserve("a", "6/2^96")]),
        ("not open", vec![commit("a", 1)]),
        ("not open", vec![reserve("a", "6/2^96"), commit("a", 1), commit("a", 1)]),
        ("more than it reserved", vec![reserve("a", "6/2^96"), commit("a", 7)]),
        ("unknown form", vec![reserve("a", "6")]),
        ("unknown form", vec![commit("a", 1).replace("\"events\"", "\"more\":1,\"events\"")]),
    ];
    for (expected, bodies) in cases {
        let (_directory, path, ledger) = fresh(100);
        for body in bodies {
            let change = add_record(&path, &body);
            let triggers = "CREATE TRIGGER record_is_never_changed AFTER UPDATE ON record BEGIN SELECT 1; END;
                CREATE TRIGGER record_is_never_deleted AFTER DELETE ON record BEGIN SELECT 1; END;";
            forge(&path, &format!("{change}{triggers}"));
        }
        match ledger.verify() {
            Ok(statement) => assert!(expected.is_empty() && statement.left == 0),
            Err(LedgerError::Damaged { what }) => assert!(!expected.is_empty() && what.contains(expected), "{what}"),
            Err(other) => panic!("{expected}: {other}"),
        }
    }
}

#[test]
fn a_broken_chain_is_refused_even_under_a_valid_seal() {
    let changes = [
        ("UPDATE record SET body = replace(body, '7/2^96', '5/2^96') WHERE number = 1", "chain"),
        ("UPDATE record SET hash = upper(hash) WHERE number = 1", "chain"),
        ("DELETE FROM record WHERE number = 1", "chain"),
        ("UPDATE record SET number = 9 WHERE number = 2", "chain"),
        ("DELETE FROM record", "first record"),
        ("DROP TABLE record", "cannot be read"),
        ("ALTER TABLE record RENAME COLUMN body TO text", "cannot be read"),
    ];
    for (change, expected) in changes {
        let (_directory, path, ledger) = fresh(100);
        spend(&ledger, 7);
        forge(&path, change);
        match ledger.verify() {
            Err(LedgerError::Damaged { what }) => assert!(what.contains(expected), "{change}: {what}"),
            other => panic!("{change}: {other:?}"),
        }
        assert_refuses_to_spend(&path, &ledger);
    }
    let (_directory, path, ledger) = fresh(100);
    let opened_twice = r#"{"kind":"open","version":1,"time":0,"terms":{"dataset":"people","adjacency":"add-remove","privacy_unit":"","max_contributions":1,"accounting":"zcdp","goal":{"epsilon":1.0,"delta":1e-9},"cap":"1/2^96"}}"#;
    forge(&path, &add_record(&path, opened_twice));
    assert!(matches!(ledger.verify(), Err(LedgerError::Damaged { what }) if what.contains("opened twice")));
}

#[test]
fn an_inconsistent_database_is_refused_even_under_a_valid_seal() {
    let (_directory, path, ledger) = fresh(100);
    spend(&ledger, 7);
    let rows = "(1, 'a'), (2, 'b')";
    let spare = format!("CREATE TABLE spare (a INTEGER PRIMARY KEY, b); INSERT INTO spare VALUES {rows};");
    let hidden = "CREATE INDEX spare_b ON spare (b); PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'record') WHERE name = 'spare';";
    forge(&path, &format!("{spare}{hidden}"));
    assert!(matches!(ledger.verify(), Err(LedgerError::Damaged { what }) if what.contains("inconsistent")));
}

fn put(path: &Path, at: usize, byte: u8) {
    fs::OpenOptions::new().write(true).open(path).unwrap().write_all_at(&[byte], at as u64).unwrap();
}

#[test]
fn flipped_bytes_are_detected() {
    let (_directory, path, ledger) = fresh(1000);
    (0..50).for_each(|_| spend(&ledger, 1));
    let sealed = fs::read(&path).unwrap();
    let mut bytes = sealed.clone();
    for at in (0..100).chain((100..sealed.len()).step_by(7)) {
        bytes[at] ^= 0xff;
        put(&path, at, bytes[at]);
        assert!(ledger.verify().is_err(), "byte {at}");
        if at < 100 || at % 70 == 2 {
            assert!(ledger.reserve(&request("any", 0)).is_err(), "byte {at}");
        }
        bytes[at] = sealed[at];
        put(&path, at, bytes[at]);
    }
    assert_eq!(ledger.verify().unwrap().spent, 50);
    // SQLite corrects a page count of zero as soon as it begins to write.
    (28..32).for_each(|at| put(&path, at, 0));
    assert_refuses_to_spend(&path, &ledger);
    for length in [0, 1, 99, 4096, sealed.len() - 4096, sealed.len() - 1] {
        fs::write(&path, &sealed[..length]).unwrap();
        assert_refuses_to_spend(&path, &ledger);
    }
    for extra in [1, 4096] {
        bytes.resize(sealed.len() + extra, 0);
        fs::write(&path, &bytes).unwrap();
        assert_refuses_to_spend(&path, &ledger);
    }
    fs::write(&path, &sealed).unwrap();
    assert_eq!(ledger.verify().unwrap().spent, 50);
}

#[test]
fn a_ledger_of_many_pages_keeps_its_seal() {
    let (_directory, _path, ledger) = fresh(1000);
    let long = "x".repeat(30_000);
    for _ in 0..20 {
        let request = scumble_vault::ledger::ReservationRequest { description: long.clone(), ..request("long", 1) };
        ledger.reserve(&request).unwrap().commit(1, ThresholdDelta::ZERO, 1).unwrap();
    }
    assert_eq!(ledger.verify().unwrap().spent, 20);
}

#[test]
fn a_second_name_of_the_file_is_refused_and_a_link_leads_to_the_same_journals() {
    let (directory, path, ledger) = fresh(100);
    let job = ledger.reserve(&request("job", 10)).unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let running = Ledger::open(&link).unwrap().resume("job").unwrap_err();
    assert!(matches!(running, LedgerError::Running { job: id } if id == job.job()));
    let hard = directory.path().join("hard");
    fs::hard_link(&path, &hard).unwrap();
    assert!(matches!(Ledger::open(&hard), Err(LedgerError::Linked)));
    assert_refuses_to_spend(&path, &ledger);
}

#[test]
fn a_replaced_ledger_is_detected() {
    let (_directory, path, ledger) = fresh(100);
    let job = ledger.reserve(&request("job", 10)).unwrap();
    fs::remove_file(&path).unwrap();
    Ledger::create(&path, &terms(100)).unwrap();
    assert!(
        matches!(job.commit(10, ThresholdDelta::ZERO, 0), Err(LedgerError::Damaged { what }) if what.contains("gone"))
    );
    fs::remove_file(&path).unwrap();
    Ledger::create(&path, &terms(200)).unwrap();
    assert!(matches!(ledger.reserve(&request("job", 1)), Err(LedgerError::Damaged { what }) if what.contains("place")));
    fs::remove_file(&path).unwrap();
    assert!(matches!(ledger.verify(), Err(LedgerError::Io { .. })));
}

#[test]
fn an_interrupted_job_is_resumed_with_what_it_released() {
    let (_directory, path, ledger) = fresh(100);
    let mut job = ledger.reserve(&request("job", 10)).unwrap();
    let large: Vec<i64> = (0..20_000).map(|value| value * 461_168_601_842_739 - i64::MAX / 2).collect();
    job.journal([(r#"{"id":0}"#, &large[..]), ("", &[])]).unwrap();
    let (id, head) = (job.job().to_owned(), job.head().to_owned());
    assert!(matches!(ledger.resume("job"), Err(LedgerError::Running { job }) if job == id));
    assert!(ledger.resume("another").unwrap().is_none());
    drop(job);

    let mut job = Ledger::open(&path).unwrap().resume("job").unwrap().unwrap();
    assert_eq!((job.job(), job.head(), job.reserved()), (id.as_str(), head.as_str(), 10));
    let entry = |event: &str, values: &[i64]| JournalEntry { event: event.into(), values: values.into() };
    assert_eq!(job.journalled(), [entry(r#"{"id":0}"#, &large), entry("", &[])]);
    job.journal([("third", &[-1][..])]).unwrap();
    drop(job);

    let job = ledger.resume("job").unwrap().unwrap();
    assert_eq!(job.journalled()[2..], [entry("third", &[-1])]);
    job.commit(10, ThresholdDelta::ZERO, 3).unwrap();
    assert!(ledger.resume("job").unwrap().is_none());
    assert_eq!(ledger.verify().unwrap().spent, 10);
}

#[test]
fn of_two_jobs_with_one_request_the_interrupted_one_is_resumed() {
    let (_directory, _path, ledger) = fresh(100);
    let running = ledger.reserve(&request("job", 10)).unwrap();
    let interrupted = ledger.reserve(&request("job", 10)).unwrap();
    let id = interrupted.job().to_owned();
    drop(interrupted);
    let resumed = ledger.resume("job").unwrap().unwrap();
    assert_eq!(resumed.job(), id);
    assert_ne!(running.job(), id);
}

/// Creates a ledger whose only job was interrupted after two releases, and returns the journal's
/// path and bytes.
fn interrupted() -> (TempDir, PathBuf, Ledger, PathBuf, Vec<u8>) {
    let (directory, path, ledger) = fresh(100);
    let mut job = ledger.reserve(&request("job", 10)).unwrap();
    job.journal([("first", &[1, 2, 3][..])]).unwrap();
    job.journal([("second", &[4][..])]).unwrap();
    let journal = journal_file(&path, &job);
    drop(job);
    let bytes = fs::read(&journal).unwrap();
    (directory, path, ledger, journal, bytes)
}

#[test]
fn a_truncated_entry_is_removed_and_those_before_it_stay() {
    let (_directory, _path, ledger, journal, bytes) = interrupted();
    let second = bytes.len() - (32 + "second".len() + 8 + 32);
    for length in [0, 1, 31, 32, second - 1, second, second + 1, second + 32, second + 40, bytes.len() - 1] {
        fs::write(&journal, &bytes[..length]).unwrap();
        let job = ledger.resume("job").unwrap().unwrap();
        let whole = usize::from(length >= second);
        assert_eq!(job.journalled().len(), whole, "{length} bytes");
        assert_eq!(fs::metadata(&journal).unwrap().len(), (whole * second) as u64);
    }
    let mut job = ledger.resume("job").unwrap().unwrap();
    job.journal([("drawn again", &[5][..])]).unwrap();
    drop(job);
    assert_eq!(ledger.resume("job").unwrap().unwrap().journalled()[1].event, "drawn again");
}

#[test]
fn a_changed_byte_of_a_journal_is_never_taken_for_a_truncated_entry() {
    let (_directory, path, ledger, journal, bytes) = interrupted();
    let broken = |what: &str, content: &[u8]| {
        fs::write(&journal, content).unwrap();
        assert!(matches!(ledger.resume("job"), Err(LedgerError::Journal { .. })), "{what}");
        assert_eq!(fs::read(&journal).unwrap(), content, "evidence is kept");
    };
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= flip;
            broken(&format!("byte {at}"), &bytes);
        }
    }
    broken("zeros in place of an entry", &[&bytes[..], &[0; 64]].concat());
    // The journal of another job, whole and unchanged.
    let mut other = ledger.reserve(&request("other", 10)).unwrap();
    other.journal([("first", &[1, 2, 3][..])]).unwrap();
    broken("another job", &fs::read(journal_file(&path, &other)).unwrap());

    fs::remove_file(&journal).unwrap();
    assert!(matches!(ledger.resume("job"), Err(LedgerError::Journal { what }) if what.contains("gone")));
    fs::create_dir(&journal).unwrap();
    assert!(matches!(ledger.resume("job"), Err(LedgerError::Io { .. })));
    // The job is lost and stays spent; others are not affected.
    spend(&ledger, 1);
    assert_eq!(ledger.verify().unwrap().spent, 21);
}

#[test]
fn a_suspect_ledger_can_be_read_but_not_spent_from() {
    let (_directory, path, ledger) = fresh(100);
    let job = ledger.reserve(&request("job", 10)).unwrap();
    let mark = beside(&path, ".suspect");
    fs::write(&mark, "").unwrap();
    assert!(matches!(ledger.reserve(&request("next", 1)), Err(LedgerError::Suspect { mark: at }) if at == mark));
    assert!(matches!(ledger.resume("job"), Err(LedgerError::Suspect { .. })));
    assert!(matches!(job.commit(1, ThresholdDelta::ZERO, 1), Err(LedgerError::Suspect { .. })));
    let statement = Ledger::open(&path).unwrap().verify().unwrap();
    assert!(statement.suspect);
    assert_eq!(statement.spent, 10);
    fs::remove_file(&mark).unwrap();
    ledger.resume("job").unwrap().unwrap().commit(1, ThresholdDelta::ZERO, 1).unwrap();
    assert_eq!(ledger.verify().unwrap().spent, 1);
}

#[test]
fn every_error_has_a_hint_and_converts_to_an_error_of_the_vault() {
    let (_directory, path, ledger) = fresh(100);
    let mut refusals = vec![
        Ledger::create(&path, &terms(1)).unwrap_err(),
        ledger.reserve(&request("too much", 101)).unwrap_err(),
        LedgerError::Terms { what: "adjacency", ledger: String::new(), job: String::new() },
        LedgerError::Missing { path: path.clone() },
        LedgerError::NotALedger { path: path.clone() },
        LedgerError::Damaged { what: "the seal" },
        LedgerError::Suspect { mark: path.clone() },
        LedgerError::AboveReservation { spent: 2, reserved: 1 },
        LedgerError::Config { parameter: "delta", rule: "between 0 and 1" },
        LedgerError::Running { job: "7".into() },
        LedgerError::Storage { during: "syncing", cause: "disk".into() },
        LedgerError::Io { during: "opening", cause: "disk".into() },
        LedgerError::Entropy(getrandom::Error::UNSUPPORTED),
    ];
    refusals.extend([LedgerError::Stopped, LedgerError::Busy, LedgerError::Full]);
    for refusal in refusals {
        let (hint, text) = (refusal.hint(), refusal.to_string());
        assert!(!hint.is_empty() && !text.is_empty() && !text.ends_with('.'));
        let refusal = VaultError::from(refusal);
        assert_eq!((refusal.hint(), refusal.to_string()), (hint, text));
    }
}

#[test]
fn a_writer_waits_for_the_other_writer() {
    let (_directory, path, ledger) = fresh(100);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| spend(&ledger, 1));
        std::thread::sleep(Duration::from_millis(300));
        assert!(!waiting.is_finished());
        other.execute_batch("ROLLBACK").unwrap();
    });
    assert_eq!(ledger.verify().unwrap().spent, 1);
}

#[test]
fn threads_of_one_process_spend_exactly_the_cap() {
    let (_directory, path, _ledger) = fresh(50);
    let spent = std::thread::scope(|scope| {
        let spender = || {
            let ledger = Ledger::open(&path).unwrap();
            (0..20)
                .filter(|_| {
                    ledger.reserve(&request("job", 1)).is_ok_and(|job| job.commit(1, ThresholdDelta::ZERO, 1).is_ok())
                })
                .count()
        };
        // A file that grows while it is read does not count as damaged.
        let reader = || (0..100).for_each(|_| assert!(Ledger::open(&path).unwrap().verify().unwrap().spent <= 50));
        (0..2).for_each(|_| drop(scope.spawn(reader)));
        let spenders: Vec<_> = (0..4).map(|_| scope.spawn(spender)).collect();
        spenders.into_iter().map(|spender| spender.join().unwrap()).sum::<usize>()
    });
    assert_eq!(spent, 50);
    let statement = Ledger::open(&path).unwrap().verify().unwrap();
    assert_eq!((statement.spent, statement.jobs.len()), (50, 50));
}

const CHILD: &str = "SCUMBLE_LEDGER_CHILD";

/// Not a test: the tests below run it in child processes.
#[test]
fn child_process() {
    let Ok(directory) = std::env::var(CHILD) else { return };
    let directory = PathBuf::from(directory);
    loop {
        one_job::run(&directory.join("ledger"), &directory.join("artefacts"), "job").unwrap();
    }
}

/// Returns the output of the child, without the line that the test harness begins and does not end.
fn child_lines(output: &str) -> String {
    output.split_once("ledger::child_process ... ").map_or(String::new(), |(_, said)| said.to_owned())
}

/// Starts a process that runs one job after the other until it is killed.
fn start_jobs(directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ledger::child_process", "--nocapture", "--test-threads=1"])
        .env(CHILD, directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Kills the process, and returns `said` followed by the rest of its output.
fn kill(mut child: Child, mut output: impl Read, mut said: String) -> String {
    child.kill().unwrap();
    child.wait().unwrap();
    output.read_to_string(&mut said).unwrap();
    child_lines(&said)
}

#[test]
fn jobs_that_are_killed_at_any_time_lose_no_spend_and_release_nothing_unpaid() {
    const KILLS: usize = 60;
    let directory = tempfile::tempdir().unwrap();
    let mut witness = Witness::new(directory.path(), 1_000_000);
    // The time of a process until its first commit differs between machines, and kills must happen
    // before and after it.
    let started = Instant::now();
    let mut child = start_jobs(directory.path());
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("committed") {
        assert!(output.read_line(&mut said).unwrap() > 0, "the process ended: {said}");
    }
    let one_job = started.elapsed();
    witness.judge(&kill(child, output, said));

    let mut jobs = 0;
    for _ in 0..KILLS {
        let mut child = start_jobs(directory.path());
        let output = child.stdout.take().unwrap();
        let mut random = [0; 4];
        getrandom::fill(&mut random).unwrap();
        std::thread::sleep(one_job.mul_f64(2.0 * f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX)));
        jobs = witness.judge(&kill(child, output, String::new())).jobs.len();
    }
    assert_eq!([witness.lost_spends, witness.releases_without_a_spend, witness.redraws], [0; 3]);
    assert!(jobs > 10 && witness.resumed > 0, "{jobs} jobs, {} releases repeated", witness.resumed);
}

#[test]
fn storage_that_fails_stops_the_job_and_marks_the_ledger() {
    let directory = tempfile::tempdir().unwrap();
    let mut witness = Witness::new(directory.path(), 1_000_000);
    let mark = beside(&witness.ledger, ".suspect");
    // A limit on the size of files makes a write fail like a failing disk. The ledger reaches it
    // after some jobs.
    let output = Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 60; exec \"$0\" --exact ledger::child_process --nocapture --test-threads=1",
        ])
        .arg(std::env::current_exe().unwrap())
        .env(CHILD, directory.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("Storage: storage failed"));
    assert!(mark.exists());
    let statement = witness.judge(&child_lines(&String::from_utf8_lossy(&output.stdout)));
    assert!(statement.suspect && statement.jobs.len() > 10);
    let ledger = Ledger::open(&witness.ledger).unwrap();
    assert!(matches!(ledger.reserve(&request("next", 1)), Err(LedgerError::Suspect { .. })));
    fs::remove_file(mark).unwrap();
    spend(&ledger, 1);
    assert_eq!([witness.lost_spends, witness.releases_without_a_spend, witness.redraws], [0; 3]);
}

#[test]
fn a_job_whose_journal_cannot_be_created_reserves_nothing() {
    let (_directory, path, ledger) = fresh(100);
    fs::write(beside(&path, ".jobs"), "a file in place of the directory").unwrap();
    assert!(matches!(ledger.reserve(&request("job", 10)), Err(LedgerError::Io { .. })));
    assert_eq!(ledger.verify().unwrap().spent, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_spent_amount_is_the_spend_of_finished_jobs_and_the_reservations_of_open_ones(
        jobs in proptest::collection::vec((0_u128..200, 0_u128..200, any::<bool>()), 0..12),
    ) {
        let (_directory, path, ledger) = fresh(600);
        let mut expected = 0;
        for (reserved, spent, finish) in jobs {
            match ledger.reserve(&request("job", reserved)) {
                Ok(job) if finish && spent <= reserved => {
                    job.commit(spent, ThresholdDelta::ZERO, 1).unwrap();
                    expected += spent;
                }
                Ok(_) => expected += reserved,
                Err(LedgerError::OverCap { left, .. }) => prop_assert!(left == 600 - expected && reserved > left),
                Err(other) => panic!("{other}"),
            }
            prop_assert!(expected <= 600);
            prop_assert_eq!(Ledger::open(&path).unwrap().verify().unwrap().spent, expected);
        }
    }
}
