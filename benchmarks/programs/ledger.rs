//! Figures of the ledger: what survives kills, failing storage and full disks, how many can spend
//! at a time, and how fast.
//!
//! Kills and faults are placed by `strace`.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use scumble_vault::account::ThresholdDelta;
use scumble_vault::ledger::Ledger;

use crate::job::{self, Witness, request, terms};

/// The system calls before which a job is killed, or that are made to fail: those that change a
/// file or a lock. A file that was opened has changed nothing before the next of them.
const CHANGES: &str = "write,pwrite64,fsync,fdatasync,ftruncate,flock,?unlink,?unlinkat,?rename,?renameat,?mkdir";
/// The system calls that are made to fail: [`CHANGES`], and opening a file.
const FALLIBLE: &str =
    "openat,write,pwrite64,fsync,fdatasync,ftruncate,flock,?unlink,?unlinkat,?rename,?renameat,?mkdir";
const LEAST_POINTS: usize = 40;
const SIGKILL: i32 = 9;
const KILL_ROUNDS: usize = 20;
const FAULT_ROUNDS: usize = 20;
const PROCESSES: usize = 16;
const SPENDS: usize = 200;
const RECORDS: usize = 100;
/// The part of the file that SQLite reads before it knows what it reads.
const HEADER: usize = 100;
const CAP: u128 = 1 << 88;
/// Threads that flip bytes, each in a copy of its own.
const THREADS: usize = 2;
/// Jobs that are timed.
const TIMES: u32 = 100;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    // This program starts itself for what needs a process of its own.
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["job", ledger, artefacts] => {
            if let Err(error) = job::run(Path::new(ledger), Path::new(artefacts), "job") {
                let _ = writeln!(std::io::stderr(), "{error}");
                std::process::exit(3);
            }
        }
        ["spend", ledger] => spend(&Ledger::open(Path::new(ledger)).expect("the ledger opens"), SPENDS),
        _ => {
            Arguments::parse(arguments, &Usage::default())?;
            figures();
        }
    }
    Ok(())
}

fn figures() {
    let mut all = Figures::default();
    if let Some((kill_points, fault_points)) = points(CHANGES).zip(points(FALLIBLE)) {
        // Each has a ledger of its own, so they may run at the same time.
        let (killed, failed) = std::thread::scope(|scope| {
            let fault_points = &fault_points;
            let failed = ["EIO", "ENOSPC"].map(|error| scope.spawn(move || faults(fault_points, error)));
            (kills(&kill_points), failed.map(|failed| failed.join().expect("no thread panics")))
        });
        for figures in [killed].into_iter().chain(failed) {
            all.append(figures);
        }
    } else {
        println!("SKIPPED: `strace` is missing or may not trace; nothing is known about kills and faults");
        at_least(&mut all, "kills: points of a job", 0, LEAST_POINTS);
    }
    for figures in [processes(), flips(), speed()] {
        all.append(figures);
    }
    all.print();
}

/// Adds a count that must be exactly `bar`.
fn exactly(figures: &mut Figures, name: &str, value: usize, bar: usize) {
    figures.exactly(name, value as f64, "", bar as f64);
}

/// Adds a count that must be at least `bar`.
fn at_least(figures: &mut Figures, name: &str, value: usize, bar: usize) {
    figures.at_least(name, value as f64, "", bar as f64);
}

/// A job in a process of its own.
fn job(witness: &Witness, mut command: Command) -> Output {
    command
        .args(["ledger", "job"])
        .arg(&witness.ledger)
        .arg(&witness.artefacts)
        .output()
        .expect("the job can be started")
}

fn run_job(witness: &Witness) -> Output {
    job(witness, Command::new(std::env::current_exe().expect("this program has a file")))
}

/// A place in the run of a job: the `count`-th time that it makes a call.
struct Point {
    call: String,
    count: usize,
}

/// A job to which something happens at one point. The trace goes to a file beside the ledger.
fn disturb_job(witness: &Witness, point: &Point, disturbance: &str) -> Output {
    let Point { call, count } = point;
    trace_job(witness, call, &["-e", &format!("inject={call}:{disturbance}:when={count}")])
}

fn trace_job(witness: &Witness, calls: &str, options: &[&str]) -> Output {
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", &format!("trace={calls}"), "-o"]).arg(trace_file(witness));
    command.args(options);
    command.arg(std::env::current_exe().expect("this program has a file"));
    job(witness, command)
}

