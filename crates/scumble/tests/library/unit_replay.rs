//! The replay test, T1, from files on: a person with a thousand rows, of which three are kept, does
//! not change any output for the same released values.

use std::fmt::Write as _;
use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use scumble::mechanisms::{MethodAccounting, fit_in};
use scumble::{ApproxDp, Delta, Epsilon, Input, Method, ReadOptions, Sampling, Schema};
use scumble_engine::CodedTable;
use scumble_vault::replay::{force, record};
use scumble_vault::{AddRemove, Gdp, Pure, ReplaceOne, Zcdp};

const SCHEMA: &str = "
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 99}, dp: {bins: {width: 10}}}
  - {name: region, type: string, constraints: {enum: [north, south, west]}}
  - {name: smokes, type: boolean}
";
const MAX_CONTRIBUTIONS: NonZeroU32 = NonZeroU32::new(3).unwrap();

/// Writes people of one to five rows each, and the given rows of the last one.
fn table(path: &Path, of_the_last: &[String]) -> Input {
    let mut csv = String::from("person,age,region,smokes\n");
    for person in 0..200_u32 {
        for row in 0..=person % 5 {
            let region = ["north", "south", "west"][(person as usize * 7 + row as usize) % 3];
            writeln!(csv, "{person},{},{region},{}", (person * 13 + row) % 100, (person + row) % 3 == 0).unwrap();
        }
    }
    csv.extend(of_the_last.iter().map(|row| format!("last,{row}\n")));
    fs::write(path, csv).unwrap();
    Input::new(path)
}

/// Returns everything that a fit outputs.
fn artefacts<A: scumble::mechanisms::MethodAdjacency, M: MethodAccounting>(
    (vault, budget): (scumble_vault::Vault<A, M>, scumble_vault::Budget<A, M>),
    schema: &Schema,
    method: &Method,
) -> (Vec<u8>, Vec<String>) {
    let model = fit_in(vault, budget, schema, method).unwrap();
    let rows = model.sample(100, 7, Sampling::LowVariance).map(|batch| format!("{batch:?}"));
    let rows = rows.collect();
    (model.to_bytes(), rows)
}

fn replayed<A: scumble::mechanisms::MethodAdjacency, M: MethodAccounting>(
    method: &str,
    delta: f64,
    before: &[String],
    after: &[String],
) {
    let terms = format!("dp: {{privacyUnit: person, maxContributions: {MAX_CONTRIBUTIONS}, adjacency: {}}}", A::KIND);
    let schema = Schema::parse(&format!("{terms}{SCHEMA}")).unwrap();
    let method = Method::named(method).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(2.0).unwrap(), delta: Delta::new(delta).unwrap() };
    let folder = tempfile::tempdir().unwrap();
    let source = |rows: &[String]| {
        let input = table(&folder.path().join("people.csv"), rows);
        Box::new(CodedTable::read(&[input], &schema, &ReadOptions::default()).unwrap())
    };
    let (vault, budget, recorder) = record::<A, M>(source(before), goal, MAX_CONTRIBUTIONS).unwrap();
    let first = artefacts((vault, budget), &schema, &method);
    let recording = recorder.finish();
    assert!(recording.events().count() > 2);
    let (vault, budget, recorder) = force::<A, M>(source(after), goal, MAX_CONTRIBUTIONS, &recording).unwrap();
    assert!(artefacts((vault, budget), &schema, &method) == first, "{method}");
    recording.check_neighbour(&recorder.finish()).unwrap();
}

/// Returns a thousand rows, all different or all the same.
fn a_thousand(are_the_same: bool) -> Vec<String> {
    let row = |row: u32| format!("{},{},{}", row % 100, ["north", "west", "unheard of", ""][row as usize % 4], row % 2);
    (0..1_000).map(|number| row(if are_the_same { 5 } else { number })).collect()
}

#[test]
fn a_unit_of_a_thousand_rows_added() {
    for are_the_same in [false, true] {
        for method in ["independent", "mst", "auto", "privbayes-nist"] {
            replayed::<AddRemove, Gdp>(method, 1e-6, &[], &a_thousand(are_the_same));
        }
        replayed::<AddRemove, Pure>("privbayes", 0.0, &[], &a_thousand(are_the_same));
        replayed::<AddRemove, Zcdp>("aim", 1e-6, &[], &a_thousand(are_the_same));
    }
}

#[test]
fn a_unit_of_a_thousand_rows_replaced() {
    let others: Vec<String> = (0..1_000).map(|row| format!("{},south,true", row % 7)).collect();
    for method in ["independent", "mst", "auto"] {
        replayed::<ReplaceOne, Gdp>(method, 1e-6, &a_thousand(false), &others);
    }
    replayed::<ReplaceOne, Pure>("privbayes", 0.0, &a_thousand(true), &others);
}

#[test]
fn a_thousand_rows_of_which_all_are_kept_are_noticed() {
    // With rows as units, which is wrong here, the number of rows changes by a thousand.
    let schema = Schema::parse(&format!("dp: {{maxContributions: {MAX_CONTRIBUTIONS}}}{SCHEMA}")).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(2.0).unwrap(), delta: Delta::new(1e-6).unwrap() };
    let folder = tempfile::tempdir().unwrap();
    let source = |rows: &[String]| {
        let input = table(&folder.path().join("people.csv"), rows);
        Box::new(CodedTable::read(&[input], &schema, &ReadOptions::default()).unwrap())
    };
    let (vault, budget, recorder) = record::<AddRemove, Gdp>(source(&[]), goal, MAX_CONTRIBUTIONS).unwrap();
    artefacts((vault, budget), &schema, &Method::INDEPENDENT);
    let recording = recorder.finish();
    let (vault, budget, recorder) =
        force::<AddRemove, Gdp>(source(&a_thousand(false)), goal, MAX_CONTRIBUTIONS, &recording).unwrap();
    artefacts((vault, budget), &schema, &Method::INDEPENDENT);
    assert!(recording.check_neighbour(&recorder.finish()).is_err());
}
