//! Neighbouring files give tables that differ only by the added line or row. The program
//! `neighbours` of `benchmarks/` repeats this with thousands of pairs.

#[path = "../../../../benchmarks/programs/neighbours/pairs.rs"]
mod pairs;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::random::Random;
use datafusion::datasource::file_format::file_compression_type::FileCompressionType;
use pairs::{FORMATS, KINDS, Kind, Pair, counts, differs_by_one_row};
use scumble_schema::{Dialect, Schema};
use tempfile::TempDir;

/// Pairs for each format and kind of table.
const PAIRS: u64 = 20;
const MANY: usize = 10_000;

#[test]
fn neighbouring_files_of_every_format_differ_by_one_row() {
    let directory = TempDir::new().unwrap();
    for (index, format) in FORMATS.into_iter().enumerate() {
        for (number, kind) in KINDS.into_iter().enumerate() {
            for pair in 0..PAIRS {
                let seed = (index * KINDS.len() + number) as u64 * 1_000_000 + pair;
                let checked = Pair::write(directory.path(), format, kind, &mut Random::new(seed)).check();
                assert_eq!(checked, Ok(()), "seed {seed}: {format}, {kind:?}");
            }
        }
    }
}

#[test]
fn the_check_notices_a_row_that_swallows_another() {
    let row = |n: u64| vec![vec![n], vec![n, 0]];
    assert_eq!(differs_by_one_row(&row(5), &row(6), Some(&row(1))), Ok(()));
    assert!(differs_by_one_row(&row(5), &row(5), Some(&row(1))).is_err());
    assert!(differs_by_one_row(&row(5), &row(4), None).is_err());
    assert!(differs_by_one_row(&row(5), &row(7), None).is_err());
    assert_eq!(differs_by_one_row(&row(5), &[vec![5], vec![4, 1]], None), Ok(()));
}

/// A file of 10,000 lines with distinct identifiers, whose second line has `added` as its sex.
fn ten_thousand(directory: &TempDir, added: &str) -> PathBuf {
    let mut text = String::from("id,sex,age,note\n");
    for id in 0..MANY {
        let sex = if id == 1 { added } else { "f" };
        writeln!(text, "{id},{sex},{},7", id % 100).unwrap();
    }
    let path = directory.path().join("rows.csv");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn an_unclosed_quote_in_one_of_ten_thousand_rows_is_text() {
    let directory = TempDir::new().unwrap();
    let schema = Kind::Rows.schema();
    let tables = counts(&ten_thousand(&directory, "\"x"), &schema).unwrap();
    assert_eq!(tables[0], [10_000]);
    // Codes of `sex`: f, m, missing, unknown.
    assert_eq!(tables[1], [9_999, 0, 0, 1]);
    let multiline = schema.with_dialect(Dialect { multiline: true, ..Dialect::default() });
    let tables = counts(&ten_thousand(&directory, "\"x"), &multiline).unwrap();
    assert_eq!(tables[0], [2], "what the owner's declaration assumes away");
}

#[test]
fn an_unclosed_quote_in_one_of_ten_thousand_units_is_text() {
    let directory = TempDir::new().unwrap();
    let tables = counts(&ten_thousand(&directory, "\"x"), &Kind::Units.schema()).unwrap();
    assert_eq!(tables[0], [10_000]);
    assert_eq!(tables[1], [9_999, 0, 0, 1]);
}

/// Reads a file that `write` makes of 100 lines and a line of more bytes than are held.
fn with_a_long_line(name: &str, bytes: usize, write: impl Fn(Vec<u8>) -> Vec<u8>) -> (u64, u64) {
    let directory = TempDir::new().unwrap();
    let schema =
        Schema::parse("fields:\n  - {name: sex, type: string, constraints: {enum: [f, m]}, dp: {open: true}}\n");
    let rows = |long: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, write([&b"sex,other\n"[..], long, &b"f,\n".repeat(100)].concat())).unwrap();
        counts(&path, schema.as_ref().unwrap()).unwrap()[0][0]
    };
    let long = [&b"\"m"[..], &vec![b' '; bytes], b"\n"].concat();
    (rows(b""), rows(&long))
}

#[test]
fn an_overlong_line_is_one_row() {
    assert_eq!(with_a_long_line("rows.csv", 40 << 20, |bytes| bytes), (100, 101));
}

#[test]
fn a_line_of_blanks_does_not_make_a_compressed_file_too_large() {
    // 80 MiB of blanks compress to a thousandth; a whole file of that is refused.
    let gzip = |bytes| crate::common::compress(FileCompressionType::GZIP, bytes);
    assert_eq!(with_a_long_line("rows.csv.gz", 80 << 20, gzip), (100, 101));
}
