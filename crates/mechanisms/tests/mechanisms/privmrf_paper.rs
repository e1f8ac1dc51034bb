//! Releases of the paper's profile of `privmrf`, their shares of the budget, and edge cases.

use std::num::NonZeroU32;

use crate::asked::related;
use scumble_mechanisms::privmrf::paper::{Edges, Fit, Initial, Options, Redundancy, Rounds};
use scumble_mechanisms::{Distribution, Fitted, Method, MethodAdjacency, privmrf};
use scumble_pgm::{Sampler, Sampling};
use scumble_schema::{AdjacencyKind, Clique, CodeColumn, Domain};
use scumble_testing::RowSource;
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::score::{LATTICE_LOG2, ScoreKind};
use scumble_vault::{Accounting, AddRemove, ApproxDp, Certificate, Delta, Epsilon, Event, Gdp, ReplaceOne, Vault};

fn goal(epsilon: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(1e-6).unwrap() }
}

fn run<A: MethodAdjacency>(source: RowSource, epsilon: f64, unit: u32, options: &Options) -> (Fitted, Certificate) {
    let unit = NonZeroU32::new(unit).unwrap();
    let (mut vault, budget) = Vault::<A, Gdp>::open(Box::new(source), goal(epsilon), unit).unwrap();
    let fitted = Method::PrivMrf(privmrf::Options::Paper(options.clone())).fit_columns(&mut vault, budget).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    (fitted, certificate)
}

fn kind(event: &Event) -> &'static str {
    match event.question() {
        Question::Table(clique) if clique.is_empty() => "rows",
        Question::Table(_) => "table",
        Question::Scores { score: ScoreKind::TotalVariation, .. } => "pairs",
        Question::Scores { score: ScoreKind::L1Error, .. } => "errors",
        _ => "other",
    }
}

fn kinds(certificate: &Certificate) -> Vec<&'static str> {
    certificate.events().iter().map(kind).collect()
}

fn draw(fitted: &Fitted, rows: u64) -> Vec<CodeColumn> {
    let Distribution::Tree(model) = &fitted.distribution else { panic!("not a graphical model") };
    Sampler::new(model).sample(rows, 1, Sampling::LowVariance).next().unwrap()
}

/// `Δ²` and `σ²` of an event, in rows.
fn squares(event: &Event) -> (f64, f64) {
    let Mechanism::RoundedGaussian { squared_sensitivity, sigma } = event.mechanism() else {
        panic!("{event:?} has no Gaussian noise")
    };
    let unit = match event.question() {
        Question::Table(_) => 1.0,
        _ => 4_f64.powi(i32::try_from(LATTICE_LOG2).unwrap()),
    };
    (squared_sensitivity as f64 / unit, sigma.to_f64().powi(2) / unit)
}

fn close(left: f64, right: f64, tolerance: f64) -> bool {
    (left / right - 1.0).abs() < tolerance
}

