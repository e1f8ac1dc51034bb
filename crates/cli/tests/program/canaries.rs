//! Canary tokens in the data, T12: what stands in rows and in no declared domain is in nothing that leaves, whatever is done with
//! the table and however it goes wrong.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::folder::Folder;

/// In every canary that is a text.
const CANARY: &str = "canary7f3a";
/// A number beyond all bounds, so long that no other happens to hold it.
const NUMBER: &str = "481516234299";

const SCHEMA: &str = "\
dp: {privacyUnit: person_id, maxContributions: 2}
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {source: public, bins: {width: 10}}}
  - {name: city, type: string, constraints: {enum: [north, south]}, dp: {source: public, open: true}}
  - {name: smoker, type: boolean, constraints: {required: true}, dp: {source: assumed}}
  - {name: born, type: date, constraints: {minimum: \"1950-01-01\", maximum: \"2009-12-31\"}, dp: {source: public, bins: {count: 6}}}
";

/// Runs that end well. A verb that is added to the program gets a line here.
const RUNS: [&[&str]; 26] = [
    &["schema", "check", "table.schema.yaml"],
    &[
        "ledger",
        "init",
        "table.ledger",
        "--schema",
        "table.schema.yaml",
        "--epsilon",
        "40",
        "--delta",
        "1e-6",
        "--accounting",
        "zcdp",
    ],
    &["fit", "DATA", "--ledger", "table.ledger", "-o", "auto.model"],
    &["fit", "DATA", "--method", "mst", "-o", "mst.model", "--json"],
    &["fit", "DATA", "--method", "privbayes", "-o", "privbayes.model"],
    &["fit", "DATA", "--method", "privbayes-nist", "-o", "nist.model"],
    &["fit", "DATA", "--method", "independent", "-o", "independent.model"],
    &["synth", "DATA", "--rows", "300", "--model", "synth.model", "-o", "synth.csv"],
    &["synth", "DATA", "--method", "independent", "-o", "synth.tsv", "--json"],
    &["sample", "auto.model", "--rows", "300", "--seed", "1", "-o", "sample.csv"],
    &["inspect", "auto.model", "--svg", "auto.svg"],
    &["inspect", "auto.model", "--json"],
    &["inspect", "auto.model", "--explain"],
    &["inspect", "mst.model", "--svg", "mst.svg"],
    &["inspect", "privbayes.model", "--svg", "privbayes.svg"],
    &["inspect", "nist.model", "--svg", "nist.svg"],
    &["inspect", "independent.model", "--svg", "independent.svg"],
    &["marginals", "auto.model", "-o", "auto.json"],
    &["report", "auto.model", "-o", "auto.html"],
    &["report", "privbayes.model", "-o", "privbayes.html", "--json"],
    &["report", "independent.model", "-o", "independent.html"],
    &["bundle", "auto.model", "--rows", "300", "-o", "bundled"],
    &["bundle", "verify", "bundled"],
    &["ledger", "show", "table.ledger"],
    &["ledger", "show", "table.ledger", "--json"],
    &["ledger", "verify", "table.ledger"],
];

/// Runs that fail while they have the table in their hands, with their exit codes.
const FAILURES: [(&[&str], i32); 9] = [
    (&["fit", "table.csv", "--schema", "other.schema.yaml", "GOAL", "-o", "x.model"], 3),
    (&["fit", "torn.csv.gz", "--schema", "table.schema.yaml", "GOAL", "-o", "x.model"], 3),
    (&["fit", "table.parquet", "--schema", "table.schema.yaml", "GOAL", "-o", "x.model"], 3),
    (&["fit", "table.csv", "--schema", "table.csv", "GOAL", "-o", "x.model"], 3),
    (&["fit", "DATA", "-o", "nowhere/x.model"], 6),
    (&["fit", "DATA", "--method", "privbayes", "--option", "theta=-1", "-o", "x.model", "--json"], 2),
    (&["fit", "--from-marginals", "table.csv", "--schema", "table.schema.yaml", "-o", "x.model"], 3),
    (&["inspect", "table.csv"], 3),
    (&["sample", "table.csv", "-o", "x.csv", "--json"], 3),
];

/// A table with a canary in every place that no schema declares.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut table = format!("person_id,age,city,smoker,born,{CANARY}_column,diary\n");
    for row in 0..400 {
        let person = format!("{CANARY}-unit-{}", row % 150);
        let diary = format!("\"{CANARY}, and what {NUMBER} thought\"");
        let values = match row % 5 {
            0 => format!("{CANARY}-age,{CANARY}-city,{CANARY}-smoker,{CANARY}-born"),
            1 => format!("{NUMBER},{NUMBER},{NUMBER},{NUMBER}-01-01"),
            2 => format!("-{NUMBER}.5,\"{CANARY}\n of two lines\",,"),
            _ => format!("{},{},{},19{}-05-01", row % 90, ["north", "south"][row % 2], row % 2 == 0, 50 + row % 50),
        };
        writeln!(table, "{person},{values},{NUMBER},{diary}").unwrap();
    }
    folder.write("table.csv", &table);
    folder.write("table.schema.yaml", SCHEMA);
    folder.write("other.schema.yaml", SCHEMA.replace("city", "town"));
    folder.write("torn.csv.gz", [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], table.as_bytes()].concat());
    folder.write("table.parquet", format!("PAR1{table}PAR1"));
    folder
}

