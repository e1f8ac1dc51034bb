//! Columns of every type: values that are written read back as the same codes in every format, and
//! synthetic columns have the types of the real ones.

#[path = "../../../engine/tests/engine/postgres_server.rs"]
#[expect(dead_code, reason = "only some of what a server can do is needed here")]
mod postgres_server;
#[path = "../../../../benchmarks/programs/columns/sound_rows.rs"]
mod sound_rows;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, FieldRef};
use postgres_server::Server;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use scumble::{ApproxDp, Delta, Draw, Epsilon, Fit, Method, Sampling};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, Input, ReadOptions, TableWriter, column_types};
use scumble_schema::{Clique, CodeColumn, DecodedRows, Decoder, Dialect, Schema};
use sound_rows::sound_rows;
use tempfile::TempDir;

const SCHEMA: &str = r#"
missingValues: ["", {value: "-9", label: refused}, {value: "-8", label: not applicable}]
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 25}}}
  - {name: wage, type: number, constraints: {minimum: 0}, dp: {bins: {scale: log, count: 5, from: 10, points: [0], topCode: 1000}}}
  - {name: diet, type: string, constraints: {enum: [fish, meat]}, dp: {open: true}}
  - {name: smokes, type: boolean, missingValues: [NA, {value: "", label: not asked}]}
  - {name: seen, type: datetime, constraints: {minimum: 2024-10-26, maximum: 2024-10-28}, dp: {bins: {by: hour}, timeZone: Europe/Berlin}}
  - {name: paid, type: date, constraints: {minimum: 2024-01-01, maximum: 2024-02-29}, dp: {bins: {by: month}, keep: weekday}}
"#;

/// Returns enough rows for every code of every column.
fn every_code(schema: &Schema) -> Vec<CodeColumn> {
    const ROWS: u32 = 500;
    let column = |&size: &u32| {
        let mut column = CodeColumn::with_capacity(size, ROWS as usize);
        (0..ROWS).for_each(|row| column.push(row % size));
        column
    };
    schema.domain().sizes().iter().map(column).collect()
}

/// Returns the counts of every column of a file.
fn read(path: &Path, schema: &Schema) -> Vec<Vec<u64>> {
    let table = CodedTable::read(&[Input::new(path)], schema, &ReadOptions::default()).unwrap();
    table.count_tables(&schema.domain().one_way()).unwrap()
}

fn one_way(schema: &Schema, columns: &[CodeColumn]) -> Vec<Vec<u64>> {
    let count = |(column, &size): (&CodeColumn, &u32)| {
        let mut counts = vec![0; size as usize];
        column.iter().for_each(|code| counts[code as usize] += 1);
        counts
    };
    columns.iter().zip(schema.domain().sizes()).map(count).collect()
}

#[test]
fn every_code_of_a_text_file_comes_back_and_typed_files_lose_only_the_kind_of_missing_values() {
    let schema = Schema::parse(SCHEMA).unwrap();
    let decoder = Decoder::new(&schema);
    let columns = every_code(&schema);
    let expected = one_way(&schema, &columns);
    let directory = TempDir::new().unwrap();
    for name in ["a.csv", "a.tsv", "a.parquet", "a.arrow"] {
        let path = directory.path().join(name);
        let mut writer = TableWriter::create(&path, decoder.arrow_schema().clone()).unwrap();
        let rows = decoder.decode_rows(0, &columns, &mut SmallRng::seed_from_u64(7));
        writer.write_rows(&rows).unwrap();
        writer.finish().unwrap();
        let read = read(&path, &schema);
        for ((attribute, mut expected), read) in schema.attributes().iter().zip(expected.clone()).zip(read) {
            let is_text_column = attribute.name() == "diet";
            if matches!(name, "a.parquet" | "a.arrow") && !is_text_column {
                let kinds: Vec<usize> = attribute.missing_kinds().map(|(code, _)| code as usize).collect();
                let missing: u64 = kinds.iter().map(|&code| std::mem::take(&mut expected[code])).sum();
                expected[kinds[0]] = missing;
            }
            assert_eq!(read, expected, "{name} {}", attribute.name());
        }
    }
    let text = fs::read_to_string(directory.path().join("a.csv")).unwrap();
    assert!(text.contains(",-9,"), "a kind is written as its text");
    assert!(text.contains("T02:") && text.contains("+02:00") && text.contains("+01:00"), "a zone has offsets");
}

