//! Processor time and memory of fits by the `scumble` program, from the file to the model, one at a
//! time.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::Result;
use crate::benchmark::text;
use crate::clock::peak_kib;

/// A fit by the program.
pub struct Fit<'a> {
    /// The folder of a table, with its rows and the file of its domain.
    pub table: &'a Path,
    /// The options that name the method.
    pub method: &'a [&'a str],
    /// The epsilon of the goal.
    pub epsilon: f64,
    /// The delta of the goal.
    pub delta: f64,
}

/// Limits at which a program is stopped, far over its bars.
#[derive(Clone, Copy)]
pub struct Limits {
    /// Processor time.
    pub cpu_seconds: f64,
    /// Memory, in millions of bytes.
    pub megabytes: f64,
}

/// Large tables.
pub const LARGE: [&str; 4] = ["fire", "msnbc", "loans", "stroke"];
/// The bars of a fit of a large table: ten minutes and 4 GiB.
pub const LARGE_AT_MOST: Limits = Limits { cpu_seconds: 600.0, megabytes: 4_294.967_296 };

/// How a program ended.
pub struct Ended {
    /// None if it was stopped.
    pub exit_code: Option<i32>,
    /// Its standard error.
    pub said: String,
    /// User and system time of all its threads.
    pub cpu_seconds: f64,
    /// Its peak memory, in millions of bytes.
    pub peak_megabytes: f64,
}

/// The program's exit code for a model that is too large.
const TOO_LARGE: i32 = 5;

/// The outcome of a fit that succeeded.
pub const FITTED: &str = "fitted";
/// The outcome of a fit that was refused before it began.
pub const REFUSED: &str = "refused with a hint";

impl Ended {
    /// Returns how it ended, in a word for a CSV file.
    pub fn outcome(&self) -> &'static str {
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
/// The system keeps the peak while a program lives: only what it grows by between the last look and
/// its end is missed.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Fits a model with the program, with a schema made of the table's domain file. Replaces files of
/// the fit before.
pub fn run(fit: &Fit, model: &Path, limits: Limits) -> Result<Ended> {
    let schema = model.with_extension("schema.yaml");
    let domain = fit.table.join("domain.json");
    program(&["schema", "import", "--from", "mbi", text(&domain), "-o", text(&schema), "--force"], limits)?;
    let plain = fit.table.join("data.csv");
    let rows = if plain.exists() { plain } else { fit.table.join("data.csv.gz") };
    let (epsilon, delta) = (fit.epsilon.to_string(), fit.delta.to_string());
    let what = ["fit", text(&rows), "--schema", text(&schema)];
    let goal = ["--epsilon", &epsilon, "--delta", &delta, "--quiet", "-o", text(model), "--force"];
    program(&[&what[..], fit.method, &goal[..]].concat(), limits)
}

/// Runs the program to its end. No other child of this process may end meanwhile, since its time
/// would be added.
pub fn program(arguments: &[&str], limits: Limits) -> Result<Ended> {
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
        peak_megabytes = peak_megabytes.max(peak_kib(&process).map_or(0.0, |kib| kib as f64 * 1024.0 / 1e6));
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

fn ticks(process: &str, first: usize) -> Result<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name of the program may hold blanks; fields are counted from its end.
    let fields = status.rsplit(')').next().ok_or("no process status")?;
    let ticks = fields.split_whitespace().skip(first).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()?)
}

/// Returns the path of the program: `SCUMBLE_BIN`, or the one built beside this.
pub fn path() -> Result<PathBuf> {
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
