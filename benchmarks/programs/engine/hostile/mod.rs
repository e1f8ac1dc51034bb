//! Malformed and hostile files: each must end in a clean error or a result, within ten seconds and
//! one gibibyte.
//!
//! Every file is read by a process of its own, the way a user reads it, so that an abort or a loop
//! without end is seen and costs only that process.

mod arrow_bombs;
mod corpus;
mod damage;
mod handmade;
mod parquet_bombs;
mod seed;
mod text_bombs;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use scumble_benchmarks::clock::peak_kib;
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, EngineError, Input, ReadOptions};
use scumble_schema::{Clique, Schema};

use corpus::{Case, cases};

use crate::random;

use scumble_benchmarks::figure::Figures;

/// The argument before the path that makes the program read one file and print the outcome.
pub(crate) const CHILD: &str = "--read-hostile-file";
const FILES_AT_LEAST: usize = 300;
const SECONDS_AT_MOST: f64 = 10.0;
const MEBIBYTES_AT_MOST: f64 = 1024.0;
/// A reader that takes longer than this is killed.
const PATIENCE: Duration = Duration::from_secs(30);
const READERS: usize = 2;

/// What became of the corpus.
#[derive(Debug, Default)]
pub(crate) struct HostileFigures {
    pub(crate) files: usize,
    pub(crate) errors: usize,
    pub(crate) results: usize,
    /// Panics of a decoder that the engine turned into an error.
    pub(crate) caught_panics: usize,
    pub(crate) worst_seconds: f64,
    pub(crate) worst_mebibytes: f64,
    /// Names of files, with what happened to their readers.
    pub(crate) failures: Vec<String>,
}

/// How the reader of one file ended.
#[derive(Debug)]
struct Outcome {
    /// What it printed: a word for the kind of ending, and its peak memory in KiB.
    printed: String,
    /// Its standard error.
    complaints: String,
    status: Option<ExitStatus>,
    seconds: f64,
}

impl Outcome {
    fn mebibytes(&self) -> f64 {
        let kibibytes = self.printed.split_whitespace().nth(1).and_then(|word| word.parse::<u32>().ok());
        kibibytes.map_or(0.0, |kibibytes| f64::from(kibibytes) / 1024.0)
    }

    fn kind(&self) -> &str {
        self.printed.split_whitespace().next().unwrap_or_default()
    }

    /// What is wrong with it, if anything is.
    fn failure(&self) -> Option<String> {
        let Some(status) = self.status else { return Some(format!("killed after {:.1} s", self.seconds)) };
        if !status.success() || !matches!(self.kind(), "error" | "result") {
            return Some(format!("{status}: {} {}", self.printed.trim(), self.complaints.trim()));
        }
        if self.seconds > SECONDS_AT_MOST {
            return Some(format!("took {:.1} s", self.seconds));
        }
        (self.mebibytes() > MEBIBYTES_AT_MOST).then(|| format!("took {:.0} MiB", self.mebibytes()))
    }
}

/// Makes every file of the corpus in `directory`, has it read, and removes it.
///
/// For work on the guards, the environment variable `HOSTILE_ONLY` selects the files whose names
/// contain it, and `HOSTILE_VERBOSE` prints a line for every file.
pub(crate) fn run(directory: &Path) -> HostileFigures {
    let only = std::env::var("HOSTILE_ONLY").unwrap_or_default();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.name.contains(&only)).collect();
    let (next, figures) = (AtomicUsize::new(0), Mutex::new(HostileFigures::default()));
    thread::scope(|scope| {
        for _ in 0..READERS {
            scope.spawn(|| {
                while let Some((index, case)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    cases.get(index).map(|case| (index, case))
                } {
                    let outcome = read(case, &directory.join(format!("{index:03}")));
                    figures.lock().expect("no reader panics").add(&case.name, &outcome);
                }
            });
        }
    });
    let mut figures = figures.into_inner().expect("no reader panics");
    figures.failures.sort_unstable();
    figures
}

