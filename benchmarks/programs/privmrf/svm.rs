//! Classifiers trained on synthetic rows, tested on real rows that were held out: the paper's
//! figure 5.
//!
//! One support vector machine per column, which predicts it from all others; the mean over columns
//! and over five folds. The method sees four fifths of the rows, and the judge splits, trains and
//! tests.

use std::fmt::Write as _;

use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::profile::Profile;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::classifiers::{FOLDS, Lesson, RateFile, Rates, Task, Training};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::grid::mean_and_spread;
use scumble_benchmarks::journal::Row;
use scumble_benchmarks::marginal_errors::ratios::rounded;
use scumble_benchmarks::reference::{self, DELTA, TABLES};
use scumble_benchmarks::request::Request;
use scumble_benchmarks::{Failure, Result};

const BEFORE_FOLD: [&str; 4] = ["table", "profile", "epsilon", "delta"];
/// Table, profile and epsilon.
const POINT: usize = 3;
/// The only rate of a file, which is that over all columns.
pub(crate) const MISCLASSIFIED: &str = "misclassified";
pub(crate) const RATE: usize = 0;
const EPSILONS: [f64; 4] = [0.1, 0.4, 0.8, 3.2];
/// The judge's fold on which the authors' code was measured.
const THEIR_FOLD: usize = 0;

/// What a classifier is trained on.
#[derive(Clone, Copy)]
enum TrainedOn {
    RealRows,
    Synthetic(Profile, f64),
}

impl TrainedOn {
    fn point(self, table: &str) -> Row {
        match self {
            Self::RealRows => vec![table.into(), "real-rows".into(), String::new(), String::new()],
            Self::Synthetic(profile, epsilon) => {
                vec![table.into(), profile.name().into(), epsilon.to_string(), DELTA.to_string()]
            }
        }
    }

    fn task(self, table: &str, fold: usize) -> Result<Task> {
        let training = match self {
            Self::RealRows => Training::Real,
            Self::Synthetic(profile, epsilon) => {
                Training::Synthetic(Run { method: profile.method(&[])?, epsilon, delta: DELTA })
            }
        };
        Ok(Task { point: self.point(table), training, fold })
    }
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let path = request.output.join("privmrf-svm.csv");
    let file = RateFile::open(path, &BEFORE_FOLD, POINT, &[MISCLASSIFIED])?;
    let folds = request.runs(FOLDS).min(FOLDS);
    for table in request.tables(&TABLES) {
        let mut all = vec![TrainedOn::RealRows];
        for profile in Profile::asked(request) {
            let at = |epsilon| TrainedOn::Synthetic(profile, epsilon);
            all.extend(request.epsilons(&EPSILONS).into_iter().map(at));
        }
        let on_folds = all.iter().flat_map(|trained_on| (0..folds).map(move |fold| trained_on.task(table, fold)));
        let tasks = on_folds.collect::<Result<Vec<Task>>>()?;
        file.measure(table, &tasks, request, mean_of_columns)?;
    }
    summary(&file.rates()?, folds, request, figures)
}

/// The mean over classifiers of every column.
pub(crate) fn mean_of_columns(benchmark: &Benchmark, lesson: &Lesson) -> Result<Vec<Option<f64>>, Failure> {
    let judged = lesson.judged(&benchmark.domain, &[])?;
    Ok(vec![Some(judged["mean_error"].as_f64().ok_or("the judge gave no misclassification rate")?)])
}

