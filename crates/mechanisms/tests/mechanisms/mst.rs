//! Releases of `mst`, their shares of the budget, and edge cases.

use crate::asked::{self, close, cost_of_table, draw, goal, number, related};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_mechanisms::mst::Options;
use scumble_mechanisms::{Fitted, GaussianAccounting, Method, MethodAccounting, MethodAdjacency};
use scumble_schema::{AdjacencyKind, Clique, Domain};
use scumble_testing::RowSource;
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::score::{LATTICE_LOG2, ScoreKind};
use scumble_vault::{AccountingKind, AddRemove, ApproxDp, Certificate, Event, Gdp, MarginalSource, ReplaceOne, Zcdp};

fn run<A: MethodAdjacency, M: MethodAccounting>(
    source: RowSource,
    goal: ApproxDp,
    unit: u32,
    options: &Options,
) -> (Fitted, Certificate) {
    asked::run::<A, M>(&Method::Mst(options.clone()), source, goal, unit)
}

/// Checks the sensitivity of a selection. Returns its cost: `(pi/8) ε²`, or `ε²/8`.
fn cost_of_choice<A: MethodAdjacency>(event: &Event, unit: u32, accounting: AccountingKind) -> f64 {
    let Mechanism::Exponential { sensitivity, epsilon } = event.mechanism() else { panic!("{event:?}") };
    let halves = if A::KIND == AdjacencyKind::ReplaceOne { 2 } else { 1 };
    assert_eq!(sensitivity, (halves * u128::from(unit)) << (LATTICE_LOG2 - 1));
    let factor = if accounting == AccountingKind::Zcdp { 1.0 / 8.0 } else { 355.0 / 904.0 };
    factor * epsilon.to_f64().powi(2)
}

fn is_choice(event: &Event) -> bool {
    matches!(event.question(), Question::Scores { score: ScoreKind::HalfL1, .. })
}

/// Recomputes the scale of every event from shares and the sensitivities of one unit. Returns the
/// number of edges.
fn check_scales<A: MethodAdjacency, M: MethodAccounting>(
    source: RowSource,
    goal: ApproxDp,
    unit: u32,
    options: &Options,
) -> usize {
    let columns = source.domain().sizes().iter().filter(|&&size| size > 1).count();
    let (_, certificate) = run::<A, M>(source, goal, unit, options);
    let whole = M::KIND.largest(goal).unwrap().to_f64();
    let (first, rest) = certificate.events().split_at(columns);
    for event in first {
        assert_eq!(event.table().unwrap().len(), 1);
        assert!(close(cost_of_table::<A>(event, unit, M::KIND), whole / 3.0 / number(columns)));
    }
    let edges = rest.iter().filter(|event| is_choice(event)).count();
    if edges == 0 {
        assert_eq!(rest.len(), columns);
        for event in rest {
            assert!(close(cost_of_table::<A>(event, unit, M::KIND), 2.0 * whole / 3.0 / number(columns)));
        }
    }
    let (choices, tables) = rest.split_at(edges);
    for (choice, table) in choices.iter().zip(tables) {
        assert!(close(cost_of_choice::<A>(choice, unit, M::KIND), whole / 3.0 / number(edges)));
        assert_eq!(table.table().unwrap().len(), 2);
        assert!(close(cost_of_table::<A>(table, unit, M::KIND), whole / 3.0 / number(edges)));
    }
    // At most the goal, and just below it.
    assert!(certificate.total().quanta <= M::KIND.largest(goal).unwrap().quanta);
    assert!(close(certificate.total().to_f64(), whole));
    edges
}

#[test]
fn every_event_has_the_scale_of_its_sensitivity_and_its_third_of_the_budget() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut edges, mut none) = (0, 0);
    for _ in 0..2_000 {
        let thousandths = |from: u32, to: u32, rng: &mut ChaCha8Rng| f64::from(rng.random_range(from..to)) / 1_000.0;
        let options = Options {
            merge_below: thousandths(0, 5_000, &mut rng),
            spread: rng.random_bool(0.7).then(|| thousandths(10, 5_000, &mut rng)),
            ..Options::default()
        };
        let sizes: Vec<u32> = (0..rng.random_range(2..6)).map(|_| rng.random_range(1..10)).collect();
        if sizes.iter().filter(|&&size| size > 1).count() < 2 {
            continue;
        }
        let source = related(&sizes, [0, 1, 30, 800][rng.random_range(0..4)]);
        let goal = goal(0.01 * 500_f64.powf(rng.random()), 1e-9 * 1e6_f64.powf(rng.random()));
        let unit = rng.random_range(1..4);
        let made = match rng.random_range(0..4) {
            0 => check_scales::<AddRemove, Gdp>(source, goal, unit, &options),
            1 => check_scales::<ReplaceOne, Gdp>(source, goal, unit, &options),
            2 => check_scales::<AddRemove, Zcdp>(source, goal, unit, &options),
            _ => check_scales::<ReplaceOne, Zcdp>(source, goal, unit, &options),
        };
        edges += made;
        none += usize::from(made == 0);
    }
    assert!(edges > 1_000 && none > 100, "{edges} edges, {none} times none");
}

