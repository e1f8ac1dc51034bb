//! Releases of `privbayes` and `pb-pgm`, their shares of the budget, and edge cases.

use std::num::NonZeroU32;

use scumble_mechanisms::privbayes::{Encoding, Options, Score};
use scumble_mechanisms::{Distribution, Fitted, MechanismError, Method, MethodAccounting, MethodAdjacency, pb_pgm};
use scumble_pgm::Sampler;
use scumble_pgm::Sampling;
use scumble_pgm::network::TupleSampling;
use scumble_schema::{Clique, CodeColumn, Domain};
use scumble_testing::RowSource;
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::score::ScoreKind;
use scumble_vault::{
    AccountingKind, AddRemove, ApproxDp, Certificate, Delta, Epsilon, Event, Pure, ReplaceOne, Selecting, Vault,
};

/// Rows in which every later column mostly has the code of the first, where it has that code.
fn related(sizes: &[u32], rows: u32) -> RowSource {
    let row = |row: u32| {
        sizes.iter().map(|&size| if row.is_multiple_of(7) { row / 7 % size } else { row % 3 % size }).collect()
    };
    RowSource::new(Domain::new(sizes.to_vec()).unwrap(), (0..rows).map(row).collect())
}

fn goal<M: Selecting>(epsilon: f64) -> ApproxDp {
    let delta = if M::KIND == AccountingKind::Pure { Delta::ZERO } else { Delta::new(1e-6).unwrap() };
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta }
}

fn run<A: MethodAdjacency, M: MethodAccounting>(
    source: RowSource,
    epsilon: f64,
    options: &Options,
    model: bool,
) -> Result<(Fitted, Certificate), MechanismError> {
    let (mut vault, budget) = Vault::<A, M>::open(Box::new(source), goal::<M>(epsilon), NonZeroU32::MIN)?;
    let options = options.clone();
    let method = if model { Method::PbPgm(pb_pgm::Options(options)) } else { Method::PrivBayes(options) };
    let fitted = method.fit_columns(&mut vault, budget)?;
    let certificate = vault.close();
    certificate.verify().unwrap();
    Ok((fitted, certificate))
}

fn of_degree(degree: u32) -> Options {
    Options { degree: Some(degree), ..Options::default() }
}

fn kind(event: &Event) -> &'static str {
    match event.question() {
        Question::Table(clique) if clique.is_empty() => "rows",
        Question::Table(_) => "table",
        Question::Scores { score: ScoreKind::MaximalJoint, .. } => "f",
        Question::Scores { score: ScoreKind::TotalVariation, .. } => "r",
        Question::Scores { score: ScoreKind::MutualInformation, .. } => "i",
        _ => "other",
    }
}

fn kinds(certificate: &Certificate) -> Vec<&'static str> {
    certificate.events().iter().map(kind).collect()
}

fn draw(fitted: &Fitted, rows: u64) -> Vec<CodeColumn> {
    match &fitted.distribution {
        Distribution::Network(network) => network.model().sample(rows, 1, TupleSampling::BackTracking).next().unwrap(),
        Distribution::Tree(model) => Sampler::new(model).sample(rows, 1, Sampling::LowVariance).next().unwrap(),
        other => panic!("another distribution: {other:?}"),
    }
}

#[test]
fn the_example_of_the_paper_makes_three_selections_and_measures_two_tables() {
    // Four columns and degree 2: tables over three columns each, the first two conditionals from
    // the third's table.
    let (_, private) = run::<AddRemove, Pure>(related(&[2; 4], 500), 1.0, &of_degree(2), false).unwrap();
    assert_eq!(kinds(&private), ["rows", "f", "f", "f", "table", "table"]);
    assert!(private.events()[4..].iter().all(|event| event.length() == 8));
    let (_, public) = run::<ReplaceOne, Pure>(related(&[2; 4], 500), 1.0, &of_degree(2), false).unwrap();
    assert_eq!(kinds(&public), ["f", "f", "f", "table", "table"]);
}

#[test]
fn every_event_has_the_scale_of_its_sensitivity_and_its_share_of_the_budget() {
    for (epsilon, beta) in [(0.1, 0.3), (1.0, 0.5), (3.2, 0.25)] {
        let options = Options { beta, ..of_degree(2) };
        let close =
            |value: f64, expected: f64| assert!((value / expected - 1.0).abs() < 1e-6, "{value} for {expected}");
        let check = |certificate: &Certificate, after_rows: f64, table: f64, f: u128| {
            for event in certificate.events() {
                match (kind(event), event.mechanism()) {
                    ("rows", Mechanism::DiscreteLaplace { scale, .. }) => close(scale.to_f64(), 1.0 / (0.02 * epsilon)),
                    ("table", Mechanism::DiscreteLaplace { scale, .. }) => {
                        close(scale.to_f64(), table * 3.0 / ((1.0 - beta) * after_rows * epsilon));
                    }
                    ("f", Mechanism::Exponential { sensitivity, epsilon: each }) => {
                        assert_eq!(sensitivity, f << scumble_vault::score::LATTICE_LOG2);
                        close(each.to_f64(), beta * after_rows * epsilon / 4.0);
                    }
                    (kind, mechanism) => panic!("{kind} by {mechanism:?}"),
                }
            }
            close(certificate.total().to_f64(), epsilon);
        };
        check(&run::<AddRemove, Pure>(related(&[2; 5], 300), epsilon, &options, false).unwrap().1, 0.98, 1.0, 1);
        check(&run::<ReplaceOne, Pure>(related(&[2; 5], 300), epsilon, &options, false).unwrap().1, 1.0, 2.0, 1);
    }
}

