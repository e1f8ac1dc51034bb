//! Quality of rows that may be published: figures, criteria, and fits that check their rows.

use scumble_mechanisms::quality::{
    Bound, CRITERIA_JSON_SCHEMA, Check, CheckShare, Checked, CheckedFigure, Criteria, Criterion, Figure, Group,
    Outcome, Tables, check_rows, forecast,
};
use scumble_mechanisms::{Method, Model, Workload, fit_and_check};
use scumble_schema::{AdjacencyKind, CodeColumn, Schema};
use scumble_testing::json_schema::validate;
use scumble_testing::{RowSource, integers};
use scumble_vault::{ApproxDp, Delta, Epsilon, MarginalSource};

const SIZES: [u32; 4] = [2, 3, 4, 10];

fn goal(epsilon: f64, delta: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
}

/// Rows in which the second column follows the first, and the last follows the third.
fn rows(count: u32) -> Vec<Vec<u32>> {
    (0..count).map(|row| vec![row % 2, row % 2 + row / 7 % 2, row / 3 % 4, row / 3 % 4 * 2 + row % 2]).collect()
}

fn source(schema: &Schema, rows: Vec<Vec<u32>>) -> Box<dyn MarginalSource> {
    Box::new(RowSource::new(schema.domain().clone(), rows))
}

fn columns(schema: &Schema, rows: &[Vec<u32>]) -> Vec<CodeColumn> {
    let column = |(place, &size): (usize, &u32)| {
        let mut codes = CodeColumn::with_capacity(size, rows.len());
        for row in rows {
            codes.push(row[place]);
        }
        codes
    };
    schema.domain().sizes().iter().enumerate().map(column).collect()
}

fn tables(of: Tables, largest: bool) -> Figure {
    Figure::Tables { of, largest, within: None }
}

fn group(column: &str, value: &str) -> Group {
    Group { column: column.into(), value: value.into() }
}

/// All kinds of figures.
fn figures() -> Vec<Figure> {
    let named = |names: &[&str]| Tables::Columns(names.iter().map(|&name| name.into()).collect());
    vec![
        tables(Tables::Order(1), false),
        tables(Tables::Order(2), true),
        tables(named(&["c0", "c3"]), false),
        Figure::Tables { of: Tables::Order(1), largest: false, within: Some(group("c0", "1")) },
        Figure::Mean { column: "c3".into(), within: None },
        Figure::Mean { column: "c3".into(), within: Some(group("c0", "1")) },
        Figure::Accuracy { column: "c2".into() },
        Figure::Regression { column: "c3".into() },
    ]
}

fn schema() -> Schema {
    integers(&SIZES, 1, AdjacencyKind::AddRemove)
}

/// Checks with next to no noise.
fn exact(released: &[Vec<u32>], real: Vec<Vec<u32>>, figures: &[Figure]) -> Vec<CheckedFigure> {
    let schema = schema();
    let released = columns(&schema, released);
    let source = source(&schema, real);
    let (checked, certificate) =
        check_rows(&schema, source, std::iter::once(released), figures, &Workload::EMPTY, goal(1e6, 1e-3), None)
            .unwrap();
    certificate.verify().unwrap();
    assert_eq!(certificate.events().len(), 2);
    checked.figures
}

#[test]
fn figures_are_those_of_their_definitions() {
    // Half of the released rows have another first column, and all have a last column of 3.
    let real: Vec<Vec<u32>> = (0..4_000).map(|row| vec![0, row % 3, row % 4, row % 4 + 2]).collect();
    let released: Vec<Vec<u32>> = (0..2_000).map(|row| vec![row % 2, row % 3, row % 4, 3]).collect();
    let found = exact(&released, real, &figures());
    let value = |place: usize| found[place].value;
    let near = |value: f64, expected: f64| assert!((value - expected).abs() < 0.01, "{value} instead of {expected}");
    // Errors of the columns: 1/2, 0, 0 and 3/4.
    near(value(0), (0.5 + 0.75) / 4.0);
    // The first and the last column together: of the real rows, 1/4 have (0, 3); of the released,
    // 1/2.
    near(value(1), 0.75);
    near(value(2), 0.75);
    // Released rows of the group have no real ones: half of everything is missing.
    near(value(3), 0.5);
    // The real mean is 3.5.
    near(value(4), -0.5);
    // The last column is always 3 in the released rows, 3/4 of the real ones have another.
    near(value(7), (1.0 + 0.0 + 1.0 + 2.0) / 4.0);
    assert!(found.iter().all(|figure| figure.half_width < 0.01), "{found:?}");
    assert!(found[5].name.contains("where c0 is 1"));
}

