//! From files to certified synthetic rows, with extreme budgets and tables.

use std::fmt::Write as _;
use std::path::Path;

use scumble::engine::CodedTable;
use scumble::schema::{AdjacencyKind, Clique};
use scumble::vault::account::Mechanism;
use scumble::{ApproxDp, Delta, Draw, Epsilon, Fit, Input, Method, Model, ReadOptions, Sampling, Schema};
use scumble_engine::exact::ExactCounts;

const SCHEMA: &str = "
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 10}}}
  - {name: region, type: string, constraints: {enum: [north, south], required: true}, dp: {open: true}}
  - {name: born, type: date, constraints: {minimum: '1950-01-01', maximum: '1950-12-31', required: true}, dp: {bins: {count: 12}}}
";

fn goal(epsilon: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-9).unwrap() }
}

fn counts(path: &Path, schema: &Schema) -> Vec<Vec<u64>> {
    let table = CodedTable::read(&[Input::new(path)], schema, &ReadOptions::default()).unwrap();
    let mut cliques = schema.domain().one_way();
    cliques.push(Clique::empty());
    table.count_tables(&cliques).unwrap()
}

/// Fits the CSV text, saves the model, and returns the real counts, the model, and the counts of
/// its rows.
fn synthesise(csv: &str, schema: &Schema, epsilon: f64) -> (Vec<Vec<u64>>, Model, Vec<Vec<u64>>) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("real.csv"), csv).unwrap();
    let inputs = [Input::new(path("real.csv"))];
    let fitted =
        Fit::new(schema, goal(epsilon)).method(Method::INDEPENDENT).accept_weak_privacy(true).run(&inputs).unwrap();
    fitted.write(&path("a.model")).unwrap();
    let model = Model::read(&path("a.model")).unwrap();
    assert_eq!(model, fitted);
    model.certificate().unwrap().verify().unwrap();
    Draw::from(&model).rows(model.rows()).seed(5).sampling(Sampling::LowVariance).write(path("synth.parquet")).unwrap();
    // Synthetic rows have no unit column.
    (counts(&path("real.csv"), schema), model, counts(&path("synth.parquet"), &schema.clone().without_unit()))
}

/// Returns a few hundred rows, some with invalid values.
fn table() -> String {
    let mut csv = String::from("region,age,other,born\n");
    for row in 0..300 {
        let region = ["north", "south", "elsewhere"][row % 3];
        let age = ["7", "41", "", "x"][row % 4];
        let born = ["1950-03-01", "1950-11-30", "not a date"][row / 7 % 3];
        csv.extend([region, ",", age, ",secret,", born, "\n"]);
    }
    csv
}

/// Returns whether every release has Gaussian noise for this squared sensitivity.
fn every_table_is_charged(model: &Model, squared: u128) -> bool {
    let charged = |mechanism| matches!(mechanism, Mechanism::RoundedGaussian { squared_sensitivity, .. } if squared_sensitivity == squared);
    model.certificate().unwrap().events().iter().all(|event| charged(event.mechanism()))
}

#[test]
fn a_huge_budget_gives_the_real_distributions() {
    let (real, model, synthetic) = synthesise(&table(), &Schema::parse(SCHEMA).unwrap(), 1e6);
    assert_eq!(model.rows(), 300);
    assert_eq!(real, synthetic);
}

#[test]
fn a_tiny_budget_gives_noise_and_no_error() {
    let schema = Schema::parse(SCHEMA).unwrap();
    let (_, model, synthetic) = synthesise(&table(), &schema, 1e-3);
    assert_eq!(synthetic.last().unwrap()[0], model.rows());
    assert!(model.certificate().unwrap().epsilon().get() <= 1e-3);
}

#[test]
fn an_empty_table_is_a_table() {
    let (real, model, synthetic) = synthesise("age,region,born\n", &Schema::parse(SCHEMA).unwrap(), 1.0);
    assert_eq!(real.last().unwrap()[0], 0);
    assert_eq!(synthetic.last().unwrap()[0], model.rows());
}

#[test]
fn one_column_is_a_table() {
    let schema = Schema::parse("fields: [{name: smoker, type: boolean}]").unwrap();
    let (real, _, synthetic) = synthesise("smoker\ntrue\n\nfalse\n\n1\n", &schema, 1e6);
    assert_eq!(real, [vec![1, 2, 2], vec![5]], "a blank line of a one-column file is a missing value");
    assert_eq!(real, synthetic);
}

#[test]
fn under_replace_one_the_number_of_rows_is_public_and_exact() {
    let schema = Schema::parse(&format!("dp: {{adjacency: replace-one, maxContributions: 2}}{SCHEMA}")).unwrap();
    let (_, model, synthetic) = synthesise(&table(), &schema, 0.5);
    assert_eq!((model.rows(), synthetic.last().unwrap()[0]), (300, 300));
    assert_eq!(model.certificate().unwrap().adjacency(), AdjacencyKind::ReplaceOne);
    // Two rows move from one cell to another: 2 · 2².
    assert!(every_table_is_charged(&model, 8));
}

#[test]
fn with_a_unit_column_the_model_is_one_of_the_kept_rows() {
    let mut csv = String::from("person,region,age,born\n");
    // Persons 0 to 29 have one to thirty rows; twelve rows have no person and are left out.
    for person in 0..30 {
        for row in 0..=person {
            let region = ["north", "south"][(person * row) % 2];
            writeln!(csv, "{person},{region},{},1950-03-01", (7 * row + person) % 90).unwrap();
        }
    }
    csv.push_str(&",south,4,1950-11-30\n".repeat(12));
    for (most, rows) in [(1, 30), (4, 1 + 2 + 3 + 27 * 4), (40, 465)] {
        let schema = Schema::parse(&format!("dp: {{privacyUnit: person, maxContributions: {most}}}{SCHEMA}")).unwrap();
        let (real, model, synthetic) = synthesise(&csv, &schema, 1e6);
        assert_eq!(model.rows(), rows);
        assert_eq!(real, synthetic);
        assert!(every_table_is_charged(&model, most * most));
        let said = scumble::report::guarantee(&model);
        assert!(said.contains("all rows of one `person`; at most "), "{said}");
    }
}

#[test]
fn a_unit_column_under_replace_one_makes_the_number_of_kept_rows_public() {
    let csv = String::from("person,region,age,born\n") + &"7,north,3,1950-03-01\n8,south,4,1950-04-01\n".repeat(50);
    let dp = "dp: {privacyUnit: person, maxContributions: 3, adjacency: replace-one}";
    let schema = Schema::parse(&format!("{dp}{SCHEMA}")).unwrap();
    let (_, model, synthetic) = synthesise(&csv, &schema, 0.5);
    assert_eq!((model.rows(), synthetic.last().unwrap()[0]), (6, 6));
    assert!(every_table_is_charged(&model, 18));
}

#[test]
fn cancelled_sampling_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("synth.csv");
    let (_, model, _) = synthesise(&table(), &Schema::parse(SCHEMA).unwrap(), 1.0);
    let stopped = Draw::from(&model)
        .rows(1_000_000)
        .seed(5)
        .sampling(Sampling::LowVariance)
        .progress(|drawn, _| drawn < 100_000)
        .write(&path);
    assert!(matches!(stopped, Err(scumble::Error::Interrupted)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
