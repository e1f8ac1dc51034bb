//! Two real tables with rules and hierarchies: whether synthetic rows keep the rules, and what the
//! hierarchies are worth to tables of three columns, value by value.

use std::path::Path;
use std::time::Instant;

use scumble::{Input, ReadOptions, Sampling, Schema};
use scumble_evaluate::{Columns, MarginalDistances, MarginalSets};

use super::fitted::{self, fit};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::request::Request;
use scumble_benchmarks::{Result, data};

/// A table, its rows and its schema.
struct Table {
    name: &'static str,
    rows: &'static str,
    schema: &'static str,
}

const TABLES: [Table; 2] = [
    Table { name: "acs_national2019", rows: "raw.csv.gz", schema: "acs_national2019_nested.schema.yaml" },
    Table { name: "loans", rows: "data.csv.gz", schema: "loans.schema.yaml" },
];
const EPSILON: f64 = 0.5;
const ORDER: usize = 3;
const SETS: usize = 300;
const RUNS: usize = 5;
/// What is below is better with hierarchies than without.
const BAR: f64 = 1.0;
/// Rows that are drawn to look for one that breaks a rule.
const DRAWN_ROWS: u64 = 1_000_000;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    if !data::is_there(&request.data) {
        return Ok(());
    }
    let names = TABLES.map(|table| table.name);
    for name in request.tables(&names) {
        let table = TABLES.iter().find(|table| table.name == name).ok_or("no such table")?;
        compare(table, request, figures)?;
    }
    Ok(())
}

fn compare(table: &Table, request: &Request, figures: &mut Figures) -> Result<()> {
    let rows = request.data.join(table.name).join(table.rows);
    let declared = Schema::read(&data::schemas().join(table.schema))?;
    let plain = without_hierarchies(&declared)?;
    let real = Columns::read(&[Input::new(&rows)], &declared, &ReadOptions::default())?;
    let sets = MarginalSets::drawn(declared.domain().len(), &[ORDER], SETS);
    let (mut sums, mut broken) = ([0.0, 0.0], 0);
    let runs = request.runs(RUNS);
    for run in 0..runs {
        // By turns, so that what else this machine does falls on both.
        for (sum, (kind, schema)) in sums.iter_mut().zip([("with", &declared), ("without", &plain)]) {
            let started = Instant::now();
            let model = fit(schema, &rows, EPSILON)?;
            let chunks = model.sample_codes(model.rows().max(1), run as u64, Sampling::Matched);
            let synthetic = Columns::from_chunks(schema.domain().clone(), chunks)?;
            let distances = MarginalDistances::between(&real, &synthetic, &sets)?;
            let error = distances.order(ORDER).ok_or("no tables of three columns")?.mean;
            let seconds = started.elapsed().as_secs_f64();
            println!("{} {kind} hierarchies, run {run}: {error:.5} in {seconds:.0} s", table.name);
            *sum += error;
            if kind == "with" && run == 0 {
                broken = drawn_violations(&model)?;
            }
        }
    }
    let name =
        format!("hierarchies: 3-way TVD of {} at epsilon {EPSILON}, with over without, {runs} fits each", table.name);
    figures.at_most(&name, sums[0] / sums[1], "ratio", BAR);
    figures.exactly(&format!("rules: violations in 10^6 rows of {}", table.name), broken as f64, "rows", 0.0);
    Ok(())
}

/// How often rows that are written and read back break a rule.
fn drawn_violations(model: &scumble::Model) -> Result<u64> {
    let folder = tempfile::tempdir()?;
    let path: &Path = &folder.path().join("drawn.csv");
    scumble::Draw::from(model).rows(DRAWN_ROWS).seed(3).sampling(Sampling::LowVariance).write(path)?;
    fitted::violations(model.schema(), &Input::new(path), &ReadOptions::default())
}

fn without_hierarchies(schema: &Schema) -> Result<Schema> {
    let mut spec = schema.to_spec();
    for field in &mut spec.fields {
        field.dp.hierarchy = None;
    }
    Ok(Schema::new(spec)?)
}
