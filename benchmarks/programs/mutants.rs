//! The mutation gate: every mistake that can be planted in the program is caught by the test that
//! its list names.
//!
//! `figures mutants [--clean RUNS]` runs all mutants, and 20 clean runs of every test by default.
//! It needs the feature `planted-bugs`, which release builds refuse.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use scumble_planted::{CaughtBy, Mutant};
use scumble_testing::toy::Bug;
use serde_json::Value;

/// The bugs of the toy mechanism are planted by the test that catches them: it passes if it has
/// caught all.
const TOY: CaughtBy = CaughtBy {
    package: "scumble-testing",
    target: "planted_bugs",
    test: "every_planted_bug_is_caught_under_gdp_accounting",
};

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments = Arguments::parse(arguments, &Usage { options: &["--clean"], ..Usage::default() })?;
    let clean_runs: usize = arguments.value("--clean")?.unwrap_or(20);
    let tests: BTreeSet<(&str, &str, &str)> = Mutant::ALL.iter().map(|mutant| key(mutant.facts().caught_by)).collect();
    let executables = build(tests.iter().map(|(_, target, _)| *target).chain([TOY.target]).collect())?;
    let run = |test: CaughtBy, mutant: Option<&str>| -> Result<bool> {
        let executable = executables.get(&(test.package.to_owned(), test.target.to_owned()));
        let executable = executable.ok_or_else(|| format!("no test target `{}` in {}", test.target, test.package))?;
        passes(executable, test.test, mutant)
    };

    let mut figures = Figures::default();
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
        figures.exactly(&name, f64::from(u8::from(!missed)), "tests", 1.0);
    }
    let toy = if run(TOY, None)? { Bug::ALL.len() } else { 0 };
    println!(
        "{:34} {:11} {toy:8} {:>6}  {} {} {}",
        "bugs of the toy mechanism", "testing", "", TOY.package, TOY.target, TOY.test
    );
    let all = Mutant::ALL.len() + Bug::ALL.len();
    figures.exactly("mutants caught", (caught + toy) as f64, "mutants", all as f64);

    let mut alarms = 0_u32;
    for round in 0..clean_runs {
        for &(package, target, test) in &tests {
            if !run(CaughtBy { package, target, test }, None)? {
                println!("clean run {round}: {test} failed");
                alarms += 1;
            }
        }
    }
    println!("{clean_runs} clean runs of {} tests: {alarms} alarms", tests.len());
    figures.exactly(&format!("alarms in {clean_runs} clean runs"), f64::from(alarms), "tests", 0.0);
    figures.print();
    Ok(())
}

fn key(test: CaughtBy) -> (&'static str, &'static str, &'static str) {
    (test.package, test.target, test.test)
}

/// Builds the test targets of the workspace with these names, and returns the executable of each by
/// package and target.
fn build(targets: BTreeSet<&str>) -> Result<BTreeMap<(String, String), PathBuf>> {
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
fn passes(executable: &Path, test: &str, mutant: Option<&str>) -> Result<bool> {
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
    // Planted and never asked for: the test that passes then has not looked at the room of the
    // mutant.
    Ok(output.status.success())
}
