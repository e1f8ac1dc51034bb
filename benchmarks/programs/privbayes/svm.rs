//! Four classifiers of one synthetic table, tested on real rows that were held out: the 2014
//! paper's figure 5.

use std::fmt::Write as _;

use scumble::mechanisms::Method;
use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};

use super::AS_OF_2014;
use super::question::{self, QUESTIONS, Question};
use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::Run;
use scumble_benchmarks::classifiers::{FOLDS, RateFile, Rates, Task, Training};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::Row;
use scumble_benchmarks::request::Request;

const TABLES: [&str; 2] = ["adult", "nltcs"];
const EPSILONS: [f64; 4] = [0.05, 0.2, 0.8, 1.6];
const BEFORE_FOLD: [&str; 3] = ["table", "trained_on", "epsilon"];

/// What synthetic rows are made by: classifiers of independent columns can learn no more than which
/// answer is the more frequent one.
pub(crate) const CONTENDERS: [&str; 3] = [OF_2014, BY_DEFAULT, INDEPENDENT];
const OF_2014: &str = "privbayes-2014";
const BY_DEFAULT: &str = "privbayes";
const INDEPENDENT: &str = "independent";
const REAL_ROWS: &str = "real-rows";

/// From here on PrivBayes must not be worse than independent columns, by more than the rates of
/// folds differ.
const ENOUGH: f64 = 0.8;
const AT_MOST: f64 = 0.01;

fn method(contender: &str) -> Result<Method> {
    Ok(match contender {
        OF_2014 => Method::named("privbayes")?.with_options(AS_OF_2014)?,
        named => Method::named(named)?,
    })
}

fn synthetic(table: &str, contender: &str, epsilon: f64) -> Row {
    vec![table.into(), contender.into(), epsilon.to_string()]
}

fn real(table: &str) -> Row {
    vec![table.into(), REAL_ROWS.into(), String::new()]
}

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let columns = QUESTIONS.map(|question| question.column);
    let file = RateFile::open(request.output.join("privbayes-svm.csv"), &BEFORE_FOLD, BEFORE_FOLD.len(), &columns)?;
    let epsilons = request.epsilons(&EPSILONS);
    let folds = request.runs(FOLDS).min(FOLDS);
    for table in request.tables(&TABLES) {
        let mut tasks = Vec::new();
        for fold in 0..folds {
            tasks.push(Task { point: real(table), training: Training::Real, fold });
            for contender in request.contenders(&CONTENDERS) {
                for &epsilon in &epsilons {
                    let training = Training::Synthetic(Run { method: method(contender)?, epsilon, delta: 0.0 });
                    tasks.push(Task { point: synthetic(table, contender, epsilon), training, fold });
                }
            }
        }
        file.measure(table, &tasks, request, question::answers)?;
    }
    let rates = file.rates()?;
    print!("{}", markdown(&rates, &epsilons)?);
    report(&rates, &epsilons, request, figures)?;
    Ok(std::fs::write(request.output.join("privbayes-svm.svg"), chart(&rates, &epsilons)?.to_svg())?)
}

fn report(rates: &Rates, epsilons: &[f64], request: &Request, figures: &mut Figures) -> Result<()> {
    for contender in [OF_2014, BY_DEFAULT] {
        let (mut points, mut worst) = (0_u32, f64::NEG_INFINITY);
        for (place, question) in QUESTIONS.iter().enumerate() {
            let asked = request.tables(&TABLES).contains(&question.table);
            for &epsilon in epsilons.iter().filter(|&&epsilon| asked && epsilon >= ENOUGH) {
                let mean = |contender| rates.mean(&synthetic(question.table, contender, epsilon), place);
                if let (Some((ours, _)), Some((independent, _))) = (mean(contender)?, mean(INDEPENDENT)?) {
                    points += 1;
                    worst = worst.max(ours - independent);
                }
            }
        }
        if points > 0 {
            let what = format!("{contender}: misclassified above independent columns, epsilon {ENOUGH} and more");
            figures.at_most(&what, worst, &format!("at the worst of {points} points"), AT_MOST);
        }
    }
    Ok(())
}

/// What the documentation shows.
fn markdown(rates: &Rates, epsilons: &[f64]) -> Result<String> {
    let header: Vec<String> = epsilons.iter().map(ToString::to_string).collect();
    let mut text = format!("\n| epsilon | {} |\n|---|{}\n", header.join(" | "), "---|".repeat(header.len()));
    let cell =
        |mean: Option<(f64, f64)>| mean.map_or("–".into(), |(mean, spread)| format!("{mean:.3} ± {spread:.3}"));
    for (place, Question { table, asked, .. }) in QUESTIONS.iter().enumerate() {
        for contender in CONTENDERS {
            write!(text, "| {table}, {asked}: `{contender}` |")?;
            for &epsilon in epsilons {
                write!(text, " {} |", cell(rates.mean(&synthetic(table, contender, epsilon), place)?))?;
            }
            writeln!(text)?;
        }
        let real = format!(" {} |", cell(rates.mean(&real(table), place)?));
        writeln!(text, "| {table}, {asked}: real rows |{}", real.repeat(epsilons.len()))?;
    }
    Ok(text)
}

fn chart(rates: &Rates, epsilons: &[f64]) -> Result<Chart> {
    let mut panels = Vec::new();
    for (place, Question { table, asked, .. }) in QUESTIONS.iter().enumerate() {
        let mut lines = Vec::new();
        for contender in CONTENDERS {
            let mut points = Vec::new();
            for &epsilon in epsilons {
                let mean = rates.mean(&synthetic(table, contender, epsilon), place)?;
                points.extend(mean.map(|(mean, _)| (epsilon, mean)));
            }
            lines.push(Line { name: contender.into(), points });
        }
        let mean = rates.mean(&real(table), place)?;
        let points = mean.map_or_else(Vec::new, |(mean, _)| epsilons.iter().map(|&epsilon| (epsilon, mean)).collect());
        lines.push(Line { name: "real rows".into(), points });
        panels.push(Panel {
            title: format!("{table}: {asked}"),
            x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
            y: Axis { label: "misclassified".into(), scale: Scale::Linear },
            lines,
        });
    }
    Ok(Chart {
        title: "Misclassification rate of four classifiers on two tables".into(),
        description: "Misclassification rate of support vector machines on held-out real rows against epsilon, for four \
                      questions about adult and four about nltcs, trained on synthetic rows of PrivBayes and of independent \
                      columns, and on real rows."
            .into(),
        panels,
        columns: 4,
    })
}
