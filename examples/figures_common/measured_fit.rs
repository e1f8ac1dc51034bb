//! Fits by the program, from the file to the model, whose processor time and memory are measured, one at a time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::Failure;
use crate::benchmark::text;

/// What the program is asked to fit.
pub(crate) struct Fit<'a> {
    /// The folder of a table, with its rows and the file of its domain.
    pub(crate) table: &'a Path,
    /// The options that name the method.
    pub(crate) method: &'a [&'a str],
    pub(crate) epsilon: f64,
    pub(crate) delta: f64,
}

/// Where a program that is far over its bars is stopped.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) cpu_seconds: f64,
    pub(crate) megabytes: f64,
}

/// Large tables, and what a fit of one may take at most: ten minutes and 4 GiB.
pub(crate) const LARGE: [&str; 4] = ["fire", "msnbc", "loans", "stroke"];
pub(crate) const LARGE_AT_MOST: Limits = Limits { cpu_seconds: 600.0, megabytes: 4_294.967_296 };

/// How a program ended.
pub(crate) struct Ended {
    /// None if it was stopped.
    pub(crate) exit_code: Option<i32>,
    /// What it said on standard error.
    pub(crate) said: String,
    /// User and system time of all its threads.
    pub(crate) cpu_seconds: f64,
    /// The most memory it held at any time, in millions of bytes.
    pub(crate) peak_megabytes: f64,
}

/// The program's exit code for what is too large.
const TOO_LARGE: i32 = 5;

/// How a fit should end: well, or before it has begun.
pub(crate) const FITTED: &str = "fitted";
pub(crate) const REFUSED: &str = "refused with a hint";

impl Ended {
    pub(crate) fn outcome(&self) -> &'static str {
        match self.exit_code {
            Some(0) => FITTED,
            Some(TOO_LARGE) if self.said.contains("hint: ") => REFUSED,
            Some(_) => "failed",
            None => "stopped",
        }
    }
}

/// Linux counts a hundred ticks a second for every program.
const TICKS: f64 = 100.0;
/// The system keeps the peak while a program lives: only what it grows by between the last look and its end is missed.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Fits by the program, with a schema made of the table's domain file.
pub(crate) fn run(fit: &Fit, model: &Path, limits: Limits) -> Result<Ended, Failure> {
    let schema = model.with_extension("schema.yaml");
    let domain = fit.table.join("domain.json");
    program(&["schema", "import", "--from", "mbi", text(&domain), "-o", text(&schema)], limits)?;
    let plain = fit.table.join("data.csv");
    let rows = if plain.exists() { plain } else { fit.table.join("data.csv.gz") };
    let (epsilon, delta) = (fit.epsilon.to_string(), fit.delta.to_string());
    let what = ["fit", text(&rows), "--schema", text(&schema)];
    let goal = ["--epsilon", &epsilon, "--delta", &delta, "--quiet", "-o", text(model)];
    program(&[&what[..], fit.method, &goal[..]].concat(), limits)
}

/// Runs the program to its end. Nothing else that this process started may end meanwhile, since its time would be added.
pub(crate) fn program(arguments: &[&str], limits: Limits) -> Result<Ended, Failure> {
    let folder = tempfile::tempdir()?;
    let said = folder.path().join("said");
    let before = ticks("self", CHILDREN)?;
    let mut child = Command::new(path()?)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(&said)?)
        .spawn()?;
    let process = child.id().to_string();
    let mut peak_megabytes = 0.0_f64;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        // A program that ends just now has no memory, and the next round sees its end.
        peak_megabytes = peak_megabytes.max(memory(&process).unwrap_or(0.0));
        let seconds = ticks(&process, OWN).unwrap_or(0.0) / TICKS;
        if seconds > limits.cpu_seconds || peak_megabytes > limits.megabytes {
            child.kill()?;
        }
        thread::sleep(LOOK_EVERY);
    };
    // The system adds up what children used when they are waited for: nothing is estimated.
    let cpu_seconds = (ticks("self", CHILDREN)? - before) / TICKS;
    Ok(Ended { exit_code: status.code(), said: std::fs::read_to_string(&said)?, cpu_seconds, peak_megabytes })
}

/// Where the user and system times begin among the fields after the name of the program.
const OWN: usize = 11;
const CHILDREN: usize = 13;

fn ticks(process: &str, first: usize) -> Result<f64, Failure> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program may hold blanks; fields are counted from its end.
    let fields = status.rsplit(')').next().ok_or("no process status")?;
    let ticks = fields.split_whitespace().skip(first).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()?)
}

fn memory(process: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// Where the program is: at `SCUMBLE_BIN`, or built beside this one.
pub(crate) fn path() -> Result<PathBuf, Failure> {
    if let Some(program) = std::env::var_os("SCUMBLE_BIN") {
        return Ok(program.into());
    }
    let here = std::env::current_exe()?;
    let program = here.ancestors().nth(2).ok_or("no build folder")?.join("scumble");
    if program.is_file() {
        Ok(program)
    } else {
        Err("build the program first: cargo build --workspace --bin scumble".into())
    }
}
