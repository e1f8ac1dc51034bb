//! Tables that their database counts, beside a scan that reads all rows: counts, bytes and time.

mod duckdb;
mod postgres;

use std::time::Instant;

use scumble::Schema;
use scumble::engine::{DatabaseTable, Input, ReadOptions, TableScan};
use scumble::schema::Clique;
use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::cliques::pairs;
use scumble_benchmarks::figure::Figures;
use scumble_engine::exact::ExactCounts;

const SCHEMA: &str = r#"
fields:
  - {name: sex, type: string, constraints: {enum: [female, male]}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}}
  - {name: region, type: string, constraints: {enum: [north, east, south, west, "north east", "south west", islands, abroad]}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 200000}, dp: {bins: {count: 20}}}
  - {name: education, type: integer, constraints: {minimum: 0, maximum: 15}}
  - {name: married, type: boolean}
  - {name: born, type: date, constraints: {minimum: "1920-01-01", maximum: "2019-12-31"}, dp: {bins: {count: 20}}}
  - {name: children, type: integer, constraints: {minimum: 0, maximum: 9}}
  - {name: job, type: integer, constraints: {minimum: 0, maximum: 29}}
  - {name: score, type: number, constraints: {minimum: 0, maximum: 1}, dp: {bins: {count: 10}}}
"#;

/// The columns of row `i`, in the SQL of PostgreSQL and DuckDB. They depend on each other, and a
/// few are missing or out of bounds.
const ROW: &str = "\
CASE WHEN i * 7919 % 1000 < 510 THEN 'female' WHEN i % 977 = 0 THEN NULL ELSE 'male' END AS sex, \
CAST(i * 104729 % 97 + i % 7 AS integer) AS age, \
(ARRAY['north', 'east', 'south', 'west', 'north east', 'south west', 'islands', 'moon'])[1 + i * 31 % 8] AS region, \
CAST(i * 611953 % 210011 AS double precision) AS income, \
CAST(i * 17 % 16 AS smallint) AS education, \
i * 13 % 5 < 2 AS married, \
DATE '1920-01-01' + CAST(i * 1299709 % 36000 AS integer) AS born, \
CAST(i * 101 % 11 AS smallint) AS children, \
CAST(i * 15485863 % 30 AS integer) AS job, \
CAST(i * 32452843 % 1000003 AS double precision) / 1000003 AS score";

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let usage = Usage { options: &["--millions"], ..Usage::default() };
    let millions: u64 = Arguments::parse(arguments, &usage)?.value("--millions")?.unwrap_or(10);
    let mut figures = Figures::default();
    postgres::compare(millions * 1_000_000, &mut figures)?;
    duckdb::compare(millions * 1_000_000, &mut figures)?;
    figures.print();
    Ok(())
}

/// Counts of all pairs, inside the database and by a scan, and the seconds of both.
struct Compared {
    are_equal: bool,
    rows: u64,
    inside: f64,
    scan: f64,
}

fn schema() -> Result<Schema> {
    Ok(Schema::parse(SCHEMA)?)
}

/// The number of rows, and all pairs.
fn questions(schema: &Schema) -> Vec<Clique> {
    [vec![Clique::empty()], pairs(schema.domain())].concat()
}

fn compare(inside: &Input, scan: &Input) -> Result<Compared> {
    let (schema, options) = (schema()?, ReadOptions::default());
    let questions = questions(&schema);
    let begun = Instant::now();
    let found = DatabaseTable::open(std::slice::from_ref(inside), &schema, &options)?.count_tables(&questions)?;
    let of_inside = begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let expected = TableScan::open(std::slice::from_ref(scan), &schema, &options)?.count_tables(&questions)?;
    let of_scan = begun.elapsed().as_secs_f64();
    Ok(Compared { are_equal: found == expected, rows: expected[0][0], inside: of_inside, scan: of_scan })
}
