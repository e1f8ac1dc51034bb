//! Machines that fail: the counts stay the same, or there is an error within a minute.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use scumble::engine::{ClusterProblem, CodedTable, EngineError, TableScan};
use scumble::schema::Clique;
use scumble::{Input, ReadOptions, Schema};
use scumble_engine::exact::ExactCounts;

use crate::servers::{Servers, scumble};

const SCHEMA: &str = "\
fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 99}}
  - {name: b, type: integer, constraints: {minimum: 0, maximum: 99}}
";

/// Writes text files that keep an executor busy for a while.
fn table(folder: &Path, files: u32, rows: u32) -> PathBuf {
    for file in 0..files {
        let mut text = String::from("a,b\n");
        for row in 0..rows {
            writeln!(text, "{},{}", row.wrapping_mul(2_654_435_761) % 101, (row * 7 + file) % 103).unwrap();
        }
        fs::write(folder.join(format!("part-{file}.csv")), text).unwrap();
    }
    folder.to_owned()
}

type Counts = Vec<Vec<u64>>;

fn count(options: &ReadOptions, input: &Path) -> Result<Counts, EngineError> {
    let schema = Schema::parse(SCHEMA).unwrap();
    let ids = schema.domain().attributes();
    TableScan::open(&[Input::new(input)], &schema, options)?.count_tables(&[Clique::empty(), Clique::new(ids)])
}

/// Returns the counts of this machine, and the result of a cluster that is harmed meanwhile, within
/// a minute.
fn counted_under(harm: impl FnOnce(&mut Servers)) -> (Counts, Result<Counts, EngineError>) {
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 12, 150_000);
    let expected = count(&ReadOptions::default(), &data).unwrap();
    let mut servers = Servers::start(2);
    let options = servers.read_options();
    let begun = Instant::now();
    let counting = thread::spawn(move || count(&options, &data));
    thread::sleep(Duration::from_millis(300));
    harm(&mut servers);
    let counts = counting.join().unwrap();
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    (expected, counts)
}

#[test]
fn an_executor_that_is_killed_changes_nothing() {
    let (expected, counts) = counted_under(|servers| drop(servers.executors().remove(0)));
    assert_eq!(counts, Ok(expected));
}

#[test]
fn codes_that_are_lost_with_an_executor_are_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 12, 10_000);
    let schema = Schema::parse(SCHEMA).unwrap();
    let cliques = [Clique::empty(), Clique::new(schema.domain().attributes())];
    let expected = count(&ReadOptions::default(), &data).unwrap();
    let mut servers = Servers::start(2);
    let kept = CodedTable::read(&[Input::new(&data)], &schema, &servers.read_options()).unwrap();
    assert_eq!(kept.count_tables(&cliques).unwrap(), expected);
    drop(servers.executors().remove(0));
    // One that joins later fetches what it has not read.
    servers.start_executor();
    assert_eq!(kept.count_tables(&cliques).unwrap(), expected);
    // From other rows they would be other codes.
    fs::write(data.join("part-1.csv"), "a,b\n1,1\n").unwrap();
    servers.executors().clear();
    servers.start_executor();
    let error = kept.count_tables(&cliques).unwrap_err();
    assert!(error.to_string().contains("changed while it was being read"), "{error}");
}

#[test]
fn without_an_executor_there_is_an_error_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 1, 10);
    let servers = Servers::start(0);
    let begun = Instant::now();
    let outcome = count(&servers.read_options(), &data);
    assert!(matches!(outcome, Err(EngineError::Cluster { problem: ClusterProblem::NoExecutor, .. })), "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_scheduler_that_starts_again_is_found_again() {
    let (expected, counts) = counted_under(|servers| {
        let address = servers.scheduler_address();
        servers.stop_scheduler();
        thread::sleep(Duration::from_millis(500));
        servers.start_scheduler(address);
    });
    match counts {
        Ok(counts) => assert_eq!(counts, expected),
        Err(error) => assert!(matches!(error, EngineError::Cluster { .. }), "{error:?}"),
    }
}

#[test]
fn a_scheduler_that_stays_away_is_an_error_and_the_ledger_stays_correct() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 12, 150_000);
    let schema = folder.path().join("schema.yaml");
    fs::write(&schema, SCHEMA).unwrap();
    let (ledger, model) = (folder.path().join("a.ledger"), folder.path().join("a.model"));
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let mut servers = Servers::start(1);
    let budget = ["--epsilon", "1", "--delta", "1e-9"];
    let made = scumble(&["ledger", "init", &text(&ledger), "--schema", &text(&schema)]).args(budget).output().unwrap();
    assert!(made.status.success());
    let glob = data.join("part-*.csv");
    let mut fit = scumble(&["fit", &text(&glob), "--schema", &text(&schema), "--ledger", &text(&ledger)])
        .args(budget)
        .args(["--method", "mst", "--engine", &servers.address(), "--without-tls", "--json", "-o", &text(&model)])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(500));
    servers.stop_scheduler();
    let begun = Instant::now();
    let status = fit.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_mins(1), "{:?}", begun.elapsed());
    assert_eq!(status.code(), Some(6), "files or system");
    assert!(!model.exists());
    let verified = scumble(&["ledger", "verify", &text(&ledger)]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
}

#[test]
fn a_file_that_changes_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 2, 100);
    let servers = Servers::start(1);
    let schema = Schema::parse(SCHEMA).unwrap();
    let scan = TableScan::open(&[Input::new(&data)], &schema, &servers.read_options()).unwrap();
    assert_eq!(scan.count_tables(&[Clique::empty()]), Ok(vec![vec![200]]));
    fs::write(data.join("part-1.csv"), "a,b\n1,1\n").unwrap();
    let error = scan.count_tables(&[Clique::empty()]).unwrap_err();
    assert!(error.to_string().contains("changed while it was being read"), "{error}");
}

#[test]
fn data_that_executors_do_not_have_is_an_error() {
    let servers = Servers::start(1);
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 1, 100);
    let schema = Schema::parse(SCHEMA).unwrap();
    let scan = TableScan::open(&[Input::new(&data)], &schema, &servers.read_options()).unwrap();
    fs::remove_file(data.join("part-0.csv")).unwrap();
    let error = scan.count_tables(&[Clique::empty()]).unwrap_err();
    assert!(matches!(error, EngineError::Cluster { problem: ClusterProblem::Unreadable, .. }), "{error:?}");
}

#[test]
fn an_executor_has_nothing_left_to_do_once_a_fit_was_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let data = table(folder.path(), 12, 150_000);
    let schema = folder.path().join("schema.yaml");
    fs::write(&schema, SCHEMA).unwrap();
    let servers = Servers::start(1);
    let model = folder.path().join("a.model");
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let mut fit = scumble(&["fit", &text(&data.join("part-*.csv")), "--schema", &text(&schema), "--epsilon", "1"])
        .args([
            "--delta",
            "1e-9",
            "--method",
            "mst",
            "--engine",
            &servers.address(),
            "--without-tls",
            "-o",
            &text(&model),
        ])
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(400));
    let begun = Instant::now();
    let interrupted = std::process::Command::new("kill").args(["-INT", &fit.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let status = fit.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(status.code(), Some(130));
    assert!(!model.exists());
    // The executor is free for the next job as soon as it has finished the current task: one file
    // of twelve.
    let begun = Instant::now();
    let counted = count(&servers.read_options(), &data.join("part-0.csv"));
    assert!(counted.is_ok(), "{counted:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}
