//! Every method by its name: options, and its model.

use scumble_mechanisms::{Distribution, MechanismError, Method, Model, Origin, fit};
use scumble_pgm::Sampling;
use scumble_schema::{AdjacencyKind, AttributeId, CodeColumn, Schema};
use scumble_testing::{RowSource, integers};
use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon};
use sha2::{Digest, Sha256};

/// Five columns, of which the second follows the first and the fourth the third.
fn rows() -> Vec<Vec<u32>> {
    (0..3_000_u32).map(|row| vec![row % 5, row % 5 / 2, row / 5 % 2, row / 5 % 2 + 1, row / 10 % 40]).collect()
}

fn schema(adjacency: AdjacencyKind) -> Schema {
    integers(&[5, 3, 2, 4, 40], 1, adjacency)
}

fn method(name: &str, options: &[&str]) -> Method {
    Method::named(name).unwrap().with_options(options.iter().copied()).unwrap()
}

fn fitted(method: &Method, delta: f64, adjacency: AdjacencyKind) -> Model {
    fitted_within(20.0, method, delta, adjacency)
}

fn fitted_within(epsilon: f64, method: &Method, delta: f64, adjacency: AdjacencyKind) -> Model {
    let schema = schema(adjacency);
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    let source = RowSource::new(schema.domain().clone(), rows());
    fit(&schema, Box::new(source), method, goal, None).unwrap()
}

