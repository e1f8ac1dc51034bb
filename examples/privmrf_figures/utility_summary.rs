//! Errors of marginals against those of the authors' code, from the file of all runs: figures, tables, and the paper's figure 4.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use crate::figure::Figures;
use crate::grid::mean_and_spread;
use crate::journal::Row;
use crate::reference::{self, FLOORS, PACKAGED_MST};
use crate::request::{Profile, Request};
use crate::{EPSILONS, Failure, TABLES};

/// The orders that are compared, and the columns of the file that hold them.
const ORDERS: [(usize, usize); 3] = [(3, 7), (4, 8), (5, 9)];
const JUDGE_DIFFERS_BY: usize = 11;
/// `--profile best` must be better than the authors' code by this much on average.
const BEST_ON_AVERAGE: f64 = 0.9;
/// `--profile paper` may be worse by this much, since one run is compared with the mean of several.
const PAPER_AT_MOST: f64 = 1.15;
/// Our distances and the judge's are the same numbers.
const SAME: f64 = 1e-12;

pub(crate) fn run(rows: &[Row], request: &Request, figures: &mut Figures) -> Result<(), Failure> {
    let runs = Runs(rows);
    let (tables, epsilons) = (request.tables(&TABLES), request.epsilons(&EPSILONS));
    for table in &tables {
        print!("{}", runs.markdown(table)?);
    }
    let mut missing = 0_u32;
    for &profile in &request.profiles {
        let mut ratios = Vec::new();
        for table in &tables {
            for &epsilon in &epsilons {
                missing += u32::from(runs.of(table, profile, epsilon).count() < request.runs);
                let Some(reference) = reference::authors_code(table, epsilon) else { continue };
                for ((order, column), theirs) in ORDERS.into_iter().zip(reference.distances) {
                    let Some((ours, _)) = runs.mean(table, profile, epsilon, column)? else { continue };
                    ratios.push((ours / theirs, format!("{table} {epsilon} {order}-way")));
                }
            }
        }
        report(profile, &ratios, figures);
        against_packaged(&runs, profile, request, figures)?;
    }
    figures.exactly("points of the grid without all runs", missing.into(), "points", 0.0);
    let differences = rows.iter().filter_map(|row| row[JUDGE_DIFFERS_BY].parse::<f64>().ok());
    let furthest = differences.fold(0.0, f64::max);
    figures.at_most("largest difference between our distances and the judge's", furthest, "TVD", SAME);
    std::fs::write(request.output.join("privmrf-utility.svg"), chart(&runs)?.to_svg())?;
    Ok(())
}

/// Ratios to the authors' code, with the names of their points.
fn report(profile: Profile, ratios: &[(f64, String)], figures: &mut Figures) {
    let Some((worst, at)) = ratios.iter().max_by(|one, other| one.0.total_cmp(&other.0)) else { return };
    let name = profile.name();
    let points = format!("of {} points", ratios.len());
    println!("\nratio of TVD to the authors' code, {name}; worst at {at}");
    for ratios in ratios.chunks(ORDERS.len()) {
        let list: Vec<String> = ratios.iter().map(|(ratio, point)| format!("{point} {ratio:.3}")).collect();
        println!("{}", list.join(", "));
    }
    let (mean, _) = mean_and_spread(&ratios.iter().map(|(ratio, _)| *ratio).collect::<Vec<_>>());
    let (worst_bar, mean_bar) = match profile {
        Profile::Best => (1.0, BEST_ON_AVERAGE),
        Profile::Paper => (PAPER_AT_MOST, PAPER_AT_MOST),
    };
    if profile == Profile::Best {
        let behind = ratios.iter().filter(|(ratio, _)| *ratio > 1.0).count();
        figures.exactly("best: TVD above that of the authors' code", count(behind), &points, 0.0);
    }
    figures.at_most(&format!("{name}: worst ratio to the authors' code"), rounded(*worst), "ratio of TVD", worst_bar);
    figures.at_most(&format!("{name}: mean ratio to the authors' code"), rounded(mean), "ratio of TVD", mean_bar);
}

