//! Conditioned models: rows have the distribution of the model's rows that meet the conditions, and
//! the requested shares.

use scumble_mechanisms::{ConditionedModel, Conditions, MechanismError, Method, Model, Shares, fit};
use scumble_pgm::Sampling;
use scumble_schema::{AdjacencyKind, CodeColumn, Schema};
use scumble_testing::{RowSource, integers};
use scumble_vault::{ApproxDp, Delta, Epsilon};

/// Number of rows drawn from the model, and from conditioned models.
const WHOLE: u64 = 1 << 18;
const DRAWN: u64 = 30_000;
/// Maximum difference between shares of 30,000 and of 100,000 rows: more than six standard
/// deviations.
const OFF: f64 = 0.025;

/// Four columns, of which the second follows the first and the third nearly so.
fn model(method: &str, options: &[&str], delta: f64, adjacency: AdjacencyKind) -> Model {
    let schema = integers(&[5, 3, 4, 2], 1, adjacency);
    let rows: Vec<Vec<u32>> =
        (0..4_000_u32).map(|row| vec![row % 5, row % 5 / 2, (row % 5 + row / 5 % 2) % 4, row / 10 % 2]).collect();
    let goal = ApproxDp { epsilon: Epsilon::new(20.0).unwrap(), delta: Delta::new(delta).unwrap() };
    let method = Method::named(method).unwrap().with_options(options.iter().copied()).unwrap();
    fit(&schema, Box::new(RowSource::new(schema.domain().clone(), rows)), &method, goal, None).unwrap()
}

/// Every kind of distribution, and of recoding.
fn models() -> Vec<(&'static str, Model)> {
    use AdjacencyKind::{AddRemove, ReplaceOne};
    vec![
        ("product", model("independent", &[], 1e-9, AddRemove)),
        ("tree", model("pb-pgm", &[], 0.0, AddRemove)),
        ("tree of digits", model("pb-pgm", &["encoding=binary", "degree=1"], 1e-9, ReplaceOne)),
        ("network", model("privbayes", &[], 0.0, AddRemove)),
        ("rows", model("smoothed-histogram", &[], 0.0, ReplaceOne)),
    ]
}

/// A text with the names of columns in place of their numbers.
fn named(schema: &Schema, column: usize, rest: &str) -> String {
    format!("{}={rest}", schema.attributes()[column].name())
}

fn collected(schema: &Schema, chunks: impl Iterator<Item = Vec<CodeColumn>>) -> Vec<Vec<u32>> {
    let mut columns = vec![Vec::new(); schema.attributes().len()];
    for chunk in chunks {
        for (column, codes) in columns.iter_mut().zip(&chunk) {
            column.extend(codes.iter());
        }
    }
    columns
}

fn drawn(conditioned: &ConditionedModel<'_>, rows: u64, seed: u64) -> Vec<Vec<u32>> {
    let chunks = conditioned.sample_codes(rows, seed, Sampling::LowVariance).unwrap();
    collected(conditioned.model().schema(), chunks.map(Result::unwrap))
}

/// The share of every code.
fn shares(column: &[u32], rows: impl Iterator<Item = usize>) -> Vec<f64> {
    let (mut counts, mut all) = (vec![0.0; 6], 0.0);
    for row in rows {
        counts[column[row] as usize] += 1.0;
        all += 1.0;
    }
    counts.into_iter().map(|count| count / all).collect()
}

#[test]
fn rows_under_a_condition_are_as_the_models_rows_that_meet_it() {
    for (kind, model) in models() {
        let schema = model.schema();
        let conditions = [named(schema, 0, "1..3"), named(schema, 2, "0|2|3")];
        let conditions = Conditions::parse(schema, conditions.iter().map(String::as_str)).unwrap();
        let conditioned = model.conditioned(&conditions, None).unwrap();
        let rows = drawn(&conditioned, DRAWN, 5);
        assert_eq!(rows[0].len() as u64, DRAWN, "{kind}");
        let meets = |rows: &[Vec<u32>], row: usize| (1..=3).contains(&rows[0][row]) && rows[2][row] != 1;
        assert!((0..rows[0].len()).all(|row| meets(&rows, row)), "{kind}");

        let whole = collected(schema, model.sample_codes(WHOLE, 9, Sampling::LowVariance));
        let met: Vec<usize> = (0..whole[0].len()).filter(|&row| meets(&whole, row)).collect();
        let share = met.len() as f64 / whole[0].len() as f64;
        assert!(
            (share - conditioned.probability()).abs() < OFF,
            "{kind}: {share} is not {}",
            conditioned.probability()
        );
        for column in 0..rows.len() {
            let due = shares(&whole[column], met.iter().copied());
            let got = shares(&rows[column], 0..rows[column].len());
            for (due, got) in due.iter().zip(&got) {
                assert!((due - got).abs() < OFF, "{kind}, column {column}: {due} is not {got}");
            }
        }
    }
}