#[test]
fn a_time_without_a_zone_is_read_in_that_of_the_column() {
    let yaml = |zone: &str| {
        let field = "name: seen, type: datetime, constraints: {minimum: 2024-07-01, maximum: 2024-07-03}";
        Schema::parse(&format!("fields: [{{{field}, dp: {{bins: {{by: day}}, timeZone: {zone}}}}}]")).unwrap()
    };
    let berlin = yaml("Europe/Berlin");
    // In Berlin the second instant, one hour before midnight in UTC, is on the next day.
    let rows = "seen\n2024-07-01T23:00:00\n2024-07-01T23:00:00Z\n";
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    fs::write(&path, rows).unwrap();
    assert_eq!(read(&path, &berlin)[0], [1, 1, 0, 0]);
    assert_eq!(read(&path, &yaml("UTC"))[0], [2, 0, 0, 0]);
}

/// Returns the example schema with a column of every type.
fn every_column() -> Schema {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/schemas/every_column.schema.yaml");
    Schema::read(&path).unwrap()
}

fn written(rows: &DecodedRows, path: &Path) {
    let mut writer = TableWriter::create(path, rows.batch.schema()).unwrap();
    writer.write_rows(rows).unwrap();
    writer.finish().unwrap();
}

/// Returns the tables of all columns and of all pairs.
fn counts(input: Input, schema: &Schema) -> Vec<Vec<u64>> {
    let columns: Vec<_> = schema.domain().attributes().collect();
    let pairs = columns.iter().flat_map(|&one| columns.iter().map(move |&other| Clique::new([one, other])));
    let tables: BTreeSet<Clique> = pairs.collect();
    let table = CodedTable::read(&[input], schema, &ReadOptions::default()).unwrap();
    table.count_tables(&tables.into_iter().collect::<Vec<_>>()).unwrap()
}

/// Returns names, types and nullability, as a reader of the file finds them.
fn types(path: &Path) -> Vec<(String, DataType, bool)> {
    let found = column_types(&path.into(), None, &Dialect::default()).unwrap().types;
    // The reader of Parquet files uses its own layout for text, which the file does not request.
    let data_type = |field: &FieldRef| match field.data_type() {
        DataType::Utf8View => DataType::Utf8,
        other => other.clone(),
    };
    found.fields().iter().map(|field| (field.name().clone(), data_type(field), field.is_nullable())).collect()
}

/// Merges the kinds of missing values of columns that are not text, as typed files do.
fn with_one_kind(columns: &[CodeColumn], schema: &Schema) -> Vec<CodeColumn> {
    let one_kind = |(codes, attribute): (&CodeColumn, &scumble_schema::Attribute)| {
        let mut folded = CodeColumn::with_capacity(attribute.size(), codes.len());
        let is_text = attribute.field_type() == scumble_schema::FieldType::String;
        for code in codes.iter() {
            // An unknown value is blank, which is missing, except in text columns with a label for
            // it.
            let is_blank = attribute.is_missing(code) || Some(code) == attribute.unknown_code();
            folded.push(if is_blank && !is_text { attribute.encoder().null() } else { code });
        }
        folded
    };
    columns.iter().zip(schema.attributes()).map(one_kind).collect()
}

