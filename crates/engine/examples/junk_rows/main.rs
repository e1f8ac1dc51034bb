//! Sends junk through the encoder and checks that every row is counted once in every table.
//!
//! `cargo run --release -p scumble-engine --example junk_rows -- [ROWS]` prints, last, one JSON object with its figures. One
//! million rows without an argument, half as CSV and half in Arrow types.

#![expect(clippy::print_stdout, reason = "this program prints figures")]

mod generator;

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

use generator::{Junk, TYPES, schema};
use scumble_engine::{CodedTable, Input, ReadOptions};
use scumble_schema::{AttributeId, Clique, Schema};

/// Files of bytes that are not even CSV, and how long they are.
const RAW_FILES: u64 = 20;
const RAW_BYTES: usize = 100_000;
/// Rows of one typed batch.
const BATCH_ROWS: u64 = 1_000;

fn main() -> Result<(), Box<dyn Error>> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |argument| argument.parse())?;
    let schema = schema();

    let directory = tempfile::tempdir()?;
    let path = directory.path().join("junk.csv");
    let mut file = BufWriter::new(File::create(&path)?);
    let csv_rows = rows / 2;
    Junk::new(1).write_csv(csv_rows, &mut file)?;
    file.flush()?;
    let csv_bytes = std::fs::metadata(&path)?.len();
    let start = Instant::now();
    let table = CodedTable::read(&[Input::new(&path)], &schema, &ReadOptions::default())?;
    let csv_seconds = start.elapsed().as_secs_f64();
    let mut tally = Tally::default();
    tally.check(&table, &schema, csv_rows)?;

    for seed in 0..RAW_FILES {
        // How many rows these bytes are is the parser's to say; that all tables agree on it is checked.
        std::fs::write(&path, Junk::new(seed).raw_csv(RAW_BYTES))?;
        let table = CodedTable::read(&[Input::new(&path)], &schema, &ReadOptions::default())?;
        let parsed = table.count_tables(&[Clique::empty()])?[0][0];
        tally.check(&table, &schema, parsed)?;
    }

    let typed_rows = rows - csv_rows;
    let (mut junk, mut typed_seconds, mut left, mut rotation) = (Junk::new(2), 0.0, typed_rows, 0);
    while left > 0 {
        // Every rotation is a table of its own, since its columns have types of their own.
        let share = left.min(typed_rows.div_ceil(TYPES as u64));
        let mut batches = vec![];
        let mut missing = share;
        while missing > 0 {
            let batch = missing.min(BATCH_ROWS);
            batches.push(junk.typed_batch(usize::try_from(batch)?, rotation));
            missing -= batch;
        }
        let start = Instant::now();
        let table = CodedTable::from_batches(vec![batches], &schema, &ReadOptions::default())?;
        typed_seconds += start.elapsed().as_secs_f64();
        tally.check(&table, &schema, share)?;
        left -= share;
        rotation += 1;
    }

    println!("{csv_rows} rows of CSV, {csv_bytes} bytes, read in {csv_seconds:.2} s");
    println!(
        "{typed_rows} rows of {TYPES} Arrow types, encoded in {typed_seconds:.2} s; {RAW_FILES} files of raw bytes"
    );
    println!("{}", tally.figures(rows));
    Ok(())
}

/// What was checked. A panic would end the program before it is told.
#[derive(Default)]
struct Tally {
    tables: u64,
    wrong_sums: u64,
}

impl Tally {
    /// Counts all tables over one and two attributes and compares each sum with the rows that were made.
    fn check(&mut self, table: &CodedTable, schema: &Schema, rows: u64) -> Result<(), Box<dyn Error>> {
        let attributes: Vec<AttributeId> = schema.domain().attributes().collect();
        let pairs = attributes.iter().flat_map(|first| attributes.iter().map(|second| Clique::new([*first, *second])));
        let cliques: Vec<Clique> = std::iter::once(Clique::empty()).chain(pairs).collect();
        for counts in table.count_tables(&cliques)? {
            self.tables += 1;
            self.wrong_sums += u64::from(counts.iter().sum::<u64>() != rows);
        }
        Ok(())
    }

    fn figures(&self, rows: u64) -> String {
        let figure = |name: &str, value: u64, unit: &str, bar: u64, holds: bool| {
            format!(r#"{{"name":"{name}","value":{value},"unit":"{unit}","bar":{bar},"holds":{holds}}}"#)
        };
        let figures = [
            figure("junk rows through the encoder", rows, "rows", 1_000_000, rows >= 1_000_000),
            figure("tables whose sum is not the number of rows", self.wrong_sums, "tables", 0, self.wrong_sums == 0),
            figure("tables summed", self.tables, "tables", 1, self.tables > 0),
        ];
        format!(r#"{{"figures":[{}]}}"#, figures.join(","))
    }
}
