//! Errors about damaged files contain nothing of the files' contents.

use std::error::Error;
use std::fs;

use crate::common::{compress, people, read, schema, write};
use datafusion::arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema as ArrowSchema};
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use scumble_engine::{ColumnProblem, Damage, EngineError, Format, Input, ReadOptions, column_types};
use scumble_schema::{Dialect, Schema};
use std::sync::Arc;
use tempfile::TempDir;

const CANARY: &str = "CANARY7f3a";

fn canary_schema() -> Schema {
    Schema::parse("fields:\n  - {name: who, type: integer, constraints: {minimum: 0, maximum: 9}}\n").unwrap()
}

fn canary_rows() -> RecordBatch {
    let rows: StringArray = (0..2_000).map(|row| Some(format!("{CANARY}-{row}"))).collect();
    RecordBatch::try_from_iter([("who", Arc::new(rows) as ArrayRef)]).unwrap()
}

/// Everything that an error can print.
fn printed(error: &EngineError) -> String {
    let mut printed = vec![format!("{error} {error:?} {error:#?} {:?}", error.hint())];
    let mut cause = error.source();
    while let Some(error) = cause {
        printed.push(format!("{error} {error:?}"));
        cause = error.source();
    }
    printed.join(" ")
}

#[test]
fn no_damage_makes_an_error_quote_the_data() {
    let directory = TempDir::new().unwrap();
    let (schema, mut failures, mut reads) = (canary_schema(), 0, 0);
    for name in ["a.parquet", "a.arrow", "a.csv.gz", "a.csv.zst", "a.csv"] {
        let whole = directory.path().join(name.trim_end_matches(".gz").trim_end_matches(".zst"));
        write(&whole, &[canary_rows()]);
        let bytes = match name {
            "a.csv.gz" => compress(FileCompressionType::GZIP, fs::read(&whole).unwrap()),
            "a.csv.zst" => compress(FileCompressionType::ZSTD, fs::read(&whole).unwrap()),
            _ => fs::read(&whole).unwrap(),
        };
        let path = directory.path().join(format!("damaged-{name}"));
        for step in 0..60 {
            let place = bytes.len() * step / 60;
            let flipped = [&bytes[..place], &[bytes[place] ^ 0x55], &bytes[place + 1..]].concat();
            let overwritten =
                [&bytes[..place], CANARY.as_bytes(), &bytes[(place + CANARY.len()).min(bytes.len())..]].concat();
            for damaged in [bytes[..place].to_vec(), flipped, overwritten] {
                fs::write(&path, damaged).unwrap();
                reads += 1;
                if let Err(error) = read(&path, &schema) {
                    failures += 1;
                    let printed = printed(&error);
                    assert!(!printed.contains(CANARY) && !printed.contains("7f3a"), "{printed}");
                    assert!(printed.contains("damaged-a"), "no file named: {printed}");
                }
            }
        }
    }
    assert!(failures > reads / 5, "{failures} of {reads}: the damage does not reach the readers");
}

#[test]
fn a_file_of_another_format_is_named_as_such() {
    let directory = TempDir::new().unwrap();
    for (name, problem) in [("a.parquet", Damage::NotParquet), ("a.arrow", Damage::NotArrow)] {
        let path = directory.path().join(name);
        fs::write(&path, format!("who\n{CANARY}\n{CANARY}\n")).unwrap();
        let error = read(&path, &canary_schema()).unwrap_err();
        assert_eq!(error, EngineError::Engine { path: path.display().to_string(), problem });
        assert!(!printed(&column_types(&Input::new(&path), None, &Dialect::default()).unwrap_err()).contains(CANARY));
    }
}

