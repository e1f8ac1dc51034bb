//! Rules between columns: whether any of ten million rows breaks one, and what keeping them costs
//! the other tables.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use scumble::schema::{AttributeId, Clique, CodeColumn, Decoder, Rule};
use scumble::{Input, Model, ReadOptions, Sampling, Schema, TableWriter};
use scumble_evaluate::Columns;

use super::fitted::{self, fit};
use super::sound_rows::sound_rows;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::request::Request;
use scumble_benchmarks::{Result, data};

const REAL_ROWS: usize = 50_000;
const DRAWN_ROWS: u64 = 10_000_000;
const EPSILON: f64 = 1.0;
const RUNS: usize = 3;
/// How much larger than without rules an error may be.
const BAR: f64 = 1.1;
/// How many tables of three columns are compared.
const SETS: usize = 300;

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let ruled = Schema::read(&data::schemas().join("every_column.schema.yaml"))?;
    let mut spec = ruled.to_spec();
    spec.dp.rules.clear();
    let free = Schema::new(spec)?;
    let folder = tempfile::tempdir()?;
    let rows = folder.path().join("visits.csv");
    let table = sound_rows(&ruled, REAL_ROWS, 10);
    write(&ruled, &table, &rows)?;
    let real = Columns::of_codes(ruled.domain().clone(), table)?;

    let sets = other_sets(&ruled);
    let mut means = [0.0, 0.0];
    for run in 0..request.runs(RUNS) {
        for (mean, (kind, schema)) in means.iter_mut().zip([("with", &ruled), ("without", &free)]) {
            let model = fit(schema, &rows, EPSILON)?;
            let chunks = model.sample_codes(model.rows(), run as u64, Sampling::Matched);
            let drawn = Columns::from_chunks(schema.domain().clone(), chunks)?;
            let error = distance(&real, &drawn, &sets)?;
            println!("{kind} rules, run {run}: {error:.5}");
            *mean += error;
            if run == 0 && kind == "with" {
                draw_and_check(&model, folder.path(), figures)?;
            }
        }
    }
    figures.at_most(
        &format!("rules: {} other 3-way tables at epsilon {EPSILON}, with rules over without", sets.len()),
        means[0] / means[1],
        "ratio",
        BAR,
    );
    Ok(())
}

fn write(schema: &Schema, table: &[CodeColumn], path: &Path) -> Result<()> {
    let decoder = Decoder::new(schema);
    let mut writer = TableWriter::create(path, decoder.arrow_schema().clone())?;
    writer.write_rows(&decoder.decode_rows(0, table, &mut SmallRng::seed_from_u64(11)))?;
    Ok(writer.finish()?)
}

/// Tables of three columns that hold no rule whole: what a rule is about is exact with it, and is
/// not what it might cost.
fn other_sets(schema: &Schema) -> Vec<Clique> {
    let columns = schema.domain().len();
    let triples = (0..columns)
        .flat_map(|one| (one + 1..columns).flat_map(move |two| (two + 1..columns).map(move |three| [one, two, three])));
    let all: Vec<Clique> = triples.map(|triple| Clique::new(triple.map(AttributeId::new))).collect();
    let holds = |set: &Clique, rule: &Rule| rule.clique().attributes().iter().all(|&column| set.has(column));
    let others: Vec<Clique> =
        all.into_iter().filter(|set| !schema.rules().iter().any(|rule| holds(set, rule))).collect();
    let step = others.len().div_ceil(SETS).max(1);
    others.into_iter().step_by(step).collect()
}

/// The mean total variation distance of these tables.
fn distance(real: &Columns, drawn: &Columns, sets: &[Clique]) -> Result<f64> {
    let mut sum = 0.0;
    for set in sets {
        let (one, other) = (real.counts(set)?, drawn.counts(set)?);
        let share = |count: u64, rows: u32| count as f64 / f64::from(rows);
        let cells = one.iter().zip(&other);
        sum +=
            cells.map(|(&one, &other)| (share(one, real.rows()) - share(other, drawn.rows())).abs()).sum::<f64>() / 2.0;
    }
    Ok(sum / sets.len() as f64)
}

/// Writes ten million rows as a user would, and reads the file without the help of the library.
fn draw_and_check(model: &Model, folder: &Path, figures: &mut Figures) -> Result<()> {
    let path = folder.join("drawn.csv");
    scumble::Draw::from(model).rows(DRAWN_ROWS).seed(3).sampling(Sampling::LowVariance).write(&path)?;
    let mut reader = csv::Reader::from_path(&path)?;
    let header = reader.headers()?.clone();
    let place = |name: &str| header.iter().position(|other| other == name).ok_or(format!("no column `{name}`"));
    let names = ["age", "work", "wage", "hours", "city", "state", "admitted", "discharged", "built", "moved"];
    let places = names.map(place).into_iter().collect::<Result<Vec<_>, _>>()?;
    let (mut rows, mut broken, mut skips) = (0_u64, 0_u64, 0_u64);
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record)? {
        let field = |index: usize| &record[places[index]];
        let [work, is_employed] = [field(1), "employed"];
        let is_minor = field(0).parse::<u32>()? < 15;
        // A blank and the two answers that are none have no place on a line.
        let is_there = |value: &str| !matches!(value, "" | "-9" | "-8");
        let in_order = |one: &str, other: &str| !is_there(one) || !is_there(other) || one <= other;
        let state = match field(4) {
            "Ulm" | "Passau" => "south",
            "Bonn" | "Mainz" => "west",
            "Kiel" | "Husum" => "north",
            _ => "east",
        };
        skips += [2, 3].map(|asked| u64::from((work == is_employed) == (field(asked) == "-8"))).iter().sum::<u64>();
        broken += u64::from(is_minor && work != "at home");
        broken += u64::from(field(5) != state);
        broken += u64::from(!in_order(field(6), field(7)));
        broken += u64::from(!in_order(field(8), field(9)));
        rows += 1;
    }
    if rows != DRAWN_ROWS {
        return Err(format!("{rows} rows were read").into());
    }
    for (name, count) in [("forbidden, determined and ordered values", broken), ("skip patterns", skips)] {
        figures.exactly(&format!("rules: violations of {name} in 10^7 rows"), count as f64, "rows", 0.0);
    }
    // What the engine reads of it agrees.
    let counted = fitted::violations(model.schema(), &Input::new(&path), &ReadOptions::default())?;
    figures.exactly("rules: violations in codes read back from 10^7 rows", counted as f64, "rows", 0.0);
    Ok(std::fs::remove_file(&path)?)
}