fn summary(rates: &Rates, folds: usize, request: &Request, figures: &mut Figures) -> Result<()> {
    print!("{}", markdown(rates)?);
    for profile in Profile::asked(request) {
        let (mut points, mut worse, mut ratio, mut excess, mut missing) =
            (0_u32, 0_u32, 0.0_f64, f64::NEG_INFINITY, 0_u32);
        for table in request.tables(&TABLES) {
            for epsilon in request.epsilons(&EPSILONS) {
                let Some(theirs) = reference::authors_code(table, epsilon).and_then(|run| run.misclassified) else {
                    continue;
                };
                let ours = rates.by_fold(&TrainedOn::Synthetic(profile, epsilon).point(table), RATE)?;
                let real = rates.by_fold(&TrainedOn::RealRows.point(table), RATE)?;
                let there = real.iter().find(|(fold, _)| *fold == THEIR_FOLD);
                let (true, true, Some((_, real_there))) = (ours.len() >= folds, real.len() >= folds, there) else {
                    missing += 1;
                    continue;
                };
                let (ours, real) = (mean(&ours), mean(&real));
                points += 1;
                worse += u32::from(ours > theirs);
                ratio = ratio.max(ours / theirs);
                // Folds differ in how hard they are; what real rows get wrong on the same folds is
                // taken off.
                excess = excess.max((ours - real) - (theirs - real_there));
            }
        }
        let name = profile.name();
        figures.exactly(&format!("{name}: SVM points without all folds"), missing.into(), "points", 0.0);
        if points > 0 {
            let of = format!("of {points} points");
            figures.exactly(&format!("{name}: misclassification above the authors' code"), worse.into(), &of, 0.0);
            let what = format!("{name}: worst misclassification against the authors' code");
            figures.at_most(&what, rounded(ratio), "ratio", 1.0);
            let what = format!("{name}: the same, of what comes on top of real rows on the same folds");
            figures.at_most(&what, rounded(excess), "difference", 0.0);
        }
    }
    std::fs::write(request.output.join("privmrf-svm.svg"), chart(rates)?.to_svg())?;
    Ok(())
}

fn mean(by_fold: &[(usize, f64)]) -> f64 {
    mean_and_spread(&by_fold.iter().map(|(_, rate)| *rate).collect::<Vec<_>>()).0
}

fn markdown(rates: &Rates) -> Result<String> {
    let mut text = format!("\n| epsilon | {} |\n", EPSILONS.map(|epsilon| epsilon.to_string()).join(" | "));
    writeln!(text, "|---|{}", "---|".repeat(EPSILONS.len()))?;
    let cell = |rate: Option<f64>| rate.map_or("–".into(), |rate| format!("{rate:.4}"));
    for table in TABLES {
        for profile in Profile::ALL {
            write!(text, "| {table}, `{}` |", profile.name())?;
            for epsilon in EPSILONS {
                let mean = rates.mean(&TrainedOn::Synthetic(profile, epsilon).point(table), RATE)?;
                match mean {
                    Some((mean, spread)) => write!(text, " {mean:.4} ± {spread:.4} |")?,
                    None => write!(text, " – |")?,
                }
            }
            writeln!(text)?;
        }
        write!(text, "| {table}, authors' code |")?;
        for epsilon in EPSILONS {
            let rate = reference::authors_code(table, epsilon).and_then(|run| run.misclassified);
            write!(text, " {} |", cell(rate))?;
        }
        let real = cell(rates.mean(&TrainedOn::RealRows.point(table), RATE)?.map(|(mean, _)| mean));
        writeln!(text, "\n| {table}, real rows |{}", format!(" {real} |").repeat(EPSILONS.len()))?;
    }
    Ok(text)
}

fn chart(rates: &Rates) -> Result<Chart> {
    let mut panels = Vec::new();
    for table in TABLES {
        let mut lines = Vec::new();
        for profile in Profile::ALL {
            let mut points = Vec::new();
            for epsilon in EPSILONS {
                let mean = rates.mean(&TrainedOn::Synthetic(profile, epsilon).point(table), RATE)?;
                points.extend(mean.map(|(mean, _)| (epsilon, mean)));
            }
            lines.push(Line { name: profile.name().into(), points });
        }
        let theirs = |epsilon| reference::authors_code(table, epsilon).and_then(|run| run.misclassified);
        let points = EPSILONS.iter().filter_map(|&epsilon| theirs(epsilon).map(|rate| (epsilon, rate)));
        lines.push(Line { name: "authors' code".into(), points: points.collect() });
        let real = rates.mean(&TrainedOn::RealRows.point(table), RATE)?;
        let points = real.map_or_else(Vec::new, |(mean, _)| EPSILONS.map(|epsilon| (epsilon, mean)).to_vec());
        lines.push(Line { name: "real rows".into(), points });
        panels.push(Panel {
            title: table.into(),
            x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
            y: Axis { label: "misclassified".into(), scale: Scale::Linear },
            lines,
        });
    }
    Ok(Chart {
        title: "Misclassification rate of classifiers trained on synthetic rows".into(),
        description:
            "Mean misclassification rate of support vector machines on held-out real rows of four public tables, \
                      against epsilon, for both profiles of privmrf, the authors' code and real rows."
                .into(),
        panels,
        columns: 2,
    })
}
