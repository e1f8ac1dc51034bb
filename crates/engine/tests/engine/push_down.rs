//! Tables that their database counts, beside the same tables counted by a scan.

use std::path::PathBuf;
#[cfg(feature = "postgres")]
use std::time::{Duration, Instant};

#[cfg(feature = "postgres")]
use scumble_cancel::CancelToken;
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, DatabaseProblem, DatabaseTable, EngineError, Input, ReadOptions, TableScan};
use scumble_schema::{Clique, Recoding, Schema};
use scumble_vault::MarginalSource;
use tempfile::TempDir;

#[cfg(feature = "postgres")]
use crate::postgres_server::Server;

const SCHEMA: &str = r#"
missingValues: ["", "NA", {value: "-9", label: refused}]
fields:
  - {name: flag, type: boolean}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119}}
  - {name: wealth, type: integer, constraints: {minimum: 0, maximum: 5000}, dp: {bins: {count: 6, scale: log, from: 10, points: [0, 100], topCode: 4000}}}
  - {name: since, type: year, constraints: {minimum: 1900, maximum: 2029}, dp: {bins: {width: 10}, open: true}}
  - {name: share, type: number, constraints: {minimum: 0, maximum: 1}, dp: {bins: {count: 7}}}
  - {name: amount, type: number, constraints: {minimum: 0.1, maximum: 1000}, dp: {bins: {count: 9, scale: log}, open: true}}
  - {name: rooms, type: integer, constraints: {minimum: 1, maximum: 9, required: true}}
  - {name: level, type: number, constraints: {minimum: 0, maximum: 10}, dp: {bins: {count: 3}}}
  - {name: city, type: string, constraints: {enum: ["Oslo", "Köln", " x", "x", "it's \\ \"odd\"", "z\tz", "😀"]}, dp: {open: true}}
  - {name: code, type: string, constraints: {enum: ["1", "02", "10"], required: true}}
  - {name: answer, type: boolean, trueValues: ["yes", "1"], falseValues: ["no", "0"]}
  - {name: born, type: date, constraints: {minimum: "1920-01-01", maximum: "2020-12-31"}, dp: {bins: {count: 11}}}
  - {name: visit, type: string, constraints: {enum: ["2020-01-31", "2020-02-29"]}}
  - {name: seen, type: datetime, constraints: {minimum: "2000-01-01T00:00:00", maximum: "2020-12-31T00:00:00"}, dp: {bins: {by: year}}}
  - {name: at, type: datetime, constraints: {minimum: "2000-01-01T00:00:00", maximum: "2020-12-31T00:00:00"}, dp: {bins: {count: 5}, open: true}}
  - {name: visited, type: date, constraints: {minimum: "2000-01-01", maximum: "2020-12-31"}, dp: {bins: {by: year}}}
"#;

/// Name, type and values of the columns that every database has.
const COLUMNS: &[(&str, &str, &str)] = &[
    ("flag", "boolean", "true, false, NULL"),
    ("age", "smallint", "0, 5, 5, 119, 120, -9, -1, 7, 32767, -32768, NULL"),
    (
        "wealth",
        "bigint",
        "0, 1, 9, 10, 99, 100, 101, 3999, 4000, 5001, -9, 9223372036854775807, -9223372036854775807, NULL",
    ),
    ("since", "integer", "1899, 1900, 1909, 1910, 2029, 2030, -9, 2147483647, NULL"),
    (
        "share",
        "real",
        "'0', '0.1', '0.14285715', '0.5', '1', '1.0000001', '-0.0', 'NaN', 'Infinity', '-Infinity', '-9', NULL",
    ),
    (
        "amount",
        "double precision",
        "'0.1', '0.09999999999999999', '0.5', '1', '10', '999.9999', '1000', '1000.0001', '1e-300', '1e300', 'NaN', '-9', NULL",
    ),
    (
        "rooms",
        "double precision",
        "'1', '2', '2.5', '9', '9.0000001', '10', '0', '1e30', 'NaN', 'Infinity', '-Infinity', '-9', NULL",
    ),
    ("level", "integer", "0, 3, 4, 6, 7, 10, 11, -1, -9, 2147483647, NULL"),
    (
        "city",
        "text",
        r#"'Oslo', 'oslo', ' Oslo ', 'Köln', 'Koln', ' x', 'x', '  x', 'it''s \ "odd"', 'z	z', '😀', '', ' ', 'NA', ' NA', '-9', '-9.0', '~', NULL"#,
    ),
    ("code", "integer", "1, 2, 10, 11, -9, 0, NULL"),
    ("answer", "varchar(5)", "'yes', 'YES', 'no', '1', '0', ' 1 ', '2', 'NA', NULL"),
    (
        "born",
        "date",
        "'1919-12-31', '1920-01-01', '1999-06-15', '2020-12-31', '2021-01-01', '0001-01-01', '9999-12-31', 'infinity', '-infinity', NULL",
    ),
    ("visit", "date", "'2020-01-31', '2020-02-29', '2020-03-01', 'infinity', NULL"),
    (
        "seen",
        "timestamp",
        "'1999-12-31 23:59:59.999999', '2000-01-01', '2004-02-29 12:00:00', '2020-12-31 00:00:00.000001', '1000-01-01', NULL",
    ),
    (
        "at",
        "timestamptz",
        "'2000-01-01 00:59:59+01', '2000-01-01 00:00:00+00', '2010-06-01 12:00:00+05:30', '2020-12-31 02:00:00+02', '1900-01-01 00:00:00+00', NULL",
    ),
    (
        "visited",
        "timestamp",
        "'1999-12-31 23:59:59.999999', '2000-01-01', '2012-12-31 23:59:59', '2020-12-31 23:00:00', NULL",
    ),
];

