//! Large tables, which have to be fitted within bounds or refused up front with a hint.

use std::path::Path;

use scumble::mechanisms::Method;
use scumble::schema::AdjacencyKind;
use scumble::{Model, Sampling};

use super::profile::Profile;
use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::{Journal, Row};
use scumble_benchmarks::measured_fit::{self, FITTED, Fit, LARGE, LARGE_AT_MOST, Limits, REFUSED};
use scumble_benchmarks::reference::DELTA;
use scumble_benchmarks::request::Request;

const HEADER: [&str; 11] = [
    "table",
    "profile",
    "epsilon",
    "delta",
    "outcome",
    "exit_code",
    "message",
    "cpu_seconds",
    "peak_megabytes",
    "tvd2",
    "independent_tvd2",
];
/// Table, profile and epsilon.
const POINT: usize = 3;
const EPSILON: f64 = 1.0;
/// What is over its bars by this much need not go on.
const STOPPED_AT: Limits =
    Limits { cpu_seconds: 1.5 * LARGE_AT_MOST.cpu_seconds, megabytes: 2.0 * LARGE_AT_MOST.megabytes };

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let journal = Journal::open(request.output.join("privmrf-size.csv"), &HEADER, POINT)?;
    for table in request.tables(&LARGE) {
        let mut points = Vec::new();
        for profile in Profile::asked(request) {
            points.extend(request.epsilons(&[EPSILON]).into_iter().map(|epsilon| (profile, epsilon)));
        }
        let key = |(profile, epsilon): &(Profile, f64)| -> Row {
            vec![table.into(), profile.name().into(), epsilon.to_string(), DELTA.to_string()]
        };
        let keys: Vec<Row> = points.iter().map(key).collect();
        for place in journal.pending(&keys, request.mode)? {
            let (profile, epsilon) = points[place];
            let folder = tempfile::tempdir()?;
            let model = folder.path().join("model");
            let method = ["--method", "privmrf", "--profile", profile.name()];
            let fit = Fit { table: &request.data.join(table), method: &method, epsilon, delta: DELTA };
            let ended = measured_fit::run(&fit, &model, STOPPED_AT)?;
            let mut row = keys[place].clone();
            row.push(ended.outcome().into());
            row.push(ended.exit_code.map_or_else(String::new, |code| code.to_string()));
            row.push(ended.said.trim().replace('\n', "; "));
            row.push(format!("{:.2}", ended.cpu_seconds));
            row.push(format!("{:.0}", ended.peak_megabytes));
            let errors = if ended.exit_code == Some(0) { errors(&request.data, table, epsilon, &model)? } else { None };
            row.extend(
                errors.map_or([String::new(), String::new()], |errors| errors.map(|error| format!("{error:.6}"))),
            );
            println!("{}", row.join(" "));
            journal.append(row)?;
        }
        for row in journal.rows()?.iter().filter(|row| keys.iter().any(|key| row.starts_with(key))) {
            report(row, figures)?;
        }
    }
    Ok(())
}

/// Errors of pairs: of the model, and of independent columns for the same budget.
fn errors(data: &Path, table: &str, epsilon: f64, model: &Path) -> Result<Option<[f64; 2]>> {
    let benchmark = Benchmark::read(data, table, AdjacencyKind::AddRemove)?;
    let sets = benchmark.sets(&[2])?;
    let error = |model: &Model| {
        let synthetic = benchmark.synthesise(model, 0, Sampling::for_rows(model.rows()))?;
        benchmark.distances(&synthetic, &sets)
    };
    let ours = error(&Model::read(model)?)?;
    let independent = benchmark.fit(&Run { method: Method::INDEPENDENT, epsilon, delta: DELTA })?;
    Ok(ours.first().copied().zip(error(&independent)?.first().copied()).map(|(ours, theirs)| [ours, theirs]))
}

fn report(row: &Row, figures: &mut Figures) -> Result<()> {
    let [table, profile, epsilon, _, outcome, _, message, cpu_seconds, peak_megabytes, ours, independent] = &row[..]
    else {
        return Err("a line of another length".into());
    };
    let what = format!("{table}, epsilon {epsilon}, {profile}");
    println!("{what}: {outcome} {message}");
    let wrong = u32::from(outcome != FITTED && outcome != REFUSED);
    figures.exactly(&format!("{what}: neither fitted nor refused with a hint"), wrong.into(), "fits", 0.0);
    figures.at_most(&what, cpu_seconds.parse()?, "CPU s", LARGE_AT_MOST.cpu_seconds);
    figures.at_most(&what, peak_megabytes.parse()?, "MB at the peak", LARGE_AT_MOST.megabytes);
    if let (Ok(ours), Ok(independent)) = (ours.parse::<f64>(), independent.parse::<f64>()) {
        figures.at_most(
            &format!("{what}: 2-way TVD, with that of independent columns as the bar"),
            ours,
            "TVD",
            independent,
        );
    }
    Ok(())
}
