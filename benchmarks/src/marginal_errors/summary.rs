//! Summaries of the runs of a file beside the authors' code: tables, and charts laid out as figure
//! 4 of the PrivMRF paper.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use crate::Result;
use crate::figure::Figures;
use crate::journal::{self, Row};
use crate::reference::{self, EPSILONS, FLOORS};

/// The orders that are compared with those of others.
pub const ORDERS: [usize; 3] = [3, 4, 5];
/// The columns before the errors: table, contender, epsilon, delta and run. That of order 1 is the
/// first.
const BEFORE_ERRORS: usize = 5;
/// Our distances and the judge's are the same numbers.
const SAME: f64 = 1e-12;

/// The lines of a file whose points are tables, contenders and epsilons.
pub struct Runs(pub Vec<Row>);

/// An error that does not depend on epsilon.
pub struct Level {
    /// Its name in tables and charts.
    pub name: &'static str,
    /// The benchmark table.
    pub table: &'static str,
    /// Errors of orders 3, 4 and 5.
    pub errors: [f64; 3],
}

/// Returns the first fields of the lines of a point.
fn point(table: &str, contender: &str, epsilon: f64) -> [String; 3] {
    [table.to_string(), contender.to_string(), epsilon.to_string()]
}

impl Runs {
    fn of(&self, table: &str, contender: &str, epsilon: f64) -> impl Iterator<Item = &Row> {
        let point = point(table, contender, epsilon);
        self.0.iter().filter(move |row| row.starts_with(&point))
    }

    /// Returns mean and standard deviation of the error of an order at a point, if there are runs.
    pub fn mean(&self, table: &str, contender: &str, epsilon: f64, order: usize) -> Result<Option<(f64, f64)>> {
        journal::mean(&self.0, &point(table, contender, epsilon), BEFORE_ERRORS + order - 1)
    }

    /// Number of these points with fewer runs than this.
    pub fn missing(&self, tables: &[&str], contenders: &[&str], epsilons: &[f64], runs: usize) -> f64 {
        let mut missing = 0_u32;
        for table in tables {
            for contender in contenders {
                for &epsilon in epsilons {
                    missing += u32::from(self.of(table, contender, epsilon).count() < runs);
                }
            }
        }
        missing.into()
    }

    /// Adds the largest difference between our distances and the judge's, which is in the last
    /// column.
    pub fn compare_with_judge(&self, figures: &mut Figures) {
        let differences = self.0.iter().filter_map(|row| row.last().and_then(|last| last.parse::<f64>().ok()));
        let furthest = differences.fold(0.0, f64::max);
        figures.at_most("largest difference between our distances and the judge's", furthest, "TVD", SAME);
    }

    /// Returns the errors on a table as Markdown for the documentation.
    pub fn markdown(&self, table: &str, contenders: &[&str], levels: &[Level]) -> Result<String> {
        let mut text = format!("\n| {table} | {} |\n", EPSILONS.map(|epsilon| epsilon.to_string()).join(" | "));
        writeln!(text, "|---|{}", "---|".repeat(EPSILONS.len()))?;
        for (place, order) in ORDERS.into_iter().enumerate() {
            for contender in contenders {
                write!(text, "| {order}-way, `{contender}` |")?;
                for epsilon in EPSILONS {
                    match self.mean(table, contender, epsilon, order)? {
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
            for Level { name, errors, .. } in levels.iter().filter(|level| level.table == table) {
                let error = format!(" {:.4} |", errors[place]);
                writeln!(text, "| {order}-way, {name} |{}", error.repeat(EPSILONS.len()))?;
            }
        }
        Ok(text)
    }

    /// Draws a panel for every table and order. Levels join the two that need no method.
    pub fn chart(&self, contenders: &[&str], levels: &[Level], description: &str) -> Result<Chart> {
        let mut panels = Vec::new();
        for floor in &FLOORS {
            for (place, order) in ORDERS.into_iter().enumerate() {
                let mut lines = Vec::new();
                for contender in contenders {
                    let mut points = Vec::new();
                    for epsilon in EPSILONS {
                        let mean = self.mean(floor.table, contender, epsilon, order)?;
                        points.extend(mean.map(|(mean, _)| (epsilon, mean)));
                    }
                    lines.push(Line { name: (*contender).into(), points });
                }
                let theirs = EPSILONS.iter().filter_map(|&epsilon| {
                    reference::authors_code(floor.table, epsilon).map(|reference| (epsilon, reference.distances[place]))
                });
                lines.push(Line { name: "authors' code".into(), points: theirs.collect() });
                let own = levels.iter().filter(|level| level.table == floor.table);
                let without_method = [
                    ("independent columns, no noise", floor.product[place]),
                    ("real rows drawn again", floor.bootstrap[place]),
                ];
                for (name, error) in
                    without_method.into_iter().chain(own.map(|level| (level.name, level.errors[place])))
                {
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
            description: description.into(),
            panels,
            columns: ORDERS.len(),
        })
    }
}
