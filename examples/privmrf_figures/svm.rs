//! Classifiers trained on synthetic rows, tested on real rows that were held out: the paper's figure 5.
//!
//! One support vector machine per column, which predicts it from all others; the mean over columns and over five folds. The
//! method sees four fifths of the rows, and the judge splits, trains and tests.

use std::fmt::Write as _;

use scumble::Sampling;
use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};
use scumble::schema::AdjacencyKind;

use crate::Failure;
use crate::benchmark::{Benchmark, Run, judge, text};
use crate::figure::Figures;
use crate::grid::{self, mean_and_spread};
use crate::journal::{Journal, Row};
use crate::marginal_errors::ratios::rounded;
use crate::profile::Profile;
use crate::reference::{self, DELTA, TABLES};
use crate::request::Request;

const HEADER: [&str; 6] = ["table", "profile", "epsilon", "delta", "fold", "misclassified"];
/// Table, profile and epsilon.
const POINT: usize = 3;
const MISCLASSIFIED: usize = 5;
const EPSILONS: [f64; 4] = [0.1, 0.4, 0.8, 3.2];
const FOLDS: usize = 5;
/// The judge's fold on which the authors' code was measured.
const THEIR_FOLD: usize = 0;
/// As many rows as the reference was trained and tested on.
const SVM: [&str; 6] = ["--alphas", "1", "--svm-max-train", "3000", "--svm-max-test", "3000"];

/// What a classifier is trained on.
#[derive(Clone, Copy)]
enum Training {
    /// The real rows themselves: what can be had without privacy.
    Real,
    Synthetic(Profile, f64),
}

impl Training {
    fn point(self, table: &str) -> [String; 4] {
        match self {
            Self::Real => [table.into(), "real-rows".into(), String::new(), String::new()],
            Self::Synthetic(profile, epsilon) => {
                [table.into(), profile.name().into(), epsilon.to_string(), DELTA.to_string()]
            }
        }
    }
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<(), Failure> {
    let journal = Journal::open(request.output.join("privmrf-svm.csv"), &HEADER, POINT)?;
    for table in request.tables(&TABLES) {
        let mut trainings = vec![Training::Real];
        for profile in Profile::asked(request) {
            trainings
                .extend(request.epsilons(&EPSILONS).into_iter().map(|epsilon| Training::Synthetic(profile, epsilon)));
        }
        let tasks: Vec<(Training, usize)> =
            trainings.iter().flat_map(|&training| (0..FOLDS).map(move |fold| (training, fold))).collect();
        let keys: Vec<Row> = tasks
            .iter()
            .map(|(training, fold)| training.point(table).into_iter().chain([fold.to_string()]).collect())
            .collect();
        let pending = journal.pending(&keys, request.mode)?;
        if pending.is_empty() {
            continue;
        }
        let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
        grid::all(pending.len(), request.jobs, |task| {
            let (training, fold) = tasks[pending[task]];
            let mut row = keys[pending[task]].clone();
            row.push(format!("{:.6}", misclassified(&benchmark, training, fold)?));
            println!("{}", row.join(" "));
            journal.append(row)
        })?;
    }
    summary(&Rates(&journal.rows()?), request, figures)
}

/// The share of the held-out rows' values that classifiers get wrong.
fn misclassified(benchmark: &Benchmark, training: Training, fold: usize) -> Result<f64, Failure> {
    let folder = tempfile::tempdir()?;
    let [train, test, synthetic] = ["train.csv", "test.csv", "synthetic.csv"].map(|name| folder.path().join(name));
    let files = ["--real", text(&benchmark.rows), "--train", text(&train), "--test", text(&test)];
    judge(&[&["split", "--fold", &fold.to_string()], &files[..]].concat())?;
    let rows = match training {
        Training::Real => &train,
        Training::Synthetic(profile, epsilon) => {
            let model = benchmark.fit_to(&train, &Run { method: profile.method(&[])?, epsilon, delta: DELTA })?;
            let sampling = Sampling::for_rows(model.rows());
            benchmark.write(&benchmark.synthesise(&model, fold as u64, sampling)?, &synthetic)?;
            &synthetic
        }
    };
    let score = benchmark.score(rows, &[&SVM[..], &["--svm", text(&test)]].concat())?;
    Ok(score["svm"]["mean_error"].as_f64().ok_or("the judge gave no misclassification rate")?)
}

/// The lines of the file.
struct Rates<'a>(&'a [Row]);

