//! Processor time and memory of whole fits by the program, from the file to the model.
//!
//! Run it beside nothing else: a busy machine makes processors slower, too.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::METHODS;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::{Journal, Mode, Row, value};
use scumble_benchmarks::measured_fit::{self, FITTED, Fit, LARGE, LARGE_AT_MOST, Limits};
use scumble_benchmarks::reference::{DELTA, TABLES};
use scumble_benchmarks::request::Request;

const HEADER: [&str; 8] =
    ["table", "method", "epsilon", "delta", "outcome", "message", "cpu_seconds", "peak_megabytes"];
/// Table, method and epsilon.
const POINT: usize = 3;
const OUTCOME: usize = 4;
const CPU_SECONDS: usize = 6;
const PEAK_MEGABYTES: usize = 7;
const EPSILONS: [f64; 3] = [0.2, 0.8, 3.2];
const LARGE_EPSILON: f64 = 1.0;
/// Bars for processor seconds on the tables of the PrivMRF paper.
const SECONDS: [(&str, &str, f64); 7] = [
    ("mst", "adult", 5.0),
    ("aim", "nltcs", 20.0),
    ("aim", "adult", 60.0),
    ("auto", "nltcs", 30.0),
    ("auto", "acs", 30.0),
    ("auto", "adult", 30.0),
    ("auto", "br2000", 30.0),
];
/// The bar for memory on these tables.
const MEGABYTES: f64 = 1_024.0;
/// What is over all bars by this much need not go on.
const STOPPED_AT: Limits =
    Limits { cpu_seconds: 1.5 * LARGE_AT_MOST.cpu_seconds, megabytes: 1.5 * LARGE_AT_MOST.megabytes };

/// A fit.
#[derive(Clone, Copy)]
struct Point {
    table: &'static str,
    method: &'static str,
    epsilon: f64,
}

impl Point {
    fn key(self) -> Row {
        vec![self.table.into(), self.method.into(), self.epsilon.to_string(), DELTA.to_string()]
    }
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let journal = Journal::open(request.output.join("auto-cost.csv"), &HEADER, POINT)?;
    let mut points = Vec::new();
    for (tables, epsilons) in [(TABLES, &EPSILONS[..]), (LARGE, &[LARGE_EPSILON])] {
        for table in request.tables(&tables) {
            for method in request.contenders(&METHODS) {
                let epsilons = request.epsilons(epsilons);
                points.extend(epsilons.into_iter().map(|epsilon| Point { table, method, epsilon }));
            }
        }
    }
    let keys: Vec<Row> = points.iter().map(|point| point.key()).collect();
    if request.mode != Mode::FromCsv {
        println!("other work on this machine, mean of a minute: {}", std::fs::read_to_string("/proc/loadavg")?.trim());
    }
    for place in journal.pending(&keys, request.mode)? {
        let row = measure(request, points[place])?;
        println!("{}", row.join(" "));
        journal.append(row)?;
    }
    let mut rows = journal.rows()?;
    print!("{}", markdown(&points, &rows)?);
    let mut unfitted = 0_u32;
    for point in points {
        let key = point.key();
        match rows.iter().find(|row| row.starts_with(&key)) {
            Some(row) if row[OUTCOME] == FITTED => report(point, row, figures)?,
            _ => unfitted += 1,
        }
    }
    figures.exactly("points of the cost without a model", unfitted.into(), "points", 0.0);
    rows.retain(|row| row[OUTCOME] == FITTED);
    Ok(std::fs::write(request.output.join("auto-cost.svg"), chart(&rows)?.to_svg())?)
}

fn measure(request: &Request, point: Point) -> Result<Row> {
    let folder = tempfile::tempdir()?;
    let table = request.data.join(point.table);
    let fit = Fit { table: &table, method: &["--method", point.method], epsilon: point.epsilon, delta: DELTA };
    let ended = measured_fit::run(&fit, &folder.path().join("model"), STOPPED_AT)?;
    let mut row = point.key();
    row.extend([ended.outcome().into(), ended.said.trim().replace('\n', "; ")]);
    row.extend([format!("{:.2}", ended.cpu_seconds), format!("{:.0}", ended.peak_megabytes)]);
    Ok(row)
}

/// What the documentation shows: a line for every table and epsilon, a column for every method.
fn markdown(points: &[Point], rows: &[Row]) -> Result<String> {
    let mut text = format!("\n| | `{}` |\n|---|{}\n", METHODS.join("` | `"), "---|".repeat(METHODS.len()));
    let mut lines = Vec::new();
    for point in points {
        if !lines.contains(&(point.table, point.epsilon)) {
            lines.push((point.table, point.epsilon));
        }
    }
    for (table, epsilon) in lines {
        write!(text, "| {table}, epsilon {epsilon} |")?;
        for method in METHODS {
            let key = Point { table, method, epsilon }.key();
            match rows.iter().find(|row| row.starts_with(&key)) {
                Some(row) if row[OUTCOME] == FITTED => {
                    write!(text, " {} s, {} MB |", row[CPU_SECONDS], row[PEAK_MEGABYTES])?;
                }
                Some(row) => write!(text, " {} |", row[OUTCOME])?,
                None => write!(text, " – |")?,
            }
        }
        writeln!(text)?;
    }
    Ok(text)
}

fn report(point: Point, row: &Row, figures: &mut Figures) -> Result<()> {
    let what = format!("{}: {}, epsilon {}", point.method, point.table, point.epsilon);
    let large = LARGE.contains(&point.table);
    let bar = SECONDS.iter().find(|(method, table, _)| (*method, *table) == (point.method, point.table));
    let seconds = if large { Some(LARGE_AT_MOST.cpu_seconds) } else { bar.map(|(_, _, seconds)| *seconds) };
    if let Some(seconds) = seconds {
        figures.at_most(&what, row[CPU_SECONDS].parse()?, "CPU s", seconds);
    }
    let megabytes = if large { LARGE_AT_MOST.megabytes } else { MEGABYTES };
    figures.at_most(&what, row[PEAK_MEGABYTES].parse()?, "MB at the peak", megabytes);
    Ok(())
}

fn chart(rows: &[Row]) -> Result<Chart> {
    let mut panels = Vec::new();
    for (column, label) in [(CPU_SECONDS, "CPU seconds"), (PEAK_MEGABYTES, "MB at the peak")] {
        for method in METHODS {
            let mut lines = Vec::new();
            for table in TABLES.into_iter().chain(LARGE) {
                let epsilons: &[f64] = if LARGE.contains(&table) { &[LARGE_EPSILON] } else { &EPSILONS };
                let mut points = Vec::new();
                for &epsilon in epsilons {
                    let key = Point { table, method, epsilon }.key();
                    points.extend(value(rows, &key, column)?.map(|value| (epsilon, value)));
                }
                lines.push(Line { name: table.into(), points });
            }
            panels.push(Panel {
                title: format!("{method}, {label}"),
                x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
                y: Axis { label: label.into(), scale: Scale::Logarithmic },
                lines,
            });
        }
    }
    Ok(Chart {
        title: "Cost of a fit".into(),
        description:
            "Processor seconds and peak memory of whole fits of auto, mst and aim: on four public tables at epsilon \
                      0.8 and 3.2, and on four large ones at 1."
                .into(),
        panels,
        columns: METHODS.len(),
    })
}
