//! Junk rows: none is lost, none is fatal (T14). The program `junk-rows` of `benchmarks/` repeats
//! this with a million.

#[path = "../../../../benchmarks/programs/junk_rows/generator.rs"]
mod generator;

use crate::common::{counts, counts_of_text};
use generator::{Junk, TYPES, schema};
use scumble_engine::{CodedTable, ReadOptions};
use scumble_schema::Dialect;

#[test]
fn fifty_thousand_junk_lines_are_fifty_thousand_rows() {
    let mut bytes = vec![];
    Junk::new(1).write_csv(50_000, &mut bytes).unwrap();
    assert_eq!(counts_of_text(&schema(), bytes)[0], [50_000]);
}

#[test]
fn fifty_thousand_junk_values_of_every_arrow_type_are_coded() {
    let (schema, mut junk) = (schema(), Junk::new(2));
    for rotation in 0..TYPES {
        let rows = 50_000_usize.div_ceil(TYPES);
        let batch = junk.typed_batch(rows, rotation);
        let table = CodedTable::from_batches(vec![vec![batch]], &schema, &ReadOptions::default()).unwrap();
        assert_eq!(counts(&table, &schema)[0], [rows as u64]);
    }
}

#[test]
fn bytes_that_are_not_csv_are_some_rows() {
    for multiline in [false, true] {
        let schema = schema().with_dialect(Dialect { multiline, ..Dialect::default() });
        for seed in 0..50 {
            counts_of_text(&schema, Junk::new(seed).raw_csv(5_000));
        }
    }
}
