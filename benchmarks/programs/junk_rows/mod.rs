//! Sends junk through the encoder and checks that every row is counted once in every table.
//!
//! `figures junk-rows [--rows N]` makes one million rows by default, half as CSV and half in Arrow
//! types.

mod generator;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

use generator::{Junk, TYPES, schema};
use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, Input, ReadOptions};
use scumble_schema::{AttributeId, Clique, Schema};

/// Files of bytes that are not even CSV, and how long they are.
const RAW_FILES: u64 = 20;
const RAW_BYTES: usize = 100_000;
/// Rows of one typed batch.
const BATCH_ROWS: u64 = 1_000;

/// The least number of rows, which is also the default.
const LEAST_ROWS: u64 = 1_000_000;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments = Arguments::parse(arguments, &Usage { options: &["--rows"], ..Usage::default() })?;
    let rows: u64 = arguments.value("--rows")?.unwrap_or(LEAST_ROWS);
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
        // How many rows these bytes are is the parser's to say; that all tables agree on it is
        // checked.
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
    let mut figures = Figures::default();
    figures.at_least("junk rows through the encoder", rows as f64, "rows", LEAST_ROWS as f64);
    figures.exactly("tables whose sum is not the number of rows", tally.wrong_sums as f64, "tables", 0.0);
    figures.at_least("tables summed", tally.tables as f64, "tables", 1.0);
    figures.print();
    Ok(())
}

/// What was checked. A panic would end the program before it prints a figure.
#[derive(Default)]
struct Tally {
    tables: u64,
    wrong_sums: u64,
}

impl Tally {
    /// Counts all tables over one and two attributes and compares each sum with the rows that were
    /// made.
    fn check(&mut self, table: &CodedTable, schema: &Schema, rows: u64) -> Result<()> {
        let attributes: Vec<AttributeId> = schema.domain().attributes().collect();
        let pairs = attributes.iter().flat_map(|first| attributes.iter().map(|second| Clique::new([*first, *second])));
        let cliques: Vec<Clique> = std::iter::once(Clique::empty()).chain(pairs).collect();
        for counts in table.count_tables(&cliques)? {
            self.tables += 1;
            self.wrong_sums += u64::from(counts.iter().sum::<u64>() != rows);
        }
        Ok(())
    }
}