#[test]
fn candidates_are_scored_as_the_options_say() {
    let with = |score| Options { score, ..of_degree(1) };
    let scores = |certificate: Certificate| kinds(&certificate)[0];
    for (score, expected) in [(Score::F, "f"), (Score::R, "r"), (Score::I, "i"), (Score::Auto, "f")] {
        let (_, certificate) = run::<ReplaceOne, Pure>(related(&[2; 3], 100), 1.0, &with(score), false).unwrap();
        assert_eq!(scores(certificate), expected);
    }
    let (_, general) = run::<ReplaceOne, Pure>(related(&[2, 3, 4], 100), 1.0, &with(Score::Auto), false).unwrap();
    assert_eq!(scores(general), "r");
    let refused = run::<ReplaceOne, Pure>(related(&[2, 3, 4], 100), 1.0, &with(Score::F), false).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "option `score` `f` needs binary columns: take `encoding=binary`, or the score `r`"
    );
    let bits = Options { encoding: Encoding::Binary, ..with(Score::F) };
    assert_eq!(scores(run::<ReplaceOne, Pure>(related(&[2, 3, 4], 100), 1.0, &bits, false).unwrap().1), "f");
}

#[test]
fn without_parents_there_is_no_network_phase_and_tables_get_all() {
    // A degree of none, or rows too few for any useful table of two columns.
    for (options, rows) in [(of_degree(0), 500), (Options::default(), 3)] {
        let (fitted, certificate) = run::<ReplaceOne, Pure>(related(&[2; 3], rows), 0.5, &options, false).unwrap();
        assert_eq!(kinds(&certificate), ["table"; 3]);
        assert!((certificate.total().to_f64() - 0.5).abs() < 1e-9);
        assert_eq!(draw(&fitted, 10).len(), 3);
    }
}

#[test]
fn one_table_for_all_columns_leaves_nothing_to_select() {
    let (_, certificate) = run::<ReplaceOne, Pure>(related(&[2, 3, 2], 500), 1.0, &of_degree(2), false).unwrap();
    assert_eq!(kinds(&certificate), ["table"]);
}

#[test]
fn one_column_and_columns_of_one_code_are_fitted() {
    for model in [false, true] {
        for sizes in [&[3][..], &[1], &[1, 1], &[1, 2, 1, 2, 3]] {
            let (fitted, certificate) =
                run::<AddRemove, Pure>(related(sizes, 400), 2.0, &Options::default(), model).unwrap();
            let drawn = draw(&fitted, 20);
            assert_eq!(drawn.len(), sizes.len());
            for (column, &size) in drawn.iter().zip(sizes) {
                assert!(column.len() == 20 && column.iter().all(|code| code < size));
            }
            // A column of one code is never asked about.
            let asked = certificate.events().iter().filter_map(Event::table).flat_map(Clique::attributes);
            assert!(asked.into_iter().all(|column| sizes[column.index()] > 1));
        }
    }
}

#[test]
fn an_empty_table_is_fitted() {
    for model in [false, true] {
        let (fitted, _) = run::<AddRemove, Pure>(related(&[2, 3, 4], 0), 0.1, &of_degree(1), model).unwrap();
        assert_eq!(draw(&fitted, 5)[0].len(), 5);
    }
}

#[test]
fn a_large_budget_gives_the_relation_between_columns_back() {
    let rows = related(&[3, 3, 3, 3], 3_000);
    let agree = |columns: &[CodeColumn]| {
        (0..columns[0].len()).filter(|&row| columns[0].get(row) == columns[3].get(row)).count()
    };
    let encodings = [Encoding::Vanilla, Encoding::Binary, Encoding::Hierarchical];
    for (encoding, model) in encodings.map(|encoding| (encoding, false)).into_iter().chain([(Encoding::Vanilla, true)])
    {
        let options = Options { encoding, group: 2, degree: Some(2), ..Options::default() };
        let recoding = Method::PrivBayes(options.clone()).recoding(&Domain::new(vec![3; 4]).unwrap()).unwrap();
        let (fitted, _) = run::<AddRemove, Pure>(rows.clone(), 200.0, &options, model).unwrap();
        assert!(fitted.rows.abs_diff(3_000) < 5);
        let columns = recoding.restore(&draw(&fitted, 3_000));
        // All rows agree in the table; independent columns would agree in a third of them.
        assert!(agree(&columns) > 2_500, "{} of {encoding:?}", agree(&columns));
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let domain = Domain::new(vec![2, 40]).unwrap();
    let refused = |options: Options| Method::PrivBayes(options).recoding(&domain).unwrap_err().to_string();
    for beta in [0.0, 1.0, -0.1, f64::NAN, 1e-9] {
        let options = Options { beta, ..Options::default() };
        assert_eq!(refused(options), "option `beta` must be a share above 0 and below 1");
    }
    for theta in [0.0, -1.0, f64::INFINITY] {
        let options = Options { theta, ..Options::default() };
        assert_eq!(refused(options), "option `theta` must be a number above zero");
    }
    let options = Options { group: 1, ..Options::default() };
    assert!(refused(options).starts_with("option `group`"));
    let hierarchical = Options { encoding: Encoding::Hierarchical, group: 2, ..of_degree(1) };
    let error = run::<AddRemove, Pure>(related(&[9, 9], 10), 1.0, &hierarchical, true).unwrap_err();
    assert!(error.to_string().starts_with("option `encoding`"));
}
