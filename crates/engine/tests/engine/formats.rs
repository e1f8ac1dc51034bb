//! Counts do not depend on the format of the rows.

use std::fs::{self, File};
use std::sync::{Arc, Mutex};

use crate::common::{compress, counts, people, read, schema, write};
use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Schema as ArrowSchema, TimeUnit};
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use scumble_engine::{CodedTable, EngineError, Format, Input, NamedBy, ProgressSink, ReadOptions, column_types};
use scumble_schema::{Dialect, Schema};
use tempfile::TempDir;

#[test]
fn every_format_and_compression_gives_equal_counts() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    let batches = [people(3_000, 1), people(2_000, 2)];
    let truth =
        counts(&CodedTable::from_batches(vec![batches.to_vec()], &schema, &ReadOptions::default()).unwrap(), &schema);
    assert_eq!(truth[0], [5_000]);

    for name in ["a.csv", "a.tsv", "a.parquet", "a.arrow"] {
        write(&directory.path().join(name), &batches);
    }
    let text = fs::read(directory.path().join("a.csv")).unwrap();
    for (name, compression) in [
        ("a.csv.gz", FileCompressionType::GZIP),
        ("a.csv.zst", FileCompressionType::ZSTD),
        ("a.csv.bz2", FileCompressionType::BZIP2),
        ("a.csv.xz", FileCompressionType::XZ),
    ] {
        fs::write(directory.path().join(name), compress(compression, text.clone())).unwrap();
        // Many writers append members; a reader that stops after the first silently loses rows.
        let (head, tail) = text.split_at(text.len() / 3);
        let members = [compress(compression, head.to_vec()), compress(compression, tail.to_vec())].concat();
        fs::write(directory.path().join(format!("members-{name}")), members).unwrap();
    }
    let mut stream =
        StreamWriter::try_new(File::create(directory.path().join("b.arrows")).unwrap(), &batches[0].schema()).unwrap();
    for batch in &batches {
        stream.write(batch).unwrap();
    }
    stream.finish().unwrap();

    let mut names: Vec<_> = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    assert_eq!(names.len(), 13);
    for path in names {
        assert!(counts(&read(&path, &schema).unwrap(), &schema) == truth, "{}", path.display());
    }
}

#[test]
fn times_of_day_have_the_codes_of_their_texts() {
    let directory = TempDir::new().unwrap();
    let schema = Schema::parse(
        "fields:
  - {name: opens, type: time, dp: {bins: {width: 900}}}
  - {name: shift, type: string, constraints: {enum: ['06:00:00', '22:30:00']}}
",
    )
    .unwrap();
    let texts: ArrayRef =
        Arc::new(StringArray::from(vec![Some("06:00:00"), Some("22:30:00"), None, Some("23:59:59"), Some("00:00:00")]));
    let files = [
        ("a.csv", DataType::Utf8),
        ("b.parquet", DataType::Utf8),
        ("c.parquet", DataType::Time32(TimeUnit::Second)),
        ("d.parquet", DataType::Time32(TimeUnit::Millisecond)),
        ("e.parquet", DataType::Time64(TimeUnit::Microsecond)),
        ("f.arrow", DataType::Time64(TimeUnit::Nanosecond)),
        ("g.arrow", DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Time64(TimeUnit::Microsecond)))),
    ];
    let counted = files.map(|(name, data_type)| {
        let column = match &data_type {
            DataType::Dictionary(_, values) => cast(&cast(&texts, values).unwrap(), &data_type).unwrap(),
            _ => cast(&texts, &data_type).unwrap(),
        };
        let path = directory.path().join(name);
        write(&path, &[RecordBatch::try_from_iter([("opens", Arc::clone(&column)), ("shift", column)]).unwrap()]);
        (name, counts(&read(&path, &schema).unwrap(), &schema))
    });
    for (name, counts) in &counted {
        assert_eq!(counts, &counted[0].1, "{name}");
    }
}