fn trace_file(witness: &Witness) -> PathBuf {
    witness.ledger.with_extension("trace")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every time that a job makes one of the calls; `None` if there is no way to know.
fn points(calls: &str) -> Option<Vec<Point>> {
    Command::new("strace").arg("-V").stdout(Stdio::null()).status().ok()?;
    let directory = tempfile::tempdir().expect("a temporary directory");
    let witness = Witness::new(directory.path(), CAP);
    trace_job(&witness, calls, &[]).status.success().then_some(())?;
    let trace = fs::read_to_string(trace_file(&witness)).expect("the trace was written");
    let made: Vec<&str> = trace.lines().filter_map(call_of).collect();
    let count = |at: usize| made[..=at].iter().filter(|&&call| call == made[at]).count();
    Some((0..made.len()).map(|at| Point { call: made[at].to_owned(), count: count(at) }).collect())
}

/// The name of the call in a line of the trace, which begins with the number of the process.
fn call_of(line: &str) -> Option<&str> {
    let (_, call) = line.split_once(' ')?;
    call.split_once('(').map(|(name, _)| name.trim())
}

/// Kills a job before each of its calls, and often the job that resumes it as well; then lets it
/// finish.
fn kills(points: &[Point]) -> Figures {
    let mut figures = Figures::default();
    let started = Instant::now();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut witness = Witness::new(directory.path(), CAP);
    let (mut kills, mut unfinished) = (0, 0);
    let mut unjudged = String::new();
    for round in 0..KILL_ROUNDS {
        for (at, point) in points.iter().enumerate() {
            // In every fourth round the job that resumes is killed too, somewhere else each time.
            let resumed = (round % 4 == 3).then_some(&points[(at * 7 + round) % points.len()]);
            for point in [Some(point), resumed].into_iter().flatten() {
                let output = disturb_job(&witness, point, "signal=SIGKILL");
                kills += usize::from(output.status.signal() == Some(SIGKILL));
                witness.judge(&(std::mem::take(&mut unjudged) + &said(&output)));
            }
            let output = run_job(&witness);
            unfinished += usize::from(!output.status.success());
            unjudged = said(&output);
        }
    }
    let jobs = witness.judge(&unjudged).jobs.len();
    at_least(&mut figures, "kills: points of a job", points.len(), LEAST_POINTS);
    at_least(
        &mut figures,
        "kills: points x 20 rounds, and the resumed job too in every fourth round",
        kills,
        LEAST_POINTS * KILL_ROUNDS,
    );
    verdict("kills", &witness, &mut figures);
    exactly(&mut figures, "kills: jobs that could not be finished afterwards", unfinished, 0);
    at_least(&mut figures, "kills: releases repeated from a journal", witness.resumed, LEAST_POINTS);
    figures.shown("kills: jobs in the ledger at the end", jobs as f64, "");
    figures.shown("kills: time", started.elapsed().as_secs_f64(), "s");
    figures
}

fn verdict(what: &str, witness: &Witness, figures: &mut Figures) {
    exactly(figures, &format!("{what}: releases without a spend"), witness.releases_without_a_spend, 0);
    exactly(figures, &format!("{what}: lost spends"), witness.lost_spends, 0);
    exactly(figures, &format!("{what}: redraws"), witness.redraws, 0);
}

/// Whether a failing call has to leave the mark.
#[derive(PartialEq)]
enum Mark {
    Yes,
    No,
    /// A directory is opened or synced by SQLite, which goes on, or by the ledger, which stops and
    /// marks.
    Either,
}

/// What rule L4 says about the call that `strace` reports to have failed.
fn expected_mark(line: &str, witness: &Witness, error: &str) -> Mark {
    let ledger = witness.ledger.to_str().expect("a temporary name is text");
    let directory = witness.ledger.parent().and_then(Path::to_str).expect("a temporary name is text");
    let is_directory = line.contains(&format!("<{directory}>)")) || line.contains(&format!("\"{directory}\""));
    match call_of(line).unwrap_or_default() {
        "fsync" | "fdatasync" | "openat" if is_directory => Mark::Either,
        _ if !line.contains(ledger) => Mark::No,
        "openat" if line.contains(".jobs\", O_RDONLY|O_CLOEXEC)") => Mark::Yes,
        "fsync" | "fdatasync" | "ftruncate" => Mark::Yes,
        "write" | "pwrite64" if error == "EIO" => Mark::Yes,
        "unlink" if line.contains("-journal\"") => Mark::Yes,
        _ => Mark::No,
    }
}

/// Makes each call of a job fail, once; then lets the job finish, after a person has removed the
/// mark if there is one.
fn faults(points: &[Point], error: &str) -> Figures {
    let mut figures = Figures::default();
    let started = Instant::now();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut witness = Witness::new(directory.path(), CAP);
    let mark = directory.path().join("ledger.suspect");
    let [mut injected, mut stopped, mut marked, mut ignored] = [0_usize; 4];
    let [mut wrong_marks, mut panics, mut unfinished] = [0; 3];
    let mut unjudged = String::new();
    for point in (0..FAULT_ROUNDS).flat_map(|_| points) {
        let output = disturb_job(&witness, point, &format!("error={error}"));
        let statement = witness.judge(&(std::mem::take(&mut unjudged) + &said(&output)));
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        panics += usize::from(output.status.code().is_none_or(|code| code == 101) || complaint.contains("panicked"));
        stopped += usize::from(!output.status.success());
        marked += usize::from(mark.exists());
        let trace = fs::read_to_string(trace_file(&witness)).expect("the trace was written");
        if let Some(line) = trace.lines().find(|line| line.ends_with("(INJECTED)")) {
            injected += 1;
            let expected = expected_mark(line, &witness, error);
            let right = expected == Mark::Either || mark.exists() == (expected == Mark::Yes);
            if !right || mark.exists() != complaint.starts_with("Storage") || statement.suspect != mark.exists() {
                wrong_marks += 1;
                println!("  {line}\n  {complaint}");
            }
            ignored += usize::from(line.contains("fsync(") && output.status.success());
        }
        if mark.exists() {
            unfinished += usize::from(run_job(&witness).status.success());
            fs::remove_file(&mark).expect("the mark can be removed");
        }
        let output = run_job(&witness);
        unfinished += usize::from(!output.status.success());
        unjudged = said(&output);
    }
    witness.judge(&unjudged);
    at_least(&mut figures, &format!("{error}: points of a job"), points.len(), LEAST_POINTS);
    at_least(&mut figures, &format!("{error}: points x {FAULT_ROUNDS} rounds"), injected, LEAST_POINTS * FAULT_ROUNDS);
    verdict(error, &witness, &mut figures);
    exactly(&mut figures, &format!("{error}: panics"), panics, 0);
    exactly(&mut figures, &format!("{error}: marks missing or too many"), wrong_marks, 0);
    exactly(&mut figures, &format!("{error}: jobs that ran in spite of a mark or not after it"), unfinished, 0);
    figures.shown(&format!("{error}: jobs stopped"), stopped as f64, "");
    figures.shown(&format!("{error}: ledgers marked suspect"), marked as f64, "");
    figures.shown(&format!("{error}: syncs of the directory that SQLite lets fail"), ignored as f64, "");
    figures.shown(&format!("{error}: time"), started.elapsed().as_secs_f64(), "s");
    figures
}

fn spend(ledger: &Ledger, times: usize) {
    for _ in 0..times {
        ledger
            .reserve(&request("spend", 3))
            .and_then(|job| job.commit(2, ThresholdDelta::ZERO, 1))
            .expect("there is budget");
    }
}

fn processes() -> Figures {
    let mut figures = Figures::default();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("ledger");
    let ledger = Ledger::create(&path, &terms(CAP)).expect("a new ledger");
    let started = Instant::now();
    let program = std::env::current_exe().expect("this program has a file");
    let spender =
        |_| Command::new(&program).args(["ledger", "spend"]).arg(&path).spawn().expect("the program can be started");
    let mut spenders: Vec<_> = (0..PROCESSES).map(spender).collect();
    let failed =
        spenders.iter_mut().filter_map(|spender| spender.wait().ok()).filter(|status| !status.success()).count();
    let seconds = started.elapsed().as_secs_f64();
    let statement = ledger.verify().expect("the ledger verifies");
    let spent = usize::try_from(statement.spent).expect("a small number");
    exactly(&mut figures, "16 processes x 200 spends: processes that failed", failed, 0);
    exactly(&mut figures, "16 processes x 200 spends of 2 quanta: quanta spent", spent, 2 * PROCESSES * SPENDS);
    exactly(&mut figures, "16 processes x 200 spends: records", statement.records, 2 * PROCESSES * SPENDS + 1);
    figures.shown("16 processes x 200 spends: time", seconds, "s");
    figures
}

/// A ledger with the given number of records: its opening, jobs of two records, and an open job if
/// one is left over.
fn ledger_of(records: usize, path: &Path) -> Ledger {
    let ledger = Ledger::create(path, &terms(CAP)).expect("a new ledger");
    spend(&ledger, (records - 1) / 2);
    if records.is_multiple_of(2) {
        drop(ledger.reserve(&request("open", 3)).expect("there is budget"));
    }
    assert_eq!(ledger.verify().expect("the ledger verifies").records, records);
    ledger
}

fn flips() -> Figures {
    let mut figures = Figures::default();
    let started = Instant::now();
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("ledger");
    ledger_of(RECORDS, &path);
    let sealed = fs::read(&path).expect("the ledger is a file");
    let bytes = sealed.len();
    let count = |thread: usize| {
        let path = directory.path().join(format!("copy {thread}"));
        fs::write(&path, &sealed).expect("a copy can be written");
        let ledger = Ledger::open(&path).expect("the copy is a ledger");
        let file = OpenOptions::new().write(true).open(&path).expect("the copy can be written");
        let [verify, spend, header] = (thread..bytes).step_by(THREADS).fold([0; 3], |[verify, spend, header], at| {
            let noticed = notices(&ledger, &file, at, sealed[at], !sealed[at]);
            let others = if at < HEADER { 0..=u8::MAX } else { 0..=0 };
            let others = others.filter(|&other| other != sealed[at] && at < HEADER);
            let others = others.filter(|&other| notices(&ledger, &file, at, sealed[at], other) == [true; 2]).count();
            [verify + usize::from(noticed[0]), spend + usize::from(noticed[1]), header + others]
        });
        ledger.verify().expect("the copy is as it was");
        [verify, spend, header]
    };
    let counts = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || count(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect::<Vec<_>>()
    });
    let [verify, spend, header] = [0, 1, 2].map(|at| counts.iter().map(|counts| counts[at]).sum::<usize>());
    figures.shown("flips: bytes of a ledger of 100 records", bytes as f64, "");
    exactly(&mut figures, "flips: each byte inverted, noticed by `verify`", verify, bytes);
    exactly(&mut figures, "flips: each byte inverted, noticed by `reserve`", spend, bytes);
    exactly(
        &mut figures,
        "flips: each byte of the header set to each other value, noticed by both",
        header,
        HEADER * 255,
    );
    figures.shown("flips: time", started.elapsed().as_secs_f64(), "s");
    figures
}

