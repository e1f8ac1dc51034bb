//! What the runs of a file come to, beside the authors' code: tables, and the layout of the PrivMRF paper's figure 4.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use crate::Failure;
use crate::figure::Figures;
use crate::journal::{self, Row};
use crate::reference::{self, EPSILONS, FLOORS};

/// The orders that are compared with those of others.
pub(crate) const ORDERS: [usize; 3] = [3, 4, 5];
/// The columns before the errors: table, contender, epsilon, delta and run. That of order 1 is the first.
const BEFORE_ERRORS: usize = 5;
/// Our distances and the judge's are the same numbers.
const SAME: f64 = 1e-12;

/// The lines of a file whose points are tables, contenders and epsilons.
pub(crate) struct Runs(pub(crate) Vec<Row>);

/// An error that does not depend on epsilon.
pub(crate) struct Level {
    pub(crate) name: &'static str,
    pub(crate) table: &'static str,
    /// For orders 3, 4 and 5.
    pub(crate) errors: [f64; 3],
}

/// What the lines of a point begin with.
fn point(table: &str, contender: &str, epsilon: f64) -> [String; 3] {
    [table.to_string(), contender.to_string(), epsilon.to_string()]
}

impl Runs {
    fn of(&self, table: &str, contender: &str, epsilon: f64) -> impl Iterator<Item = &Row> {
        let point = point(table, contender, epsilon);
        self.0.iter().filter(move |row| row.starts_with(&point))
    }

    /// Mean and spread of the error of an order at a point, if there were runs.
    pub(crate) fn mean(
        &self,
        table: &str,
        contender: &str,
        epsilon: f64,
        order: usize,
    ) -> Result<Option<(f64, f64)>, Failure> {
        journal::mean(&self.0, &point(table, contender, epsilon), BEFORE_ERRORS + order - 1)
    }

    /// How many of these points have fewer runs than this.
    pub(crate) fn missing(&self, tables: &[&str], contenders: &[&str], epsilons: &[f64], runs: usize) -> f64 {
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

    /// How far our distances are from the judge's, which are in the last column.
    pub(crate) fn compare_with_judge(&self, figures: &mut Figures) {
        let differences = self.0.iter().filter_map(|row| row.last().and_then(|last| last.parse::<f64>().ok()));
        let furthest = differences.fold(0.0, f64::max);
        figures.at_most("largest difference between our distances and the judge's", furthest, "TVD", SAME);
    }

    /// What the documentation shows of a table.
    pub(crate) fn markdown(&self, table: &str, contenders: &[&str], levels: &[Level]) -> Result<String, Failure> {
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

    /// A panel for every table and order; levels come beside those that need no method.
    pub(crate) fn chart(&self, contenders: &[&str], levels: &[Level], description: &str) -> Result<Chart, Failure> {
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
