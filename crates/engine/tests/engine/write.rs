//! Output files are complete or do not exist.

use std::fs;

use crate::common::{counts, people, read, schema};
use scumble_engine::{EngineError, TableWriter};
use tempfile::TempDir;

fn names(directory: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(directory.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_writer_dropped_early_leaves_the_old_file_and_nothing_else() {
    let directory = TempDir::new().unwrap();
    let rows = people(10_000, 1);
    for name in ["a.csv", "a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        fs::write(&path, "before").unwrap();
        let mut writer = TableWriter::create(&path, rows.schema()).unwrap();
        writer.write(&rows).unwrap();
        assert_eq!(names(&directory).len(), 2, "rows are in another file until they are complete");
        drop(writer);
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
        assert_eq!(names(&directory), [name]);
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn written_rows_are_read_back() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    for name in ["a.csv", "a.tsv", "a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        fs::write(&path, "before").unwrap();
        crate::common::write(&path, &[people(100, 1), people(200, 2), people(0, 3)]);
        assert_eq!(counts(&read(&path, &schema).unwrap(), &schema)[0], [300]);
    }
    assert_eq!(names(&directory), ["a.arrow", "a.csv", "a.parquet", "a.tsv"]);
}

#[test]
fn a_table_without_rows_is_a_file_with_columns() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    for name in ["a.csv", "a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        TableWriter::create(&path, people(0, 1).schema()).unwrap().finish().unwrap();
        assert_eq!(counts(&read(&path, &schema).unwrap(), &schema)[0], [0], "{name}");
    }
}

#[cfg(unix)]
#[test]
fn permissions_follow_the_mask() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let (ours, plain) = (directory.path().join("a.csv"), directory.path().join("plain"));
    TableWriter::create(&ours, people(0, 1).schema()).unwrap().finish().unwrap();
    fs::write(&plain, "").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(ours), mode(plain));
}

#[test]
fn an_unwritable_output_is_refused_at_once() {
    let schema = people(0, 1).schema();
    let error = TableWriter::create("rows.docx", schema.clone()).unwrap_err();
    assert!(matches!(error, EngineError::Config { .. }), "{error}");
    let error = TableWriter::create("/no/such/directory/rows.csv", schema).unwrap_err();
    assert_eq!(error.to_string(), "cannot use `/no/such/directory/rows.csv`: no such file or directory");
}
