//! Edge cases of CSV files.

use crate::common::{counts_of_text, read};
use scumble_engine::EngineError;
use scumble_schema::limits::FIELD_BYTES;
use scumble_schema::{Dialect, Encoding, Schema};
use tempfile::TempDir;

/// `sex` has codes f, m, missing, unknown; `age` has 0-9, 10-19, missing.
fn schema() -> Schema {
    Schema::parse(
        "
fields:
  - {name: sex, type: string, constraints: {enum: [f, m]}, dp: {open: true}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 19}, dp: {bins: {width: 10}}}
",
    )
    .unwrap()
}

#[test]
fn awkward_rows_are_rows() {
    /// A name, the bytes, and the counts of `sex` and `age`.
    type Case = (&'static str, &'static [u8], [u64; 4], [u64; 3]);
    let cases: [Case; 12] = [
        ("plain", b"sex,age\nf,1\nm,11\n", [1, 1, 0, 0], [1, 1, 0]),
        ("no last line end", b"sex,age\nf,1\nm,11", [1, 1, 0, 0], [1, 1, 0]),
        ("carriage returns", b"sex,age\r\nf,1\r\nm,11\r\n", [1, 1, 0, 0], [1, 1, 0]),
        ("byte order mark", b"\xEF\xBB\xBFsex,age\nf,1\n", [1, 0, 0, 0], [1, 0, 0]),
        ("quoted header after a mark", b"\xEF\xBB\xBF\"sex\",\"age\"\n\"f\",\"1\"\n", [1, 0, 0, 0], [1, 0, 0]),
        ("too short, too long", b"sex,age\nf\nm,11,5,6\n,\n", [1, 1, 1, 0], [0, 1, 2]),
        ("not UTF-8", b"sex,age\n\xFF\xFE,1\nf,\xC3\x28\n", [1, 0, 0, 1], [1, 0, 1]),
        ("line ends in quotes", b"sex,age\n\"f\nm\r\n\",1\n", [0, 1, 0, 2], [1, 0, 2]),
        ("a quote left open", b"sex,age\nf,1\nm,\"11\nf,1\n", [2, 1, 0, 0], [2, 0, 1]),
        ("a quote left open before a delimiter", b"sex,age\n\"f,1\nm,11\n", [0, 1, 0, 1], [1, 1, 0]),
        ("blank lines", b"\nsex,age\n\nf,1\n\n\r\n\n", [1, 0, 0, 0], [1, 0, 0]),
        ("NUL bytes", b"sex,age\n\0,\0\n", [0, 0, 0, 1], [0, 0, 1]),
    ];
    for (name, bytes, sex, age) in cases {
        let tables = counts_of_text(&schema(), bytes);
        assert_eq!((tables[1].as_slice(), tables[2].as_slice()), (&sex[..], &age[..]), "{name}");
    }
}

#[test]
fn lines_before_the_header_are_not_read() {
    let from = |row: &str| schema().with_dialect(Dialect { header_row: row.parse().unwrap(), ..Dialect::default() });
    let expected = counts_of_text(&schema(), b"sex,age\nf,1\nm,11\n");
    for (row, title) in [
        ("2", &b"Report, 2026\n"[..]),
        ("3", b"Report\r\n\r\n"),
        ("3", b"\xEF\xBB\xBFa \"quote left open\rsex,age\r"),
        // A blank line in place of the header is skipped, as it is in the first line.
        ("2", b"Report\n\n"),
    ] {
        assert_eq!(counts_of_text(&from(row), [title, b"sex,age\nf,1\nm,11\n"].concat()), expected);
    }
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    std::fs::write(&path, "sex,age\nf,1\n").unwrap();
    let problem = read(path, &from("9")).unwrap_err();
    assert!(problem.to_string().ends_with("has no header line"), "{problem}");
    assert!(problem.hint().unwrap().contains("`--header-row`"));
}

#[test]
fn without_a_header_the_first_line_is_a_row() {
    let dialect = |names: &str| Dialect {
        delimiter: "comma".parse().ok(),
        column_names: names.parse().ok(),
        ..Dialect::default()
    };
    let expected = counts_of_text(&schema(), b"sex,age\nf,1\nm,11\nx,\n");
    let rows = |names: &str, bytes: &[u8]| counts_of_text(&schema().with_dialect(dialect(names)), bytes);
    assert_eq!(rows("sex,age", b"f,1\nm,11\nx,\n"), expected);
    assert_eq!(rows("age,other,sex", b"1,?,f\r\n11,?,m,beyond\r\n,,x"), expected);
    assert_eq!(rows("sex,age,more", b"\nf,1\n\nm,11\nx\n"), expected, "blank lines are no rows");
    assert_eq!(rows("sex,age", b""), counts_of_text(&schema(), b"sex,age\n"));
    // A mark is a part of the first row, whose code must not depend on which row is the first.
    assert_eq!(rows("sex,age", b"\xEF\xBB\xBFf,1\nm,11\nx,\n")[1], [0, 1, 0, 2]);

    let utf16: Vec<u8> = "\u{FEFF}f,1\nm,11\nx,\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide = schema().with_dialect(Dialect { encoding: Encoding::Utf16, ..dialect("sex,age") });
    assert_eq!(counts_of_text(&wide, &utf16), expected);

    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    std::fs::write(&path, "f,1\n").unwrap();
    for (dialect, words) in [
        (Dialect { delimiter: None, ..dialect("sex,age") }, "the delimiter of `"),
        (Dialect { encoding: Encoding::Utf16, ..dialect("sex,age") }, "is not UTF-16"),
        (dialect("sex,agee"), "is not in the data"),
    ] {
        let problem = read(path.clone(), &schema().with_dialect(dialect)).unwrap_err().to_string();
        assert!(problem.contains(words), "{problem}");
    }
}

