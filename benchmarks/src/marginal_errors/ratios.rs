//! Errors in proportion to those of others.

use super::summary::{ORDERS, Runs};
use crate::Result;
use crate::grid::mean_and_spread;
use crate::reference;

/// Ratios of errors, with the names of their points.
#[derive(Default)]
pub struct Ratios(Vec<(f64, String)>);

impl Ratios {
    /// Returns the ratios to the authors' code, wherever that was run: three orders a point.
    pub fn to_authors_code(runs: &Runs, contender: &str, tables: &[&str], epsilons: &[f64]) -> Result<Self> {
        let mut ratios = Self::default();
        for table in tables {
            for &epsilon in epsilons {
                let Some(reference) = reference::authors_code(table, epsilon) else { continue };
                for (order, theirs) in ORDERS.into_iter().zip(reference.distances) {
                    let Some((ours, _)) = runs.mean(table, contender, epsilon, order)? else { continue };
                    ratios.push(ours / theirs, format!("{table} {epsilon} {order}-way"));
                }
            }
        }
        Ok(ratios)
    }

    /// Adds a ratio at a point.
    pub fn push(&mut self, ratio: f64, point: String) {
        self.0.push((ratio, point));
    }

    /// Adds the ratio of an error to the least of `others`, by name, at a point. Adds nothing if
    /// there are none.
    pub fn push_to_least(&mut self, error: f64, others: &[(String, f64)], point: &str) {
        if let Some((name, least)) = others.iter().min_by(|one, other| one.1.total_cmp(&other.1)) {
            self.push(error / least, format!("{point} against {name}"));
        }
    }

    /// Returns the largest ratio and its point.
    pub fn worst(&self) -> Option<(f64, &str)> {
        let worst = self.0.iter().max_by(|one, other| one.0.total_cmp(&other.0));
        worst.map(|(ratio, point)| (rounded(*ratio), point.as_str()))
    }

    /// Returns the mean, which is not a number if there are no ratios.
    pub fn mean(&self) -> f64 {
        rounded(mean_and_spread(&self.0.iter().map(|(ratio, _)| *ratio).collect::<Vec<_>>()).0)
    }

    /// Number of ratios above this.
    pub fn above(&self, bar: f64) -> f64 {
        self.0.iter().filter(|(ratio, _)| *ratio > bar).count() as f64
    }

    /// Returns the unit of a number of points.
    pub fn of_points(&self) -> String {
        format!("of {} points", self.0.len())
    }

    /// Prints all ratios, `a_line` on each line.
    pub fn print(&self, title: &str, a_line: usize) {
        println!("\n{title}");
        for ratios in self.0.chunks(a_line) {
            let list: Vec<String> = ratios.iter().map(|(ratio, point)| format!("{point} {ratio:.3}")).collect();
            println!("{}", list.join(", "));
        }
    }
}

/// Rounds to four digits, which is finer than the spread of ten runs.
pub fn rounded(ratio: f64) -> f64 {
    (ratio * 1e4).round() / 1e4
}
