//! Tables of a real PostgreSQL server.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use datafusion::arrow::datatypes::{DataType, TimeUnit};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{
    CodedTable, ColumnProblem, DatabaseProblem, EngineError, Input, ProgressSink, ReadOptions, column_types,
};
use scumble_schema::{Clique, Dialect, Schema};
use tempfile::TempDir;

use crate::common::{counts, people, read, schema, write};
use crate::postgres_server::{PASSWORD, Server};

/// A schema with one string column `name`.
pub(crate) fn strings(name: &str, values: &[&str]) -> Schema {
    let values: Vec<_> = values.iter().map(|value| format!("'{value}'")).collect();
    let values = values.join(", ");
    Schema::parse(&format!(
        "fields:\n  - {{name: '{name}', type: string, constraints: {{enum: [{values}]}}, dp: {{open: true}}}}\n"
    ))
    .unwrap()
}

/// Counts the only column: its values in order, then missing, then unknown.
pub(crate) fn column(url: &str, schema: &Schema) -> Vec<u64> {
    let table = read(url, schema).unwrap_or_else(|error| panic!("{error}"));
    table.count_tables(&[Clique::new(schema.domain().attributes())]).unwrap().swap_remove(0)
}

pub(crate) fn problem(url: &str, schema: &Schema) -> DatabaseProblem {
    match read(url, schema) {
        Err(EngineError::Database { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

/// Everything that an error can print; checks that the password is not in it.
pub(crate) fn printed(error: &EngineError) -> String {
    let printed = format!("{error} {error:?} {error:#?} {:?}", error.hint());
    assert!(!printed.contains(PASSWORD) && !printed.contains("CANARY"), "{printed}");
    printed
}

#[test]
fn a_table_has_the_counts_of_equal_rows_in_files() {
    let Some(server) = Server::start() else { return };
    let (directory, schema) = (TempDir::new().unwrap(), schema());
    let parquet = directory.path().join("people.parquet");
    let csv = directory.path().join("people.csv");
    let rows = people(20_000, 7);
    write(&parquet, std::slice::from_ref(&rows));
    write(&csv, &[rows]);
    let csv_of_server = server.give("people.csv", &fs::read(&csv).unwrap());
    server.sql(&format!(
        "CREATE TABLE people (weight numeric(5,2), region text, age int8, income float8, married bool, born date,
                              seen timestamp, since int4);
         COPY people FROM '{}' (FORMAT CSV, HEADER, NULL '');
         CREATE VIEW seen_by_zone AS SELECT weight::float4 AS weight, region::varchar(20), age::int2, income::numeric,
                             married, born, seen AT TIME ZONE 'UTC' AS seen, since::int8 FROM people;
         CREATE TABLE parts (LIKE people) PARTITION BY HASH (region);
         CREATE TABLE part0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
         CREATE TABLE part1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
         INSERT INTO parts SELECT * FROM people;
         CREATE TABLE nobody (LIKE people);",
        csv_of_server.display()
    ));

    let expected = counts(&read(&parquet, &schema).unwrap(), &schema);
    assert_eq!(counts(&read(&csv, &schema).unwrap(), &schema), expected);
    for table in ["people", "PUBLIC.People", "seen_by_zone", "parts"] {
        assert_eq!(counts(&read(server.url(table), &schema).unwrap(), &schema), expected, "{table}");
    }
    assert_eq!(counts(&read(server.socket_url("people"), &schema).unwrap(), &schema), expected);
    assert_eq!(counts(&read(server.url("nobody"), &schema).unwrap(), &schema)[0], [0]);

    // Files and tables together, and on any number of threads.
    let twice: Vec<Vec<u64>> = expected.iter().map(|table| table.iter().map(|count| 2 * count).collect()).collect();
    for threads in [1, 3] {
        let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
        let inputs = [Input::new(&csv), Input::new(server.url("people"))];
        assert_eq!(counts(&CodedTable::read(&inputs, &schema, &options).unwrap(), &schema), twice);
    }
    let again = [Input::new(server.url("people")), Input::new(server.url("public.people"))];
    let error = CodedTable::read(&again, &schema, &ReadOptions::default()).unwrap_err();
    assert!(printed(&error).contains("is named twice"), "{error}");

    // Progress has a total for a table and none for a view.
    for (table, has_total) in [("people", true), ("parts", true), ("seen_by_zone", false)] {
        let last = Arc::new(AtomicU64::new(u64::MAX));
        let seen = Arc::clone(&last);
        let progress = ProgressSink::new(move |progress| seen.store(progress.bytes_total, Ordering::Relaxed));
        let options = ReadOptions { progress: Some(progress), ..ReadOptions::default() };
        CodedTable::read(&[Input::new(server.url(table))], &schema, &options).unwrap();
        assert_eq!(last.load(Ordering::Relaxed) > 0, has_total, "{table}");
    }
}

const ODD_TYPES: &str = r#"
CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy');
CREATE DOMAIN postcode AS varchar(8) CHECK (value <> '');
CREATE DOMAIN percent AS int2;
CREATE TYPE pair AS (a int, b text);
CREATE TABLE odd (
    mood mood, code postcode, share percent, letter "char", fixed char(6), short varchar(3), long text,
    id uuid, price numeric, cost money, at time, lasts interval, band int4range, address inet, raw bytea, "Say ""so""" name,
    tags text[], place pair, doc jsonb, day date, moment timestamp, instant timestamptz, real float4, nothing int
);
INSERT INTO odd VALUES
  ('happy', 'AB1', 7, 'x', 'ab', 'abc', 'long', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1.50, 2.25, '12:30', '1 day',
   '[10,20)', '10.0.0.1', '\x6162', 'n', '{a}', '(1,x)', '{}', 'infinity', 'infinity', '2020-06-01 00:00+02', 'NaN', NULL),
  ('so so', 'AB2', 8, 'y', 'ab    ', '', repeat('x', 1048577), NULL, 'NaN', -1, NULL, NULL, 'empty', NULL, '\xff', 'm',
   NULL, NULL, NULL, '-infinity', '-infinity', '-infinity', '-infinity', NULL),
  (NULL, NULL, NULL, NULL, NULL, NULL, repeat('é', 524288), NULL, 1e200, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, '2020-02-02', '2020-02-02 12:00', 'infinity', 'infinity', NULL),
  (NULL, NULL, NULL, NULL, NULL, NULL, repeat('é', 524288) || 'x', NULL, -1e-200, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
   NULL, NULL, NULL, '4713-01-01 BC', '4713-01-01 BC', NULL, 0, NULL);
"#;

#[test]
fn values_of_every_type_have_a_code() {
    let Some(server) = Server::start() else { return };
    server.sql(ODD_TYPES);
    let url = server.url("odd");
    for (name, values, expected) in [
        ("mood", &["sad", "so so", "happy"][..], &[0, 1, 1, 2, 0][..]),
        ("code", &["AB1", "AB2"], &[1, 1, 2, 0]),
        ("letter", &["x"], &[1, 2, 1]),
        // Padding is not part of the value.
        ("fixed", &["ab"], &[2, 2, 0]),
        ("short", &["abc"], &[1, 3, 0]),
        ("id", &["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], &[1, 3, 0]),
        ("at", &["12:30:00"], &[1, 3, 0]),
        ("lasts", &["P1D"], &[1, 3, 0]),
        ("band", &["[10,20)", "empty"], &[1, 1, 2, 0]),
        ("address", &["10.0.0.1/32"], &[1, 3, 0]),
        ("raw", &["ab"], &[1, 2, 1]),
        ("Say \"so\"", &["n", "m"], &[1, 1, 2, 0]),
        ("nothing", &["1"], &[0, 4, 0]),
        // One is short, one has exactly the maximum length, two have one byte more.
        ("long", &["long"], &[1, 0, 3]),
    ] {
        assert_eq!(column(&url, &strings(name, values)), expected, "{name}");
    }
    let exact = "é".repeat(1 << 19);
    assert_eq!(column(&url, &strings("long", &[&exact])), [1, 0, 3]);

    // Bins below, within and above, then missing, then unknown.
    for (rules, expected) in [
        ("{name: share, type: integer, constraints: {minimum: 7, maximum: 8}}", &[1, 1, 2][..]),
        ("{name: price, type: number, constraints: {minimum: 0, maximum: 4}, dp: {bins: {count: 2}}}", &[2, 1, 1]),
        ("{name: cost, type: number, constraints: {minimum: 0, maximum: 4}, dp: {bins: {count: 2}}}", &[1, 1, 2]),
        ("{name: real, type: number, constraints: {minimum: -1, maximum: 1}, dp: {bins: {count: 2}}}", &[1, 2, 1]),
        (
            "{name: day, type: date, constraints: {minimum: '2020-01-01', maximum: '2020-02-29'}, dp: {bins: {width: 30}}}",
            &[2, 2, 0],
        ),
        (
            "{name: moment, type: datetime, constraints: {minimum: '2020-01-01T00:00:00', maximum: '2020-02-29T00:00:00'}, \
             dp: {bins: {count: 2}}}",
            &[2, 2, 0],
        ),
        (
            "{name: instant, type: datetime, constraints: {minimum: '2020-05-31T00:00:00', maximum: '2020-06-01T23:59:59'}, \
             dp: {bins: {count: 2}}}",
            &[2, 1, 1],
        ),
    ] {
        let schema = Schema::parse(&format!("fields:\n  - {rules}\n")).unwrap();
        assert_eq!(column(&url, &schema), expected, "{rules}");
    }

    assert_eq!(
        column(&url, &Schema::parse("fields: [{name: at, type: time, dp: {bins: {by: hour}}}]").unwrap())[12],
        1,
        "half past twelve"
    );

    for (name, type_name) in [("tags", "text[]"), ("place", "pair"), ("doc", "jsonb")] {
        let error = read(&url, &strings(name, &["a"])).unwrap_err();
        let EngineError::Schema { column, problem, .. } = &error else { panic!("{error:?}") };
        assert_eq!((column.as_str(), problem), (name, &ColumnProblem::Type(type_name.into())));
        printed(&error);
    }

    let columns = column_types(&Input::new(&url), None, &Dialect::default()).unwrap().types;
    let declared = |name: &str| columns.field_with_name(name).unwrap().data_type().clone();
    for (name, expected) in [
        ("mood", DataType::Utf8),
        ("share", DataType::Int16),
        ("price", DataType::Float64),
        ("cost", DataType::Float64),
        ("day", DataType::Date32),
        ("moment", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("real", DataType::Float32),
        ("at", DataType::Time64(TimeUnit::Microsecond)),
        ("Say \"so\"", DataType::Utf8),
    ] {
        assert_eq!(declared(name), expected, "{name}");
    }
    assert!(declared("tags").is_nested() && declared("place").is_nested() && declared("doc").is_nested());
}

#[test]
fn odd_names_and_wide_rows_are_read() {
    let Some(server) = Server::start() else { return };
    let wide: Vec<String> = (0..1_600).map(|column| format!("c{column} int2 DEFAULT 1")).collect();
    server.sql(&format!(
        "CREATE SCHEMA \"Odd Schema\";
         CREATE TABLE \"Odd Schema\".\"Ta\"\"ble; --\" (\"select\" text, \"a.b\" text, \"Größe\" text);
         INSERT INTO \"Odd Schema\".\"Ta\"\"ble; --\" VALUES ('x', 'y', 'z');
         CREATE TABLE wide ({});
         INSERT INTO wide DEFAULT VALUES;
         CREATE TABLE texts AS SELECT repeat('x', 1048576) AS t FROM generate_series(1, 2);
         CREATE VIEW long_rows AS SELECT {} FROM texts;",
        wide.join(", "),
        (0..300).map(|column| format!("t AS t{column}")).collect::<Vec<_>>().join(", "),
    ));
    let odd = server.url("%22Odd%20Schema%22.%22Ta%22%22ble;%20--%22");
    for (name, value) in [("select", "x"), ("a.b", "y"), ("Größe", "z")] {
        assert_eq!(column(&odd, &strings(name, &[value])), [1, 0, 0]);
    }
    let fields = |count: usize, prefix: &str, rules: &str| {
        let fields: Vec<_> = (0..count).map(|at| format!("  - {{name: {prefix}{at}, {rules}}}")).collect();
        Schema::parse(&format!("fields:\n{}\n", fields.join("\n"))).unwrap()
    };
    let all = fields(1_600, "c", "type: integer, constraints: {minimum: 1, maximum: 2}");
    let table = read(server.url("wide"), &all).unwrap();
    let one_way = all.domain().one_way();
    assert!(table.count_tables(&one_way).unwrap().iter().all(|counts| counts == &[1, 0, 0]));

    // Rows of 300 MiB each: values that do not fit are unknown, and no row is lost.
    let long = fields(300, "t", "type: string, constraints: {enum: [a]}, dp: {open: true}");
    let table = read(server.url("long_rows"), &long).unwrap();
    let one_way = long.domain().one_way();
    assert!(table.count_tables(&one_way).unwrap().iter().all(|counts| counts == &[0, 0, 2]));
}

#[test]
fn invalid_utf8_is_unknown_and_other_encodings_are_refused() {
    for (encoding, expected) in [("SQL_ASCII", Some([1, 0, 2])), ("LATIN1", Some([2, 0, 1])), ("WIN1252", None)] {
        let Some(server) = Server::start_with(&[&format!("--encoding={encoding}"), "--locale=C"], &[]) else { return };
        server.sql("CREATE TABLE t (a text); INSERT INTO t VALUES (E'\\xe9'), (E'\\xc3'), ('x');");
        let schema = strings("a", &["é", "x"]);
        match expected {
            Some([known, missing, unknown]) => {
                let counts = column(&server.url("t"), &schema);
                assert_eq!([counts[0] + counts[1], counts[2], counts[3]], [known, missing, unknown], "{encoding}");
            }
            None => assert_eq!(problem(&server.url("t"), &schema), DatabaseProblem::Encoding),
        }
    }
}