/// Statements that make a table of all columns, with every value of each beside many of the others.
fn statements(columns: &[(&str, &str, &str)]) -> String {
    let declared: Vec<String> = columns.iter().map(|(name, kind, _)| format!("\"{name}\" {kind}")).collect();
    let values = columns.iter().zip([7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83]);
    let values: Vec<String> = values
        .map(|((_, kind, values), step)| {
            let base = kind.split('(').next().unwrap();
            let many = values.split(", ").count();
            format!("(ARRAY[{values}]::{base}[])[1 + (i * {step} + i % 61 * 5) % {many}]")
        })
        .collect();
    format!(
        "CREATE TABLE people ({}); INSERT INTO people SELECT {} FROM generate_series(1, 6000) AS t(i)",
        declared.join(", "),
        values.join(", ")
    )
}

/// Every table over up to two columns, and some over three.
fn cliques(schema: &Schema) -> Vec<Clique> {
    let attributes: Vec<_> = schema.domain().attributes().collect();
    let mut cliques = vec![Clique::empty()];
    for (at, &first) in attributes.iter().enumerate() {
        cliques.push(Clique::single(first));
        cliques.extend(attributes[..at].iter().map(|&second| Clique::new([first, second])));
    }
    cliques.extend(attributes.windows(3).map(|three| Clique::new(three.iter().copied())));
    cliques
}

fn assert_counted_alike(input: &Input, schema: &Schema) {
    let options = ReadOptions::default();
    let inside = DatabaseTable::open(std::slice::from_ref(input), schema, &options).unwrap();
    let scan = CodedTable::read(std::slice::from_ref(input), schema, &options).unwrap();
    let cliques = cliques(schema);
    let (found, expected) = (inside.count_tables(&cliques).unwrap(), scan.count_tables(&cliques).unwrap());
    for ((clique, found), expected) in cliques.iter().zip(&found).zip(&expected) {
        let names: Vec<&str> =
            clique.attributes().iter().map(|&attribute| schema.attribute(attribute).name()).collect();
        assert_eq!(found, expected, "{names:?}");
    }
    assert!(expected[0][0] > 1_000 && expected.iter().any(|table| table.iter().filter(|&&rows| rows > 0).count() > 50));
    // Of derived columns, several of which have one base column.
    for recoding in [Recoding::binary(schema.domain()).unwrap(), Recoding::with_coarser(schema.domain(), 2, 4).unwrap()]
    {
        let columns: Vec<_> = recoding.domain().attributes().collect();
        let mut cliques: Vec<Clique> = columns.iter().map(|&column| Clique::single(column)).collect();
        cliques.extend(columns.windows(3).step_by(5).map(|three| Clique::new(three.iter().copied())));
        let expected = scan.count_recoded_tables(&recoding, &cliques).unwrap();
        assert_eq!(inside.count_recoded_tables(&recoding, &cliques).unwrap(), expected);
    }
    assert!(inside.bound().is_none());
}

