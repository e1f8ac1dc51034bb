//! Errors of marginals on tables that no default was chosen on.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::grid_of;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::marginal_errors::ErrorFile;
use scumble_benchmarks::marginal_errors::ratios::{Ratios, rounded};
use scumble_benchmarks::marginal_errors::summary::Runs;
use scumble_benchmarks::request::Request;

const TABLES: [&str; 5] = ["msnbc", "fire", "loans", "stroke", "acs_national2019"];
const EPSILONS: [f64; 3] = [0.2, 0.8, 3.2];
/// Independent columns are the least that a method has to beat.
const METHODS: [&str; 4] = ["auto", "mst", "aim", "independent"];
const ORDERS: [usize; 3] = [1, 2, 3];
const RUNS: usize = 2;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let file = ErrorFile::open(request.output.join("auto-untuned.csv"), &["table", "method"], &ORDERS, false)?;
    let (methods, tables) = (request.contenders(&METHODS), request.tables(&TABLES));
    let grid = grid_of(&methods, request.epsilons(&EPSILONS), request.runs(RUNS))?;
    for table in &tables {
        file.measure(table, &grid.tasks(table), request)?;
    }
    let runs = Runs(file.rows()?);
    print!("{}", markdown(&runs, &tables, &methods)?);
    let mut ratios = Ratios::default();
    for table in &tables {
        for &epsilon in &grid.epsilons {
            let Some((auto, _)) = runs.mean(table, "auto", epsilon, 3)? else { continue };
            let mut least = f64::INFINITY;
            for method in ["mst", "aim"] {
                least = runs.mean(table, method, epsilon, 3)?.map_or(least, |(error, _)| least.min(error));
            }
            if least.is_finite() {
                let name = format!("auto: {table}, epsilon {epsilon}, 3-way, against the better of mst and aim");
                figures.at_most(&name, rounded(auto / least), "ratio of TVD", 1.0);
                ratios.push(auto / least, format!("{table} {epsilon}"));
            }
        }
    }
    if let Some((worst, at)) = ratios.worst() {
        println!("worst at {at}");
        figures.at_most("auto: worst 3-way ratio to the better of mst and aim, untuned", worst, "ratio of TVD", 1.0);
    }
    let missing = runs.missing(&tables, &methods, &grid.epsilons, grid.runs);
    figures.exactly("points of untuned tables without all runs", missing, "points", 0.0);
    Ok(std::fs::write(request.output.join("auto-untuned.svg"), chart(&runs)?.to_svg())?)
}

/// What the documentation shows.
fn markdown(runs: &Runs, tables: &[&str], methods: &[&str]) -> Result<String> {
    let mut text = String::new();
    for table in tables {
        writeln!(text, "\n| {table} | {} |", EPSILONS.map(|epsilon| epsilon.to_string()).join(" | "))?;
        writeln!(text, "|---|{}", "---|".repeat(EPSILONS.len()))?;
        for order in ORDERS {
            for method in methods {
                write!(text, "| {order}-way, `{method}` |")?;
                for epsilon in EPSILONS {
                    match runs.mean(table, method, epsilon, order)? {
                        Some((mean, spread)) => write!(text, " {mean:.4} ± {spread:.4} |")?,
                        None => write!(text, " – |")?,
                    }
                }
                writeln!(text)?;
            }
        }
    }
    Ok(text)
}

fn chart(runs: &Runs) -> Result<Chart> {
    let mut panels = Vec::new();
    for table in TABLES {
        let mut lines = Vec::new();
        for method in METHODS {
            let mut points = Vec::new();
            for epsilon in EPSILONS {
                points.extend(runs.mean(table, method, epsilon, 3)?.map(|(mean, _)| (epsilon, mean)));
            }
            lines.push(Line { name: method.into(), points });
        }
        panels.push(Panel {
            title: format!("{table}, 3-way"),
            x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
            y: Axis { label: "mean TVD".into(), scale: Scale::Logarithmic },
            lines,
        });
    }
    Ok(Chart {
        title: "Error of marginals on tables not used for tuning".into(),
        description:
            "Mean total variation distance of 3-way marginals of five public tables on which no default was chosen, \
                      against epsilon, for auto, mst, aim and independent columns."
                .into(),
        panels,
        columns: 3,
    })
}
