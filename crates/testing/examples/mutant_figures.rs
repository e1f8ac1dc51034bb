//! The mutation gate: every mistake that can be planted in the program is caught by the test that its list names.
//!
//! ```text
//! cargo run -p scumble-testing --example mutant_figures              all mutants, and 20 clean runs of every test
//! cargo run -p scumble-testing --example mutant_figures -- --clean 1
//! ```
//! Not with `--release`, which refuses planted bugs. Prints a table for people and, last, one JSON object for programs.
#![allow(clippy::print_stdout, reason = "a program that prints figures")]

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use scumble_planted::{CaughtBy, Mutant};
use scumble_testing::toy::Bug;
use serde_json::{Value, json};

/// The bugs of the toy mechanism are planted by the test that catches them: it passes if it has caught all.
const TOY: CaughtBy = CaughtBy {
    package: "scumble-testing",
    target: "planted_bugs",
    test: "every_planted_bug_is_caught_under_gdp_accounting",
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let clean_runs: usize = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => 20,
        (Some("--clean"), Some(runs)) => runs.parse()?,
        _ => return Err("usage: mutant_figures [--clean RUNS]".into()),
    };
    let tests: BTreeSet<(&str, &str, &str)> = Mutant::ALL.iter().map(|mutant| key(mutant.facts().caught_by)).collect();
    let executables = build(tests.iter().map(|(_, target, _)| *target).chain([TOY.target]).collect())?;
    let run = |test: CaughtBy, mutant: Option<&str>| -> Result<bool, Box<dyn Error>> {
        let executable = executables.get(&(test.package.to_owned(), test.target.to_owned()));
        let executable = executable.ok_or_else(|| format!("no test target `{}` in {}", test.target, test.package))?;
        passes(executable, test.test, mutant)
    };

    let mut figures = Vec::new();
    println!("{:34} {:11} {:8} {:>6}  caught by", "mutant", "room", "", "s");
    let mut caught = 0;
    for mutant in Mutant::ALL {
        let facts = mutant.facts();
        let started = Instant::now();
        let missed = run(facts.caught_by, Some(facts.name))?;
        caught += usize::from(!missed);
        let CaughtBy { package, target, test } = facts.caught_by;
        let (word, seconds) = (if missed { "MISSED" } else { "caught" }, started.elapsed().as_secs_f64());
        println!("{:34} {:11} {word:8} {seconds:>6.1}  {package} {target} {test}", facts.name, facts.room);
        let name = format!("mutant {} caught by {target}::{test}", facts.name);
        figures.push(figure(&name, usize::from(!missed), "tests", 1, !missed));
    }
    let toy = if run(TOY, None)? { Bug::ALL.len() } else { 0 };
    println!(
        "{:34} {:11} {toy:8} {:>6}  {} {} {}",
        "bugs of the toy mechanism", "testing", "", TOY.package, TOY.target, TOY.test
    );
    let all = Mutant::ALL.len() + Bug::ALL.len();
    figures.push(figure("mutants caught", caught + toy, "mutants", all, caught + toy == all));

    let mut alarms = 0;
    for round in 0..clean_runs {
        for &(package, target, test) in &tests {
            if !run(CaughtBy { package, target, test }, None)? {
                println!("clean run {round}: {test} failed");
                alarms += 1;
            }
        }
    }
    println!("{clean_runs} clean runs of {} tests: {alarms} alarms", tests.len());
    figures.push(figure(&format!("alarms in {clean_runs} clean runs"), alarms, "tests", 0, alarms == 0));
    println!("{}", json!({ "figures": figures }));
    Ok(())
}

fn key(test: CaughtBy) -> (&'static str, &'static str, &'static str) {
    (test.package, test.target, test.test)
}

fn figure(name: &str, value: usize, unit: &str, bar: usize, holds: bool) -> Value {
    json!({ "name": name, "value": value, "unit": unit, "bar": bar, "holds": holds })
}

/// Builds the test targets of the workspace with these names, and returns the executable of each by package and target.
fn build(targets: BTreeSet<&str>) -> Result<BTreeMap<(String, String), PathBuf>, Box<dyn Error>> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--locked", "--workspace", "--no-run", "--message-format", "json"]);
    for target in targets {
        command.args(["--test", target]);
    }
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let mut executables = BTreeMap::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let message: Value = serde_json::from_str(line)?;
        let (Some(executable), Some(target)) = (message["executable"].as_str(), message["target"]["name"].as_str())
        else {
            continue;
        };
        let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
        let room = manifest.parent().and_then(Path::file_name).and_then(|room| room.to_str()).unwrap_or_default();
        executables.insert((format!("scumble-{room}"), target.to_owned()), executable.into());
    }
    Ok(executables)
}

/// Whether the one test of this name passes, with a mutant alive or without.
fn passes(executable: &Path, test: &str, mutant: Option<&str>) -> Result<bool, Box<dyn Error>> {
    let mut command = Command::new(executable);
    command.args(["--exact", test]).current_dir(env!("CARGO_MANIFEST_DIR")).env_remove("SCUMBLE_PLANTED_BUG");
    if let Some(mutant) = mutant {
        command.env("SCUMBLE_PLANTED_BUG", mutant);
    }
    let output = command.output()?;
    let shown = String::from_utf8_lossy(&output.stdout);
    if !shown.contains("running 1 test\n") {
        return Err(format!("{} has no test `{test}`", executable.display()).into());
    }
    // Planted and never asked for: the test that passes then has not looked at the room of the mutant.
    Ok(output.status.success())
}
