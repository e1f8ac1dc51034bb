//! Workloads: how they are checked, recorded and measured.

use std::num::NonZeroU32;

use scumble_mechanisms::forecast::{Asked, Forecast, Step};
use scumble_mechanisms::{Method, Model, Workload, fit, plan};
use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain};
use scumble_testing::{RowSource, integers};
use scumble_vault::account::Question;
use scumble_vault::{AddRemove, Event, Gdp, Vault};

use crate::asked::goal;

const METHODS: [&str; 3] = ["aim", "auto", "mst"];

fn with_options(name: &str, options: &[&str]) -> Method {
    Method::named(name).unwrap().with_options(options.iter().copied()).unwrap()
}

fn clique(columns: &[usize]) -> Clique {
    Clique::new(columns.iter().copied().map(AttributeId::new))
}

/// Fits a table of related columns, the last of which has nothing to do with the others.
fn fitted(sizes: &[u32], rows: u32, method: &Method, epsilon: f64) -> Model {
    let schema = integers(sizes, 1, AdjacencyKind::AddRemove);
    let row = |row: u32| {
        let code = |(place, &size): (usize, &u32)| {
            if place + 1 == sizes.len() { row / 7 % size } else { (row + row / 40 % 2) % size }
        };
        sizes.iter().enumerate().map(code).collect()
    };
    let source = RowSource::new(schema.domain().clone(), (0..rows).map(row).collect());
    fit(&schema, Box::new(source), method, goal(epsilon, 1e-6), None).unwrap()
}

fn tables(model: &Model) -> Vec<Clique> {
    model.certificate().unwrap().events().iter().filter_map(Event::table).cloned().collect()
}

fn selections(model: &Model) -> usize {
    let events = model.certificate().unwrap().events();
    events.iter().filter(|event| matches!(event.question(), Question::Scores { .. })).count()
}

