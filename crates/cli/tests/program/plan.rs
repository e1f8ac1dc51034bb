//! `scumble plan`, which reads no data.

use crate::folder::{Folder, SCHEMA};

/// A schema with a column that has too many codes for its budget.
const FINE: &str = "\
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99, required: true}, dp: {source: public}}
  - {name: occupation, type: integer, constraints: {minimum: 0, maximum: 999, required: true}, dp: {source: public}}
  - {name: smoker, type: boolean, constraints: {required: true}, dp: {source: public}}
  - {name: region, type: integer, constraints: {minimum: 1, maximum: 12, required: true}, dp: {source: public}}
";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("table.schema.yaml", SCHEMA);
    folder.write("fine.schema.yaml", FINE);
    folder
}

/// Compares with the snapshot except for times, which depend on the machine.
macro_rules! assert_timeless {
    ($output:expr) => {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"[\d.]+ (s|min|h) of processor time", "[TIME] of processor time");
        settings.add_filter(r"(?m)(\d [MG]B) +[\d.]+ (s|min|h)$", "$1   [TIME]");
        settings.add_filter(r"(?m)memory +time$", "memory   time");
        settings.add_filter(r#""(cpu_seconds|slowness)":[\d.e-]+"#, r#""$1":[TIME]"#);
        // The last digits depend on the platform.
        settings.add_filter(r"(\d\.\d{4})\d+", "$1");
        settings.bind(|| insta::assert_snapshot!($output));
    };
}

#[test]
fn columns_that_are_learned_are_forecast() {
    let folder = folder();
    folder.write("raw.csv", "age;name;paid\n1;a;2,5\n");
    let planned = folder.run(&["plan", "raw.csv", "--rows-hint", "20000", "-e", "1", "-e", "2"]);
    assert_eq!(planned.matches("3 columns would be learned first").count(), 2, "{planned}");
    assert!(planned.contains("epsilon 2") && planned.contains("% of all) or more"), "{planned}");
    folder.write(
        "partial.schema.yaml",
        "fields: [{name: age, type: integer, dp: {source: dp}}, {name: paid, type: boolean}]\n",
    );
    let json = ["plan", "-s", "partial.schema.yaml", "--rows-hint", "2e4", "-e", "1", "-d", "1e-9", "--json"];
    let planned: serde_json::Value = serde_json::from_slice(&folder.output(&json).stdout).unwrap();
    assert_eq!(planned["plans"][0]["learning"]["columns"], 1, "{planned}");
    let drawn = folder.run(&["plan", "raw.csv", "--rows-hint", "2e4", "-e", "1", "--svg", "plan.svg"]);
    assert!(drawn.contains("schema learn") && drawn.contains("exit code 2"), "{drawn}");
    let none = folder.run(&["plan", "--rows-hint", "2e4", "-e", "1"]);
    assert!(none.contains("<DATA>") && none.contains("exit code 2"), "{none}");
}

#[test]
fn plan_explains_itself() {
    insta::assert_snapshot!(Folder::new().run(&["plan", "--help"]));
}

#[test]
fn one_method_and_one_epsilon_are_shown_in_full() {
    let folder = folder();
    let plan = ["plan", "--schema", "fine.schema.yaml", "--rows-hint", "20000", "-e", "0.5"];
    let texts = [
        folder.run(&plan),
        folder.run(&[&plan[..], &["--method", "independent"]].concat()),
        folder.run(&[&plan[..], &["--method", "privbayes-nist", "--delta", "1e-4"]].concat()),
        folder.run(&[&plan[..], &["--quiet"]].concat()),
    ];
    assert_timeless!(texts.concat());
    assert_eq!(folder.names(), ["fine.schema.yaml", "table.schema.yaml"], "a plan writes nothing");
}

#[test]
fn several_are_compared_in_a_table_and_a_picture() {
    let folder = folder();
    let plan = ["plan", "--schema", "fine.schema.yaml", "--rows-hint", "20000", "-e", "0.5", "-e", "2"];
    assert_timeless!(folder.run(&[&plan[..], &["--method", "all", "--svg", "plan.svg"]].concat()));
    let picture = std::fs::read_to_string(folder.path("plan.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains(">auto</text>"));
}

#[test]
fn a_plan_as_json_is_one_object() {
    let folder = folder();
    let plan = ["plan", "--schema", "table.schema.yaml", "--rows-hint", "500", "-e", "1", "--method", "mst", "--json"];
    assert_timeless!(folder.run(&plan));
}

#[test]
fn what_no_fit_would_do_is_refused() {
    let folder = folder();
    let columns = (0..200).map(|column| {
        format!(
            "  - {{name: c{column}, type: integer, constraints: {{minimum: 1, maximum: 500000, required: true}}, dp: {{source: public}}}}\n"
        )
    });
    folder.write("wide.schema.yaml", format!("fields:\n{}", columns.collect::<String>()));
    let plan = |schema: &'static str| ["plan", "--schema", schema, "--rows-hint", "20000", "-e", "1"];
    let texts = [
        folder.run(&plan("wide.schema.yaml")),
        folder.run(&[&plan("wide.schema.yaml")[..], &["--method", "all", "--json"]].concat()),
        folder.run(&[&plan("table.schema.yaml")[..], &["--method", "smoothed-histogram"]].concat()),
        folder.run(&[&plan("table.schema.yaml")[..], &["--method", "auto", "--delta", "0"]].concat()),
        folder.run(&[&plan("table.schema.yaml")[..], &["--option", "depth=3"]].concat()),
        folder.run(&plan("missing.yaml")),
        folder.run(&["plan", "--schema", "table.schema.yaml", "--rows-hint", "0", "-e", "1"]),
    ];
    insta::assert_snapshot!(texts.concat());
}
