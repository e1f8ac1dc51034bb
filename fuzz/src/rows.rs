//! Rows in files, and what must hold when they are counted.

use std::path::PathBuf;

use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, EngineError, Input, MemoryLimit, ReadOptions, TableScan, column_types};
use scumble_schema::{Clique, Dialect, Schema};
use tempfile::TempDir;

use crate::message;

/// Counts of all rows, then by column, then of the cells of the first three columns.
pub(crate) type Counts = Vec<Vec<u64>>;

/// The columns of binary files. Others in the file are not read.
pub(crate) const COLUMNS: &str = "
fields:
  - {name: city, type: string, constraints: {enum: [Bergen, Oulu, Tartu]}, dp: {open: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}, dp: {bins: {width: 10}}}
  - {name: born, type: date, constraints: {minimum: '1900-01-01', maximum: '2020-12-31'}, dp: {bins: {count: 12}}}
";

/// Writes bytes to a file with this name.
pub(crate) fn written(directory: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).expect("the temporary directory has space");
    path
}

fn options(threads: usize) -> ReadOptions {
    ReadOptions { threads: Some(threads), memory_limit: Some(MemoryLimit::of_bytes(0)), ..ReadOptions::default() }
}

fn cliques(schema: &Schema) -> Vec<Clique> {
    let few = Clique::new(schema.domain().attributes().take(3));
    [Clique::empty()].into_iter().chain(schema.domain().one_way()).chain([few]).collect()
}

/// Reads and counts all rows, and checks that none is lost in a table, nor counted twice.
pub(crate) fn counted(input: &Input, schema: &Schema, threads: usize) -> Result<Counts, EngineError> {
    let table = CodedTable::read(std::slice::from_ref(input), schema, &options(threads))?;
    let counts = table.count_tables(&cliques(schema)).expect("rows that were read are counted");
    check_sums(&counts);
    Ok(counts)
}

fn check_sums(counts: &[Vec<u64>]) {
    let rows = counts[0][0];
    assert!(counts.iter().all(|table| table.iter().sum::<u64>() == rows), "tables of {rows} rows differ: {counts:?}");
}

/// Checks a file of columns with types: it is refused, or its counts do not depend on how it is
/// read.
pub(crate) fn check_typed(name: &str, bytes: &[u8], schema: &Schema) {
    let directory = TempDir::new().expect("a temporary directory");
    let input = Input::new(written(&directory, name, bytes));
    if let Err(error) = column_types(&input, None, &Dialect::default()) {
        message::check_error(error);
    }
    let counts = match counted(&input, schema, 1) {
        Ok(counts) => counts,
        Err(error) => return message::check_error(error),
    };
    let scan = TableScan::open(&[input], schema, &options(2)).expect("a file that was read is opened");
    let again = scan.count_tables(&cliques(schema)).expect("rows that were read are counted");
    assert_eq!(again, counts, "rows are not counted the same way twice");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "tables of 3 rows differ")]
    fn a_row_that_is_in_one_table_only_is_a_finding() {
        check_sums(&[vec![3], vec![1, 2], vec![3, 1]]);
    }
}
