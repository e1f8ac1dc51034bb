//! Sends junk through the encoder and checks that every row is counted once in every table.
//!
//! `cargo run --release -p scumble-engine --example junk_rows -- [ROWS]` prints one JSON object; it ends with an error if a
//! single row is lost, doubled or fatal. One million rows without an argument, half as CSV and half in Arrow types.

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
    let tables = check(&table, &schema, csv_rows)?;

    for seed in 0..RAW_FILES {
        // How many rows these bytes are is the parser's to say; that all tables agree on it is checked.
        std::fs::write(&path, Junk::new(seed).raw_csv(RAW_BYTES))?;
        let table = CodedTable::read(&[Input::new(&path)], &schema, &ReadOptions::default())?;
        let parsed = table.count_tables(&[Clique::empty()])?[0][0];
        check(&table, &schema, parsed)?;
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
        check(&table, &schema, share)?;
        left -= share;
        rotation += 1;
    }

    writeln!(
        std::io::stdout(),
        "{{\"rows\": {rows}, \"csv_rows\": {csv_rows}, \"csv_bytes\": {csv_bytes}, \"csv_seconds\": {csv_seconds:.3}, \
         \"raw_files\": {RAW_FILES}, \"typed_rows\": {typed_rows}, \"arrow_types\": {TYPES}, \"typed_seconds\": {typed_seconds:.3}, \
         \"tables_checked\": {tables}, \"rows_lost\": 0, \"panics\": 0}}"
    )?;
    Ok(())
}

/// Counts all tables over one and two attributes and compares each sum with the rows that were made.
fn check(table: &CodedTable, schema: &Schema, rows: u64) -> Result<usize, Box<dyn Error>> {
    let attributes: Vec<AttributeId> = schema.domain().attributes().collect();
    let pairs = attributes.iter().flat_map(|first| attributes.iter().map(|second| Clique::new([*first, *second])));
    let cliques: Vec<Clique> = std::iter::once(Clique::empty()).chain(pairs).collect();
    for (clique, counts) in cliques.iter().zip(table.count_tables(&cliques)?) {
        if counts.iter().sum::<u64>() != rows {
            return Err(format!("the table over {clique:?} does not sum to the number of rows").into());
        }
    }
    Ok(cliques.len())
}
