//! Errors of marginals on tables of many or large columns, beside those of other methods and of the
//! first form of `auto`, whose runs stay in the file.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::{AUTO_AT_MOST, FIRST_FORM, grid_of};
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::marginal_errors::ErrorFile;
use scumble_benchmarks::marginal_errors::ratios::Ratios;
use scumble_benchmarks::marginal_errors::summary::Runs;
use scumble_benchmarks::request::Request;

const TABLES: [&str; 7] = ["msnbc", "fire", "loans", "stroke", "acs_national2019", "adult_mbi", "salary"];
const EPSILONS: [f64; 3] = [0.2, 0.8, 3.2];
const METHODS: [&str; 4] = ["auto", "mst", "aim", "privbayes-nist"];
const ORDERS: [usize; 3] = [1, 2, 3];
const RUNS: usize = 2;
/// What `auto` must be better by than the best of others on average, in tables of three columns.
const ON_AVERAGE: f64 = 0.85;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let file = ErrorFile::open(request.output.join("auto-wide.csv"), &["table", "method"], &ORDERS, false)?;
    let (methods, tables) = (request.contenders(&METHODS), request.tables(&TABLES));
    let grid = grid_of(&methods, request.epsilons(&EPSILONS), request.runs(RUNS))?;
    for table in &tables {
        file.measure(table, &grid.tasks(table), request)?;
    }
    let runs = Runs(file.rows()?);
    print!("{}", markdown(&runs, &tables, &methods)?);
    for (order, bar) in AUTO_AT_MOST {
        let ratios = ratios(&runs, &tables, &grid.epsilons, order)?;
        let Some((worst, at)) = ratios.worst() else { continue };
        ratios.print(
            &format!("ratio of the {order}-way TVD of auto to the best of others; worst at {at}"),
            EPSILONS.len(),
        );
        let name = format!("auto: wide tables, worst {order}-way ratio to the best of others and its first form");
        figures.at_most(&name, worst, "ratio of TVD", bar);
        if order == 3 {
            let name = "auto: wide tables, mean 3-way ratio to the best of others and its first form";
            figures.at_most(name, ratios.mean(), "ratio of TVD", ON_AVERAGE);
        }
    }
    let missing = runs.missing(&tables, &methods, &grid.epsilons, grid.runs);
    figures.exactly("points of wide tables without all runs", missing, "points", 0.0);
    Ok(std::fs::write(request.output.join("auto-wide.svg"), chart(&runs)?.to_svg())?)
}

/// Ratios of the error of `auto` to the least of other methods and of its first form, where they
/// were run.
fn ratios(runs: &Runs, tables: &[&str], epsilons: &[f64], order: usize) -> Result<Ratios> {
    let mut ratios = Ratios::default();
    for table in tables {
        for &epsilon in epsilons {
            let Some((auto, _)) = runs.mean(table, "auto", epsilon, order)? else { continue };
            let mut others = Vec::new();
            for method in METHODS.into_iter().filter(|method| *method != "auto").chain([FIRST_FORM]) {
                others.extend(runs.mean(table, method, epsilon, order)?.map(|(error, _)| (method.into(), error)));
            }
            ratios.push_to_least(auto, &others, &format!("{table} {epsilon}"));
        }
    }
    Ok(ratios)
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
        title: "Error of marginals on wide tables".into(),
        description:
            "Mean total variation distance of 3-way marginals of seven public tables against epsilon, for auto, mst, \
                      aim and privbayes-nist."
                .into(),
        panels,
        columns: 3,
    })
}