#[test]
fn files_globs_and_directories_add_up() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    let parts: Vec<_> = (0..5).map(|seed| people(100, seed)).collect();
    let truth =
        counts(&CodedTable::from_batches(vec![parts.clone()], &schema, &ReadOptions::default()).unwrap(), &schema);
    fs::create_dir_all(directory.path().join("parts/deeper")).unwrap();
    let paths: Vec<_> = ["parts/a.csv", "parts/b.csv", "parts/c.csv", "parts/deeper/d.csv", "parts/deeper/e.csv"]
        .iter()
        .map(|name| directory.path().join(name))
        .collect();
    for (path, part) in paths.iter().zip(&parts) {
        write(path, std::slice::from_ref(part));
    }
    fs::write(directory.path().join("parts/people.schema.yaml"), "fields: []").unwrap();
    fs::write(directory.path().join("parts/_temporary.csv"), "half a row").unwrap();

    let root = directory.path().display();
    for inputs in [
        vec![format!("{root}/parts")],
        vec![format!("{root}/parts/[abc].csv"), format!("{root}/parts/deeper/*.csv")],
        paths.iter().map(|path| path.display().to_string()).collect(),
    ] {
        let inputs: Vec<_> = inputs.into_iter().map(Input::from).collect();
        for threads in [1, 2, 7] {
            let options = ReadOptions { threads: Some(threads), ..Default::default() };
            let table = CodedTable::read(&inputs, &schema, &options).unwrap();
            assert!(counts(&table, &schema) == truth, "{inputs:?}");
        }
    }
}

#[test]
fn files_may_differ_in_format_column_order_and_types() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    let part = people(500, 9);
    let single =
        counts(&CodedTable::from_batches(vec![vec![part.clone()]], &schema, &ReadOptions::default()).unwrap(), &schema);
    let all: Vec<usize> = (0..part.num_columns()).rev().collect();
    let reordered = part.project(&all).unwrap();
    // The same values as text, as another program might export them.
    let columns = part.schema();
    let texts = columns.fields().iter().zip(part.columns()).map(|(field, column)| {
        let data_type = if field.name() == "region" {
            DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
        } else {
            DataType::Utf8
        };
        (field.name().clone(), cast(column, &data_type).unwrap())
    });
    let texts = RecordBatch::try_from_iter(texts).unwrap();
    let files = [
        ("a.parquet", &part),
        ("b.parquet", &reordered),
        ("c.parquet", &texts),
        ("d.arrow", &texts),
        ("e.csv", &reordered),
    ];
    for (name, batch) in files {
        write(&directory.path().join(name), std::slice::from_ref(batch));
    }
    let inputs: Vec<_> = files.iter().map(|(name, _)| Input::new(directory.path().join(name))).collect();
    let table = CodedTable::read(&inputs, &schema, &ReadOptions::default()).unwrap();
    for (sum, one) in counts(&table, &schema).iter().flatten().zip(single.iter().flatten()) {
        assert_eq!(*sum, 5 * one);
    }
}

#[test]
fn a_file_that_would_count_twice_is_refused() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    write(&directory.path().join("a.csv"), &[people(10, 1)]);
    write(&directory.path().join("a.parquet"), &[people(10, 1)]);
    let root = directory.path().display().to_string();
    let refuse = |inputs: &[String]| {
        let inputs: Vec<_> = inputs.iter().map(Input::from).collect();
        CodedTable::read(&inputs, &schema, &ReadOptions::default()).unwrap_err().to_string()
    };
    assert_eq!(refuse(&[format!("{root}/a.csv"), format!("{root}/*.csv")]), format!("`{root}/a.csv` is named twice"));
    assert!(refuse(std::slice::from_ref(&root)).contains("holds data in several formats"));
}

#[test]
fn a_format_can_be_named() {
    let directory = TempDir::new().unwrap();
    let schema = schema();
    let (named, unnamed) = (directory.path().join("a.csv"), directory.path().join("rows.part"));
    write(&named, &[people(50, 3)]);
    fs::rename(&named, &unnamed).unwrap();
    assert!(matches!(read(&unnamed, &schema), Err(EngineError::Config { .. })));
    let options = ReadOptions { format: Some(Format::Csv), ..Default::default() };
    assert_eq!(counts(&CodedTable::read(&[unnamed.into()], &schema, &options).unwrap(), &schema)[0], [50]);
}