#[test]
fn a_learned_tree_predicts_what_follows() {
    let real = rows(6_000);
    let found = exact(
        &real,
        real.clone(),
        &[Figure::Accuracy { column: "c2".into() }, Figure::Regression { column: "c3".into() }],
    );
    assert!(found[0].value > 0.98, "{found:?}");
    assert!(found[1].value < 0.1, "{found:?}");
    // Rows without the relation teach nothing.
    let mixed: Vec<Vec<u32>> =
        (0_u32..).zip(&real).map(|(row, codes)| vec![codes[0], codes[1], row % 4, codes[3]]).collect();
    let found = exact(&mixed, real, &[Figure::Accuracy { column: "c2".into() }]);
    assert!(found[0].value < 0.5, "{found:?}");
}

#[test]
fn equal_rows_have_no_error_in_any_figure() {
    let real = rows(5_000);
    let found = exact(&real, real.clone(), &figures()[..6]);
    assert!(found.iter().all(|figure| figure.value.abs() < 0.01), "{found:?}");
}

fn check(figures: Vec<Figure>) -> Check {
    Check { figures, share: CheckShare::of(0.2).unwrap(), ..Check::new(None) }
}

#[test]
fn a_fit_checks_the_rows_that_are_drawn_with_its_seed() {
    let schema = schema();
    let real = rows(3_000);
    for method in ["independent", "auto", "mst"] {
        let method = Method::named(method).unwrap();
        let source = source(&schema, real.clone());
        let check = check(figures());
        let model = fit_and_check(&schema, source, &method, goal(50.0, 1e-3), Some(&check), None).unwrap();
        let checked = model.checked().unwrap();
        assert_eq!((checked.rows, checked.seed), (model.rows(), 0));
        let certificate = model.certificate().unwrap();
        certificate.verify().unwrap();
        assert!(certificate.events().last().unwrap().question().is_comparison());
        let drawn: Vec<Vec<CodeColumn>> =
            model.sample_codes(checked.rows, checked.seed, checked.sampling.parse().unwrap()).collect();
        let drawn: Vec<Vec<u32>> = drawn
            .iter()
            .flat_map(|chunk| (0..chunk[0].len()).map(|row| chunk.iter().map(|column| column.get(row)).collect()))
            .collect();
        let again = exact(&drawn, real.clone(), &figures());
        for (one, other) in checked.figures.iter().zip(&again) {
            assert!((one.value - other.value).abs() < 3.0 * one.half_width + 0.01, "{one} but {other}");
        }
        let of_file = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(of_file.checked(), Some(checked));
        assert_eq!(of_file, model);
    }
}

#[test]
fn a_model_without_its_figures_is_refused() {
    let schema = schema();
    let method = Method::INDEPENDENT;
    let check = check(Vec::new());
    let model =
        fit_and_check(&schema, source(&schema, rows(500)), &method, goal(1.0, 1e-6), Some(&check), None).unwrap();
    // The usual figures: means and maxima of four orders, and four columns.
    assert_eq!(model.checked().unwrap().figures.len(), 2 * 4 + 4);
    let plain = fit_and_check(&schema, source(&schema, rows(500)), &method, goal(1.0, 1e-6), None, None).unwrap();
    assert_eq!(plain.checked(), None);
    let bytes = model.to_bytes();
    assert!(Model::from_bytes(&bytes).is_ok());
}