/// The scale of every event, recomputed from section 3.6 of the paper and the sensitivities of one
/// unit.
fn check_scales<A: MethodAdjacency>(sizes: &[u32], rows: u32, epsilon: f64, unit: u32, options: &Options) {
    let (_, certificate) = run::<A>(related(sizes, rows), epsilon, unit, options);
    let whole = Gdp::KIND.largest(goal(epsilon)).unwrap().to_f64();
    let events = certificate.events();
    let count = |of: &str| f64::from(u32::try_from(events.iter().filter(|event| kind(event) == of).count()).unwrap());
    let (tables, rounds) = (count("table"), count("errors"));
    let columns = f64::from(u32::try_from(sizes.iter().filter(|&&size| size > 1).count()).unwrap());
    let squared_unit = f64::from(unit).powi(2);
    let is_public = A::KIND == AdjacencyKind::ReplaceOne;
    let [of_pairs, of_rows] = [if columns > 1.0 { 0.1 } else { 0.0 }, if is_public { 0.0 } else { 0.01 }];
    let of_errors = if rounds > 0.0 { 0.1 } else { 0.0 };
    // Where the model is full before all rounds are through, fewer tables get more.
    let may_be_full = options.model_cells == 1_000;
    let of_tables = 1.0 - of_pairs - of_rows - of_errors;
    for event in events {
        let (delta, sigma) = squares(event);
        let length = f64::from(u32::try_from(event.length()).unwrap());
        match kind(event) {
            "pairs" => {
                assert!(close(length, columns * (columns - 1.0) / 2.0, 1e-12));
                let all_binary = sizes.iter().all(|&size| size <= 2);
                let one = if is_public && !all_binary { 3.0 + 2.0 / f64::from(rows) } else { 2.0 };
                // The vault has one sensitivity for all candidates of a list, on a lattice.
                assert!(delta <= length * one * one * squared_unit * 1.001, "{delta}");
                assert!(delta >= length * 4.0 * squared_unit * 0.999, "{delta}");
                assert!(close(sigma, delta / (of_pairs * whole), 1e-9));
            }
            "rows" => {
                assert!(close(delta, squared_unit, 1e-12) && close(sigma, squared_unit / (of_rows * whole), 1e-9));
            }
            "errors" => {
                let one = if is_public { 4.0 } else { 1.0 };
                assert!(length <= f64::from(options.candidates) && close(delta, length * one * squared_unit, 1e-12));
                let expected = delta * rounds / (of_errors * whole);
                assert!(close(sigma, expected, 1e-6) || may_be_full, "{sigma}, not {expected} with {options:?}");
            }
            "table" => {
                let one = if is_public { 2.0 } else { 1.0 };
                assert!(close(delta, one * squared_unit, 1e-12));
                let expected = delta * tables / (of_tables * whole);
                assert!(close(sigma, expected, 1e-6) || may_be_full, "{sigma}, not {expected} with {options:?}");
            }
            other => panic!("{other}"),
        }
    }
    // At most the goal, and just below it.
    let spent: f64 = events.iter().map(|event| squares(event).0 / squares(event).1).sum();
    assert!(close(spent, whole, 1e-9), "{spent} of {whole}");
    assert!(certificate.total().quanta <= Gdp::KIND.largest(goal(epsilon)).unwrap().quanta);
    let claimed = certificate.epsilon().get();
    assert!(claimed <= epsilon && claimed > epsilon * (1.0 - 1e-6), "{claimed}");
}

fn few_candidates() -> Options {
    Options { candidates: 12, fit: Fit::ToNoise, ..Options::letter() }
}

/// Options that change what is asked, one by one and together.
fn variants() -> Vec<Options> {
    let few = few_candidates;
    vec![
        few(),
        Options { candidates: 12, ..Options::default() },
        Options { rounds: Rounds::SeveralTables, refinement: 1.5, ..few() },
        Options { initial: Initial::Networks, redundancy: Redundancy::Shares, most_columns: Some(3), ..few() },
        Options { edges: Edges::RelatedWithFill, clique_cells: 40, theta: 1.0, ..few() },
        Options { refinement: 0.0, fit: Fit::Converged, ..few() },
        Options { model_cells: 1_000, refinement: 3.0, theta: 0.5, ..few() },
    ]
}

#[test]
fn every_event_has_the_scale_of_its_sensitivity_and_its_share_of_the_budget() {
    for options in variants() {
        for epsilon in [0.1, 0.8, 5.0] {
            for (sizes, rows) in [
                (&[2, 2, 2, 2, 2, 2, 2][..], 3_000),
                (&[4, 3, 2, 5, 1, 6], 2_000),
                (&[3], 200),
                (&[2, 3], 50),
                (&[5, 1, 2, 2], 0),
            ] {
                for unit in [1, 3] {
                    check_scales::<AddRemove>(sizes, rows, epsilon, unit, &options);
                    check_scales::<ReplaceOne>(sizes, rows, epsilon, unit, &options);
                }
            }
        }
    }
}

#[test]
fn the_questions_are_those_of_algorithm_6() {
    let (_, certificate) = run::<AddRemove>(related(&[2; 6], 5_000), 2.0, 1, &few_candidates());
    // 6 initial tables, then 4.8 rounded down.
    let mut expected = vec!["pairs", "rows"];
    expected.extend(["table"; 6]);
    expected.extend(["errors", "table"].repeat(4));
    assert_eq!(kinds(&certificate), expected);
    let several = Options { rounds: Rounds::SeveralTables, ..few_candidates() };
    let (_, certificate) = run::<ReplaceOne>(related(&[2; 6], 5_000), 2.0, 1, &several);
    let mut expected = vec!["pairs"];
    expected.extend(["table"; 6]);
    // Three rounds for four tables.
    expected.extend(["errors", "table", "table", "errors", "table", "errors", "table"]);
    assert_eq!(kinds(&certificate), expected);
}

