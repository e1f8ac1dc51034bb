//! Errors of marginals, run by run.

use std::time::Instant;

use scumble::Sampling;
use scumble::schema::AdjacencyKind;
use scumble_evaluate::MarginalSets;

use crate::benchmark::{Benchmark, Run};
use crate::figure::Figures;
use crate::journal::{Journal, Row};
use crate::request::Request;
use crate::{DELTA, EPSILONS, Failure, TABLES, grid, utility_summary};

pub(crate) const ORDERS: [usize; 5] = [1, 2, 3, 4, 5];
const HEADER: [&str; 12] = [
    "table",
    "profile",
    "epsilon",
    "delta",
    "run",
    "tvd1",
    "tvd2",
    "tvd3",
    "tvd4",
    "tvd5",
    "seconds",
    "judge_differs_by",
];
/// Table, profile and epsilon.
const POINT: usize = 3;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<(), Failure> {
    let journal = Journal::open(request.output.join("privmrf-utility.csv"), &HEADER, POINT)?;
    for table in request.tables(&TABLES) {
        let mut points = Vec::new();
        for &profile in &request.profiles {
            for epsilon in request.epsilons(&EPSILONS) {
                points.extend((0..request.runs).map(|run| (profile, epsilon, run)));
            }
        }
        let keys: Vec<Row> = points
            .iter()
            .map(|(profile, epsilon, run)| {
                let (epsilon, delta, run) = (epsilon.to_string(), DELTA.to_string(), run.to_string());
                vec![table.into(), profile.name().into(), epsilon, delta, run]
            })
            .collect();
        let pending = journal.pending(&keys, request.mode)?;
        if pending.is_empty() {
            continue;
        }
        let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
        let sets = benchmark.sets(&ORDERS)?;
        grid::all(pending.len(), request.jobs, |task| {
            let (profile, epsilon, run) = points[pending[task]];
            let key = &keys[pending[task]];
            let measured =
                measure(&benchmark, &sets, &Run { method: profile.method(&[])?, epsilon, delta: DELTA }, run)?;
            println!("{}: {:.4?}, {:.1} s", key.join(" "), measured.distances, measured.seconds);
            let mut row = key.clone();
            row.extend(measured.distances.iter().map(|distance| format!("{distance:.6}")));
            row.push(format!("{:.2}", measured.seconds));
            row.push(measured.judge_differs_by.map_or_else(String::new, |difference| format!("{difference:.1e}")));
            journal.append(row)
        })?;
    }
    utility_summary::run(&journal.rows()?, request, figures)
}

/// One run.
pub(crate) struct Measured {
    pub(crate) distances: Vec<f64>,
    /// By the clock, beside whatever else ran.
    pub(crate) seconds: f64,
    judge_differs_by: Option<f64>,
}

/// Fits, draws rows and compares them; the first run of a point is also judged from files.
pub(crate) fn measure(benchmark: &Benchmark, sets: &MarginalSets, fit: &Run, run: usize) -> Result<Measured, Failure> {
    let start = Instant::now();
    let model = benchmark.fit(fit)?;
    let seconds = start.elapsed().as_secs_f64();
    let synthetic = benchmark.synthesise(&model, run as u64, Sampling::LowVariance)?;
    let distances = benchmark.distances(&synthetic, sets)?;
    let judge_differs_by = if run == 0 {
        let judged = benchmark.judged(&synthetic, &ORDERS)?;
        Some(distances.iter().zip(judged).map(|(ours, judges)| (ours - judges).abs()).fold(0.0, f64::max))
    } else {
        None
    };
    Ok(Measured { distances, seconds, judge_differs_by })
}
