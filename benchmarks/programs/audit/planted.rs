//! Bugs that are planted in the vault, seen from outside: an audit of a phase proves more than is
//! claimed.

use std::process::Command;

use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use serde_json::Value;

/// Bugs, each with the phase that it is in.
const BUGS: [(&str, &str); 3] = [
    ("gaussian-tables-halved", "tables"),
    ("gaussian-scores-halved", "scores"),
    ("exponential-without-two", "selections"),
];
/// Number of audits of each bug.
const AUDITS: u32 = 100;

/// Runs the audit of the phases in a process of its own for each bug: a process has one bug.
pub(super) fn run(runs: u64, figures: &mut Figures) -> Result<()> {
    for (bug, phase) in BUGS {
        let mut caught = 0;
        for _ in 0..AUDITS {
            caught += u32::from(exceeds(Some(bug), phase, runs)?);
        }
        let name = format!("{bug}: audits of {runs} runs that prove more than is claimed, of {AUDITS}");
        figures.at_least(&name, f64::from(caught), "audits", 99.0);
    }
    let mut alarms = 0;
    for _ in 0..AUDITS / 5 {
        for (_, phase) in BUGS {
            alarms += u32::from(exceeds(None, phase, runs)?);
        }
    }
    figures.at_most("no bug: phases of which more than the claim is proved, of 60", f64::from(alarms), "phases", 1.0);
    Ok(())
}

/// Whether an audit proves more than the claim of a phase.
fn exceeds(bug: Option<&str>, phase: &str, runs: u64) -> Result<bool> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["audit", "phases", "--only", phase, "--runs", &runs.to_string()]).env_remove("SCUMBLE_PLANTED_BUG");
    if let Some(bug) = bug {
        command.env("SCUMBLE_PLANTED_BUG", bug);
    }
    let output = command.output()?;
    let text = String::from_utf8(output.stdout)?;
    let figures: Value = serde_json::from_str(text.lines().last().ok_or("an audit printed nothing")?)?;
    // The figures of a phase have one value, beside different bars.
    Ok(figures["figures"][0]["value"].as_f64().ok_or("a figure was not measured")? > 1.0)
}
