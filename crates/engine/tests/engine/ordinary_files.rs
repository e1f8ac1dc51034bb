//! Ordinary files: other delimiters, quotes and encodings, decimal commas, archives and workbooks.

use std::fs;
use std::path::PathBuf;

use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, Damage, EngineError, Input, ReadOptions, column_types};
use scumble_schema::{Dialect, Schema};
use tempfile::TempDir;

use crate::archives::{workbook, zip};
use crate::common::{counts, counts_of_text, read};

/// Codes of `city`: Köln, Rom, missing, unknown; of `pay`: four bins of 1000, missing, unknown.
const FIELDS: &str = "
fields:
  - {name: city, type: string, constraints: {enum: [Köln, Rom]}, dp: {open: true}}
  - {name: pay, type: number, constraints: {minimum: 0, maximum: 4000}, dp: {bins: {width: 1000}, open: true}}
";

fn schema(dialect: &str) -> Schema {
    Schema::parse(&format!("{dialect}{FIELDS}")).unwrap()
}

/// The counts of both columns.
fn columns(tables: &[Vec<u64>]) -> [&[u64]; 2] {
    [&tables[1], &tables[2]]
}

/// Two rows: Köln with 500, Rom with 2500.
const TWO_ROWS: [&[u64]; 2] = [&[1, 1, 0, 0], &[1, 0, 1, 0, 0, 0]];

#[test]
fn the_header_decides_on_the_delimiter() {
    for text in [
        "city,pay\nKöln,500\nRom,2500\n",
        "city;pay\nKöln;500\nRom;2500\n",
        "\u{feff}city;pay\r\nKöln;500\r\nRom;2500\r\n",
        "city\tpay\nKöln\t500\nRom\t2500\n",
        "\"city\"|\"pay\"\n\"Köln\"|500\nRom|\"2500\"\n",
        "pay;note, with a comma;city\n500;a,b,c,d,e;Köln\n2500;;Rom\n",
    ] {
        assert_eq!(columns(&counts_of_text(&schema(""), text)), TWO_ROWS, "{text}");
    }
}

#[test]
fn a_declared_delimiter_overrides_the_header() {
    let text = "city;pay,x,y,z\nKöln;500,\nRom;2500\n";
    let schema = Schema::parse(
        "dialect: {delimiter: ';'}\nfields: [{name: city, type: string, constraints: {enum: [Köln, Rom]}, dp: {open: true}}]",
    );
    assert_eq!(counts_of_text(&schema.unwrap(), text)[1], [1, 1, 0, 0]);
}

#[test]
fn rows_do_not_decide_on_the_delimiter() {
    // Every row but the header has more semicolons than commas.
    let tables = counts_of_text(&schema(""), "city,pay\nKöln;x;y;z,500\nRom,2500\n");
    assert_eq!(columns(&tables), [&[0, 1, 0, 1][..], &[1, 0, 1, 0, 0, 0]]);
}

#[test]
fn quotes_and_comments_are_as_declared() {
    let dialect = "dialect: {quoteChar: \"'\", commentChar: '#'}\n";
    let text = "# made by hand; do not edit\ncity,pay\n'Köln','500'\n# a row that is none\nRom,2500\n";
    assert_eq!(columns(&counts_of_text(&schema(dialect), text)), TWO_ROWS);
    assert_eq!(counts_of_text(&schema(""), text.replacen("# made by hand; do not edit\n", "", 1))[0], [3]);
}

#[test]
fn latin_1_is_read_if_it_is_declared() {
    let bytes = b"city;pay;gr\xF6\xDFe\nK\xF6ln;500;1\nRom;2500;2\n";
    assert_eq!(columns(&counts_of_text(&schema("dialect: {encoding: latin-1}\n"), bytes)), TWO_ROWS);
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    fs::write(&path, bytes).unwrap();
    let error = read(&path, &schema("")).unwrap_err();
    assert!(error.to_string().ends_with("is not UTF-8"), "{error}");
    assert!(error.hint().unwrap().contains("--encoding windows-1252"));
}

#[test]
fn numbers_are_read_with_their_decimal_commas_and_groups() {
    let schema = Schema::parse(
        "fields: [{name: pay, type: number, decimalChar: ',', groupChar: '.', constraints: {minimum: 0, maximum: 4000}, dp: {bins: {width: 1000}, open: true}}]",
    );
    let text = "pay;x\n0,5;\n1.234,56;\n3999;\n1.5;\n-;\n;\n";
    // `1.5` and `-` are not numbers here.
    assert_eq!(counts_of_text(&schema.unwrap(), text)[1], [1, 1, 0, 1, 1, 2]);
}