/// Has one file read, in a directory of its own.
fn read(case: &Case, directory: &Path) -> Outcome {
    fs::create_dir(directory).expect("the directory is ours");
    let path = directory.join(&case.name);
    (case.make)(&path).unwrap_or_else(|error| panic!("{} cannot be made: {error}", case.name));
    let said = directory.join("said");
    let (output, complaints) = (directory.join("output"), said);
    let start = Instant::now();
    let child = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["engine", CHILD])
        .arg(&path)
        .stdin(Stdio::null())
        .stdout(File::create(&output).expect("the directory is ours"))
        .stderr(File::create(&complaints).expect("the directory is ours"))
        .spawn();
    let status = wait(child.expect("this program can be started"), start);
    let seconds = start.elapsed().as_secs_f64();
    let text = |path: &Path| String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let outcome = Outcome { printed: text(&output), complaints: text(&complaints), status, seconds };
    fs::remove_dir_all(directory).expect("the directory is ours");
    outcome
}

/// How the child ended, or nothing if it had to be killed.
fn wait(mut child: Child, start: Instant) -> Option<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait().expect("the child is ours") {
            return Some(status);
        }
        if start.elapsed() > PATIENCE {
            child.kill().expect("the child is ours");
            child.wait().expect("the child is ours");
            return None;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

impl HostileFigures {
    fn add(&mut self, name: &str, outcome: &Outcome) {
        self.files += 1;
        self.errors += usize::from(outcome.kind() == "error");
        self.results += usize::from(outcome.kind() == "result");
        self.caught_panics += usize::from(outcome.complaints.contains(PANICKED));
        self.worst_seconds = self.worst_seconds.max(outcome.seconds);
        self.worst_mebibytes = self.worst_mebibytes.max(outcome.mebibytes());
        if let Some(failure) = outcome.failure() {
            self.failures.push(format!("{name}: {failure}"));
        }
        if std::env::var_os("HOSTILE_VERBOSE").is_some() {
            let (seconds, mebibytes) = (outcome.seconds, outcome.mebibytes());
            let (kind, words) = (outcome.kind(), outcome.printed.lines().nth(1).unwrap_or_default());
            println!("{seconds:6.2} s {mebibytes:6.0} MiB {kind:7}{name}: {words} {}", outcome.complaints.trim());
        }
    }

    /// Adds the figures, after the names of files that ended badly.
    pub(crate) fn add_to(&self, figures: &mut Figures) {
        for failure in &self.failures {
            println!("{failure}");
        }
        let whole = |value: usize| f64::from(u32::try_from(value).unwrap_or(u32::MAX));
        figures.at_least("hostile files", whole(self.files), "files", whole(FILES_AT_LEAST));
        figures.shown("hostile files: clean errors", whole(self.errors), "files");
        figures.shown("hostile files: results", whole(self.results), "files");
        figures.shown("hostile files: panics of decoders that became errors", whole(self.caught_panics), "panics");
        figures.at_most("hostile files that end badly", whole(self.failures.len()), "files", 0.0);
        figures.at_most("slowest hostile file", self.worst_seconds, "s", SECONDS_AT_MOST);
        figures.at_most("memory of the worst hostile file", self.worst_mebibytes, "MiB", MEBIBYTES_AT_MOST);
    }
}

/// How the child begins the line about a panic, which it prints without the panic's message, as
/// `scumble` does.
const PANICKED: &str = "panicked at";

/// Reads one file as a user would, and prints the kind of ending and the peak memory.
pub(crate) fn child(file: &Path) {
    std::panic::set_hook(Box::new(|panic| {
        eprintln!("{PANICKED} {}", panic.location().map(ToString::to_string).unwrap_or_default());
    }));
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (kind, words) = match std::panic::catch_unwind(|| count(file, &seed::schema(&name))) {
        Ok(Ok(rows)) => ("result", rows.to_string()),
        Ok(Err(error @ EngineError::Bug { .. })) => ("bug", error.to_string()),
        Ok(Err(error)) => ("error", error.to_string()),
        Err(_) => ("panic", String::new()),
    };
    println!("{kind} {}\n{words}", peak_kib("self").unwrap_or_default());
}

fn count(file: &Path, schema: &Schema) -> Result<u64, EngineError> {
    let table = CodedTable::read(&[Input::new(file)], schema, &ReadOptions::default())?;
    let all = Clique::new(schema.domain().attributes());
    let counts = table.count_tables(&[Clique::empty(), all])?;
    assert_eq!(counts[1].iter().sum::<u64>(), counts[0][0], "every row is in one cell");
    Ok(counts[0][0])
}
