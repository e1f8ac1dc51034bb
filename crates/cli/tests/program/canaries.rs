//! Canaries in the data, T12: values outside declared domains, and counts, appear in no output, for
//! all commands and failures.

use std::fmt::Write;
use std::fs;
use std::process::{Command, Output, Stdio};

use crate::canary::{BUDGET, CANARY, FIELDS, NUMBER, UNITS, assert_clean, assert_clean_below, write_table};
use crate::folder::Folder;

const SCHEMA: &str = "\
dp: {privacyUnit: person_id, maxContributions: 2}
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {source: public, bins: {width: 10}}}
  - {name: city, type: string, constraints: {enum: [north, south]}, dp: {source: public, open: true}}
  - {name: smoker, type: boolean, constraints: {required: true}, dp: {source: assumed}}
  - {name: born, type: date, constraints: {minimum: \"1950-01-01\", maximum: \"2009-12-31\"}, dp: {source: public, bins: {count: 6}}}
";

/// Runs that succeed. Every verb of the program needs a line here.
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
        "--accept-weak-privacy",
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

/// Runs that fail while they read the table, with their exit codes.
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

/// Writes a table with a canary in every place that no schema declares.
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

/// Replaces `DATA` by the table with its schema, and `GOAL` by a budget.
fn in_full<'a>(run: &[&'a str]) -> Vec<&'a str> {
    let data = ["table.csv", "--schema", "table.schema.yaml", "--epsilon", "8", "--delta", "1e-6"];
    let written_out = |word: &&'a str| match *word {
        "DATA" => data.to_vec(),
        "GOAL" => data[3..].to_vec(),
        word => vec![word],
    };
    run.iter().flat_map(written_out).collect()
}

#[test]
fn undeclared_values_of_rows_are_in_no_output() {
    let folder = folder();
    let runs = RUNS.iter().map(|run| (*run, 0)).chain(FAILURES);
    for (run, exit_code) in runs {
        let output = folder.output(&in_full(run));
        let shown = [output.stdout, output.stderr].concat();
        assert_eq!(output.status.code(), Some(exit_code), "{run:?}: {}", String::from_utf8_lossy(&shown));
        assert_clean(&format!("what {run:?} shows"), &shown);
    }
    let looked_at = assert_clean_below(folder.root(), &["table.csv", "torn.csv.gz", "table.parquet"]);
    for name in ["auto.model", "auto.svg", "auto.json", "auto.html", "synth.csv", "sample.csv", "table.ledger"] {
        assert!(looked_at.iter().any(|file| file == name), "{name} was not looked at");
    }
}

#[test]
fn a_draft_has_names_of_columns_and_no_value() {
    let folder = folder();
    for arguments in [&["schema", "draft", "table.csv"][..], &["schema", "draft", "table.csv", "--json"]] {
        let output = folder.output(arguments);
        assert_eq!(output.status.code(), Some(0));
        let shown = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        // Names of columns count as public.
        assert_clean("a draft", shown.replace(&format!("{CANARY}_column"), "").as_bytes());
    }
}

/// Runs on a table whose counts are canaries, with their exit codes. `DATA` stands for the table
/// with its schema and a negligible budget, `UNITS` for a schema that limits the rows of a person.
const COUNTED_RUNS: [(&[&str], i32); 27] = [
    (&["schema", "draft", "data"], 0),
    (&["ledger", "init", "table.ledger", "--schema", "table.schema.yaml", "--epsilon", "1e-8", "--delta", "1e-11"], 0),
    (&["fit", "DATA", "--ledger", "table.ledger", "-o", "auto.model"], 0),
    (&["fit", "DATA", "--method", "mst", "-o", "mst.model", "--json"], 0),
    (
        &[
            "fit",
            "DATA",
            "--method",
            "independent",
            "--memory-limit",
            "64MiB",
            "--spill-dir",
            "spill",
            "-o",
            "low.model",
        ],
        0,
    ),
    (&["fit", "UNITS", "--method", "mst", "--spill-dir", "spill", "-o", "units.model"], 0),
    (&["fit", "UNITS", "--method", "independent", "--spill-dir", "spill", "-o", "units2.model", "--json"], 0),
    (&["synth", "DATA", "--rows", "300", "--model", "synth.model", "-o", "synth.csv"], 0),
    (&["synth", "DATA", "--method", "independent", "--rows", "300", "-o", "synth.tsv", "--json"], 0),
    (&["sample", "auto.model", "--rows", "300", "--seed", "1", "-o", "sample.csv", "--json"], 0),
    (&["inspect", "auto.model", "--svg", "auto.svg"], 0),
    (&["inspect", "auto.model", "--json"], 0),
    (&["inspect", "units.model", "--explain"], 0),
    (&["inspect", "low.model", "--json"], 0),
    (&["marginals", "auto.model", "-o", "auto.json"], 0),
    (&["marginals", "units.model", "-o", "units.json", "--json"], 0),
    (&["report", "auto.model", "-o", "auto.html"], 0),
    (&["report", "units.model", "-o", "units.html", "--json"], 0),
    (&["bundle", "auto.model", "--rows", "300", "-o", "bundled"], 0),
    (&["bundle", "verify", "bundled"], 0),
    (&["ledger", "show", "table.ledger"], 0),
    (&["ledger", "show", "table.ledger", "--json"], 0),
    (&["ledger", "verify", "table.ledger"], 0),
    // Refused after the table was opened: over the cap, with another schema, without a place to
    // write to, and by the method.
    (&["fit", "DATA", "--ledger", "table.ledger", "-o", "x.model"], 4),
    (&["fit", "data", "--schema", "other.schema.yaml", "--epsilon", "1", "--delta", "1e-9", "-o", "x.model"], 3),
    (&["fit", "DATA", "-o", "nowhere/x.model", "--json"], 6),
    (&["fit", "DATA", "--method", "privbayes", "--option", "theta=-1", "-o", "x.model"], 2),
];