#[test]
fn a_table_of_every_kind_of_column_is_one_table_in_csv_parquet_arrow_and_postgresql() {
    let schema = every_column();
    let columns = sound_rows(&schema, 3_000, 1);
    // Typed, so that all four formats are equal.
    let columns = with_one_kind(&columns, &schema);
    let decoder = Decoder::new(&schema);
    let rows = decoder.decode_rows(0, &columns, &mut SmallRng::seed_from_u64(2));
    assert_eq!(rows.batch.num_columns(), 26);
    let directory = TempDir::new().unwrap();
    let [csv, parquet, arrow] = ["a.csv", "a.parquet", "a.arrow"].map(|name| directory.path().join(name));
    for path in [&csv, &parquet, &arrow] {
        written(&rows, path);
    }
    let declared = rows.batch.schema();
    let declared =
        declared.fields().iter().map(|field| (field.name().clone(), field.data_type().clone(), field.is_nullable()));
    assert_eq!((types(&parquet), types(&arrow)), (declared.clone().collect(), declared.collect()));
    let of_arrow = counts(Input::new(&arrow), &schema);
    for path in [&csv, &parquet] {
        assert_eq!(counts(Input::new(path), &schema), of_arrow, "{}", path.display());
    }
    let total = |counts: &[u64]| counts.iter().sum::<u64>();
    assert!(of_arrow.iter().all(|table| total(table) == 3_000));

    let Some(server) = Server::start() else { return };
    let typed = directory.path().join("typed.csv");
    written(&DecodedRows { batch: rows.batch.clone(), blanks: Vec::new(), forms: Vec::new() }, &typed);
    let given = server.give("typed.csv", &fs::read(&typed).unwrap());
    let column_of = |field: &FieldRef| {
        let kind = match field.data_type() {
            DataType::Int64 => "bigint",
            DataType::Int32 => "integer",
            DataType::Float64 => "double precision",
            DataType::Boolean => "boolean",
            DataType::Date32 => "date",
            DataType::Time64(_) => "time",
            DataType::Timestamp(_, None) => "timestamp",
            DataType::Timestamp(_, Some(_)) => "timestamptz",
            _ => "text",
        };
        format!("{} {kind}{}", field.name(), if field.is_nullable() { "" } else { " NOT NULL" })
    };
    let declared: Vec<String> = rows.batch.schema().fields().iter().map(column_of).collect();
    server.sql(&format!(
        "CREATE TABLE visits ({}); COPY visits FROM '{}' (FORMAT CSV, HEADER, NULL '');",
        declared.join(", "),
        given.display()
    ));
    assert_eq!(counts(Input::new(server.url("visits")), &schema), of_arrow, "PostgreSQL");
}

/// Returns the number of rows of a file that break a rule of the schema.
fn violations(path: &Path, schema: &Schema) -> u64 {
    let table = CodedTable::read(&[Input::new(path)], schema, &ReadOptions::default()).unwrap();
    let cliques: Vec<Clique> = schema.rules().iter().map(|rule| rule.clique().clone()).collect();
    let counts = table.count_tables(&cliques).unwrap();
    schema.rules().iter().zip(&counts).map(|(rule, counts)| rule.broken(counts)).sum()
}

/// Reads a text file without a schema, column by column.
fn read_csv(path: &Path) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let mut columns: Vec<(String, Vec<String>)> =
        lines.next().unwrap().into_iter().map(|name| (name, Vec::new())).collect();
    lines.for_each(|line| columns.iter_mut().zip(line).for_each(|((_, values), value)| values.push(value)));
    columns
}

