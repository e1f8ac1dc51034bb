//! `scumble evaluate`: its scores, its files, and the stamp on every page that the result is not
//! private.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::folder::{Folder, assert_output};
use crate::html::check_page;

const STAMP: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";
const SCHEMA: &str = "\
fields:
  - name: age
    type: integer
    constraints: {minimum: 0, maximum: 79}
    dp: {source: public, bins: {width: 20}}
  - name: sex
    type: string
    constraints: {enum: [f, m], required: true}
    dp: {source: public, foldInto: f}
  - name: place
    type: string
    constraints: {enum: [north, south, west], required: true}
    dp: {source: public, foldInto: west}
  - name: income
    type: number
    constraints: {minimum: 0, maximum: 100}
    dp: {source: public, bins: {count: 5}}
";
const TABLES: [&str; 7] = ["evaluate", "--real", "real.csv", "--synth", "synthetic.csv", "--schema", "schema.yaml"];

/// Writes two deterministic tables: in the synthetic one income does not depend on age.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("schema.yaml", SCHEMA);
    let rows = |turn: usize| {
        let mut text = String::from("age,sex,place,income\n");
        for row in 0..600_usize {
            let number = row * row % 97;
            let age = if row % 23 == 0 { String::new() } else { (number % 80).to_string() };
            let sex = ["f", "m"][(number / 7 + row) % 2];
            let place = ["north", "south", "west", "south"][(row + turn) % 4];
            let income = (number + turn * row) % 97;
            writeln!(text, "{age},{sex},{place},{income}").unwrap();
        }
        text
    };
    folder.write("real.csv", rows(0));
    folder.write("synthetic.csv", rows(1));
    folder
}

/// Compares JSON, with numbers rounded to the precision of logarithms on any machine.
fn assert_json_output(output: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"(\d\.\d{6})\d+(e-\d+)?", "$1");
    settings.add_filter(r#""scumble":"[\d.]+""#, r#""scumble":"[VERSION]""#);
    settings.bind(|| {
        assert_output!(output);
    });
}

#[test]
fn evaluate_explains_itself() {
    assert_output!(Folder::new().run(&["evaluate", "--help"]));
}

#[test]
fn evaluate_shows_every_score_beside_what_can_be_achieved() {
    let folder = folder();
    let text = folder.run(&[&TABLES[..], &["-o", "steward.html"]].concat());
    assert!(text.lines().nth(1) == Some(STAMP), "the stamp stands first");
    assert_output!(text);
    assert_eq!(folder.names(), ["real.csv", "schema.yaml", "steward.html", "synthetic.csv"]);
}

#[test]
fn the_json_object_begins_with_the_stamp() {
    let folder = folder();
    let quick = [&TABLES[..], &["--quick", "--orders", "1,2", "--subgroup", "sex", "--json"]].concat();
    let text = folder.run(&quick);
    assert!(text.lines().nth(1).unwrap().starts_with(&format!("{{\"stamp\":\"{STAMP}\"")));
    assert_json_output(&text);
}

#[test]
fn the_same_tables_give_the_same_numbers_in_any_format() {
    let folder = folder();
    let json = |tables: &[&str]| folder.output(&[tables, &["--seed", "5", "--json"]].concat()).stdout;
    let once = json(&TABLES);
    assert!(once.len() > 1000 && once == json(&TABLES));
    // The rows in two files equal the rows in one.
    let text = std::fs::read_to_string(folder.path("real.csv")).unwrap();
    let (header, rows) = text.split_once('\n').unwrap();
    let middle = rows.match_indices('\n').nth(299).unwrap().0 + 1;
    folder.write("first.csv", format!("{header}\n{}", &rows[..middle]));
    folder.write("second.tsv", format!("{header}\n{}", &rows[middle..]).replace(',', "\t"));
    let parts =
        ["evaluate", "--real", "first.csv", "second.tsv", "--synth", "synthetic.csv", "--schema", "schema.yaml"];
    assert_eq!(json(&parts), once);
}

#[test]
fn the_page_says_what_it_is_on_every_sheet() {
    let folder = folder();
    folder.output(&[&TABLES[..], &["--earnings", "income", "sex", "place", "-o", "steward.html"]].concat());
    let page = std::fs::read_to_string(folder.path("steward.html")).unwrap();
    check_page(&page);
    assert!(page.contains(&format!("<div class=\"banner\" role=\"note\" aria-label=\"Warning\"><p>{STAMP}</p></div>")));
    for section in ["overview", "tables", "correlations", "subgroups", "learning", "chi-square", "propensity", "nist"] {
        assert!(page.contains(&format!("<section id=\"{section}\"")), "{section}");
    }
    assert!(page.contains("pay gap"), "the regression metric was asked for");
}