/// `DATA` stands for the table with its schema, and with a budget, for which `GOAL` stands.
fn in_full<'a>(run: &[&'a str]) -> Vec<&'a str> {
    let data = ["table.csv", "--schema", "table.schema.yaml", "--epsilon", "8", "--delta", "1e-6"];
    let written_out = |word: &&'a str| match *word {
        "DATA" => data.to_vec(),
        "GOAL" => data[3..].to_vec(),
        word => vec![word],
    };
    run.iter().flat_map(written_out).collect()
}

fn assert_no_canary(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    for canary in [CANARY, NUMBER] {
        assert!(!text.contains(canary), "{what} holds `{canary}`");
    }
}

fn assert_no_canary_below(folder: &Path, looked_at: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            assert_no_canary_below(&entry.path(), looked_at);
        } else if !["table.csv", "torn.csv.gz", "table.parquet"].contains(&name.as_str()) {
            assert_no_canary(&name, &fs::read(entry.path()).unwrap());
            looked_at.push(name);
        }
    }
}

#[test]
fn what_stands_in_rows_alone_is_in_nothing_that_leaves() {
    let folder = folder();
    let runs = RUNS.iter().map(|run| (*run, 0)).chain(FAILURES);
    for (run, exit_code) in runs {
        let output = folder.output(&in_full(run));
        let shown = [output.stdout, output.stderr].concat();
        assert_eq!(output.status.code(), Some(exit_code), "{run:?}: {}", String::from_utf8_lossy(&shown));
        assert_no_canary(&format!("what {run:?} shows"), &shown);
    }
    let mut looked_at = Vec::new();
    assert_no_canary_below(folder.path("").as_path(), &mut looked_at);
    for name in ["auto.model", "auto.svg", "auto.json", "auto.html", "synth.csv", "sample.csv", "table.ledger"] {
        assert!(looked_at.iter().any(|file| file == name), "{name} was not looked at");
    }
}

#[test]
fn a_draft_names_columns_and_holds_no_value() {
    let folder = folder();
    for arguments in [&["schema", "draft", "table.csv"][..], &["schema", "draft", "table.csv", "--json"]] {
        let output = folder.output(arguments);
        assert_eq!(output.status.code(), Some(0));
        let shown = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        // Names of columns count as public.
        assert_no_canary("a draft", shown.replace(&format!("{CANARY}_column"), "").as_bytes());
    }
}