#[test]
fn synthetic_tables_have_the_types_of_the_real_one_and_keep_its_rules() {
    let schema = every_column();
    let columns = sound_rows(&schema, 5_000, 3);
    let directory = TempDir::new().unwrap();
    let path = |name: &str| -> PathBuf { directory.path().join(name) };
    let real = Decoder::new(&schema).decode_rows(0, &columns, &mut SmallRng::seed_from_u64(4));
    for name in ["real.csv", "real.parquet", "real.arrow"] {
        written(&real, &path(name));
    }
    let goal = ApproxDp { epsilon: Epsilon::new(3.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
    let method = Method::named("mst").unwrap();
    let model = Fit::new(&schema, goal).method(method).run(&[Input::new(path("real.csv"))]).unwrap();
    for name in ["synthetic.csv", "synthetic.parquet", "synthetic.arrow"] {
        Draw::from(&model).rows(20_000).seed(5).sampling(Sampling::LowVariance).write(path(name)).unwrap();
    }
    assert_eq!(violations(&path("synthetic.csv"), &schema), 0);
    // A typed file has nulls for all kinds of missing values, so it only shows that skipped
    // questions have no value.
    let [work, wage] = ["work", "wage"].map(|name| schema.find(name).unwrap());
    let missing = schema.attribute(wage).missing_code().unwrap() as usize;
    let table = CodedTable::read(&[Input::new(path("synthetic.parquet"))], &schema, &ReadOptions::default()).unwrap();
    let by_wage = table.count_tables(&[Clique::new([work, wage])]).unwrap().swap_remove(0);
    let sizes = [work, wage].map(|column| schema.domain().size(column) as usize);
    assert!(wage < work, "cells of one wage are adjacent");
    for (cell, &count) in by_wage.iter().enumerate() {
        let (wage, work) = (cell / sizes[0], cell % sizes[0]);
        assert!(count == 0 || work == 0 || wage == missing, "{wage} {work}");
    }
    for format in ["parquet", "arrow"] {
        assert_eq!(types(&path(&format!("synthetic.{format}"))), types(&path(&format!("real.{format}"))));
    }
    // All three files have the same rows.
    let folded = counts(Input::new(path("synthetic.parquet")), &schema);
    assert_eq!(counts(Input::new(path("synthetic.arrow")), &schema), folded);
    // Text has no types, but every value is a declared one of its column: a strict reader finds no
    // unknown value.
    let strict = schema.strict().unwrap();
    for name in ["synthetic.csv", "synthetic.parquet"] {
        for (attribute, counts) in strict.attributes().iter().zip(read(&path(name), &strict)) {
            assert_eq!(counts[attribute.unknown_code().unwrap() as usize], 0, "{name} {}", attribute.name());
        }
    }
    // Generated columns: all values different, all equal, and the row number.
    let text = read_csv(&path("synthetic.csv"));
    let column = |name: &str| &text.iter().find(|(other, _)| other == name).unwrap().1;
    assert_eq!(column("visit").iter().collect::<BTreeSet<_>>().len(), 20_000);
    assert!(column("visit").iter().all(|visit| visit.len() == 10 && visit.starts_with("V-")));
    assert!(column("country").iter().all(|country| country == "DE"));
    assert_eq!([&column("line")[0], &column("line")[19_999]], ["1", "20000"]);
    // Skip patterns, exactly: wage and hours are present if and only if the person works.
    for (place, work) in column("work").iter().enumerate() {
        for asked in ["wage", "hours"] {
            assert_eq!(work == "employed", column(asked)[place] != "-8", "{asked} of row {place}");
        }
    }
    // Dates of birth have the format of the real table.
    assert!(column("born").iter().filter(|day| day.len() == 10).all(|day| day.as_bytes()[2] == b'/'));
    // Dates and years are in order, value by value.
    for (earlier, later) in [("admitted", "discharged"), ("built", "moved")] {
        let present = |value: &&String| !value.is_empty() && !value.starts_with('-');
        for (one, other) in column(earlier).iter().zip(column(later)) {
            let both = Some(one).filter(present).zip(Some(other).filter(present));
            assert!(both.is_none_or(|(one, other)| one <= other), "{earlier} {one}, {later} {other}");
        }
    }
    assert!(is_without_floats(&real.batch), "integers stay integers");
}

/// Returns whether columns of integers stayed integers.
fn is_without_floats(batch: &RecordBatch) -> bool {
    let names = ["age", "children", "rooms", "hours", "line"];
    names.iter().all(|name| batch.column_by_name(name).is_some_and(|column| column.data_type().is_integer()))
}