#[test]
fn a_file_cut_short_is_an_error_and_not_a_shorter_table() {
    let directory = TempDir::new().unwrap();
    let plain = directory.path().join("a.csv");
    write(&plain, &[people(3_000, 1)]);
    let text = fs::read(&plain).unwrap();
    for (name, compression) in [
        ("cut.csv.gz", FileCompressionType::GZIP),
        ("cut.csv.zst", FileCompressionType::ZSTD),
        ("cut.csv.bz2", FileCompressionType::BZIP2),
        ("cut.csv.xz", FileCompressionType::XZ),
    ] {
        let bytes = compress(compression, text.clone());
        for keep in [bytes.len() / 2, bytes.len() - 5] {
            let path = directory.path().join(name);
            fs::write(&path, &bytes[..keep]).unwrap();
            let error = read(&path, &schema()).unwrap_err();
            assert_eq!(
                error,
                EngineError::Engine { path: error_path(&error), problem: Damage::Damaged },
                "{name} {keep}"
            );
        }
    }
}

fn error_path(error: &EngineError) -> String {
    match error {
        EngineError::Engine { path, .. } => path.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_missing_input_is_reported_in_a_sentence() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().display().to_string();
    fs::create_dir(directory.path().join("empty")).unwrap();
    for (input, sentence) in [
        (format!("{root}/none.csv"), format!("cannot read `{root}/none.csv`: no such file or directory")),
        (format!("{root}/*.csv"), format!("`{root}/*.csv` holds no data file")),
        (format!("{root}/empty"), format!("`{root}/empty` holds no data file")),
        ("hdfs://lake/rows.parquet".to_owned(), "`hdfs://lake/rows.parquet` is not a local file".to_owned()),
        (
            "s3://bucket/rows.parquet".to_owned(),
            "the object store of `s3://bucket/rows.parquet` cannot be opened".to_owned(),
        ),
    ] {
        assert_eq!(read(input, &schema()).unwrap_err().to_string(), sentence);
    }
    let none = scumble_engine::CodedTable::read(&[], &schema(), &ReadOptions::default());
    assert_eq!(none.unwrap_err().to_string(), "no input file");
}

#[test]
fn a_repeated_name_is_refused_in_every_format() {
    let directory = TempDir::new().unwrap();
    let column = |values: &[i32]| Arc::new(Int32Array::from(values.to_vec())) as ArrayRef;
    let columns = [("a", column(&[1])), ("a", column(&[2])), ("who", column(&[3]))];
    let fields: Vec<_> = columns.iter().map(|(name, _)| Field::new(*name, DataType::Int32, true)).collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    let rows = RecordBatch::try_new(Arc::new(ArrowSchema::new(fields)), arrays).unwrap();
    for name in ["a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        write(&path, std::slice::from_ref(&rows));
        let error = read(&path, &canary_schema()).unwrap_err();
        assert!(
            matches!(&error, EngineError::Schema { column, problem: ColumnProblem::Repeated, .. } if column == "a"),
            "{error:?}"
        );
    }
}

#[test]
fn typed_files_must_have_the_columns_of_the_schema() {
    let directory = TempDir::new().unwrap();
    for name in ["a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        write(&path, &[people(5, 1)]);
        let error = read(&path, &canary_schema()).unwrap_err();
        assert!(
            matches!(&error, EngineError::Schema { column, problem: ColumnProblem::Missing { .. }, .. } if column == "who"),
            "{error:?}"
        );
        // Read as CSV, it is bytes without the right header.
        let options = ReadOptions { format: Some(Format::Csv), ..Default::default() };
        scumble_engine::CodedTable::read(&[Input::new(&path)], &canary_schema(), &options).unwrap_err();
    }
}

#[test]
fn a_name_in_a_header_cannot_control_a_terminal() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    fs::write(&path, "who\u{1b},other\n1,2\n").unwrap();
    let error = read(&path, &canary_schema()).unwrap_err();
    // The name is similar to that in the schema, so it is shown.
    assert!(error.hint().unwrap().starts_with(r"did you mean `who\u{1b}`?"), "{error:?}");
    assert!(!error.to_string().contains(char::is_control));
}
