//! Quality that may be published, and releases that must meet criteria.

use std::process::Output;

use serde_json::Value;

use crate::folder::Folder;

const BUDGET: [&str; 4] = ["--epsilon", "8", "--delta", "1e-9"];
const LOOSE: &str = "criteria:\n  - {tables: 2, atMost: 0.5}\n  - {tables: 1, statistic: max, atMost: 0.5}\n  \
                     - {mean: age, within: {sex: female}, atMost: 20}\n  - {accuracy: sex, atLeast: 0.2}\n  \
                     - {column: age, atMost: 0.0001, mandatory: false}\n";
const STRICT: &str = "confidence: 0.99\ncriteria:\n  - {tables: 3, statistic: max, atMost: 0.0001}\n";

fn folder() -> Folder {
    let folder = Folder::new();
    let demo = folder.output(&["demo", "--rows", "4000", "-o", "people"]);
    assert!(demo.status.success());
    folder.write("loose.yaml", LOOSE);
    folder.write("strict.yaml", STRICT);
    folder
}

fn release(folder: &Folder, more: &[&str]) -> Output {
    let table = ["release", "people/people.csv", "--schema", "people/people.schema.yaml", "--method", "mst"];
    folder.output(&[&table[..], &BUDGET, more].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output.stderr)))
}