/// Methods and forms of them, such that every kind of distribution and of recoding is among them.
fn forms() -> Vec<(Method, f64, AdjacencyKind)> {
    use AdjacencyKind::{AddRemove, ReplaceOne};
    vec![
        (method("independent", &[]), 1e-9, AddRemove),
        (method("privbayes", &[]), 0.0, AddRemove),
        (method("privbayes", &["encoding=binary", "degree=2"]), 0.0, ReplaceOne),
        (method("privbayes", &["encoding=hierarchical", "group=3"]), 0.0, AddRemove),
        (method("privbayes-nist", &["group_width=3"]), 1e-9, AddRemove),
        (method("privbayes-nist", &["consistency=none", "probabilities=clipped"]), 1e-9, ReplaceOne),
        (method("pb-pgm", &[]), 0.0, AddRemove),
        (method("pb-pgm", &["encoding=binary", "degree=1"]), 1e-9, ReplaceOne),
        (method("auto", &[]), 1e-9, AddRemove),
        (method("auto", &["large_column=5", "groups=3", "spread=null"]), 1e-9, ReplaceOne),
        (method("aim", &["rounds_per_column=2"]), 1e-9, AddRemove),
        (
            method(
                "aim",
                &["accounting=zcdp", r#"workload=[{"columns": [0, 1]}, {"columns": [2, 3, 4], "weight": 2}]"#],
            ),
            1e-9,
            ReplaceOne,
        ),
        (method("mst", &["spread=null"]), 1e-9, AddRemove),
        (method("mst", &["accounting=zcdp", "merge_below=100"]), 1e-9, ReplaceOne),
        (method("privmrf", &["profile=best"]), 1e-9, AddRemove),
        (method("privmrf", &["profile=paper", "candidates=20"]), 1e-9, AddRemove),
        (
            method("privmrf", &["profile=paper", "initial=best-of-all", "rounds=one-table", "fit=converged"]),
            1e-9,
            ReplaceOne,
        ),
        (method("smoothed-histogram", &["rows=100"]), 1e-9, ReplaceOne),
    ]
}

#[test]
fn a_model_of_any_method_comes_back_with_the_same_rows() {
    for (method, delta, adjacency) in forms() {
        let model = fitted(&method, delta, adjacency);
        let read = Model::from_bytes(&model.to_bytes()).unwrap();
        assert_eq!(read, model);
        assert_eq!(read.method(), Some(&method));
        for sampling in [Sampling::LowVariance, Sampling::Independent] {
            let drawn = |model: &Model| model.sample_codes(500, 3, sampling).collect::<Vec<_>>();
            assert_eq!(drawn(&read), drawn(&model), "{method:?}");
            assert_eq!(drawn(&read).iter().map(|chunk| chunk[0].len()).sum::<usize>(), 500);
        }
    }
}

#[test]
fn blocks_of_a_sample_are_those_of_the_whole() {
    let kinds = [
        ("independent", 1e-9, AdjacencyKind::AddRemove),
        ("privbayes-nist", 1e-9, AdjacencyKind::AddRemove),
        ("mst", 1e-9, AdjacencyKind::AddRemove),
        ("smoothed-histogram", 1e-9, AdjacencyKind::ReplaceOne),
    ];
    let rows = Model::BLOCK_ROWS + 70_000;
    for (name, delta, adjacency) in kinds {
        let options: &[&str] = if name == "smoothed-histogram" { &["rows=100"] } else { &[] };
        let model = fitted(&method(name, options), delta, adjacency);
        for sampling in [Sampling::LowVariance, Sampling::Independent] {
            let whole: Vec<_> = model.sample(rows, 3, sampling).collect();
            let blocks = (0..3).flat_map(|block| model.sample_block(rows, 3, sampling, block).map(|rows| rows.batch));
            assert!(blocks.collect::<Vec<_>>() == whole, "{name} {sampling:?}");
        }
    }
}

#[test]
fn a_model_counts_as_many_numbers_as_were_released() {
    for (method, delta, adjacency) in forms() {
        let model = fitted(&method, delta, adjacency);
        let Origin::Measured { released, certificate: claimed, .. } = model.origin() else {
            panic!("a vault measured it")
        };
        let events = claimed.events();
        assert_eq!(events.len(), released.len());
        assert!(events.iter().zip(released).all(|(event, values)| event.length() == values.len() as u64));
        assert!(claimed.epsilon().get() <= 20.0 && claimed.epsilon().get() > 19.9, "{method}: {claimed:?}");
    }
}

/// Share of synthetic rows whose first two columns occur in no real row.
fn impossible_share(model: &Model) -> f64 {
    let chunks: Vec<Vec<CodeColumn>> = model.sample_codes(3_000, 1, Sampling::LowVariance).collect();
    let pairs = chunks.iter().flat_map(|chunk| chunk[0].iter().zip(chunk[1].iter()));
    let impossible = pairs.filter(|(first, second)| first / 2 != *second).count();
    f64::from(u32::try_from(impossible).unwrap()) / 3_000.0
}

#[test]
fn every_method_but_independent_columns_keeps_a_strong_relation() {
    for (method, delta, adjacency) in forms() {
        let share = impossible_share(&fitted(&method, delta, adjacency));
        match method.name() {
            // With independent columns 64 % are impossible, and a smoothed row is as good as a
            // random one.
            "independent" => assert!(share > 0.5, "{share}"),
            "smoothed-histogram" => {}
            _ => assert!(share < 0.1, "{method:?}: {share}"),
        }
    }
}

#[test]
fn a_very_large_budget_releases_the_number_of_rows() {
    for (method, delta, adjacency) in forms() {
        for epsilon in [1e3, 1e6] {
            let rows = fitted_within(epsilon, &method, delta, adjacency).rows();
            // The paper's own method spends a hundredth of its budget on it.
            assert!(rows.abs_diff(3_000) < 10, "{rows} by {method} at {epsilon}");
        }
    }
}

#[test]
fn shares_of_columns_are_those_of_the_rows() {
    for (method, delta, adjacency) in forms() {
        let model = fitted(&method, delta, adjacency);
        let shares = model.shares();
        for (column, &size) in shares.iter().zip(model.schema().domain().sizes()) {
            assert_eq!(column.len(), size as usize);
            assert!((column.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        // The digits of a column are kept as far as they are measured together, which is not far at
        // a low degree.
        let is_whole = model.recoding().domain().size(AttributeId::new(0)) == 5;
        if is_whole && method.name() != "smoothed-histogram" {
            assert!(shares[0].iter().all(|share| (share - 0.2).abs() < 0.05), "{method:?}: {:?}", shares[0]);
        }
    }
}

#[test]
fn derived_columns_are_named_after_their_columns() {
    let bits = fitted(&method("privbayes", &["encoding=binary", "degree=1"]), 0.0, AdjacencyKind::AddRemove);
    let name = |model: &Model, column| model.column_name(AttributeId::new(column));
    let first = bits.schema().attributes()[0].name();
    assert_eq!(name(&bits, 2), format!("{first}, binary digit 3"));
    let groups = fitted(&method("privbayes-nist", &["group_width=3"]), 1e-9, AdjacencyKind::AddRemove);
    let last = groups.schema().attributes()[4].name();
    assert_eq!(
        [4, 5, 6].map(|column| name(&groups, column)),
        [last.to_owned(), format!("{last} in 14 groups"), format!("{last} in 5 groups")]
    );
}

#[test]
fn no_change_of_a_header_makes_the_reader_panic_or_take_more_than_there_is() {
    for (method, delta, adjacency) in forms() {
        let bytes = fitted(&method, delta, adjacency).to_bytes();
        // The header is the first section: its length, and then JSON.
        let header = usize::try_from(u64::from_le_bytes(bytes[12..20].try_into().unwrap())).unwrap();
        for place in (20..20 + header).step_by(3) {
            for change in [b'0', b'9', b'-', b'"', b']'] {
                let mut changed = bytes.clone();
                changed[place] = change;
                changed.truncate(changed.len() - 32);
                changed.extend(Sha256::digest(&changed));
                // Some changes make another model, such as one of another number of rows.
                if let Ok(model) = Model::from_bytes(&changed) {
                    assert!(matches!(
                        model.distribution(),
                        Distribution::Product(_)
                            | Distribution::Network(_)
                            | Distribution::Tree(_)
                            | Distribution::Rows(_)
                    ));
                }
            }
        }
    }
}

#[test]
fn options_are_read_and_wrong_ones_are_named() {
    let refused = |name: &str, options: &[&str]| {
        let error = Method::named(name).unwrap().with_options(options.iter().copied()).unwrap_err();
        assert!(matches!(error, MechanismError::Option { .. }) && !error.hint().is_empty());
        error.to_string()
    };
    assert!(refused("privbayes", &["gamma=1"]).contains("unknown field `gamma`, expected one of `beta`"));
    assert!(refused("privbayes", &["score=q"]).contains("unknown variant `q`"));
    assert!(refused("privbayes", &["beta"]).contains("NAME=VALUE"));
    assert!(refused("privbayes", &["beta=0.1", "beta=0.2"]).contains("twice"));
    assert!(refused("independent", &["beta=0.1"]).contains("has none"));
    assert!(refused("privbayes-nist", &["group-width=two"]).contains("group_width"));
    assert_eq!(method("privbayes-nist", &["group-width=4"]), method("privbayes-nist", &["group_width=4"]));
    assert_ne!(method("privmrf", &["spread=null"]), method("privmrf", &[]));
    assert!(refused("privmrf", &["theta=4"]).contains("unknown field `theta`"));
    assert!(refused("privmrf", &["profile=paper", "spread=1"]).contains("unknown field `spread`"));
    assert!(refused("privmrf", &["spread=much"]).contains("spread"));
    let error = refused("privmrf", &["profile=papers"]);
    assert!(error.contains("unknown variant `papers`, expected `best` or `paper`"), "{error}");
    let error = Method::named("privbays").unwrap_err().to_string();
    assert!(error.contains("privbayes") && error.contains("smoothed-histogram"), "{error}");
    let domain = schema(AdjacencyKind::AddRemove);
    for options in [["beta=1.5"], ["beta=0"], ["theta=-1"], ["group=1"]] {
        assert!(method("privbayes", &options).recoding(domain.domain()).is_err(), "{options:?}");
    }
}

#[test]
fn a_profile_begins_with_its_own_options() {
    use scumble_mechanisms::{
        auto,
        privmrf::{Options, paper},
    };
    let best = |options: &[&str]| match method("privmrf", options) {
        Method::PrivMrf(Options::Best(options)) => options,
        other => panic!("{other:?}"),
    };
    assert_eq!(best(&[]), auto::Options::default());
    assert_eq!(best(&["profile=best"]), auto::Options::default());
    assert_eq!(best(&["last-round=3", "profile=best"]), auto::Options { last_round: 3.0, ..best(&[]) });
    assert_eq!(best(&["spread=null"]), auto::Options { spread: None, ..best(&[]) });
    let paper = Options::Paper(paper::Options { theta: 4.0, ..paper::Options::default() });
    assert_eq!(method("privmrf", &["profile=paper", "theta=4"]), Method::PrivMrf(paper.clone()));
    // And back again.
    let there = Method::PrivMrf(paper);
    assert_eq!(there.clone().with_options(["profile=paper"]).unwrap(), there);
    assert_eq!(there.with_options(["profile=best", "candidates=7"]).unwrap(), method("privmrf", &["candidates=7"]));
}

#[test]
fn names_and_methods_go_together() {
    for name in Method::NAMES {
        assert_eq!(Method::named(name).unwrap().name(), name);
    }
}

#[test]
fn the_goal_decides_how_releases_are_added_up() {
    let accounting = |name: &str, delta: f64| {
        let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(delta).unwrap() };
        Method::named(name).unwrap().accounting(goal)
    };
    for (name, with_delta, without) in [
        ("independent", AccountingKind::Gdp, AccountingKind::Pure),
        ("privbayes", AccountingKind::Pure, AccountingKind::Pure),
        ("privbayes-nist", AccountingKind::Gdp, AccountingKind::Gdp),
        ("privmrf", AccountingKind::Gdp, AccountingKind::Gdp),
        ("pb-pgm", AccountingKind::Zcdp, AccountingKind::Pure),
        ("smoothed-histogram", AccountingKind::Zcdp, AccountingKind::Pure),
    ] {
        assert_eq!([accounting(name, 1e-9), accounting(name, 0.0)], [with_delta, without], "{name}");
    }
}
