//! Forecasts against real fits: releases and their noise are as planned.

use std::num::NonZeroU64;

use crate::asked::{close, goal, number, related};
use scumble_mechanisms::forecast::{Asked, Extent, Forecast, Machine, Step};
use scumble_mechanisms::{MechanismError, Method, fit};
use scumble_schema::{AdjacencyKind, HierarchySpec, Scalar, Schema};
use scumble_testing::{RowSource, integers};
use scumble_vault::account::{Event, Mechanism, Question};
use scumble_vault::score::LATTICE_LOG2;
use scumble_vault::{ApproxDp, VaultError};

const ROWS: u32 = 6_000;

fn rows() -> NonZeroU64 {
    NonZeroU64::new(ROWS.into()).unwrap()
}

fn schema(sizes: &[u32], unit: u32, adjacency: AdjacencyKind) -> Schema {
    integers(sizes, unit, adjacency)
}

/// The events of a fit of related columns.
fn events(schema: &Schema, method: &Method, goal: ApproxDp) -> Vec<Event> {
    let source: RowSource = related(schema.domain().sizes(), ROWS);
    let model = fit(schema, Box::new(source), method, goal, None).unwrap();
    model.certificate().unwrap().events().to_vec()
}

fn what(event: &Event) -> Asked {
    match (event.question(), event.mechanism()) {
        (Question::Table(clique), _) if clique.is_empty() => Asked::Rows,
        (Question::Table(_), _) => Asked::Tables,
        (Question::Rows(_), _) => Asked::Draws,
        (_, Mechanism::Exponential { .. }) => Asked::Choices,
        _ => Asked::Scores,
    }
}

/// The standard deviation of a table's noise in rows, or of a score's; the epsilon of a choice.
fn scale(event: &Event) -> f64 {
    match event.mechanism() {
        Mechanism::Exponential { epsilon, .. } => epsilon.to_f64(),
        noise if what(event) == Asked::Scores => noise.standard_deviation().unwrap() / f64::from(1 << LATTICE_LOG2),
        noise => noise.standard_deviation().unwrap(),
    }
}

fn planned_scale(step: &Step) -> Extent<f64> {
    step.noise.or(step.preference).unwrap()
}

/// Planned steps of a kind.
fn of_kind(forecast: &Forecast, kind: Asked) -> Vec<&Step> {
    forecast.steps.iter().filter(|step| step.what == kind).collect()
}

const KINDS: [Asked; 4] = [Asked::Rows, Asked::Tables, Asked::Scores, Asked::Choices];

/// Checks that a fit has exactly the planned events of each kind, with scales in the planned
/// ranges.
fn check_exactly(method: &Method, sizes: &[u32], unit: u32, adjacency: AdjacencyKind, goal: ApproxDp) {
    check_exactly_for(method, &schema(sizes, unit, adjacency), goal);
}

fn check_exactly_for(method: &Method, schema: &Schema, goal: ApproxDp) {
    let sizes = schema.domain().sizes();
    let forecast = Forecast::new(schema, method, goal, rows()).unwrap();
    let events = events(schema, method, goal);
    for kind in KINDS {
        let made: Vec<&Event> = events.iter().filter(|event| what(event) == kind).collect();
        let planned = of_kind(&forecast, kind);
        let expected: u64 = planned.iter().map(|step| step.events.expected).sum();
        assert_eq!(made.len() as u64, expected, "{kind:?} of {method} over {sizes:?}");
        if made.is_empty() {
            continue;
        }
        let least = planned.iter().map(|step| planned_scale(step).least).fold(f64::INFINITY, f64::min);
        let most = planned.iter().map(|step| planned_scale(step).most).fold(0.0, f64::max);
        let scales = || made.iter().map(|event| scale(event));
        // An event does not state the variance of rounding to whole rows, 1/12.
        let close = |left: f64, right: f64| close(left, right) || (left * left - right * right).abs() < 0.09;
        let least_made = scales().fold(f64::INFINITY, f64::min);
        let most_made = scales().fold(0.0, f64::max);
        assert!(close(least_made, least), "{kind:?} of {method}: {least_made} for {least}");
        assert!(close(most_made, most), "{kind:?} of {method}: {most_made} for {most}");
    }
}

