//! Compares the page about people who share an identifier with certificates of fits of the demo
//! table.

use scumble::report::SharedIdentifier;
use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, Schema, SchemaSpec, demo};

/// The page with a table of factors.
const PAGE: &str = include_str!("../../../../docs/explanation/guarantee.md");
/// Maximum excess of a stated factor over that of a fit: released values decide the number of
/// rounds, and so the share of selections.
const TOLERANCE: f64 = 0.02;

/// Returns the factor and the epsilon that the page states for a method.
fn stated(method: &str) -> (f64, f64) {
    let row = PAGE.lines().find(|line| line.starts_with(&format!("| `{method}` | 1.")));
    let cells: Vec<&str> = row.expect("a row of the table").split('|').map(str::trim).collect();
    (cells[2].trim_end_matches(" times").parse().unwrap(), cells[3].parse().unwrap())
}

/// Returns the guarantee that a fit of the demo table gives to one of several people who share an
/// identifier.
fn shared(method: &str, delta: f64) -> SharedIdentifier {
    let people = demo::people(2_000, 1);
    let columns = people.arrow_schema().clone();
    let input = Input::of_batches(columns, people.collect());
    let mut spec = SchemaSpec::parse(demo::PEOPLE_SCHEMA).unwrap();
    // Not every method supports rules.
    spec.dp.rules.clear();
    let schema = Schema::new(spec).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(delta).unwrap() };
    let method = Method::named(method).unwrap();
    let model = Fit::new(&schema, goal).method(method).run(&[input]).unwrap();
    SharedIdentifier::new(model.certificate().expect("it was measured")).expect("rows are added or removed")
}

fn assert_stated(method: &str) {
    let ((factor, epsilon), shared) = (stated(method), shared(method, 1e-9));
    let promised = shared.promise.unwrap().epsilon.get();
    assert!(
        shared.factor <= factor && factor <= shared.factor + TOLERANCE,
        "{method}: {} where {factor} is stated",
        shared.factor
    );
    assert!(
        promised <= epsilon && epsilon <= promised + TOLERANCE,
        "{method}: epsilon {promised} where {epsilon} is stated"
    );
}

#[test]
fn tables_alone_lose_the_root_of_two() {
    assert_stated("independent");
}

#[test]
fn a_method_that_selects_loses_more_than_the_root_of_two() {
    for method in ["mst", "aim", "auto"] {
        assert_stated(method);
        assert!(stated(method).0 > 2_f64.sqrt() + TOLERANCE, "{method}");
    }
}

#[test]
fn a_pure_epsilon_doubles() {
    let shared = shared("privbayes", 0.0);
    assert!((shared.factor - 2.0).abs() < 1e-12, "{}", shared.factor);
    assert!((shared.promise.unwrap().epsilon.get() - 2.0).abs() < 1e-9);
}