impl Rates<'_> {
    /// Mean and spread over folds, if all are there.
    fn mean(&self, training: Training, table: &str) -> Result<Option<(f64, f64)>, Failure> {
        let rates: Vec<f64> = (0..FOLDS)
            .map(|fold| self.on(training, table, fold))
            .collect::<Result<Option<_>, _>>()?
            .unwrap_or_default();
        Ok(if rates.is_empty() { None } else { Some(mean_and_spread(&rates)) })
    }

    fn on(&self, training: Training, table: &str, fold: usize) -> Result<Option<f64>, Failure> {
        let key: Row = training.point(table).into_iter().chain([fold.to_string()]).collect();
        Ok(self.0.iter().find(|row| row.starts_with(&key)).map(|row| row[MISCLASSIFIED].parse()).transpose()?)
    }
}

fn summary(rates: &Rates, request: &Request, figures: &mut Figures) -> Result<(), Failure> {
    print!("{}", markdown(rates)?);
    for profile in Profile::asked(request) {
        let (mut points, mut worse, mut ratio, mut excess, mut missing) =
            (0_u32, 0_u32, 0.0_f64, f64::NEG_INFINITY, 0_u32);
        for table in request.tables(&TABLES) {
            for epsilon in request.epsilons(&EPSILONS) {
                let Some(theirs) = reference::authors_code(table, epsilon).and_then(|run| run.misclassified) else {
                    continue;
                };
                let ours = rates.mean(Training::Synthetic(profile, epsilon), table)?;
                let real = rates.mean(Training::Real, table)?;
                let (Some((ours, _)), Some((real, _)), Some(real_there)) =
                    (ours, real, rates.on(Training::Real, table, THEIR_FOLD)?)
                else {
                    missing += 1;
                    continue;
                };
                points += 1;
                worse += u32::from(ours > theirs);
                ratio = ratio.max(ours / theirs);
                // Folds differ in how hard they are; what real rows get wrong on the same folds is taken off.
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

fn markdown(rates: &Rates) -> Result<String, Failure> {
    let mut text = format!("\n| epsilon | {} |\n", EPSILONS.map(|epsilon| epsilon.to_string()).join(" | "));
    writeln!(text, "|---|{}", "---|".repeat(EPSILONS.len()))?;
    let cell = |rate: Option<f64>| rate.map_or("–".into(), |rate| format!("{rate:.4}"));
    for table in TABLES {
        for profile in Profile::ALL {
            write!(text, "| {table}, `{}` |", profile.name())?;
            for epsilon in EPSILONS {
                let mean = rates.mean(Training::Synthetic(profile, epsilon), table)?;
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
        let real = cell(rates.mean(Training::Real, table)?.map(|(mean, _)| mean));
        writeln!(text, "\n| {table}, real rows |{}", format!(" {real} |").repeat(EPSILONS.len()))?;
    }
    Ok(text)
}

fn chart(rates: &Rates) -> Result<Chart, Failure> {
    let mut panels = Vec::new();
    for table in TABLES {
        let mut lines = Vec::new();
        for profile in Profile::ALL {
            let mut points = Vec::new();
            for epsilon in EPSILONS {
                let mean = rates.mean(Training::Synthetic(profile, epsilon), table)?;
                points.extend(mean.map(|(mean, _)| (epsilon, mean)));
            }
            lines.push(Line { name: profile.name().into(), points });
        }
        let theirs = |epsilon| reference::authors_code(table, epsilon).and_then(|run| run.misclassified);
        let points = EPSILONS.iter().filter_map(|&epsilon| theirs(epsilon).map(|rate| (epsilon, rate)));
        lines.push(Line { name: "authors' code".into(), points: points.collect() });
        let real = rates.mean(Training::Real, table)?;
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