/// Checks that the number of events of each kind is in the planned range, and near the expectation.
fn check_within(method: &Method, sizes: &[u32], adjacency: AdjacencyKind, goal: ApproxDp) {
    let schema = schema(sizes, 1, adjacency);
    let forecast = Forecast::new(&schema, method, goal, rows()).unwrap();
    let events = events(&schema, method, goal);
    for kind in KINDS {
        let made = events.iter().filter(|event| what(event) == kind).count();
        let planned = of_kind(&forecast, kind);
        let sum = |number: fn(&Step) -> u64| planned.iter().map(|step| number(step)).sum::<u64>();
        let (least, expected, most) =
            (sum(|step| step.events.at_least), sum(|step| step.events.expected), sum(|step| step.events.at_most));
        assert!((least..=most).contains(&(made as u64)), "{kind:?} of {method}: {made}, not {least} to {most}");
        let expected = number(usize::try_from(expected).unwrap());
        let ratio = (number(made) + 1.0) / (expected + 1.0);
        assert!((0.4..=2.5).contains(&ratio), "{kind:?} of {method}: {made} for {expected}");
    }
}

#[test]
fn declared_levels_add_no_releases() {
    let levelled = |sizes: &[u32]| {
        let mut spec = schema(sizes, 1, AdjacencyKind::AddRemove).to_spec();
        let parents = (0..i64::from(sizes[0])).map(|value| Scalar::Integer(value / 3)).collect();
        spec.fields[0].dp.hierarchy = Some(HierarchySpec { file: None, levels: Some(vec![parents]) });
        Schema::new(spec).unwrap()
    };
    let few = method("auto", &["rounds_per_column=0.6", "noise_penalty=0"]);
    check_exactly_for(&few, &levelled(&[9, 2, 4, 2, 3, 5]), goal(1.0, 1e-6));
    check_exactly_for(&method("mst", &["merge_below=0"]), &levelled(&[9, 3, 2, 3]), goal(1.0, 1e-6));
}

fn method(name: &str, options: &[&str]) -> Method {
    Method::named(name).unwrap().with_options(options.iter().copied()).unwrap()
}

const ADJACENCIES: [AdjacencyKind; 2] = [AdjacencyKind::AddRemove, AdjacencyKind::ReplaceOne];

#[test]
fn time_is_that_of_the_machine_and_memory_is_not() {
    let schema = schema(&[3, 4, 5, 2], 1, AdjacencyKind::AddRemove);
    let forecast = || Forecast::new(&schema, &method("auto", &[]), goal(1.0, 1e-6), rows()).unwrap();
    let (here, slower) = (forecast().cost, forecast().on(Machine { slowness: 3.0 }).cost);
    assert!(close(slower.cpu_seconds, 3.0 * here.cpu_seconds) && close(slower.peak_bytes, here.peak_bytes));
    assert_eq!(forecast().on(Machine::REFERENCE).cost, here);
}

#[test]
fn less_noise_makes_the_last_fit_of_auto_longer() {
    // Tables that fill no model that they may have: with more budget nothing else becomes larger
    // than the rounds do.
    let schema = schema(&[20; 8], 1, AdjacencyKind::AddRemove);
    let many = NonZeroU64::new(1_000_000).unwrap();
    let work = |epsilon| Forecast::new(&schema, &method("auto", &[]), goal(epsilon, 1e-6), many).unwrap().work;
    let (ordinary, large) = (work(0.01), work(8.0));
    assert!(large.model_cells <= 2.0 * ordinary.model_cells, "a model has at most twice the cells");
    assert!(large.stepped > 4.0 * ordinary.stepped, "{} for {}", large.stepped, ordinary.stepped);
    assert!(large.explained > 0.0 && large.compared > 0.0);
}

#[test]
fn tables_of_columns_are_planned_exactly() {
    for adjacency in ADJACENCIES {
        for unit in [1, 3] {
            for delta in [0.0, 1e-9] {
                check_exactly(&method("independent", &[]), &[2, 5, 1, 3], unit, adjacency, goal(1.0, delta));
            }
        }
    }
}

#[test]
fn a_tree_is_planned_exactly() {
    for adjacency in ADJACENCIES {
        for options in [&["merge_below=0"][..], &["merge_below=0", "accounting=zcdp"]] {
            check_exactly(&method("mst", options), &[3, 3, 2, 3, 1], 1, adjacency, goal(1.0, 1e-6));
        }
        check_exactly(&method("mst", &[]), &[4], 2, adjacency, goal(1.0, 1e-6));
    }
}

#[test]
fn networks_of_binary_columns_are_planned_exactly() {
    for name in ["privbayes", "pb-pgm"] {
        let method = method(name, &[]);
        for (epsilon, delta) in [(0.05, 0.0), (1.0, 0.0), (20.0, 1e-6)] {
            check_exactly(&method, &[2; 7], 2, AdjacencyKind::ReplaceOne, goal(epsilon, delta));
        }
        // How many parents the noise of tables allows depends on the noisy number of rows. At an
        // epsilon of 0.05 that number decides, once in a hundred fits, that there are none at all,
        // and then nothing is selected.
        for (epsilon, delta) in [(0.5, 0.0), (1.0, 0.0), (20.0, 1e-6)] {
            check_within(&method, &[2; 7], AdjacencyKind::AddRemove, goal(epsilon, delta));
        }
    }
}

