//! Programs whose processor time and memory are measured, one at a time.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::Failure;

/// Where a program that is far over its bars is stopped.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) cpu_seconds: f64,
    pub(crate) megabytes: f64,
}

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

/// Linux counts a hundred ticks a second for every program.
const TICKS: f64 = 100.0;
/// The system keeps the peak while a program lives: only what it grows by between the last look and its end is missed.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Runs the program to its end. Nothing else that this process started may end meanwhile, since its time would be added.
pub(crate) fn run(arguments: &[&str], limits: Limits) -> Result<Ended, Failure> {
    let folder = tempfile::tempdir()?;
    let said = folder.path().join("said");
    let before = ticks("self", CHILDREN)?;
    let mut child = Command::new(program()?)
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

/// The program: at `SCUMBLE_BIN`, or built beside this one.
fn program() -> Result<PathBuf, Failure> {
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
