//! Processor time and memory of whole fits by the program, from the file to the model: the paper's
//! figure 6.
//!
//! Run it beside nothing else: a busy machine makes processors slower, too.

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::profile::Profile;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::{Journal, Mode, Row, value};
use scumble_benchmarks::measured_fit::{self, Fit, Limits};
use scumble_benchmarks::reference::{DELTA, EPSILONS, TABLES};
use scumble_benchmarks::request::Request;

const HEADER: [&str; 6] = ["table", "profile", "epsilon", "delta", "cpu_seconds", "peak_megabytes"];
/// Table, profile and epsilon.
const POINT: usize = 3;
const CPU_SECONDS: usize = 4;
const PEAK_MEGABYTES: usize = 5;
/// Bars for processor seconds at an epsilon.
const SECONDS: [(f64, f64); 2] = [(0.8, 20.0), (3.2, 60.0)];
/// The bar for memory, at the largest epsilon.
const MEGABYTES: f64 = 500.0;
const LARGEST: f64 = 3.2;
const STOPPED_AT: Limits = Limits { cpu_seconds: 1200.0, megabytes: 8000.0 };

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let journal = Journal::open(request.output.join("privmrf-cost.csv"), &HEADER, POINT)?;
    let mut points = Vec::new();
    for table in request.tables(&TABLES) {
        for profile in Profile::asked(request) {
            points.extend(request.epsilons(&EPSILONS).into_iter().map(|epsilon| (table, profile, epsilon)));
        }
    }
    let keys: Vec<Row> = points.iter().map(|&(table, profile, epsilon)| key(table, profile, epsilon)).collect();
    let folder = tempfile::tempdir()?;
    if request.mode != Mode::FromCsv {
        println!("other work on this machine, mean of a minute: {}", std::fs::read_to_string("/proc/loadavg")?.trim());
    }
    for place in journal.pending(&keys, request.mode)? {
        let (table, profile, epsilon) = points[place];
        let method = ["--method", "privmrf", "--profile", profile.name()];
        let fit = Fit { table: &request.data.join(table), method: &method, epsilon, delta: DELTA };
        let ended = measured_fit::run(&fit, &folder.path().join("model"), STOPPED_AT)?;
        if ended.exit_code != Some(0) {
            return Err(format!("{}: exit code {:?}: {}", keys[place].join(" "), ended.exit_code, ended.said).into());
        }
        let mut row = keys[place].clone();
        row.extend([format!("{:.2}", ended.cpu_seconds), format!("{:.0}", ended.peak_megabytes)]);
        println!("{}", row.join(" "));
        journal.append(row)?;
    }
    let rows = journal.rows()?;
    for (table, profile, epsilon) in points {
        let Some((_, seconds)) = SECONDS.iter().find(|(at, _)| (at - epsilon).abs() < 1e-9) else { continue };
        let what = format!("{table}, epsilon {epsilon}, {}", profile.name());
        if let Some(cpu) = value(&rows, &key(table, profile, epsilon), CPU_SECONDS)? {
            figures.at_most(&what, cpu, "CPU s", *seconds);
        }
        if (epsilon - LARGEST).abs() < 1e-9
            && let Some(megabytes) = value(&rows, &key(table, profile, epsilon), PEAK_MEGABYTES)?
        {
            figures.at_most(&what, megabytes, "MB at the peak", MEGABYTES);
        }
    }
    std::fs::write(request.output.join("privmrf-cost.svg"), chart(&rows)?.to_svg())?;
    Ok(())
}

fn key(table: &str, profile: Profile, epsilon: f64) -> Row {
    vec![table.into(), profile.name().into(), epsilon.to_string(), DELTA.to_string()]
}

fn chart(rows: &[Row]) -> Result<Chart> {
    let mut panels = Vec::new();
    for (column, label) in [(CPU_SECONDS, "CPU seconds"), (PEAK_MEGABYTES, "MB at the peak")] {
        for profile in Profile::ALL {
            let mut lines = Vec::new();
            for table in TABLES {
                let mut points = Vec::new();
                for epsilon in EPSILONS {
                    points.extend(value(rows, &key(table, profile, epsilon), column)?.map(|value| (epsilon, value)));
                }
                lines.push(Line { name: table.into(), points });
            }
            panels.push(Panel {
                title: format!("{}, {label}", profile.name()),
                x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
                y: Axis { label: label.into(), scale: Scale::Linear },
                lines,
            });
        }
    }
    Ok(Chart {
        title: "Cost of a fit".into(),
        description: "Processor seconds and peak memory of whole fits on four public tables, against epsilon.".into(),
        panels,
        columns: Profile::ALL.len(),
    })
}