#[test]
fn intervals_hold_as_often_as_they_say() {
    let schema = schema();
    let real = rows(2_000);
    let released = columns(&schema, &rows(1_000));
    let figures = &figures()[..5];
    let exact = exact(&rows(1_000), real.clone(), figures);
    let (mut inside, mut all) = (0_u32, 0_u32);
    for _ in 0..200 {
        let source = source(&schema, real.clone());
        let (checked, _) = check_rows(
            &schema,
            source,
            std::iter::once(released.clone()),
            figures,
            &Workload::EMPTY,
            goal(1.0, 1e-6),
            None,
        )
        .unwrap();
        for (noisy, exact) in checked.figures.iter().zip(&exact) {
            inside += u32::from((noisy.value - exact.value).abs() <= noisy.half_width);
            all += 1;
        }
    }
    // At least 95 % of 1,000, with more than five standard deviations of room: noise in the number
    // of rows may move a figure less than its interval allows for.
    assert!(inside * 1_000 / all >= 910, "{inside} of {all}");
}

#[test]
fn a_forecast_is_the_noise_that_comes() {
    for (adjacency, delta) in
        [(AdjacencyKind::AddRemove, 1e-6), (AdjacencyKind::ReplaceOne, 1e-6), (AdjacencyKind::AddRemove, 0.0)]
    {
        let schema = integers(&SIZES, 3, adjacency);
        let (check, goal) = (check(figures()), goal(1.0, delta));
        let forecast = forecast(&schema, &check, &Method::INDEPENDENT, goal, Some(1_000)).unwrap();
        assert_eq!(forecast.figures, figures().len());
        let model =
            fit_and_check(&schema, source(&schema, rows(1_000)), &Method::INDEPENDENT, goal, Some(&check), None)
                .unwrap();
        let event = model.certificate().unwrap().events().last().unwrap();
        let noise = event.mechanism().standard_deviation().unwrap() / 1024.0;
        assert!((noise / forecast.noise - 1.0).abs() < 0.01, "{noise} instead of {}", forecast.noise);
    }
}

fn checked(value: f64, deviation: f64) -> Checked {
    let figure = tables(Tables::Order(3), false);
    let name = figure.to_string();
    let figure = CheckedFigure { figure, name, value, half_width: 1.96 * deviation, deviation, tables: 4 };
    Checked { rows: 10, seed: 0, sampling: String::new(), figures: vec![figure] }
}

#[test]
fn a_criterion_is_met_missed_or_undecided() {
    let criterion = Criterion { figure: tables(Tables::Order(3), false), bound: Bound::AtMost(0.1), mandatory: true };
    let criteria = Criteria { confidence: 0.95, criteria: vec![criterion] };
    let outcome = |value| {
        let judged = criteria.judge(&checked(value, 0.01));
        (judged[0].outcome, judged[0].refuses(), judged[0].missed_by)
    };
    // The margin is 1.645 deviations.
    assert_eq!(outcome(0.08), (Outcome::Met, false, 0.0));
    assert_eq!(outcome(-0.12), (Outcome::Met, false, 0.0), "noise made an error negative");
    let (undecided, refuses, missed_by) = outcome(0.09);
    assert_eq!((undecided, refuses), (Outcome::Undecided, true));
    assert!((missed_by - 0.006_449).abs() < 1e-5);
    assert_eq!(outcome(0.12).0, Outcome::Missed);
    assert!(criteria.unmeasured(&checked(0.08, 0.01)).is_empty());
    let mean = Figure::Mean { column: "c3".into(), within: None };
    let criterion = Criterion { figure: mean.clone(), bound: Bound::AtMost(0.1), mandatory: true };
    let criteria_of_mean = Criteria { confidence: 0.95, criteria: vec![criterion] };
    let mut difference = checked(-0.12, 0.01);
    difference.figures[0].figure = mean;
    assert_eq!(criteria_of_mean.judge(&difference)[0].outcome, Outcome::Missed, "a difference has two sides");
    let other = Criterion { figure: tables(Tables::Order(2), false), bound: Bound::AtMost(0.1), mandatory: true };
    let criteria = Criteria { confidence: 0.95, criteria: vec![other.clone()] };
    assert_eq!(criteria.unmeasured(&checked(0.08, 0.01)), [&other], "nothing is known of it");
    assert!(criteria.judge(&checked(0.08, 0.01)).is_empty());
}

