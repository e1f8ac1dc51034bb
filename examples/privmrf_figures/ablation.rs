//! What each choice is worth: the same points with one option changed at a time.

use std::fmt::Write as _;

use scumble::schema::AdjacencyKind;

use crate::benchmark::{Benchmark, Run};
use crate::grid::{self, mean_and_spread};
use crate::journal::{Journal, Row};
use crate::request::{Profile, Request};
use crate::utility::{ORDERS, measure};
use crate::{DELTA, Failure, TABLES};

/// What a variant is called, and its options.
type Variant = (&'static str, &'static [&'static str]);

/// The first of a profile is what the others are compared with.
const BEST: [Variant; 16] = [
    ("as it is", &[]),
    ("least loss instead of shrinkage", &["spread=null"]),
    ("stronger shrinkage", &["spread=0.35"]),
    ("weaker shrinkage", &["spread=1.4"]),
    ("noise does not count", &["noise_penalty=0"]),
    ("noise counts in full", &["noise_penalty=1"]),
    ("equal rounds", &["last_round=1"]),
    ("more for choices", &["choice_share=0.2"]),
    ("more for single columns", &["one_way_share=0.2"]),
    ("half as many rounds", &["rounds_per_column=0.75"]),
    ("twice as many rounds", &["rounds_per_column=3"]),
    ("at most three columns a table", &["most_columns=3"]),
    ("a fifth of the candidates", &["candidates=200"]),
    ("a smaller model", &["model_cells=100000"]),
    ("a larger model", &["model_cells=1000000"]),
    ("more columns in coarser versions", &["large_column=8", "group_width=4"]),
];
/// The first has the paper's parameters and does as the authors' code does where that measured better; most others follow the text in a
/// point, and one the code in another.
const PAPER: [Variant; 8] = [
    ("as it is", &[]),
    ("begins with the best of all tables", &["initial=best-of-all"]),
    ("redundancy in rows", &["redundancy=rows"]),
    ("one table a round", &["rounds=one-table"]),
    ("any number of columns a table", &["most_columns=null"]),
    ("fits until it gets no better", &["fit=converged"]),
    (
        "all of these: the text",
        &["initial=best-of-all", "redundancy=rows", "rounds=one-table", "most_columns=null", "fit=converged"],
    ),
    ("edges by what triangulation adds, too", &["edges=related-with-fill"]),
];

const HEADER: [&str; 12] =
    ["profile", "variant", "table", "epsilon", "delta", "run", "tvd1", "tvd2", "tvd3", "tvd4", "tvd5", "seconds"];
/// Profile, variant, table and epsilon.
const POINT: usize = 4;
/// Where orders 3 to 5 are; their mean is what is shown.
const SHOWN: std::ops::Range<usize> = 8..11;
const EPSILONS: [f64; 3] = [0.1, 0.8, 3.2];

fn variants(profile: Profile) -> &'static [Variant] {
    match profile {
        Profile::Best => &BEST,
        Profile::Paper => &PAPER,
    }
}

pub(crate) fn run(request: &Request) -> Result<(), Failure> {
    let journal = Journal::open(request.output.join("privmrf-ablation.csv"), &HEADER, POINT)?;
    let epsilons = request.epsilons(&EPSILONS);
    for table in request.tables(&TABLES) {
        let mut points = Vec::new();
        for &profile in &request.profiles {
            for &(variant, options) in variants(profile) {
                for &epsilon in &epsilons {
                    points.extend((0..request.runs).map(|run| (profile, variant, options, epsilon, run)));
                }
            }
        }
        let keys: Vec<Row> = points
            .iter()
            .map(|(profile, variant, _, epsilon, run)| {
                let (epsilon, delta, run) = (epsilon.to_string(), DELTA.to_string(), run.to_string());
                vec![profile.name().into(), (*variant).into(), table.into(), epsilon, delta, run]
            })
            .collect();
        let pending = journal.pending(&keys, request.mode)?;
        if pending.is_empty() {
            continue;
        }
        let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
        let sets = benchmark.sets(&ORDERS)?;
        grid::all(pending.len(), request.jobs, |task| {
            let (profile, _, options, epsilon, run) = points[pending[task]];
            let fit = Run { method: profile.method(options)?, epsilon, delta: DELTA };
            let measured = measure(&benchmark, &sets, &fit, run)?;
            let mut row = keys[pending[task]].clone();
            row.extend(measured.distances.iter().map(|distance| format!("{distance:.6}")));
            row.push(format!("{:.2}", measured.seconds));
            println!("{}", row.join(" "));
            journal.append(row)
        })?;
    }
    let rows = journal.rows()?;
    for &profile in &request.profiles {
        print!("{}", markdown(profile, &rows, &request.tables(&TABLES), &epsilons)?);
    }
    Ok(())
}

/// Mean errors of 3- to 5-way marginals, and their ratio to the first variant's over all points that both have.
fn markdown(profile: Profile, rows: &[Row], tables: &[&str], epsilons: &[f64]) -> Result<String, Failure> {
    let points: Vec<(&str, f64)> =
        tables.iter().flat_map(|&table| epsilons.iter().map(move |&epsilon| (table, epsilon))).collect();
    let names: Vec<String> = points.iter().map(|(table, epsilon)| format!("{table} {epsilon}")).collect();
    let mut text = format!("\n| `{}` | {} | ratio | time |\n", profile.name(), names.join(" | "));
    writeln!(text, "|---|{}", "---|".repeat(points.len() + 2))?;
    let mut first = Vec::new();
    for (variant, options) in variants(profile) {
        let label =
            if options.is_empty() { (*variant).into() } else { format!("{variant} (`{}`)", options.join("`, `")) };
        write!(text, "| {label} |")?;
        let mut means = Vec::new();
        for (table, epsilon) in &points {
            let mean = mean(rows, &[profile.name(), variant, table, &epsilon.to_string()])?;
            write!(text, " {} |", mean.map_or("–".into(), |(error, _)| format!("{error:.4}")))?;
            means.push(mean);
        }
        if first.is_empty() {
            first.clone_from(&means);
        }
        let both: Vec<_> = means.iter().zip(&first).filter_map(|(&mean, &first)| mean.zip(first)).collect();
        let ratio = |of: fn((f64, f64)) -> f64| {
            let logarithms: Vec<f64> = both.iter().map(|&(mean, first)| (of(mean) / of(first)).ln()).collect();
            if logarithms.is_empty() { "–".into() } else { format!("{:.3}", mean_and_spread(&logarithms).0.exp()) }
        };
        writeln!(text, " {} | {} |", ratio(|(error, _)| error), ratio(|(_, seconds)| seconds))?;
    }
    Ok(text)
}

/// Mean error and mean seconds of the runs at a point, if there were any.
fn mean(rows: &[Row], point: &[&str]) -> Result<Option<(f64, f64)>, Failure> {
    let (mut errors, mut seconds) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| row.iter().zip(point).all(|(value, wanted)| value == wanted)) {
        for error in &row[SHOWN] {
            errors.push(error.parse()?);
        }
        seconds.push(row[SHOWN.end].parse()?);
    }
    Ok(if errors.is_empty() { None } else { Some((mean_and_spread(&errors).0, mean_and_spread(&seconds).0)) })
}
