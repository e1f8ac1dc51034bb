//! Ablation: errors at the same points with one option changed at a time.

use std::fmt::Write as _;

use scumble::mechanisms::Method;

use super::{ErrorFile, Task};
use crate::Result;
use crate::grid::mean_and_spread;
use crate::journal::Row;
use crate::request::Request;

/// The name of a variant and its options.
pub type Variant = (&'static str, &'static [&'static str]);

/// A method and the variants of it that are compared.
pub struct Ablation {
    /// The file of the runs.
    pub file: &'static str,
    /// The first column of the file, which holds the subject.
    pub kind: &'static str,
    /// Name of the method or profile.
    pub subject: &'static str,
    /// Returns the subject with these options.
    pub method: fn(&[&str]) -> Result<Method>,
    /// The variants; the first is what the others are compared with.
    pub variants: &'static [Variant],
}

const ORDERS: [usize; 5] = [1, 2, 3, 4, 5];
/// The fields of orders 3 to 5, whose mean is shown. Seconds follow.
const SHOWN: std::ops::Range<usize> = 8..11;

impl Ablation {
    /// Measures and prints all variants at these points, each a table and an epsilon.
    pub fn run(&self, points: &[(&'static str, f64)], runs: usize, request: &Request) -> Result<()> {
        let file = ErrorFile::open(request.output.join(self.file), &[self.kind, "variant", "table"], &ORDERS, false)?;
        for points in points.chunk_by(|one, next| one.0 == next.0) {
            let mut tasks = Vec::new();
            for &(variant, options) in self.variants {
                for &(table, epsilon) in points {
                    let what = [self.subject, variant, table];
                    for run in 0..runs {
                        tasks.push(Task::new(&what, (self.method)(options)?, epsilon, run));
                    }
                }
            }
            file.measure(points[0].0, &tasks, request)?;
        }
        print!("{}", self.markdown(&file.rows()?, points)?);
        Ok(())
    }

    /// Mean errors of 3- to 5-way marginals, and their ratio to the first variant's over all points
    /// that both have.
    fn markdown(&self, rows: &[Row], points: &[(&str, f64)]) -> Result<String> {
        let names: Vec<String> = points.iter().map(|(table, epsilon)| format!("{table} {epsilon}")).collect();
        let mut text = format!("\n| `{}` | {} | ratio | time |\n", self.subject, names.join(" | "));
        writeln!(text, "|---|{}", "---|".repeat(points.len() + 2))?;
        let mut first = Vec::new();
        for (variant, options) in self.variants {
            let label =
                if options.is_empty() { (*variant).into() } else { format!("{variant} (`{}`)", options.join("`, `")) };
            write!(text, "| {label} |")?;
            let mut means = Vec::new();
            for (table, epsilon) in points {
                let mean = mean(rows, &[self.subject, variant, table, &epsilon.to_string()])?;
                write!(text, " {} |", mean.map_or("–".into(), |(error, _)| format!("{error:.4}")))?;
                means.push(mean);
            }
            if first.is_empty() {
                first.clone_from(&means);
            }
            let both: Vec<_> = means.iter().zip(&first).filter_map(|(&mean, &first)| mean.zip(first)).collect();
            let ratio = |of: fn((f64, f64)) -> f64| {
                let logarithms: Vec<f64> = both.iter().map(|&(mean, first)| (of(mean) / of(first)).ln()).collect();
                if logarithms.is_empty() {
                    "–".into()
                } else {
                    format!("{:.3}", mean_and_spread(&logarithms).0.exp())
                }
            };
            writeln!(text, " {} | {} |", ratio(|(error, _)| error), ratio(|(_, seconds)| seconds))?;
        }
        Ok(text)
    }
}

/// Mean error and mean seconds of the runs at a point, if there were any.
fn mean(rows: &[Row], point: &[&str]) -> Result<Option<(f64, f64)>> {
    let (mut errors, mut seconds) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| row.iter().zip(point).all(|(value, expected)| value == expected)) {
        for error in &row[SHOWN] {
            errors.push(error.parse()?);
        }
        seconds.push(row[SHOWN.end].parse()?);
    }
    Ok(if errors.is_empty() { None } else { Some((mean_and_spread(&errors).0, mean_and_spread(&seconds).0)) })
}