/// Returns a run of the program in `folder`, with temporary files in `tmp` and all variables set
/// that make Rust programs verbose.
fn talkative(folder: &Folder, run: &[&str]) -> Command {
    let schema = |name| [&["data", "--schema", name], &BUDGET[..]].concat();
    let written_out = |word: &&str| match *word {
        "DATA" => schema("table.schema.yaml"),
        "UNITS" => schema("units.schema.yaml"),
        _ => vec![],
    };
    let mut program = Command::new(env!("CARGO_BIN_EXE_scumble"));
    for word in run {
        let words = written_out(word);
        if words.is_empty() {
            program.arg(word)
        } else {
            program.args(words)
        };
    }
    program.current_dir(folder.root()).stdin(Stdio::null()).env("TMPDIR", folder.path("tmp"));
    program.env("RUST_LOG", "trace").env("RUST_BACKTRACE", "full");
    program
}

fn counted_folder() -> Folder {
    let folder = Folder::new();
    for name in ["data", "tmp", "spill"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    write_table(&folder.path("data"));
    folder.write("table.schema.yaml", FIELDS);
    folder.write("units.schema.yaml", format!("{UNITS}{FIELDS}"));
    folder.write("other.schema.yaml", FIELDS.replace("shape", "form"));
    folder
}

#[test]
fn counts_of_the_table_are_in_no_output() {
    let folder = counted_folder();
    for (run, exit_code) in COUNTED_RUNS {
        let Output { status, stdout, stderr } = talkative(&folder, run).output().unwrap();
        let shown = [stdout, stderr].concat();
        assert_eq!(status.code(), Some(exit_code), "{run:?}: {}", String::from_utf8_lossy(&shown));
        assert_clean(&format!("what {run:?} shows"), &shown);
    }
    for name in ["tmp", "spill"] {
        assert_eq!(fs::read_dir(folder.path(name)).unwrap().count(), 0, "something is left in {name}");
    }
    let looked_at = assert_clean_below(folder.root(), &["data"]);
    for name in ["auto.model", "units.model", "auto.svg", "auto.json", "auto.html", "synth.csv", "table.ledger"] {
        assert!(looked_at.iter().any(|file| file == name), "{name} was not looked at");
    }
}

/// A process that is killed when the test ends or fails.
#[cfg(unix)]
struct Killed(std::process::Child);

#[cfg(unix)]
impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn a_killed_fit_leaves_counts_only_in_private_directories() {
    let folder = counted_folder();
    let private = |name: &str| fs::read_dir(folder.path(name)).unwrap().count();
    let fit = ["fit", "UNITS", "--method", "mst", "--spill-dir", "spill", "--ledger", "table.ledger", "-o", "x.model"];
    let init = ["ledger", "init", "table.ledger", "--schema", "units.schema.yaml", "--epsilon", "1", "--delta", "1e-6"];
    assert!(talkative(&folder, &init).output().unwrap().status.success());
    let log = fs::File::create(folder.path("shown.txt")).unwrap();
    let fit = talkative(&folder, &fit).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
    let mut fit = Killed(fit);
    crate::within_a_minute(|| (private("spill") > 0).then_some(()));
    assert!(fit.0.try_wait().unwrap().is_none(), "it is killed while it works");
    drop(fit);
    assert!(private("spill") > 0 && private("tmp") == 0);
    let looked_at = assert_clean_below(folder.root(), &["data"]);
    assert!(["shown.txt", "table.ledger"].iter().all(|name| looked_at.iter().any(|file| file == name)));
}