#[cfg(feature = "postgres")]
#[test]
fn postgresql_counts_like_a_scan() {
    let Some(server) = Server::start() else { return };
    let mut columns = COLUMNS.to_vec();
    columns.push(("mood", "mood", "'sad', 'so so', 'happy', NULL"));
    columns.push(("fixed", "char", "'a', 'b', NULL"));
    columns.push(("price", "numeric", "1.50, 1.5, 2, 'NaN', 1e200, NULL"));
    let schema = SCHEMA.to_owned()
        + "  - {name: mood, type: string, constraints: {enum: [sad, happy]}, dp: {open: true}}\n  \
           - {name: fixed, type: string, constraints: {enum: [a]}}\n  \
           - {name: price, type: string, constraints: {enum: ['1.50', '2']}}\n";
    // Backslashes in texts are plain here, whatever the server says later.
    server.sql(&format!("CREATE TYPE mood AS ENUM ('sad', 'so so', 'happy'); {}", statements(&columns)));
    server.sql("ALTER SYSTEM SET standard_conforming_strings = off; ALTER SYSTEM SET datestyle = 'German'");
    server.sql("SELECT pg_reload_conf()");
    assert_counted_alike(&Input::new(server.url("people")), &Schema::parse(&schema).unwrap());
}

#[cfg(feature = "postgres")]
#[test]
fn all_statements_see_one_state_of_the_table() {
    let Some(server) = Server::start() else { return };
    server.sql("CREATE TABLE t AS SELECT i % 10 AS a FROM generate_series(1, 1000) AS s(i); CREATE TABLE none (a int)");
    let schema = Schema::parse("fields: [{name: a, type: integer, constraints: {minimum: 0, maximum: 9}}]").unwrap();
    let open = |tables: &[&str]| {
        let inputs: Vec<Input> = tables.iter().map(|table| Input::new(server.url(table))).collect();
        DatabaseTable::open(&inputs, &schema, &ReadOptions::default()).unwrap()
    };
    let table = open(&["t"]);
    let total = |table: &DatabaseTable| table.count_tables(&[Clique::empty()]).unwrap()[0][0];
    assert_eq!(total(&table), 1000);
    server.sql("DELETE FROM t WHERE a < 5");
    assert_eq!(total(&table), 1000, "in its transaction");
    assert_eq!(total(&open(&["t"])), 500);
    assert_eq!(total(&open(&["t", "t", "none"])), 1000, "of several tables, all rows count");
    assert_eq!(open(&["none"]).count_tables(&schema.domain().one_way()).unwrap(), [vec![0; 11]]);
}