#[test]
fn rows_that_meet_the_criteria_are_written_with_their_figures() {
    let folder = folder();
    let released = release(&folder, &["--accept", "loose.yaml", "--json", "-o", "out"]);
    assert!(released.status.success(), "{}", text(&released.stderr));
    let result = json(&released);
    assert_eq!(result["accepted"], true);
    let outcomes: Vec<&str> =
        result["criteria"].as_array().unwrap().iter().map(|one| one["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes[..4], ["met"; 4]);
    assert_ne!(outcomes[4], "met");
    assert!(!folder.path("out.model").exists(), "the bundle has the model");
    let quality: Value = serde_json::from_slice(&std::fs::read(folder.path("out/quality.json")).unwrap()).unwrap();
    assert_eq!(quality["figures"].as_array().unwrap().len(), 5);
    for page in ["out/README.md", "out/index.html", "out/report.html"] {
        let page = std::fs::read_to_string(folder.path(page)).unwrap();
        assert!(page.contains("mean error of tables over 2 columns"), "the page has the figures");
    }
    let first_screen = std::fs::read_to_string(folder.path("out/index.html")).unwrap();
    assert!(first_screen.contains("synthetic rows were compared with the real ones: in a table over 2 columns"));
    let verified = folder.output(&["bundle", "verify", "out"]);
    assert!(verified.status.success(), "{}", text(&verified.stdout));
    // Figures are part of what is verified.
    let changed = std::fs::read_to_string(folder.path("out/quality.json")).unwrap().replace("\"met\"", "\"best\"");
    folder.write("out/quality.json", changed);
    assert!(!folder.output(&["bundle", "verify", "out"]).status.success());
}

#[test]
fn a_bundle_is_no_file() {
    let folder = folder();
    for arguments in [&["--accept", "loose.yaml", "-o", "out.csv"], &["--accept", "loose.yaml", "-o", "Out.CSV.gz"]] {
        let refused = release(&folder, arguments);
        assert_eq!(refused.status.code(), Some(2));
        let message = text(&refused.stderr);
        assert!(message.contains("a bundle is a folder, and `"), "{message}");
        assert!(message.contains("hint: name a folder"), "{message}");
    }
    assert_eq!(folder.names(), ["loose.yaml", "people", "strict.yaml"]);
}

#[test]
fn a_refused_release_is_spent_and_its_model_is_kept() {
    let folder = folder();
    let ledger = ["--ledger", "people.ledger"];
    let init = ["ledger", "init", "people.ledger", "--schema", "people/people.schema.yaml", "--epsilon", "9"];
    assert!(folder.output(&[&init[..], &["--delta", "1e-8"]].concat()).status.success());
    let refused = release(&folder, &[&ledger[..], &["--accept", "strict.yaml", "-o", "out"]].concat());
    assert_eq!(refused.status.code(), Some(3));
    let message = text(&refused.stderr);
    for part in ["do not meet the criteria", "largest error of tables over 3 columns", "short by", "out.model"] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    assert!(!folder.path("out").exists());
    let spent = folder.output(&["ledger", "show", "people.ledger", "--json"]);
    let spent = json(&spent);
    let jobs = spent["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 1);
    assert!(jobs[0].to_string().contains("rows checked"), "{spent}");
    let same = release(&folder, &[&ledger[..], &["--accept", "strict.yaml", "-o", "out"]].concat());
    assert!(text(&same.stderr).contains("remove it, or name another folder"), "{}", text(&same.stderr));
    // The rest of the cap does not allow it again.
    let again = release(&folder, &[&ledger[..], &["--accept", "strict.yaml", "-o", "other"]].concat());
    assert_eq!(again.status.code(), Some(4), "{}", text(&again.stderr));
    // Other rows of the model are free, and checked for a budget of their own.
    let sample = folder.output(&["sample", "out.model", "--rows", "2000", "--seed", "5", "-o", "rows.csv"]);
    assert!(sample.status.success());
    let check = ["evaluate", "--private", "--real", "people/people.csv", "--synth", "rows.csv", "--schema"];
    let check = [&check[..], &["people/people.schema.yaml", "--epsilon", "0.5", "--delta", "1e-9"]].concat();
    let checked = folder.output(&[&check[..], &ledger, &["--json", "-o", "rows.quality.json"]].concat());
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let checked = json(&checked);
    let figures = checked["checked"]["figures"].as_array().unwrap();
    assert!(figures.iter().any(|figure| figure["name"] == "mean error of tables over 3 columns"));
    assert_eq!(checked["certificate"]["events"].as_array().unwrap().len(), 2);
    assert!(folder.path("rows.quality.json").exists());
    let unmet = folder.output(&[&check[..], &["--accept", "strict.yaml", "--json"]].concat());
    assert_eq!(unmet.status.code(), Some(3));
    assert!(unmet.stdout.is_empty() || serde_json::from_slice::<Value>(&unmet.stdout).is_ok(), "one object");
}

#[test]
fn a_fit_reports_the_quality_of_its_rows() {
    let folder = folder();
    let table = ["synth", "people/people.csv", "--schema", "people/people.schema.yaml", "--method", "mst"];
    let synth = [&table[..], &BUDGET, &["--check-share", "0.1", "-o", "synth.csv", "--model", "people.model"]].concat();
    let notes = folder.output(&synth);
    assert!(notes.status.success());
    assert!(text(&notes.stderr).contains("largest error of tables over 5 columns: 0."), "{}", text(&notes.stderr));
    let summary = json(&folder.output(&["inspect", "people.model", "--json"]));
    let seed = summary["checked"]["seed"].to_string();
    let rows = summary["checked"]["rows"].to_string();
    // The rows that were written are those that were checked.
    let again = folder.output(&["sample", "people.model", "--rows", &rows, "--seed", &seed, "-o", "again.csv"]);
    assert!(again.status.success());
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert_eq!(read("synth.csv"), read("again.csv"));
    let bundle = folder.output(&["bundle", "people.model", "--title", "People", "-o", "out"]);
    assert!(bundle.status.success(), "{}", text(&bundle.stderr));
    assert!(folder.path("out/quality.json").exists());
    assert!(folder.output(&["bundle", "verify", "out"]).status.success());
    // Nothing is known of other rows.
    assert!(folder.output(&["bundle", "people.model", "--seed", "9", "-o", "other"]).status.success());
    assert!(!folder.path("other/quality.json").exists());
}

#[test]
fn mistakes_in_criteria_cost_nothing() {
    let folder = folder();
    for (criteria, why) in [
        ("criteria:\n  - {tables: 2, statistics: max, atMost: 0.1}\n", "unknown field `statistics`"),
        ("criteria:\n  - {column: height, atMost: 0.1}\n", "there is no column `height`"),
        ("criteria:\n  - {column: Age, atMost: 0.1}\n", "there is no column `Age`; did you mean `age`?"),
        ("criteria:\n  - {mean: age, within: {sex: femal}, atMost: 1}\n", "did you mean `female`?"),
        ("criteria:\n  - {mean: sex, atMost: 1}\n", "`sex` has no numbers"),
        ("criteria: []\n", "there are no criteria"),
        ("tables: 3\n", "cannot be used"),
    ] {
        folder.write("wrong.yaml", criteria);
        let refused = release(&folder, &["--accept", "wrong.yaml", "-o", "out"]);
        assert_eq!(refused.status.code(), Some(2), "{criteria}");
        assert!(text(&refused.stderr).contains(why), "{}", text(&refused.stderr));
        assert!(!folder.path("out.model").exists());
    }
    let without = release(&folder, &["-o", "out"]);
    assert_eq!(without.status.code(), Some(2));
    let dry = release(&folder, &["--accept", "strict.yaml", "--rows-hint", "4000", "--dry-run", "-o", "out"]);
    assert!(dry.status.success(), "{}", text(&dry.stderr));
    assert!(text(&dry.stderr).contains("noise is too large for the criterion"), "{}", text(&dry.stderr));
    assert!(!folder.path("out.model").exists());
}

#[test]
fn a_plan_says_how_exact_checks_will_be() {
    let folder = folder();
    let plan = ["plan", "--schema", "people/people.schema.yaml", "--rows-hint", "4000", "-e", "1", "-e", "8"];
    let planned = folder.output(&[&plan[..], &["--accept", "strict.yaml", "--json"]].concat());
    assert!(planned.status.success(), "{}", text(&planned.stderr));
    assert!(text(&planned.stderr).contains("noise is too large for the criterion"), "{}", text(&planned.stderr));
    let checks = json(&planned)["checks"].as_array().unwrap().clone();
    assert_eq!(checks.len(), 2, "one for each epsilon");
    let noise = |place: usize| checks[place]["noise"].as_f64().unwrap();
    assert!(noise(0) > 4.0 * noise(1) && noise(1) > 0.0, "{checks:?}");
    // The figures of a workload come on top of the usual ones.
    folder.write("workload.yaml", "tables: [{columns: [age, sex]}, {columns: [income, region]}]");
    let figures = |more: &[&str]| {
        let planned = folder.output(&[&plan[..], &["--check-share", "0.1", "--json"], more].concat());
        json(&planned)["checks"][0]["figures"].as_u64().unwrap()
    };
    assert_eq!(figures(&["--workload", "workload.yaml"]), figures(&[]) + 2);
    let undeclared = ["plan", "people/people.csv", "--rows-hint", "4000", "-e", "1", "--accept", "loose.yaml"];
    assert_eq!(folder.output(&undeclared).status.code(), Some(2));
}

#[test]
fn rows_are_checked_on_the_tables_of_a_workload() {
    let folder = folder();
    folder.write("workload.yaml", "tables: [{columns: [age, sex]}, {target: income}]");
    let check = ["evaluate", "--private", "--real", "people/people.csv", "--synth", "people/people.csv", "--schema"];
    let check = [&check[..], &["people/people.schema.yaml", "--epsilon", "1", "--json"]].concat();
    let checked = folder.output(&[&check[..], &["--workload", "workload.yaml"]].concat());
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let checked = json(&checked);
    let figures = checked["checked"]["figures"].as_array().unwrap();
    let named: Vec<&str> = figures.iter().map(|figure| figure["name"].as_str().unwrap()).collect();
    assert!(named.last().unwrap().starts_with("largest error of "), "{named:?}");
    assert!(named.last().unwrap().ends_with(" named tables"), "{named:?}");
    let both = folder.output(&[&check[..], &["--workload", "workload.yaml", "--accept", "loose.yaml"]].concat());
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn editors_get_a_json_schema_of_criteria() {
    let folder = Folder::new();
    let printed = folder.output(&["schema", "json-schema", "--of", "criteria"]);
    assert_eq!(json(&printed)["$id"], "urn:scumble:criteria:1");
}

#[test]
fn criteria_and_columns_that_nobody_declared() {
    let folder = folder();
    let release = |criteria: &str, output: &str| {
        folder.write("criteria.yaml", criteria);
        let table = ["release", "people/people.csv", "--method", "mst", "--accept", "criteria.yaml", "-o", output];
        folder.output(&[&table[..], &BUDGET].concat())
    };
    // Names of columns are known beforehand.
    let typing_error = release("criteria:\n  - {column: Age, atMost: 0.9}\n", "out");
    assert_eq!(typing_error.status.code(), Some(2));
    assert!(text(&typing_error.stderr).contains("did you mean `age`?"), "{}", text(&typing_error.stderr));
    assert!(!folder.path("out.model").exists());
    // Whether a column has numbers is not. The model is not lost, and nothing is accepted that was
    // not measured.
    let loose = "  - {tables: 1, atMost: 0.9}\n";
    let refused = release(&format!("criteria:\n{loose}  - {{mean: sex, atMost: 1}}\n"), "out");
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
    assert!(text(&refused.stderr).contains("not measured: difference of the mean of sex"));
    assert!(folder.path("out.model").exists());
    let optional = release(&format!("criteria:\n{loose}  - {{mean: sex, atMost: 1, mandatory: false}}\n"), "optional");
    assert!(optional.status.success(), "{}", text(&optional.stderr));
    assert!(text(&optional.stderr).contains("warning: not measured"), "{}", text(&optional.stderr));
}
