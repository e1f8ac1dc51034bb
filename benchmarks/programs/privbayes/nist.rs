//! The three variants of the 2018 paper on the metrics of the challenge: its figure 2.

use std::fmt::Write as _;

use scumble::Sampling;
use scumble::mechanisms::Method;
use scumble::report::chart::{Axis, Chart, Line, Panel, Scale};
use scumble::schema::{AdjacencyKind, AttributeId};
use scumble_evaluate::nist::{Challenge, ColumnKind, Earnings, Regression, Scores, signed_log_bins};

use super::RUNS;
use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::grid::{all, mean_and_spread};
use scumble_benchmarks::request::Request;

const TABLE: &str = "acs_national2019";
const EPSILONS: [f64; 4] = [0.5, 1.0, 2.0, 4.0];
const DELTA: f64 = 1e-9;
const VARIANTS: [(&str, &str, Sampling); 3] = [
    ("consistent, without replacement", "consistency=enforced", Sampling::LowVariance),
    ("consistent, with replacement", "consistency=enforced", Sampling::Independent),
    ("inconsistent, back-tracking", "consistency=none", Sampling::LowVariance),
];
const METRICS: [&str; 3] = ["clustering", "classification", "regression"];

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let benchmark = Benchmark::read(&request.data, TABLE, AdjacencyKind::AddRemove)?;
    let challenge = challenge(&benchmark)?;
    let (epsilons, runs) = (request.epsilons(&EPSILONS), request.runs(RUNS));
    let results = all(VARIANTS.len() * epsilons.len() * runs, request.jobs, |task| {
        let (point, run) = (task / runs, task % runs);
        let (_, option, sampling) = VARIANTS[point / epsilons.len()];
        let method = Method::named("privbayes-nist")?.with_options([option])?;
        let epsilon = epsilons[point % epsilons.len()];
        let model = benchmark.fit(&Run { method, epsilon, delta: DELTA })?;
        let scores = challenge.score(&benchmark.real, &benchmark.synthesise(&model, run as u64, sampling)?)?;
        Ok(of_metrics(&scores))
    })?;
    let mut csv = String::from("variant,epsilon,delta,metric,mean,standard_deviation,runs\n");
    let mut means = vec![vec![Vec::new(); METRICS.len()]; VARIANTS.len()];
    for (point, results) in results.chunks(runs).enumerate() {
        let (variant, epsilon) = (point / epsilons.len(), epsilons[point % epsilons.len()]);
        for (metric, name) in METRICS.iter().enumerate() {
            let (mean, spread) = mean_and_spread(&results.iter().map(|scores| scores[metric]).collect::<Vec<_>>());
            writeln!(csv, "\"{}\",{epsilon},{DELTA},{name},{mean:.0},{spread:.0},{runs}", VARIANTS[variant].0)?;
            println!("{} epsilon {epsilon} {name}: {mean:.0} +- {spread:.0}", VARIANTS[variant].0);
            means[variant][metric].push((epsilon, mean / 1e3));
        }
    }
    std::fs::write(request.output.join("nist-metrics.csv"), csv)?;
    let panels = METRICS.iter().enumerate().map(|(metric, name)| Panel {
        title: (*name).into(),
        x: Axis { label: "epsilon".into(), scale: Scale::Doubling },
        y: Axis { label: "score, thousands".into(), scale: Scale::Linear },
        lines: VARIANTS
            .iter()
            .zip(&means)
            .map(|((name, ..), means)| Line { name: (*name).into(), points: means[metric].clone() })
            .collect(),
    });
    let chart = Chart {
        title: "The metrics of the NIST challenge of 2018".into(),
        description: "Clustering, classification and regression scores of three ways to draw tuples, against epsilon."
            .into(),
        panels: panels.collect(),
        columns: METRICS.len(),
    };
    std::fs::write(request.output.join("nist-metrics.svg"), chart.to_svg())?;
    for (variant, (name, ..)) in VARIANTS.iter().enumerate() {
        let clustering = &means[variant][0];
        let ([(least, before), ..], [.., (most, after)]) = (&clustering[..], &clustering[..]) else { continue };
        let name = format!("clustering lost from epsilon {least} to {most}, {name}");
        figures.at_most(&name, before - after, "thousand points", 0.0);
    }
    let gap = (0..epsilons.len()).map(|e| (means[0][0][e].1 - means[2][0][e].1).abs()).fold(0.0, f64::max);
    figures.at_most("clustering: consistent and inconsistent tables apart", gap, "thousand points", 20.0);
    Ok(())
}

/// Columns whose codes have an order, and the code of theirs that stands for no value.
const ORDERED: [(&str, Option<u32>); 4] = [("AGEP", None), ("DENSITY", None), ("PINCP", Some(0)), ("POVPIP", Some(0))];

/// Income, sex and place of the table, and which of its columns have an order.
fn challenge(benchmark: &Benchmark) -> Result<Challenge> {
    let kind = |name: &String| match ORDERED.iter().find(|(ordered, _)| ordered == name) {
        Some(&(_, missing)) => ColumnKind::Ordered { missing },
        None => ColumnKind::Categorical,
    };
    let income = column(benchmark, "PINCP")?;
    // The table's coding: a code for no income, then 32 bins of the signed logarithm between these
    // bounds.
    let incomes = signed_log_bins(32, -9.105_090_961_257_085, 14.098_432_066_893_563);
    let (sex, place) = (column(benchmark, "SEX")?, column(benchmark, "PUMA")?);
    let earnings = Earnings { income, incomes, sex, sexes: [0, 1], place };
    Ok(Challenge { kinds: benchmark.names.iter().map(kind).collect(), earnings: Some(earnings), seed: 2018 })
}

/// The column of this name.
fn column(benchmark: &Benchmark, name: &str) -> Result<AttributeId> {
    let position = benchmark.names.iter().position(|other| other == name);
    Ok(AttributeId::new(position.ok_or_else(|| format!("{} has no column {name}", benchmark.name))?))
}

fn of_metrics(scores: &Scores) -> [f64; 3] {
    [scores.clustering, scores.classification, scores.regression.as_ref().map_or(0.0, Regression::score)]
}