#[test]
fn criteria_are_read_and_written() {
    let text = r#"{"criteria": [
        {"tables": 3, "statistic": "max", "atMost": 0.05},
        {"tables": ["a", "b"], "within": {"sex": "female"}, "atMost": 0.01, "mandatory": false},
        {"column": "a", "atMost": 0.01},
        {"tables": [["a", "b"], ["b"]], "statistic": "max", "atMost": 0.1},
        {"mean": "a", "atMost": 3},
        {"accuracy": "b", "atLeast": 0.5},
        {"regression": "a", "atMost": 4},
        {"rules": "all", "atMost": 0.01}]}"#;
    let criteria: Criteria = serde_json::from_str(text).unwrap();
    criteria.check().unwrap();
    let in_editor = |text: &str| {
        let json_schema = serde_json::from_str(CRITERIA_JSON_SCHEMA).unwrap();
        validate(&json_schema, &serde_json::from_str(text).unwrap())
    };
    assert_eq!(in_editor(text), Ok(()));
    assert_eq!(in_editor(&serde_json::to_string(&criteria).unwrap()), Ok(()));
    assert!((criteria.confidence - 0.95).abs() < 1e-12);
    assert_eq!(criteria.criteria[1].figure.to_string(), "error of a × b, where sex is female");
    assert!(!criteria.criteria[1].mandatory);
    assert_eq!(criteria.criteria[3].figure.to_string(), "largest error of 2 named tables");
    let again: Criteria = serde_json::from_str(&serde_json::to_string(&criteria).unwrap()).unwrap();
    assert_eq!(again, criteria);
    for (wrong, why) in [
        (r#"{"criteria": [{"tables": 3}]}"#, "either `atMost` or `atLeast`"),
        (r#"{"criteria": [{"tables": 3, "atmost": 1}]}"#, "either `atMost` or `atLeast`"),
        (r#"{"criteria": [{"tables": 3, "statistics": "max", "atMost": 1}]}"#, "unknown field `statistics`"),
        (r#"{"criteria": [{"atMost": 1}]}"#, "a figure has one of"),
        (r#"{"criteria": [{"mean": "a", "accuracy": "b", "atMost": 1}]}"#, "a figure has one of"),
        (r#"{"criteria": [{"accuracy": "b", "statistic": "max", "atLeast": 1}]}"#, "have a `statistic`"),
        (r#"{"criteria": [{"accuracy": "b", "within": {"a": "b"}, "atLeast": 1}]}"#, "`within` a group"),
        (r#"{"criteria": [{"tables": 3, "within": {"a": 1, "b": 2}, "atMost": 1}]}"#, "one column and one value"),
        (r#"{"criteria": [{"tables": 3, "atMost": "x"}]}"#, "is not a number"),
    ] {
        let error = serde_json::from_str::<Criteria>(wrong).unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
        assert!(in_editor(wrong).is_err(), "an editor marks {wrong}");
    }
    for (wrong, why) in [
        (r#"{"criteria": []}"#, "no criteria"),
        (r#"{"confidence": 1, "criteria": [{"tables": 3, "atMost": 1}]}"#, "confidence"),
        (r#"{"criteria": [{"accuracy": "b", "atMost": 1}]}"#, "wrong direction"),
        (r#"{"criteria": [{"accuracy": "b", "atLeast": 2}]}"#, "not from 0 to 1"),
        (r#"{"criteria": [{"tables": 2, "atMost": -1}]}"#, "below zero"),
    ] {
        let error = serde_json::from_str::<Criteria>(wrong).unwrap().check().unwrap_err().to_string();
        assert!(error.contains(why), "{wrong}: {error}");
        assert!(in_editor(wrong).is_err(), "an editor marks {wrong}");
    }
}

#[test]
fn figures_that_cannot_be_measured_are_refused_before_anything_is_spent() {
    let schema = schema();
    let named = |names: &[&str]| tables(Tables::Columns(names.iter().map(|&name| name.into()).collect()), false);
    for (figure, why) in [
        (tables(Tables::Order(6), false), "1 to 5 columns"),
        (named(&["c0", "height"]), "no column `height`"),
        (Figure::Mean { column: "c0".into(), within: Some(group("c1", "seven")) }, "no value or bin `seven`"),
        (named(&["c0", "c0"]), "a column twice"),
        (tables(Tables::Named(vec![vec!["c0".into()], Vec::new()]), true), "1 to 5 columns"),
        (tables(Tables::Named(Vec::new()), true), "1 to 10000 tables"),
        (Figure::Rules { columns: vec!["c0".into()] }, "no rules"),
        (Figure::Rules { columns: Vec::new() }, "no rules"),
    ] {
        let error = fit_and_check(
            &schema,
            source(&schema, rows(50)),
            &Method::INDEPENDENT,
            goal(1.0, 1e-6),
            Some(&check(vec![figure])),
            None,
        );
        let error = error.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_tables_of_a_workload_are_checked() {
    let (schema, real) = (schema(), rows(500));
    let workload: Workload =
        serde_json::from_str(r#"[{"target": "c0", "weight": 3}, {"columns": ["c1", "c2"]}, {"columns": [0, 1]}]"#)
            .unwrap();
    let method = Method::named("mst").unwrap().with_workload(workload.clone()).unwrap();
    let model =
        fit_and_check(&schema, source(&schema, real.clone()), &method, goal(1.0, 1e-6), Some(&check(vec![])), None)
            .unwrap();
    let figures = model.checked().unwrap().figures;
    let names: Vec<&str> = figures.iter().map(|figure| figure.name.as_str()).collect();
    // Three pairs with the target, one of them named again, and one more.
    assert_eq!(names[names.len() - 2..], ["mean error of 4 named tables", "largest error of 4 named tables"]);
    assert_eq!(figures.last().unwrap().tables, 4);
    let released = columns(&schema, &real);
    let (checked, _) = check_rows(
        &schema,
        source(&schema, real.clone()),
        std::iter::once(released.clone()),
        &[],
        &workload,
        goal(1e6, 1e-3),
        None,
    )
    .unwrap();
    let largest = checked.figures.last().unwrap();
    assert!(largest.name.contains("4 named") && largest.value.abs() < 0.01, "{largest}");
    let unknown = Workload::default().with_target("height");
    let source = source(&schema, real);
    let refused = check_rows(&schema, source, std::iter::once(released), &[], &unknown, goal(1.0, 1e-6), None);
    assert!(refused.unwrap_err().to_string().contains("`height`"));
}

#[test]
fn usual_figures_without_a_small_table_are_left_out() {
    let schema = integers(&[200, 200, 200], 1, AdjacencyKind::AddRemove);
    let rows: Vec<Vec<u32>> = (0..50).map(|row| vec![row; 3]).collect();
    let fitted = fit_and_check(
        &schema,
        source(&schema, rows),
        &Method::INDEPENDENT,
        goal(1.0, 1e-6),
        Some(&check(Vec::new())),
        None,
    );
    let figures = fitted.unwrap().checked().unwrap().figures;
    // A table over all three columns has eight million cells.
    assert_eq!(figures.len(), 2 * 2 + 3, "{figures:?}");
}

#[test]
fn criteria_that_noise_cannot_decide_are_named() {
    let schema = schema();
    let criterion =
        |bound| Criterion { figure: tables(Tables::Order(3), false), bound: Bound::AtMost(bound), mandatory: true };
    let criteria = Criteria { confidence: 0.95, criteria: vec![criterion(1e-6), criterion(0.9)] };
    let check = Check::new(Some(&criteria));
    let forecast = forecast(&schema, &check, &Method::INDEPENDENT, goal(1.0, 1e-6), Some(10_000)).unwrap();
    assert_eq!(forecast.undecidable(&criteria), [&criteria.criteria[0]]);
}