#[cfg(feature = "postgres")]
#[test]
fn a_server_stops_counting_for_a_client_that_is_gone() {
    let Some(server) = Server::start() else { return };
    // Every row takes a second, and there are a thousand.
    server.sql(
        "CREATE TABLE t AS SELECT i % 10 AS a FROM generate_series(1, 1000) AS s(i);
         CREATE FUNCTION slowly(int) RETURNS int AS 'SELECT $1 FROM pg_sleep(1)' LANGUAGE sql VOLATILE;
         CREATE VIEW slow AS SELECT slowly(a) AS a FROM t",
    );
    let schema = Schema::parse("fields: [{name: a, type: integer, constraints: {minimum: 0, maximum: 9}}]").unwrap();
    let table = DatabaseTable::open(&[Input::new(server.url("slow"))], &schema, &ReadOptions::default()).unwrap();
    let running = || {
        server
            .sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%GROUPING%slow%' AND pid <> pg_backend_pid()")
    };
    let token = CancelToken::new();
    let within = |what: &str| {
        let end = Instant::now() + Duration::from_mins(1);
        while running() != what {
            assert!(Instant::now() < end, "{}", running());
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    std::thread::scope(|scope| {
        let counted = scope.spawn(|| token.run(|| table.count_tables(&schema.domain().one_way())));
        within("1");
        token.cancel();
        assert!(matches!(counted.join().unwrap(), Ok(Err(EngineError::Stopped)) | Err(_)));
    });
    drop(table);
    within("0");
}

#[cfg(feature = "postgres")]
#[test]
fn columns_that_cannot_be_compared_are_refused_by_their_types() {
    let Some(server) = Server::start() else { return };
    server.sql("CREATE TABLE t (a text, b numeric, c bytea, d timestamp)");
    let refused = |input: Input, schema: &str| {
        let schema = Schema::parse(schema).unwrap();
        DatabaseTable::open(&[input], &schema, &ReadOptions::default()).unwrap_err()
    };
    let url = || Input::new(server.url("t"));
    for column in [
        "{name: a, type: integer, constraints: {minimum: 0, maximum: 9}}",
        "{name: b, type: number, constraints: {minimum: 0, maximum: 9}, dp: {bins: {count: 3}}}",
        "{name: c, type: string, constraints: {enum: [x]}}",
        "{name: d, type: datetime, constraints: {minimum: '2000-01-01T00:00:00', maximum: '2020-12-31T00:00:00'}, \
          dp: {bins: {count: 5}, timeZone: Europe/Berlin}}",
    ] {
        let error = refused(url(), &format!("fields: [{column}]"));
        assert!(error.to_string().starts_with("a database cannot count column"), "{error}");
        assert!(error.hint().unwrap().contains("leave out `--push-down`"));
    }
    let of_a = "fields: [{name: a, type: string, constraints: {enum: [x]}}]";
    let in_file = refused(Input::new("people.csv"), of_a);
    assert_eq!(in_file.to_string(), "`people.csv` is not a table of a database, so only a scan can count it");
    let of_units = refused(url(), &format!("{of_a}\ndp: {{privacyUnit: b, maxContributions: 2}}\n"));
    assert_eq!(of_units.to_string(), "a database cannot bound the rows of each `b`");
    let missing = refused(url(), "fields: [{name: aa, type: boolean}]");
    assert!(matches!(missing, EngineError::Schema { .. }), "{missing:?}");
}

/// The library of DuckDB; `None`, and a line is printed, if this machine has none.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn duckdb() -> Option<PathBuf> {
    let library = std::env::var_os("SCUMBLE_DUCKDB").map(PathBuf::from);
    if library.is_none() {
        eprintln!("SKIPPED: SCUMBLE_DUCKDB does not name the library of DuckDB, libduckdb.so");
    }
    library
}

#[cfg(feature = "adbc")]
#[test]
fn duckdb_counts_like_a_scan() {
    let Some(library) = duckdb() else { return };
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("people & more.duckdb");
    let mut columns = COLUMNS.to_vec();
    columns.push(("price", "DECIMAL", "'0', '0.01', '9.99', '10', '10.01', '-9', NULL"));
    columns.push(("floors", "DECIMAL", "'0', '0.5', '1', '9', '10', '-9', NULL"));
    columns.push(("tiny", "UTINYINT", "0, 1, 255, NULL"));
    columns.push(("mood", "VARCHAR", "'sad', 'happy', NULL"));
    let schema = SCHEMA.to_owned()
        + "  - {name: price, type: number, constraints: {minimum: 0, maximum: 10}, dp: {bins: {count: 4}}}\n  \
           - {name: floors, type: integer, constraints: {minimum: 0, maximum: 9}}\n  \
           - {name: tiny, type: integer, constraints: {minimum: 0, maximum: 9}}\n  \
           - {name: mood, type: string, constraints: {enum: [sad]}}\n";
    let escaped = file.display().to_string().replace('&', "%26");
    crate::driver::run(&library, &file, &statements(&columns));
    let input = Input::new(format!("adbc:{}?path={escaped}&table=people", library.display()));
    let schema = Schema::parse(&schema).unwrap();
    assert_counted_alike(&input, &schema);
    // A scan counts while it reads, too.
    let scan = TableScan::open(&[input], &schema, &ReadOptions::default()).unwrap();
    assert_eq!(scan.count_tables(&[Clique::empty()]).unwrap(), [[6000]]);
}

#[cfg(feature = "adbc")]
#[test]
fn drivers_and_files_that_are_not_there_are_named() {
    let schema = Schema::parse("fields: [{name: a, type: boolean}]").unwrap();
    let problem = |address: &str| match TableScan::open(&[Input::new(address)], &schema, &ReadOptions::default()) {
        Err(EngineError::Database { problem, table }) => (problem, table),
        other => panic!("{other:?}"),
    };
    let (found, shown) = problem("adbc:/nowhere/libduckdb.so?path=SECRET.db&table=t");
    assert_eq!((found, shown.as_str()), (DatabaseProblem::NoDriver, "adbc:/nowhere/libduckdb.so?table=t"));
    let Some(library) = duckdb() else { return };
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("none.duckdb");
    problem(&format!("adbc:{}?path={}&table=t", library.display(), file.display()));
    assert!(!file.exists(), "a wrong name makes no file");
    crate::driver::run(&library, &file, "CREATE TABLE u (a boolean)");
    let (found, _) = problem(&format!("adbc:{}?path={}&table=t", library.display(), file.display()));
    assert!(matches!(found, DatabaseProblem::NoTable | DatabaseProblem::Failed), "{found:?}");
}