#[test]
fn evaluate_says_why_it_could_not() {
    let folder = folder();
    folder.write("empty.csv", "age,sex,place,income\n");
    folder.write("other.csv", "age,sex\n3,f\n4,m\n");
    let with = |more: &[&str]| folder.run(&[&TABLES[..], more].concat());
    let of = |real: &str, synthetic: &str| {
        folder.run(&["evaluate", "--real", real, "--synth", synthetic, "--schema", "schema.yaml"])
    };
    let texts = [
        of("missing.csv", "synthetic.csv"),
        of("real.csv", "other.csv"),
        of("empty.csv", "synthetic.csv"),
        folder.run(&["evaluate", "--real", "real.csv", "--synth", "synthetic.csv", "--schema", "missing.yaml"]),
        with(&["--subgroup", "height"]),
        with(&["--target", "height", "--json"]),
        with(&["--orders", "0,2"]),
        with(&["--count", "0"]),
        with(&["--earnings", "sex", "sex", "place"]),
        with(&["-o", "no/such/folder.html"]),
        with(&["--quick", "--quiet"]),
    ];
    assert_output!(texts.concat());
}

/// Returns the paths of the independent judge, if it is installed; see
/// `crates/evaluate/tests/judge.rs`.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn judge() -> Option<(PathBuf, PathBuf, PathBuf)> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(beside, PathBuf::from);
    let program = data.join("../eval/evaluate.py");
    let python = std::env::var_os("SCUMBLE_PYTHON").map(PathBuf::from);
    match python {
        Some(python) if data.join("adult").is_dir() && program.is_file() => Some((python, program, data)),
        _ => {
            eprintln!(
                "SKIPPED: no judge; set SCUMBLE_BENCH_DATA to the tables and SCUMBLE_PYTHON to a Python with pandas"
            );
            None
        }
    }
}

#[test]
fn distances_are_those_of_the_judge() {
    /// The judge sums floats in another order.
    const TOLERANCE: f64 = 1e-12;
    let Some((python, program, data)) = judge() else { return };
    for name in ["nltcs", "adult"] {
        let folder = Folder::new();
        let domain = data.join(name).join("domain.json");
        let rows = data.join(name).join("data.csv");
        let [domain, rows] = [&domain, &rows].map(|path| path.to_str().unwrap());
        folder.output(&["schema", "import", "--from", "mbi", domain, "-o", "schema.yaml"]);
        let fit = ["synth", rows, "--schema", "schema.yaml", "--method", "independent", "--epsilon", "1"];
        folder.output(&[&fit[..], &["--delta", "1e-9", "-o", "synthetic.csv"]].concat());
        let evaluate = ["evaluate", "--real", rows, "--synth", "synthetic.csv", "--schema", "schema.yaml"];
        let ours = folder.output(&[&evaluate[..], &["--quick", "--json"]].concat());
        let ours: Value = serde_json::from_slice(&ours.stdout).unwrap();

        let mut judge = Command::new(&python);
        judge.arg(&program).args(["score", "--real", rows, "--domain", domain, "--synth"]);
        let theirs = judge.arg(folder.path("synthetic.csv")).output().unwrap();
        assert!(theirs.status.success(), "{}", String::from_utf8_lossy(&theirs.stderr));
        let theirs: Value = serde_json::from_slice(&theirs.stdout).unwrap();

        let orders = ours["marginals"]["orders"].as_array().unwrap();
        assert_eq!(orders.len(), 5);
        for order in orders {
            let judged = &theirs["tvd"][order["order"].to_string()];
            for (ours, theirs) in
                [(&order["mean"]["value"], &judged["mean"]), (&order["largest"]["value"], &judged["max"])]
            {
                let difference = ours.as_f64().unwrap() - theirs.as_f64().unwrap();
                assert!(difference.abs() < TOLERANCE, "{name}: {order} against {judged}");
            }
            assert_eq!(order["tables"], judged["count"]);
        }
        // Equal zeros would prove nothing.
        assert!(orders[1]["mean"]["value"].as_f64().unwrap() > 0.001);
    }
}