#[test]
fn no_table_is_measured_twice_and_none_is_too_large_to_be_useful() {
    for options in variants().into_iter().filter(|options| options.model_cells > 1_000) {
        let (_, certificate) = run::<AddRemove>(related(&[4, 3, 2, 5, 2, 6], 3_000), 1.0, 1, &options);
        let tables: Vec<&Clique> = certificate.events().iter().filter_map(Event::table).collect();
        assert!(tables.iter().enumerate().all(|(place, table)| !tables[..place].contains(table)), "{tables:?}");
        let noise = squares(certificate.events().last().unwrap()).1.sqrt() * (2.0 / std::f64::consts::PI).sqrt();
        for event in certificate.events().iter().filter(|event| event.table().is_some_and(|table| table.len() > 1)) {
            let cells = f64::from(u32::try_from(event.length()).unwrap());
            // The released number of rows is a few percent off.
            assert!(3_300.0 / cells >= options.theta * noise * 0.99, "{cells} cells of noise {noise}");
        }
    }
}

#[test]
fn one_column_two_columns_and_columns_of_one_code_are_fitted() {
    for options in variants() {
        for sizes in [&[3][..], &[1], &[1, 1], &[2, 2], &[9, 2, 3], &[1, 2, 1, 2, 3]] {
            for epsilon in [0.05, 3.0] {
                let (fitted, certificate) = run::<AddRemove>(related(sizes, 400), epsilon, 1, &options);
                if sizes.iter().all(|&size| size == 1) {
                    continue;
                }
                for (column, &size) in draw(&fitted, 20).iter().zip(sizes) {
                    assert!(column.len() == 20 && column.iter().all(|code| code < size));
                }
                let asked = certificate.events().iter().filter_map(Event::table).flat_map(Clique::attributes);
                assert!(asked.into_iter().all(|column| sizes[column.index()] > 1));
            }
        }
    }
}

#[test]
fn columns_too_large_for_any_useful_table_are_measured_alone() {
    // Ten rows, noise of hundreds: no table is useful.
    for options in [few_candidates(), Options { initial: Initial::Networks, ..few_candidates() }] {
        let (fitted, certificate) = run::<ReplaceOne>(related(&[50, 40, 30], 10), 0.05, 1, &options);
        assert_eq!(kinds(&certificate), ["pairs", "table", "table", "table"]);
        assert!(certificate.events()[1..].iter().all(|event| event.table().unwrap().len() == 1));
        assert_eq!(fitted.rows, 10);
    }
}

#[test]
fn an_empty_table_is_fitted() {
    for epsilon in [0.05, 1.0, 50.0] {
        let (fitted, _) = run::<AddRemove>(related(&[2, 3, 4], 0), epsilon, 1, &few_candidates());
        assert_eq!(draw(&fitted, 5)[0].len(), 5);
    }
}

#[test]
fn a_large_budget_gives_the_relation_between_columns_back() {
    for options in variants() {
        let (fitted, _) = run::<AddRemove>(related(&[3, 3, 3, 3], 3_000), 100.0, 1, &options);
        assert!(fitted.rows.abs_diff(3_000) < 5);
        let columns = draw(&fitted, 3_000);
        let agree = (0..3_000).filter(|&row| columns[0].get(row) == columns[3].get(row)).count();
        assert!(agree > 2_900, "{agree} of 3000 agree with {options:?}");
    }
}

#[test]
fn options_out_of_their_range_are_named() {
    let domain = Domain::new(vec![2, 2]).unwrap();
    for wrong in [
        "theta=0",
        "theta=-1",
        "refinement=-0.1",
        "refinement=4.5",
        "candidates=0",
        "candidates=100001",
        "clique_cells=1",
        "clique_cells=10000001",
        "most_columns=0",
        "model_cells=999",
        "model_cells=50000001",
    ] {
        let method = Method::named("privmrf").unwrap().with_options(["profile=paper", wrong]).unwrap();
        let error = method.recoding(&domain).unwrap_err().to_string();
        let name = wrong.split('=').next().unwrap();
        assert!(error.contains(&format!("option `{name}`")), "{wrong}: {error}");
    }
    let error = Method::named("privmrf").unwrap().with_options(["profile=paper", "edges=some"]).unwrap_err();
    assert!(error.to_string().contains("related"), "{error}");
}

#[test]
fn more_columns_than_can_be_scored_are_refused_before_anything_is_counted() {
    let domain = Domain::new(vec![2; 1_001]).unwrap();
    let error = Options::default().recoding(&domain).unwrap_err();
    assert!(error.to_string().contains("1001 columns") && !error.hint().is_empty());
}