#[test]
fn the_edges_are_a_tree_over_the_non_constant_columns() {
    let sizes = [3, 1, 4, 3, 50, 2];
    let (_, certificate) = run::<AddRemove, Gdp>(related(&sizes, 5_000), goal(5.0, 1e-6), 1, &Options::default());
    let pairs: Vec<&Clique> = certificate.events()[5..].iter().filter_map(Event::table).collect();
    assert_eq!(pairs.len(), 4);
    let joined = pairs.iter().fold(Clique::empty(), |all, pair| all.union(pair));
    // The last of six columns stands for the fifth, with its rare values merged.
    assert_eq!(joined.attributes().iter().map(|column| column.index()).collect::<Vec<_>>(), [0, 2, 3, 5, 6]);
}

#[test]
fn few_columns_no_rows_and_values_that_are_all_rare_are_fitted() {
    for sizes in [&[3][..], &[1], &[2, 2], &[9, 2, 3], &[1, 2, 1, 2, 3], &[300, 300], &[1, 200]] {
        for (rows, epsilon) in [(0, 0.05), (1, 3.0), (400, 0.05), (400, 3.0)] {
            let (fitted, _) = run::<AddRemove, Gdp>(related(sizes, rows), goal(epsilon, 1e-6), 1, &Options::default());
            for (column, &size) in draw(&fitted, 20).iter().zip(sizes) {
                assert!(column.len() == 20 && column.iter().all(|code| code < size));
            }
        }
    }
}

#[test]
fn a_large_budget_gives_the_relation_between_columns_back() {
    for spread in [None, Some(1.0)] {
        let options = Options { spread, ..Options::default() };
        let (fitted, _) = run::<AddRemove, Zcdp>(related(&[3, 3, 3, 3], 3_000), goal(100.0, 1e-6), 1, &options);
        assert!(fitted.rows.abs_diff(3_000) < 5);
        let columns = draw(&fitted, 3_000);
        let agree = (0..3_000).filter(|&row| columns[0].get(row) == columns[3].get(row)).count();
        assert!(agree > 2_850, "{agree} of 3000 agree with a spread of {spread:?}");
    }
}

#[test]
fn rare_values_keep_their_rows_and_their_relations() {
    // A code in a hundred is common; the others make up a tenth of the rows, all of them with the
    // second column 1.
    let row = |row: u32| if row.is_multiple_of(10) { vec![1 + row / 10 % 99, 1] } else { vec![0, row % 2] };
    let rows = RowSource::new(Domain::new(vec![100, 2]).unwrap(), (0..10_000).map(row).collect());
    // A rare value has ten rows, and noise of about as many.
    let options = Options { merge_below: 8.0, ..Options::default() };
    let (fitted, certificate) = run::<AddRemove, Gdp>(rows, goal(1.0, 1e-6), 1, &options);
    assert_eq!(certificate.events().last().unwrap().length(), 4, "one value that stays, and the others");
    let columns = draw(&fitted, 10_000);
    let rare: Vec<usize> = (0..10_000).filter(|&row| columns[0].get(row) > 0).collect();
    assert!(rare.len().abs_diff(1_000) < 200, "{}", rare.len());
    let related = rare.iter().filter(|&&row| columns[1].get(row) == 1).count();
    assert!(related * 100 > rare.len() * 90, "{related} of {}", rare.len());
}

#[test]
fn options_out_of_their_range_are_named_and_accountings_are_what_they_say() {
    let domain = Domain::new(vec![2, 2]).unwrap();
    for wrong in ["merge_below=-1", "merge_below=101", "spread=0", "spread=101"] {
        let method = Method::named("mst").unwrap().with_options([wrong]).unwrap();
        let error = method.recoding(&domain).unwrap_err().to_string();
        let name = wrong.split('=').next().unwrap();
        assert!(error.contains(&format!("option `{name}`")), "{wrong}: {error}");
    }
    assert!(Method::Mst(Options::default()).recoding(&Domain::new(vec![2; 1_001]).unwrap()).is_err());
    assert!(Method::named("mst").unwrap().with_options(["accounting=pure"]).is_err());
    let zcdp = Method::Mst(Options { accounting: GaussianAccounting::Zcdp, ..Options::default() });
    let kinds = [Method::named("mst").unwrap(), zcdp].map(|method| method.accounting(goal(1.0, 1e-6)));
    assert_eq!(kinds, [AccountingKind::Gdp, AccountingKind::Zcdp]);
}