fn against_packaged(runs: &Runs, profile: Profile, request: &Request, figures: &mut Figures) -> Result<(), Failure> {
    let (_, three) = ORDERS[0];
    let (tables, epsilons) = (request.tables(&TABLES), request.epsilons(&EPSILONS));
    let asked = |(table, epsilon, _): &(&str, f64, f64)| tables.contains(table) && epsilons.contains(epsilon);
    for (table, epsilon, theirs) in PACKAGED_MST.into_iter().filter(asked) {
        if let Some((ours, _)) = runs.mean(table, profile, epsilon, three)? {
            let name = format!("{}: {table}, epsilon {epsilon}, 3-way, against the best packaged MST", profile.name());
            figures.at_most(&name, rounded(ours / theirs), "ratio of TVD", 1.0);
        }
    }
    Ok(())
}

/// The lines of the file.
struct Runs<'a>(&'a [Row]);

impl<'a> Runs<'a> {
    fn of(&self, table: &str, profile: Profile, epsilon: f64) -> impl Iterator<Item = &'a Row> + use<'a> {
        let point = [table.to_string(), profile.name().to_string(), epsilon.to_string()];
        self.0.iter().filter(move |row| row.starts_with(&point))
    }

    /// Mean and spread of a column at a point, if there were runs.
    fn mean(&self, table: &str, profile: Profile, epsilon: f64, column: usize) -> Result<Option<(f64, f64)>, Failure> {
        let values: Vec<f64> =
            self.of(table, profile, epsilon).map(|row| row[column].parse()).collect::<Result<_, _>>()?;
        Ok(if values.is_empty() { None } else { Some(mean_and_spread(&values)) })
    }

    /// What the documentation shows of a table.
    fn markdown(&self, table: &str) -> Result<String, Failure> {
        let mut text = format!("\n| {table} | {} |\n", EPSILONS.map(|epsilon| epsilon.to_string()).join(" | "));
        writeln!(text, "|---|{}", "---|".repeat(EPSILONS.len()))?;
        for (place, (order, column)) in ORDERS.into_iter().enumerate() {
            for profile in Profile::ALL {
                write!(text, "| {order}-way, `{}` |", profile.name())?;
                for epsilon in EPSILONS {
                    match self.mean(table, profile, epsilon, column)? {
                        Some((mean, spread)) => write!(text, " {mean:.4} ± {spread:.4} |")?,
                        None => write!(text, " – |")?,
                    }
                }
                writeln!(text)?;
            }
            write!(text, "| {order}-way, authors' code |")?;
            for epsilon in EPSILONS {
                match reference::authors_code(table, epsilon) {
                    Some(reference) => write!(text, " {:.4} |", reference.distances[place])?,
                    None => write!(text, " – |")?,
                }
            }
            writeln!(text)?;
        }
        Ok(text)
    }
}

fn chart(runs: &Runs) -> Result<Chart, Failure> {
    let mut panels = Vec::new();
    for floor in &FLOORS {
        for (place, (order, column)) in ORDERS.into_iter().enumerate() {
            let mut lines = Vec::new();
            for profile in Profile::ALL {
                let mut points = Vec::new();
                for epsilon in EPSILONS {
                    points.extend(runs.mean(floor.table, profile, epsilon, column)?.map(|(mean, _)| (epsilon, mean)));
                }
                lines.push(Line { name: profile.name().into(), points });
            }
            let theirs = EPSILONS.iter().filter_map(|&epsilon| {
                reference::authors_code(floor.table, epsilon).map(|reference| (epsilon, reference.distances[place]))
            });
            lines.push(Line { name: "authors' code".into(), points: theirs.collect() });
            for (name, error) in [
                ("independent columns, no noise", floor.product[place]),
                ("real rows drawn again", floor.bootstrap[place]),
            ] {
                lines.push(Line { name: name.into(), points: EPSILONS.map(|epsilon| (epsilon, error)).to_vec() });
            }
            panels.push(Panel {
                title: format!("{}, {order}-way", floor.table),
                x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
                y: Axis { label: "mean TVD".into(), scale: Scale::Logarithmic },
                lines,
            });
        }
    }
    Ok(Chart {
        title: "Error of marginals against epsilon".into(),
        description:
            "Mean total variation distance of 3- to 5-way marginals of four public tables against epsilon, for both \
                      profiles of privmrf and for the authors' code; the two lines that do not depend on epsilon are \
                      independent columns and real rows drawn again."
                .into(),
        panels,
        columns: ORDERS.len(),
    })
}

/// Four digits are more than ten runs are worth.
fn rounded(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}

#[expect(clippy::cast_precision_loss, reason = "a few points")]
fn count(points: usize) -> f64 {
    points as f64
}
