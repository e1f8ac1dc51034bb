//! Records that span lines: declared for real tables, and recognised in our own files.

use serde_json::Value;

use crate::folder::Folder;

/// One of the two categories has two lines.
const SCHEMA: &str = "\
fields:
  - name: note
    type: string
    constraints: {enum: [plain, \"two\\nlines\"], required: true}
    dp: {source: public, open: true}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 9}, dp: {source: public}}
";
const FIT: [&str; 12] = [
    "fit",
    "table.csv",
    "--schema",
    "table.schema.yaml",
    "--method",
    "mst",
    "--epsilon",
    "200",
    "--accept-weak-privacy",
    "--delta",
    "1e-9",
    "-o",
];

/// Writes 600 rows, one in three with the category of two lines.
fn with_table() -> Folder {
    let folder = Folder::new();
    let row = |row: usize| format!("{},{}\n", ["plain", "plain", "\"two\nlines\""][row % 3], row % 10);
    folder.write("table.csv", "note,age\n".to_owned() + &(0..600).map(row).collect::<String>());
    folder.write("table.schema.yaml", SCHEMA);
    folder
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let output = folder.output(&[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the share of undeclared values of `note`, by `schema check`.
fn unknown_share(folder: &Folder, flags: &[&str]) -> f64 {
    let checked = json(folder, &[&["schema", "check", "table.schema.yaml", "table.csv"], flags].concat());
    checked["coverage"]["columns"][0]["unknown"].as_f64().unwrap()
}

#[test]
fn a_line_is_a_record_unless_declared_otherwise() {
    let folder = with_table();
    // 400 rows, and 200 that are two lines each.
    assert!((unknown_share(&folder, &[]) - 0.5).abs() < 1e-9);
    assert!(unknown_share(&folder, &["--multiline"]) < 1e-9);
    folder.write("table.schema.yaml", format!("dialect: {{multiline: true}}\n{SCHEMA}"));
    assert!(unknown_share(&folder, &[]) < 1e-9);
}

#[test]
fn the_declaration_is_an_assumption_of_the_model() {
    let folder = with_table();
    let lines = json(&folder, &[&FIT[..], &["lines.model"]].concat());
    assert_eq!(lines["summary"].get("assumptions"), None);
    let records = json(&folder, &[&FIT[..], &["records.model", "--multiline"]].concat());
    assert_eq!(records["summary"]["assumptions"].as_array().unwrap().len(), 1);
    let inspected = folder.run(&["inspect", "records.model"]);
    assert!(inspected.contains("may span lines"), "{inspected}");
}

#[test]
fn our_own_rows_of_several_lines_are_read_back() {
    let folder = with_table();
    json(&folder, &[&FIT[..], &["a.model", "--multiline"]].concat());
    json(&folder, &["bundle", "a.model", "--rows", "300", "--seed", "5", "--date", "2026-11-15", "-o", "bundle"]);
    let verified = folder.run(&["bundle", "verify", "bundle"]);
    assert!(verified.ends_with("----- exit code 0\n"), "{verified}");

    let rows = ["--rows", "600", "--seed", "1", "-o", "synth.csv"];
    json(&folder, &[&["sample", "a.model"], &rows[..]].concat());
    let evaluate =
        ["evaluate", "--real", "table.csv", "--synth", "synth.csv", "--schema", "table.schema.yaml", "--quick"];
    let evaluated = json(&folder, &[&evaluate[..], &["--multiline"]].concat());
    assert_eq!(
        (&evaluated["rows"]["real"], &evaluated["rows"]["synthetic"]),
        (&600.into(), &600.into()),
        "{evaluated}"
    );
}