#[test]
fn records_span_lines_if_the_schema_declares_it() {
    let multiline = schema().with_dialect(Dialect { multiline: true, ..Dialect::default() });
    let tables = counts_of_text(&multiline, b"sex,age\n\"f\nm\r\n\",1\n\"m\",\"\n11\n\"\n");
    assert_eq!((&tables[1][..], &tables[2][..]), (&[0, 1, 0, 1][..], &[1, 1, 0][..]));
    let tables = counts_of_text(&multiline, b"sex,age\nf,1\nm,\"11\nf,1\n");
    assert_eq!((&tables[1][..], &tables[2][..]), (&[1, 1, 0, 0][..], &[1, 0, 1][..]));
}

#[test]
fn a_quote_that_the_header_leaves_open_is_part_of_a_name() {
    let schema = Schema::parse("fields:\n  - {name: '\"sex', type: string, constraints: {enum: [f, m]}}\n").unwrap();
    assert_eq!(counts_of_text(&schema, "\"sex,age\nf,1\n")[1], [1, 0, 0]);
}

#[test]
fn a_huge_field_is_one_unknown_value() {
    let mut bytes = b"sex,age\nf,1\n\"".to_vec();
    bytes.resize(bytes.len() + 3 * FIELD_BYTES, b'f');
    bytes.extend_from_slice(b"\",11\nm,");
    bytes.resize(bytes.len() + 2 * FIELD_BYTES, b'1');
    bytes.extend_from_slice(b"\nm,2\n");
    let tables = counts_of_text(&schema(), bytes);
    assert_eq!(tables[1], [1, 2, 0, 1]);
    assert_eq!(tables[2], [2, 1, 1]);
}

#[test]
fn a_header_alone_is_an_empty_table() {
    for bytes in ["sex,age", "sex,age\n", "\n\nsex,age\r\n"] {
        let tables = counts_of_text(&schema(), bytes);
        assert_eq!(tables[0], [0]);
        assert!(tables.iter().flatten().all(|count| *count == 0));
    }
}

#[test]
fn a_missing_value_written_as_a_blank_line_is_not_lost() {
    let schema = Schema::parse("fields:\n  - {name: sex, type: string, constraints: {enum: [f, m]}}\n").unwrap();
    assert_eq!(counts_of_text(&schema, "sex\nf\n\nm\n\"\"\n\n")[1], [1, 1, 3]);
    assert_eq!(counts_of_text(&schema, "sex\r\nf\r\n\r\nm\r\n")[1], [1, 1, 1]);
}

#[test]
fn rows_survive_batches_of_any_width() {
    // 20,000 rows are several batches, and quoted line ends fall on many boundaries of the 256 KiB
    // reads.
    let row = |row: u64| format!("\"{}\",{}\n", "f\n".repeat((row % 97).try_into().unwrap()), row % 20);
    let bytes = "sex,age\n".to_owned() + &(0..20_000).map(row).collect::<String>();
    let tables = counts_of_text(&schema().with_dialect(Dialect { multiline: true, ..Dialect::default() }), bytes);
    assert_eq!(tables[0], [20_000]);
    assert_eq!(tables[2], [10_000, 10_000, 0]);
}

#[test]
fn an_error_about_the_header_names_the_column() {
    let directory = TempDir::new().unwrap();
    let fail = |bytes: &str| {
        let path = directory.path().join("rows.csv");
        std::fs::write(&path, bytes).unwrap();
        read(path, &schema()).unwrap_err()
    };
    let path = directory.path().join("rows.csv").display().to_string();
    assert_eq!(fail("sex,Age\nf,1\n").to_string(), format!("column `age` is not in the data (`{path}`)"));
    assert_eq!(
        fail("sex,age,sex\nf,1\n").to_string(),
        format!("column `sex` is in the data more than once (`{path}`)")
    );
    assert_eq!(fail("").to_string(), format!("`{path}` has no header line"));
    assert!(matches!(fail("sex:age\nf:1\n"), EngineError::Schema { .. }));
    assert!(fail("sex,Age\n").hint().is_some());
}