#[test]
fn shares_are_those_asked_for_and_the_rest_is_as_the_model_has_it() {
    for (kind, model) in models() {
        let schema = model.schema();
        let asked = Shares::parse(schema, &named(schema, 0, "0:0.25,1|2:0.5,4:0.25")).unwrap();
        let conditioned = model.conditioned(&Conditions::default(), Some(&asked)).unwrap();
        let rows = drawn(&conditioned, DRAWN, 5);
        let got = shares(&rows[0], 0..rows[0].len());
        assert_eq!((got[0], got[1] + got[2], got[3], got[4]), (0.25, 0.5, 0.0, 0.25), "{kind}");
        // Also in the first tenth: rows are in random order.
        let first = shares(&rows[0], 0..3_000);
        assert!((first[0] - 0.25).abs() < 0.05, "{kind}: {first:?}");
        // The second column given the first.
        let whole = collected(schema, model.sample_codes(WHOLE, 9, Sampling::LowVariance));
        let given = |rows: &[Vec<u32>]| shares(&rows[1], (0..rows[0].len()).filter(|&row| rows[0][row] == 4));
        for (due, got) in given(&whole).iter().zip(given(&rows)) {
            assert!((due - got).abs() < 2.0 * OFF, "{kind}: {due} is not {got}");
        }
    }
}

#[test]
fn the_same_seed_draws_the_same_rows() {
    for (kind, model) in models() {
        let schema = model.schema();
        let conditions = Conditions::parse(schema, [named(schema, 0, "1|2").as_str()]).unwrap();
        let asked = Shares::parse(schema, &named(schema, 3, "0:0.5,1:0.5")).unwrap();
        let conditioned = model.conditioned(&conditions, Some(&asked)).unwrap();
        assert_eq!(drawn(&conditioned, 500, 5), drawn(&conditioned, 500, 5), "{kind}");
        assert_ne!(drawn(&conditioned, 500, 5), drawn(&conditioned, 500, 6), "{kind}");
        assert!(conditioned.expected_rows().unwrap() < model.rows(), "{kind}");
    }
}

#[test]
fn what_the_model_does_not_have_is_refused_with_a_hint() {
    let model = model("independent", &[], 1e-9, AdjacencyKind::AddRemove);
    let schema = model.schema();
    let refused = |error: MechanismError| match error {
        MechanismError::Condition { problem, hint } => (problem, hint),
        other => panic!("{other}"),
    };
    let conditions = |condition: &str| Conditions::parse(schema, [condition]).map_err(refused);
    assert!(conditions("nothing=1").unwrap_err().0.contains("no column `nothing`"));
    assert!(conditions("nothing").unwrap_err().1.contains("column=value"));
    assert!(conditions(&named(schema, 0, "7")).unwrap_err().0.contains("has no value `7`"));
    // Both conditions are possible, but not in one row.
    let both = [named(schema, 0, "1"), named(schema, 0, "2")];
    let both = Conditions::parse(schema, both.iter().map(String::as_str)).unwrap();
    assert!(refused(model.conditioned(&both, None).unwrap_err()).0.contains("no probability"));
    let shares = |rest: &str| Shares::parse(schema, &named(schema, 0, rest)).map_err(refused);
    assert!(shares("0:0.5,1:0.4").unwrap_err().0.contains("sum to 0.9"));
    assert!(shares("0:0.5,0|1:0.5").unwrap_err().0.contains("two shares for `0`"));
    assert!(shares("0:half,1:0.5").unwrap_err().0.contains("is no share"));
    assert!(shares("0,1").unwrap_err().0.contains("has no share"));
    assert_eq!(shares("0:0.3000001,1:0.7").unwrap(), shares("0:0.3000001,1:0.7").unwrap(), "within rounding");
}

#[test]
fn shares_may_come_from_a_file() {
    let model = model("independent", &[], 1e-9, AdjacencyKind::AddRemove);
    let schema = model.schema();
    let name = schema.attributes()[0].name();
    let line = Shares::parse(schema, &named(schema, 0, "0:0.25,2:0.75")).unwrap();
    assert_eq!(Shares::parse_csv(schema, name, "value,share\n0,0.25\n\"2\", 0.75\n").unwrap(), line);
    assert_eq!(Shares::parse_csv(schema, name, "0,0.25\r\n\r\n2,0.75").unwrap(), line);
    assert!(Shares::parse_csv(schema, name, "0 0.25").is_err());
    assert!(Shares::parse_csv(schema, "nothing", "0,1").is_err());
}

#[test]
fn a_name_in_a_model_cannot_control_a_terminal() {
    let schema = r#"fields: [{name: "a\x1b[2J", type: string, constraints: {enum: ["b\x1b[2J", c]}}]"#;
    let schema = Schema::parse(schema).unwrap();
    for condition in ["x=1", "a\u{1b}[2J=d", "nothing\r"] {
        let error = Conditions::parse(&schema, [condition]).unwrap_err();
        assert!(!error.to_string().contains(char::is_control) && !error.hint().contains(char::is_control), "{error}");
    }
}