#[test]
fn text_files_are_read_if_they_are_named_and_not_found() {
    let directory = TempDir::new().unwrap();
    let (table, schema) = (directory.path().join("a.csv"), schema());
    write(&table, &[people(50, 3)]);
    for name in ["a.txt", "A.DAT", "a.data", "a.psv"] {
        let named = directory.path().join(name);
        fs::copy(&table, &named).unwrap();
        assert_eq!(counts(&read(&named, &schema).unwrap(), &schema)[0], [50], "{name}");
    }
    assert_eq!(counts(&read(directory.path(), &schema).unwrap(), &schema)[0], [50], "of a folder, the CSV file only");
}

#[test]
fn progress_ends_at_the_size_of_the_input() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.csv");
    write(&path, &[people(5_000, 3)]);
    let reports = Arc::new(Mutex::new(vec![]));
    let keep = Arc::clone(&reports);
    let sink = ProgressSink::new(move |progress| keep.lock().unwrap().push(progress));
    let options = ReadOptions { progress: Some(sink), ..Default::default() };
    CodedTable::read(&[Input::new(&path)], &schema(), &options).unwrap();
    let reports = reports.lock().unwrap();
    let size = fs::metadata(&path).unwrap().len();
    assert!(reports.iter().all(|progress| progress.bytes_total == size && progress.bytes_read <= size));
    assert_eq!(reports.last().unwrap().bytes_read, size);
}

#[test]
fn column_types_are_read_without_values() {
    let directory = TempDir::new().unwrap();
    let part = people(5, 3);
    for name in ["a.csv", "a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        write(&path, std::slice::from_ref(&part));
        let found = column_types(&Input::new(&path), None, &Dialect::default()).unwrap();
        let named_by = if name == "a.csv" { NamedBy::FirstLine } else { NamedBy::Table };
        assert_eq!(found.named_by, named_by);
        let columns = found.types;
        let names: Vec<_> = columns.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["weight", "region", "age", "income", "married", "born", "seen", "since"]);
        let born = columns.field_with_name("born").unwrap().data_type();
        assert_eq!(*born, if name == "a.csv" { DataType::Utf8 } else { DataType::Date32 });
    }
}

#[test]
fn rows_in_memory_are_counted_like_files_whatever_their_metadata() {
    let schema = schema();
    let rows = people(150_000, 3);
    let truth =
        counts(&CodedTable::from_batches(vec![vec![rows.clone()]], &schema, &ReadOptions::default()).unwrap(), &schema);
    let note = |name: &str| std::collections::HashMap::from([(name.to_owned(), "of a library".to_owned())]);
    let fields = rows
        .schema()
        .fields()
        .iter()
        .map(|field| field.as_ref().clone().with_metadata(note("field")))
        .collect::<Vec<_>>();
    let columns = Arc::new(ArrowSchema::new(fields).with_metadata(note("table")));
    let noted = RecordBatch::try_new(Arc::clone(&columns), rows.columns().to_vec()).unwrap();
    let input = Input::of_batches(Arc::clone(&columns), vec![noted.slice(0, 1), noted.slice(1, 149_999)]);
    assert_eq!(format!("{input:?}"), "Input(\"table in memory\")");
    for threads in [1, 3] {
        let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
        let table = CodedTable::read(std::slice::from_ref(&input), &schema, &options).unwrap();
        assert!(counts(&table, &schema) == truth, "{threads} threads");
    }
    assert_eq!(column_types(&input, None, &Dialect::default()).unwrap().types.fields(), columns.fields());
    let empty = CodedTable::read(&[Input::of_batches(columns, vec![])], &schema, &ReadOptions::default()).unwrap();
    assert!(counts(&empty, &schema).iter().flatten().all(|&count| count == 0));
}