/// Whether `verify` and `reserve` notice that the byte is another one.
fn notices(ledger: &Ledger, file: &File, at: usize, was: u8, is: u8) -> [bool; 2] {
    file.write_all_at(&[is], at as u64).expect("the copy can be written");
    let noticed = [ledger.verify().is_err(), ledger.reserve(&request("any", 0)).is_err()];
    file.write_all_at(&[was], at as u64).expect("the copy can be written");
    noticed
}

fn speed() -> Figures {
    let mut figures = Figures::default();
    let directory = tempfile::tempdir().expect("a temporary directory");
    for records in [1, RECORDS, 1000] {
        let ledger = ledger_of(records, &directory.path().join(format!("{records}")));
        let [mut reserving, mut committing] = [Duration::ZERO; 2];
        for _ in 0..TIMES {
            let started = Instant::now();
            let job = ledger.reserve(&request("spend", 3)).expect("there is budget");
            reserving += started.elapsed();
            let started = Instant::now();
            job.commit(2, ThresholdDelta::ZERO, 1).expect("the ledger can be written");
            committing += started.elapsed();
        }
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3 / f64::from(TIMES);
        let name = |what| format!("{what} in a ledger of {records} to {} records", records + 2 * TIMES as usize);
        figures.shown(&name("reserve"), milliseconds(reserving), "ms");
        figures.shown(&name("commit"), milliseconds(committing), "ms");
    }
    figures
}
