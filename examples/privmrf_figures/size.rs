//! Large tables, which have to be fitted within bounds or refused up front with a hint.

use std::path::Path;

use scumble::mechanisms::Method;
use scumble::schema::AdjacencyKind;
use scumble::{Model, Sampling};

use crate::benchmark::{Benchmark, Run};
use crate::cost;
use crate::figure::Figures;
use crate::journal::{Journal, Row};
use crate::measured_child::{Ended, Limits};
use crate::request::Request;
use crate::{DELTA, Failure};

const LARGE: [&str; 4] = ["fire", "msnbc", "loans", "stroke"];
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
const CPU_SECONDS: f64 = 600.0;
/// 4 GiB.
const MEGABYTES: f64 = 4_294.967_296;
/// What is over its bars by this much need not go on.
const STOPPED_AT: Limits = Limits { cpu_seconds: 1.5 * CPU_SECONDS, megabytes: 2.0 * MEGABYTES };
/// The program's exit code for what is too large.
const TOO_LARGE: i32 = 5;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<(), Failure> {
    let journal = Journal::open(request.output.join("privmrf-size.csv"), &HEADER, POINT)?;
    for table in request.tables(&LARGE) {
        let mut points = Vec::new();
        for &profile in &request.profiles {
            points.extend(request.epsilons(&[EPSILON]).into_iter().map(|epsilon| (profile, epsilon)));
        }
        let key = |(profile, epsilon): &(crate::request::Profile, f64)| -> Row {
            vec![table.into(), profile.name().into(), epsilon.to_string(), DELTA.to_string()]
        };
        let keys: Vec<Row> = points.iter().map(key).collect();
        for place in journal.pending(&keys, request.mode)? {
            let (profile, epsilon) = points[place];
            let folder = tempfile::tempdir()?;
            let model = folder.path().join("model");
            let ended = cost::fit(&request.data.join(table), profile, epsilon, &model, STOPPED_AT)?;
            let mut row = keys[place].clone();
            row.push(outcome(&ended).into());
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

fn outcome(ended: &Ended) -> &'static str {
    match ended.exit_code {
        Some(0) => "fitted",
        Some(TOO_LARGE) if ended.said.contains("hint: ") => "refused with a hint",
        Some(_) => "failed",
        None => "stopped",
    }
}

/// Errors of pairs: of the model, and of independent columns for the same budget.
fn errors(data: &Path, table: &str, epsilon: f64, model: &Path) -> Result<Option<[f64; 2]>, Failure> {
    let benchmark = Benchmark::read(data, table, AdjacencyKind::AddRemove)?;
    let sets = benchmark.sets(&[2])?;
    let error = |model: &Model| {
        let synthetic = benchmark.synthesise(model, 0, Sampling::LowVariance)?;
        benchmark.distances(&synthetic, &sets)
    };
    let ours = error(&Model::read(model)?)?;
    let independent = benchmark.fit(&Run { method: Method::Independent, epsilon, delta: DELTA })?;
    Ok(ours.first().copied().zip(error(&independent)?.first().copied()).map(|(ours, theirs)| [ours, theirs]))
}

fn report(row: &Row, figures: &mut Figures) -> Result<(), Failure> {
    let [table, profile, epsilon, _, outcome, _, message, cpu_seconds, peak_megabytes, ours, independent] = &row[..]
    else {
        return Err("a line of another length".into());
    };
    let what = format!("{table}, epsilon {epsilon}, {profile}");
    println!("{what}: {outcome} {message}");
    let wrong = u32::from(outcome != "fitted" && outcome != "refused with a hint");
    figures.exactly(&format!("{what}: neither fitted nor refused with a hint"), wrong.into(), "fits", 0.0);
    figures.at_most(&what, cpu_seconds.parse()?, "CPU s", CPU_SECONDS);
    figures.at_most(&what, peak_megabytes.parse()?, "MB at the peak", MEGABYTES);
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