#[test]
fn a_repeated_name_is_refused_if_the_schema_reads_it() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("rows.csv");
    fs::write(&path, "city;pay;pay\nRom;1;2\n").unwrap();
    let error = read(&path, &schema("")).unwrap_err();
    assert!(error.to_string().starts_with("column `pay` is in the data more than once"), "{error}");
    fs::write(&path, "city;pay;x;x\nRom;1;2;3\n").unwrap();
    read(&path, &schema("")).unwrap();
}

fn written(directory: &TempDir, name: &str, bytes: Vec<u8>) -> PathBuf {
    let path = directory.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn an_archive_with_one_table_is_read() {
    let directory = TempDir::new().unwrap();
    let table = "city;pay\nKöln;500\nRom;2500\n".as_bytes();
    let files: [(&str, &[u8]); 4] =
        [("folder/", b""), ("folder/people.csv", table), ("read me.txt", b"x"), ("__MACOSX/._people.csv", b"\0")];
    let path = written(&directory, "people.zip", zip(&files));
    assert_eq!(columns(&counts(&read(&path, &schema("")).unwrap(), &schema(""))), TWO_ROWS);
    let book = workbook(&[("a", SHEET)], &["Köln"]);
    let path = written(&directory, "book.zip", zip(&[("book.xlsx", &book)]));
    assert_eq!(columns(&counts(&read(&path, &schema("")).unwrap(), &schema(""))), TWO_ROWS);
}

#[test]
fn archives_with_no_table_or_several_are_refused_with_a_hint() {
    let directory = TempDir::new().unwrap();
    let table: &[u8] = b"city,pay\n";
    for (files, sentence) in [
        (&[("a.txt", table), ("b.txt", table)][..], "holds no data file"),
        (&[("a.csv", table), ("b.csv", table)], "holds several tables, such as `a.csv` and `b.csv`"),
        (&[("a.zip", table)], "holds no data file"),
    ] {
        let error = read(written(&directory, "a.zip", zip(files)), &schema("")).unwrap_err();
        assert!(error.to_string().ends_with(sentence) && error.hint().is_some(), "{error}");
    }
    // A single text file is the table, and with a format any single file.
    let path = written(&directory, "a.zip", zip(&[("export.txt", table)]));
    read(path, &schema("")).unwrap();
    let path = written(&directory, "a.zip", zip(&[("export", table)]));
    assert!(read(&path, &schema("")).is_err());
    let options = ReadOptions { format: Some(scumble_engine::Format::Csv), ..ReadOptions::default() };
    CodedTable::read(&[Input::new(path)], &schema(""), &options).unwrap();
}

#[test]
fn corrupted_archives_are_errors_and_not_shorter_tables() {
    let directory = TempDir::new().unwrap();
    let table = "city,pay\n".to_owned() + &"Rom,500\n".repeat(1000);
    let whole = zip(&[("a.csv", table.as_bytes())]);
    for keep in [0, 3, 40, whole.len() / 2, whole.len() - 1] {
        let error = read(written(&directory, "a.zip", whole[..keep].to_vec()), &schema("")).unwrap_err();
        assert!(matches!(error, EngineError::Engine { problem: Damage::NotZip, .. }), "{keep}: {error:?}");
    }
    // Every byte of the archive in turn: no panic, and either all rows or an error.
    for place in 0..whole.len() {
        let mut changed = whole.clone();
        changed[place] ^= 0xFF;
        if let Ok(table) = read(written(&directory, "a.zip", changed), &schema("")) {
            assert_eq!(table.count_tables(&[scumble_schema::Clique::empty()]).unwrap(), [[1000]], "byte {place}");
        }
    }
}

#[test]
fn an_archive_that_unpacks_to_far_too_much_is_refused() {
    let directory = TempDir::new().unwrap();
    let bomb = [&b"city,pay\n"[..], &b"\n".repeat(160 << 20)].concat();
    let error = read(written(&directory, "bomb.zip", zip(&[("a.csv", &bomb)])), &schema("")).unwrap_err();
    assert!(matches!(error, EngineError::Engine { problem: Damage::Outsized, .. }), "{error:?}");
}

/// The two rows, below a title, with a column that has no name.
const SHEET: &str = r#"<row r="2"><c r="B2" t="inlineStr"><is><t>city</t></is></c><c r="D2" t="str"><v>pay</v></c></row>
    <row r="3"><c r="B3" t="s"><v>0</v></c><c r="C3"><v>7</v></c><c r="D3"><v>5.0E2</v></c></row>
    <row r="4"><c r="A4"><v>9</v></c><c r="B4" t="str"><v>Rom</v></c><c r="D4"><f>1+1</f><v>2500</v></c></row>
    <row r="5"><c r="B5" s="1"/></row>"#;

#[test]
fn the_first_sheet_of_a_workbook_is_read_or_the_one_that_is_named() {
    let directory = TempDir::new().unwrap();
    let other = r#"<row><c t="str"><v>pay</v></c><c t="str"><v>city</v></c></row><row><c><v>1</v></c></row>"#;
    let path = written(&directory, "book.xlsx", workbook(&[("people", SHEET), ("more", other)], &["Köln"]));
    // The dialect applies to text files only.
    for dialect in ["", "dialect: {delimiter: ';', encoding: latin-1}\n"] {
        assert_eq!(columns(&counts(&read(&path, &schema(dialect)).unwrap(), &schema(dialect))), TWO_ROWS);
    }
    let sheet = |name: &str| {
        let input = Input::new(&path).with_sheet(Some(name.into()));
        CodedTable::read(&[input], &schema(""), &ReadOptions::default())
    };
    assert_eq!(columns(&counts(&sheet("more").unwrap(), &schema(""))), [&[0, 0, 1, 0][..], &[1, 0, 0, 0, 0, 0]]);
    let error = sheet("none").unwrap_err();
    assert!(error.to_string().ends_with("has no sheet `none`"), "{error}");
    assert_eq!(error.hint().unwrap(), "it has `people`, `more`");
    let names = column_types(&Input::new(&path), None, &Dialect::default()).unwrap().types;
    assert_eq!(names.fields().iter().map(|field| field.name().as_str()).collect::<Vec<_>>(), ["city", "pay"]);
}

#[test]
fn days_of_a_workbook_are_dates() {
    let directory = TempDir::new().unwrap();
    let schema = Schema::parse(
        "fields: [{name: born, type: date, constraints: {minimum: 2025-01-01, maximum: 2025-12-31}, dp: {bins: {by: month}, open: true}}]",
    );
    let schema = schema.unwrap();
    let rows = r#"<row><c t="str"><v>born</v></c></row><row><c s="1"><v>45943</v></c></row><row><c><v>45943</v></c></row>
        <row><c s="1"><v>45943.75</v></c></row><row><c s="1" t="d"><v>2025-02-03</v></c></row><row><c t="e"><v>#SPILL!</v></c></row>"#;
    let table = read(written(&directory, "a.xlsx", workbook(&[("a", rows)], &[])), &schema).unwrap();
    // Twelve months, missing, unknown: a number that is not a date, and an error value.
    assert_eq!(counts(&table, &schema)[1], [0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2]);
}

#[test]
fn no_cell_can_fail_a_workbook() {
    let directory = TempDir::new().unwrap();
    for cell in [
        "<c t=\"s\"><v>99999999999999999999</v></c>",
        "<c t=\"s\"><v>-1</v></c>",
        "<c t=\"n\"><v>not a number</v></c>",
        "<c t=\"b\"><v>perhaps</v></c>",
        "<c t=\"e\"><v>#BUSY!</v></c>",
        "<c t=\"unheard of\"><v>1</v></c>",
        "<c s=\"77\"><v>1</v></c>",
        "<c s=\"x\" r=\"ZZZZZZZZZZZZ99999999999999\"><v>1</v></c><c t=\"str\"><v>x</v></c>",
        "<c r=\"!\"><v>&nothing; &#xD800; & &</v></c>",
        "<c t=\"inlineStr\"><is><t>a</t><rPh><t>b</t></rPh></is></c>",
        "<c><v><x><y/></x>1</v><extLst><ext/></extLst></c>",
        "<c t=\"str\"><v>a\nb, \"c\"\r\n</v></c>",
        "<c s=\"1\"><v>1e308</v></c>",
    ] {
        let rows = format!(
            "<row><c t=\"str\"><v>city</v></c><c t=\"str\"><v>pay</v></c></row><row>{cell}</row><row><c t=\"str\"><v>Rom</v></c></row>"
        );
        let path = written(&directory, "a.xlsx", workbook(&[("a", &rows)], &["x"]));
        let tables = counts(&read(path, &schema("")).unwrap(), &schema(""));
        assert_eq!((&tables[0][..], tables[1][1]), (&[2][..], 1), "{cell}");
    }
}

#[test]
fn an_invalid_workbook_is_refused() {
    let directory = TempDir::new().unwrap();
    for bytes in [b"city,pay\nRom,1\n".to_vec(), zip(&[("a.csv", b"city,pay\n")]), zip(&[])] {
        let error = read(written(&directory, "a.xlsx", bytes), &schema("")).unwrap_err();
        assert!(matches!(error, EngineError::Engine { problem: Damage::NotWorkbook, .. }), "{error:?}");
    }
}

#[test]
fn private_copies_are_removed_with_their_table() {
    let directory = TempDir::new().unwrap();
    let spill = TempDir::new().unwrap();
    let path = written(&directory, "a.zip", zip(&[("a.csv", b"city,pay\nRom,1\n")]));
    let options = ReadOptions { spill_directory: Some(spill.path().to_owned()), ..ReadOptions::default() };
    let table = CodedTable::read(&[Input::new(path)], &schema(""), &options).unwrap();
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 1);
    drop(table);
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
}
