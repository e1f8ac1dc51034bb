//! Rows that exceed the memory limit go to private files, and counts do not depend on it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::common::{cliques, counts, people, schema, smallest_limit, write};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, Damage, EngineError, Input, ReadOptions, TableScan};
use scumble_schema::{AttributeId, Clique, Schema};

/// Returns an integer field with the values from 1 to `last`.
fn whole_numbers(name: &str, last: u32) -> String {
    let constraints = format!("constraints: {{minimum: 1, maximum: {last}, required: true}}, dp: {{foldInto: 1}}");
    format!("  - {{name: {name}, type: integer, {constraints}}}\n")
}

fn spill_directories(spill: &Path) -> Vec<PathBuf> {
    fs::read_dir(spill).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn a_table_that_does_not_fit_is_spilled_privately_with_equal_counts() {
    let (schema, rows, parent) = (schema(), people(10_000, 7), tempfile::tempdir().unwrap());
    let spill = parent.path().join("odd name %20#ü");
    fs::create_dir(&spill).unwrap();
    // As codes, more than 32 MiB, which is half of the smallest limit.
    let partitions = vec![vec![rows.clone(); 500]; 2];
    let table = CodedTable::from_batches(partitions, &schema, &smallest_limit(&spill)).unwrap();
    assert!(table.spilled());
    let [directory] = &spill_directories(&spill)[..] else { panic!("there is one directory") };
    assert_eq!(fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(fs::read_dir(directory).unwrap().count() > 1, "the directory has files");

    let small = CodedTable::from_batches(vec![vec![rows]], &schema, &ReadOptions::default()).unwrap();
    assert!(!small.spilled());
    let (many, one) = (counts(&table, &schema), counts(&small, &schema));
    assert!(many.iter().flatten().zip(one.iter().flatten()).all(|(many, one)| *many == 1_000 * one));
    // A second query gives equal counts.
    assert!(counts(&table, &schema) == many);
    drop(table);
    assert!(spill_directories(&spill).is_empty(), "the files are removed with the table");
}

#[test]
fn a_scan_has_the_counts_of_the_coded_table_and_keeps_nothing() {
    let (schema, spill) = (schema(), tempfile::tempdir().unwrap());
    let path = spill.path().join("people.parquet");
    write(&path, &[people(5_000, 3), people(5_000, 4)]);
    let options = ReadOptions { threads: Some(2), ..ReadOptions::default() };
    let scan = TableScan::open(&[Input::new(&path)], &schema, &options).unwrap();
    let (first, second) =
        (scan.count_tables(&cliques(&schema)).unwrap(), scan.count_tables(&cliques(&schema)).unwrap());
    assert_eq!(first, second);
    assert_eq!(first, counts(&scan.code().unwrap(), &schema));
}

#[test]
fn tables_that_do_not_fit_together_are_counted_one_after_another() {
    let fields = ["c0", "c1", "c2", "c3"].map(|name| whole_numbers(name, 999)).concat();
    let schema = Schema::parse(&format!("fields:\n{fields}")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("numbers.csv");
    fs::write(&path, "c0,c1,c2,c3\n1,2,3,4\n999,2,7,4\n1,2,3,4\n").unwrap();
    // Six tables of a million cells do not fit 64 MiB with their sums.
    let pairs: Vec<Clique> =
        (0..4).flat_map(|a| (a + 1..4).map(move |b| Clique::new([a, b].map(AttributeId::new)))).collect();
    let scan = TableScan::open(&[path.into()], &schema, &smallest_limit(directory.path())).unwrap();
    let tables = scan.count_tables(&pairs).unwrap();
    assert_eq!(tables.len(), 6);
    assert_eq!(tables[0][1], 2, "c0 is 1 and c1 is 2");
    assert!(tables.iter().all(|table| table.len() == 999 * 999 && table.iter().sum::<u64>() == 3));
}

#[test]
fn a_missing_spill_directory_is_reported_only_when_it_is_needed() {
    let (schema, rows) = (schema(), people(10_000, 7));
    let options = smallest_limit(Path::new("/nowhere/at/all"));
    assert!(CodedTable::from_batches(vec![vec![rows.clone()]], &schema, &options).is_ok());
    let error = CodedTable::from_batches(vec![vec![rows; 1_000]], &schema, &options).unwrap_err();
    assert!(matches!(&error, EngineError::Io { path, .. } if path == "/nowhere/at/all"), "{error}");
}

#[test]
fn one_table_that_cannot_fit_is_refused_with_a_hint() {
    let schema =
        Schema::parse(&format!("fields:\n{}", ["a", "b"].map(|name| whole_numbers(name, 3_100)).concat())).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("two.csv");
    fs::write(&path, "a,b\n1,2\n").unwrap();
    let scan = TableScan::open(&[path.into()], &schema, &smallest_limit(directory.path())).unwrap();
    let error = scan.count_tables(&[Clique::new(schema.domain().attributes())]).unwrap_err();
    assert!(matches!(error, EngineError::Engine { problem: Damage::Memory, .. }), "{error}");
    assert!(error.hint().unwrap().contains("memory limit"));
}
