//! Processor time of whole fits, from the file to the model.

use std::fmt::Write as _;
use std::path::Path;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble::mechanisms::Method;
use scumble::schema::AdjacencyKind;
use scumble::{ApproxDp, Delta, Epsilon, Input, Schema};

use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::{Benchmark, Run};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::request::Request;

/// The methods with the delta they are run with.
const METHODS: [(&str, f64); 4] = [("privbayes", 0.0), ("pb-pgm", 0.0), ("pb-pgm", 1e-5), ("privbayes-nist", 1e-5)];
const ADULT_SECONDS: f64 = 5.0;
const WIDE_SECONDS: f64 = 60.0;
/// A user of a peer reported 18 hours on 64 cores for a table of this shape.
const WIDE: (u32, u32) = (52, 71_236);
/// More columns than the papers ever had, at degree two.
const HUNDRED: (u32, u32) = (100, 20_000);

/// Everything that is timed, by the names that `--tables` takes.
const TABLES: [&str; 5] = ["adult", "wide", "hundred", "stroke", "loans"];

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    for table in request.tables(&TABLES) {
        match table {
            "adult" => of_adult(request, figures)?,
            "wide" => of_wide(figures)?,
            "hundred" => of_hundred(figures)?,
            large => of_large(large, request, figures)?,
        }
    }
    Ok(())
}

fn of_adult(request: &Request, figures: &mut Figures) -> Result<()> {
    let adult = Benchmark::read(&request.data, "adult", AdjacencyKind::AddRemove)?;
    for (name, delta) in METHODS {
        let run = Run { method: Method::named(name)?, epsilon: 0.8, delta };
        let seconds = processor_seconds(|| adult.fit(&run).map(drop))?;
        figures.at_most(&format!("adult, epsilon 0.8, delta {delta}, {name}"), seconds, "CPU s", ADULT_SECONDS);
    }
    Ok(())
}

fn of_wide(figures: &mut Figures) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let wide = generated(folder.path(), WIDE)?;
    for (name, delta) in METHODS {
        let seconds = processor_seconds(|| fit(folder.path(), &wide, &Method::named(name)?, delta))?;
        let what = format!("{} columns x {} rows, delta {delta}, {name}", WIDE.0, WIDE.1);
        figures.at_most(&what, seconds, "CPU s", WIDE_SECONDS);
    }
    Ok(())
}

fn of_hundred(figures: &mut Figures) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let hundred = generated(folder.path(), HUNDRED)?;
    let degree_two = Method::named("privbayes")?.with_options(["encoding=binary", "degree=2"])?;
    let seconds = processor_seconds(|| fit(folder.path(), &hundred, &degree_two, 0.0))?;
    figures.at_most("100 binary columns at degree 2, all parent sets, privbayes", seconds, "CPU s", WIDE_SECONDS);
    Ok(())
}

fn of_large(table: &str, request: &Request, figures: &mut Figures) -> Result<()> {
    let benchmark = Benchmark::read(&request.data, table, AdjacencyKind::AddRemove)?;
    for (name, delta) in METHODS {
        let run = Run { method: Method::named(name)?, epsilon: 1.0, delta };
        let mut outcome = String::from("fitted");
        let seconds = processor_seconds(|| match benchmark.fit(&run) {
            Ok(_) => Ok(()),
            Err(error) => {
                outcome.clear();
                write!(outcome, "refused: {error}")?;
                Ok(())
            }
        })?;
        println!("{table}, delta {delta}, {name}: {outcome}");
        figures.at_most(&format!("{table}, delta {delta}, {name}"), seconds, "CPU s", WIDE_SECONDS);
    }
    Ok(())
}

fn fit(folder: &Path, schema: &Schema, method: &Method, delta: f64) -> Result<()> {
    let goal = ApproxDp { epsilon: Epsilon::new(0.8)?, delta: Delta::new(delta)? };
    scumble::Fit::new(schema, goal).method(method.clone()).run(&[Input::new(folder.join("wide.csv"))])?;
    Ok(())
}

/// Writes a table of binary columns, each a noisy copy of one of the few before it, and gives its
/// schema.
fn generated(folder: &Path, (columns, rows): (u32, u32)) -> Result<Schema> {
    let mut rng = SmallRng::seed_from_u64(7);
    let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
    let mut writer = csv::Writer::from_path(folder.join("wide.csv"))?;
    writer.write_record(&names)?;
    let mut row = vec![false; columns as usize];
    for _ in 0..rows {
        for column in 0..row.len() {
            let copied = column.checked_sub(1 + column % 3).map(|other| row[other]);
            row[column] = match copied {
                Some(value) if rng.random_bool(0.8) => value,
                _ => rng.random_bool(0.3),
            };
        }
        writer.write_record(row.iter().map(|&value| if value { "true" } else { "false" }))?;
    }
    writer.flush()?;
    let fields = names.iter().map(|name| {
        format!("  - {{name: {name}, type: boolean, constraints: {{required: true}}, dp: {{source: public, foldInto: false}}}}\n")
    });
    Ok(Schema::parse(&format!("fields:\n{}", fields.collect::<String>()))?)
}

/// What the process has used of all processors while `work` ran.
fn processor_seconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let before = processor_ticks()?;
    work()?;
    // Linux counts a hundred ticks a second for every program.
    Ok((processor_ticks()? - before) / 100.0)
}

fn processor_ticks() -> Result<f64> {
    let status = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program may hold blanks; fields are counted from its end.
    let fields = status.rsplit(')').next().ok_or("no process status")?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()?)
}