#[test]
fn rounds_are_planned_exactly_while_candidates_are_left() {
    for adjacency in ADJACENCIES {
        let few = method("auto", &["rounds_per_column=0.6", "noise_penalty=0"]);
        check_exactly(&few, &[3, 2, 4, 2, 3, 5], 1, adjacency, goal(1.0, 1e-6));
    }
}

#[test]
fn releases_that_depend_on_rows_are_planned_within_limits() {
    let sizes = [3, 2, 4, 2, 3, 5, 2, 6];
    for adjacency in ADJACENCIES {
        for epsilon in [0.3, 2.0] {
            for name in ["privbayes", "pb-pgm", "privbayes-nist", "auto", "mst"] {
                check_within(&method(name, &[]), &sizes, adjacency, goal(epsilon, 1e-6));
            }
            check_within(&method("privmrf", &["profile=paper"]), &sizes, adjacency, goal(epsilon, 1e-6));
            check_within(&method("aim", &["rounds_per_column=4"]), &sizes, adjacency, goal(epsilon, 1e-6));
        }
    }
}

#[test]
fn drawn_rows_are_one_release() {
    let schema = schema(&[3, 4], 1, AdjacencyKind::ReplaceOne);
    let forecast = Forecast::new(&schema, &method("smoothed-histogram", &[]), goal(1.0, 0.0), rows()).unwrap();
    assert_eq!((forecast.steps.len(), forecast.steps[0].what), (1, Asked::Draws));
    assert!(forecast.errors.iter().all(|error| error.noise > 0.0 && error.noise < 1.0));
}

#[test]
fn what_a_fit_refuses_a_plan_refuses_with_the_same_reason() {
    let goal = goal(1.0, 0.0);
    let add_remove = schema(&[3, 4], 1, AdjacencyKind::AddRemove);
    for name in Method::NAMES {
        let method = method(name, &[]);
        let planned = Forecast::new(&add_remove, &method, goal, rows()).map(drop).map_err(|error| error.to_string());
        let source = Box::new(related(&[3, 4], 50));
        let fitted = fit(&add_remove, source, &method, goal, None).map(drop).map_err(|error| error.to_string());
        assert_eq!(planned, fitted, "{name}");
    }
}

#[test]
fn too_many_columns_are_refused_with_what_to_change() {
    let schema = schema(&[2; 1_001], 1, AdjacencyKind::AddRemove);
    for name in ["mst", "aim", "auto", "privmrf"] {
        let refused = Forecast::new(&schema, &method(name, &[]), goal(1.0, 1e-9), rows()).unwrap_err();
        assert!(matches!(refused, MechanismError::TooLarge { .. }), "{name}: {refused:?}");
        assert!(refused.hint().contains("leave out columns") && refused.hint().contains("`c0`"), "{name}");
    }
}

#[test]
fn a_budget_that_is_too_small_is_refused_as_by_the_vault() {
    let schema = schema(&[2, 3], 1, AdjacencyKind::AddRemove);
    let refused = Forecast::new(&schema, &Method::INDEPENDENT, goal(1e-13, 0.0), rows()).unwrap_err();
    assert!(matches!(refused, MechanismError::Vault(VaultError::BudgetTooSmall { .. })), "{refused:?}");
}

#[test]
fn more_budget_and_more_rows_make_smaller_errors() {
    let schema = schema(&[4, 2, 7, 3, 2, 5], 1, AdjacencyKind::AddRemove);
    for name in ["independent", "mst", "auto", "aim", "privbayes", "privbayes-nist", "pb-pgm"] {
        let error = |epsilon, rows| {
            let forecast =
                Forecast::new(&schema, &method(name, &[]), goal(epsilon, 1e-9), NonZeroU64::new(rows).unwrap());
            forecast.unwrap().errors[0].noise
        };
        assert!(error(2.0, 10_000) < error(0.5, 10_000), "{name}");
        assert!(error(0.5, 1_000_000) < error(0.5, 10_000), "{name}");
    }
}

#[test]
fn the_lower_bound_is_below_what_is_expected() {
    let schema = schema(&[4, 2, 7, 3, 2, 5], 1, AdjacencyKind::AddRemove);
    for name in ["independent", "mst", "auto", "aim", "pb-pgm"] {
        let forecast = Forecast::new(&schema, &method(name, &[]), goal(1.0, 1e-9), rows()).unwrap();
        assert_eq!(forecast.errors.len(), 5);
        for error in &forecast.errors {
            assert!(error.lower_bound <= error.expected.most, "{name}: {error:?}");
            assert!(error.expected.least <= error.expected.most);
        }
    }
}