#[test]
fn wrong_workloads_are_refused_before_a_row_is_read() {
    let domain = Domain::new(vec![2, 3]).unwrap();
    let many = vec![r#"{"columns": [0]}"#; 10_001].join(", ");
    for name in METHODS {
        for (wrong, problem) in [
            (r#"[{"columns": [0, 2]}]"#, "names column 2, the last one is 1"),
            (r#"[{"target": 2}]"#, "names column 2, the last one is 1"),
            (r#"[{"columns": []}]"#, "not over 1 to 8 columns"),
            ("[{}]", "not over 1 to 8 columns"),
            (r#"[{"columns": [0, 1, 0, 1, 0, 1, 0, 1, 0]}]"#, "not over 1 to 8 columns"),
            (r#"[{"columns": [0], "target": 1}]"#, "both `columns` and `target`"),
            (r#"[{"columns": [0], "weight": 0}]"#, "a weight that is not above 0"),
            (r#"[{"columns": [0], "weight": 2e6}]"#, "a weight that is not above 0"),
            (&format!("[{many}]"), "more than 10000 tables"),
        ] {
            let error = with_options(name, &[&format!("workload={wrong}")]).recoding(&domain).unwrap_err().to_string();
            assert!(error.contains("option `workload`") && error.contains(problem), "{name}: {error}");
        }
        assert!(Method::named(name).unwrap().with_options([r#"workload=[{"column": [0]}]"#]).is_err());
        let schema = integers(&[2, 3], 1, AdjacencyKind::AddRemove);
        let nobody = Method::named(name).unwrap().with_workload(Workload::default().with_target("nobody")).unwrap();
        let source = RowSource::new(schema.domain().clone(), vec![]);
        let error = fit(&schema, Box::new(source), &nobody, goal(1.0, 1e-6), None).unwrap_err().to_string();
        assert!(error.contains("names the column `nobody`, which is not in the schema"), "{name}: {error}");
    }
}

#[test]
fn methods_that_treat_all_tables_alike_refuse_a_workload() {
    for name in Method::NAMES {
        let set = Method::named(name).unwrap().with_workload(Workload::default().with_target("income"));
        assert_eq!(set.is_ok(), METHODS.contains(&name), "{name}");
        if let Err(error) = set {
            assert!(error.hint().contains("`auto`, `aim` or `mst`"));
        }
    }
}

#[test]
fn a_workload_is_part_of_the_request_and_options_without_one_are_written_as_before() {
    let schema = integers(&[2, 3], 1, AdjacencyKind::AddRemove);
    let request = |method: &Method| plan(&schema, method, goal(1.0, 1e-6)).request;
    for name in METHODS {
        let without = Method::named(name).unwrap();
        let with = without.clone().with_workload(Workload::default().with_target("c0")).unwrap();
        assert!(request(&with).contains(r#""workload":[{"target":"c0","weight":1.0}]"#), "{}", request(&with));
        assert_eq!(request(&without).contains("workload\":"), name == "aim");
        let written = serde_json::to_string(&with).unwrap();
        assert_eq!(serde_json::from_str::<Method>(&written).unwrap(), with);
    }
}

#[test]
fn edges_of_a_target_are_not_selected() {
    let star = fitted(&[2, 3, 2, 4], 4_000, &with_options("mst", &[r#"workload=[{"target": 3}]"#]), 2.0);
    assert_eq!(selections(&star), 0);
    assert_eq!(tables(&star)[4..], [clique(&[0, 3]), clique(&[1, 3]), clique(&[2, 3])]);
    let free = fitted(&[2, 3, 2, 4], 4_000, &with_options("mst", &[]), 2.0);
    assert_eq!(selections(&free), 3);
}

#[test]
fn edges_within_a_table_come_first_and_heavier_pairs_before_lighter_ones() {
    // The last column is related to nothing, so it would be joined last.
    let within = with_options("mst", &[r#"workload=[{"columns": [0, 1, 3]}]"#]);
    let model = fitted(&[2, 3, 2, 4], 4_000, &within, 2.0);
    assert_eq!(selections(&model), 3);
    assert!(tables(&model)[4..6].iter().all(|pair| clique(&[0, 1, 3]).holds(pair)), "{:?}", tables(&model));
    let cycle = r#"workload=[{"columns": [0, 3]}, {"columns": [1, 3], "weight": 2}, {"columns": [0, 1], "weight": 3}]"#;
    let model = fitted(&[2, 3, 2, 4], 4_000, &with_options("mst", &[cycle]), 2.0);
    assert_eq!(tables(&model)[4..6], [clique(&[0, 1]), clique(&[1, 3])]);
    assert_eq!(selections(&model), 1);
}

#[test]
fn tables_of_a_workload_are_measured_in_rounds_of_their_own() {
    let options = ["candidates=50", "most_columns=3", r#"workload=[{"columns": [0, 3]}, {"columns": [1, 2, 3]}]"#];
    let model = fitted(&[4, 3, 5, 4], 20_000, &with_options("auto", &options), 2.0);
    let heavier = model
        .certificate()
        .unwrap()
        .events()
        .iter()
        .filter(|event| matches!(event.question(), Question::Scores { heaviest, .. } if heaviest.get() > 1));
    // Three rounds; later ones have the other candidates once all of these are measured.
    assert!((1..=3).contains(&heavier.count()), "one and a half rounds for each table");
    let named = [clique(&[0, 3]), clique(&[1, 2, 3])];
    assert!(tables(&model).iter().any(|table| named.contains(table)), "{:?}", tables(&model));
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap().to_bytes(), model.to_bytes());
}

#[test]
fn a_tree_has_the_pairs_of_a_workload_and_rows_its_other_tables() {
    let options = ["model_cells=2000", r#"workload=[{"columns": [0, 5]}, {"columns": [0, 1]}, {"columns": [1, 5]}]"#];
    let model = fitted(&[12; 6], 40_000, &with_options("auto", &options), 4.0);
    let measured = tables(&model);
    for pair in [[0, 5], [0, 1], [1, 5]] {
        assert!(measured.contains(&clique(&pair)), "{measured:?}");
    }
    assert!(selections(&model) >= 3, "the other edges are selected");
    assert_eq!(Model::from_bytes(&model.to_bytes()).unwrap().to_bytes(), model.to_bytes());
}

#[test]
fn tables_without_a_relation_to_measure_are_no_workload() {
    for workload in [r#"[{"columns": [0]}]"#, r#"[{"columns": [0, 1]}]"#, r#"[{"target": 1}]"#] {
        for name in METHODS {
            let method = with_options(name, &[&format!("workload={workload}")]);
            // The second column has one code.
            let domain = Domain::new(vec![3, 1, 2, 3]).unwrap();
            let source = RowSource::new(domain, vec![vec![2, 0, 1, 0]; 50]);
            let (mut vault, budget) =
                Vault::<AddRemove, Gdp>::open(Box::new(source), goal(1.0, 1e-6), NonZeroU32::MIN).unwrap();
            assert!(method.fit_columns(&mut vault, budget).is_ok(), "{name} {workload}");
        }
    }
}

#[test]
fn a_plan_shows_that_the_tables_of_a_workload_are_measured() {
    let schema = integers(&[4, 3, 5, 4], 1, AdjacencyKind::AddRemove);
    let steps =
        |method: &Method| Forecast::new(&schema, method, goal(1.0, 1e-6), 20_000.try_into().unwrap()).unwrap().steps;
    let is_selection = |step: &&Step| step.what == Asked::Choices;
    let star = steps(&with_options("mst", &[r#"workload=[{"target": 3}]"#]));
    assert_eq!(star.iter().filter(is_selection).count(), 0, "edges of a target are not selected");
    // No other table has three columns, and no other release after the columns is certain.
    let named = with_options("auto", &["most_columns=2", r#"workload=[{"columns": [0, 1, 3]}]"#]);
    let last = steps(&named).into_iter().rfind(|step| step.what == Asked::Tables && step.events.are_certain()).unwrap();
    assert_eq!((last.columns.least, last.events.expected), (3, 1));
    assert!(last.noise.is_some_and(|noise| noise.most > 0.0));
}
