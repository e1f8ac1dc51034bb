//! Releases of `aim`, their shares of the budget, and edge cases.

use crate::asked::{self, close, cost_of_table, draw, goal, number, related};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_mechanisms::aim::Options;
use scumble_mechanisms::{
    Basis, Distribution, Fitted, GaussianAccounting, Method, MethodAccounting, MethodAdjacency, TableBound, Workload,
    WorkloadColumn, WorkloadTable,
};
use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain};
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
    asked::run::<A, M>(&Method::Aim(options.clone()), source, goal, unit)
}

/// Checks the sensitivity of a selection, which has the weight of the heaviest candidate. Returns
/// its cost: `(pi/8) ε²`, or `ε²/8`.
fn cost_of_choice<A: MethodAdjacency>(event: &Event, unit: u32, accounting: AccountingKind) -> f64 {
    let Mechanism::Exponential { sensitivity, epsilon } = event.mechanism() else { panic!("{event:?}") };
    let Question::Scores { heaviest, .. } = event.question() else { panic!("{event:?}") };
    let one = if A::KIND == AdjacencyKind::ReplaceOne { 2 } else { 1 };
    assert_eq!(sensitivity, (one * u128::from(unit) * u128::from(heaviest.get())) << LATTICE_LOG2);
    let factor = if accounting == AccountingKind::Zcdp { 1.0 / 8.0 } else { 355.0 / 904.0 };
    factor * epsilon.to_f64().powi(2)
}

fn is_choice(event: &Event) -> bool {
    matches!(event.question(), Question::Scores { score: ScoreKind::L1Error, .. })
}

/// Recomputes the scale of every event from shares and the sensitivities of one unit. Returns the
/// number of selections, and of rounds without one.
fn check_scales<A: MethodAdjacency, M: MethodAccounting>(
    source: RowSource,
    goal: ApproxDp,
    unit: u32,
    options: &Options,
) -> (usize, usize) {
    let columns = source.domain().sizes().iter().filter(|&&size| size > 1).count();
    let (_, certificate) = run::<A, M>(source, goal, unit, options);
    let whole = M::KIND.largest(goal).unwrap().to_f64();
    let rounds = (options.rounds_per_column * number(columns)).round().max(4.0 * number(columns));
    let round = whole / rounds;
    let choosing = options.choice_share;
    let (first, mut rest) = certificate.events().split_at(columns);
    for event in first {
        assert_eq!(event.table().unwrap().len(), 1);
        assert!(close(cost_of_table::<A>(event, unit, M::KIND), (1.0 - choosing) * round));
    }
    let mut left = whole - number(columns) * (1.0 - choosing) * round;
    let (mut multiple, mut choices, mut without) = (1.0, 0, 0);
    while !rest.is_empty() {
        let is_chosen = is_choice(&rest[0]);
        let (events, later) = rest.split_at(if is_chosen { 2 } else { columns });
        let spent = if is_chosen {
            let (choice, table) = (&events[0], &events[1]);
            let both = [cost_of_choice::<A>(choice, unit, M::KIND), cost_of_table::<A>(table, unit, M::KIND)];
            assert!(close(both[0] / both[1], choosing / (1.0 - choosing)));
            both[0] + both[1]
        } else {
            events.iter().map(|event| cost_of_table::<A>(event, unit, M::KIND)).sum()
        };
        if later.is_empty() {
            assert!(close(spent, left), "the last round takes what is left");
        } else {
            // A round costs as much as the one before, or four times as much.
            if !close(spent, multiple * round) {
                multiple *= 4.0;
            }
            assert!(close(spent, multiple * round) && left > 2.0 * spent * (1.0 - 1e-9));
        }
        left -= spent;
        choices += usize::from(is_chosen);
        without += usize::from(!is_chosen);
        rest = later;
    }
    // At most the goal, and just below it.
    assert!(certificate.total().quanta <= M::KIND.largest(goal).unwrap().quanta);
    assert!(close(certificate.total().to_f64(), whole));
    (choices, without)
}

fn workload(tables: &[(&[usize], f64)]) -> Workload {
    let table = |&(columns, weight): &(&[usize], f64)| WorkloadTable {
        columns: columns.iter().copied().map(WorkloadColumn::Place).collect(),
        target: None,
        weight,
    };
    tables.iter().map(table).collect()
}

#[test]
fn every_event_has_the_scale_of_its_sensitivity_and_its_share_of_the_budget() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut choices, mut without) = (0, 0);
    for _ in 0..2_000 {
        let thousandths = |from: u32, to: u32, rng: &mut ChaCha8Rng| f64::from(rng.random_range(from..to)) / 1_000.0;
        let named = workload(&[(&[0, 1], thousandths(1, 5_000, &mut rng)), (&[1], 1.0)]);
        let options = Options {
            workload_columns: rng.random_range(1..5),
            workload: if rng.random_bool(0.3) { named } else { Workload::default() },
            rounds_per_column: thousandths(1_000, 8_000, &mut rng),
            choice_share: thousandths(1, 999, &mut rng),
            candidates: rng.random_range(1..12),
            spread: rng.random_bool(0.7).then(|| thousandths(10, 5_000, &mut rng)),
            ..Options::default()
        };
        let sizes: Vec<u32> = (0..rng.random_range(2..5)).map(|_| rng.random_range(1..10)).collect();
        if sizes.iter().all(|&size| size == 1) {
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
        choices += made.0;
        without += made.1;
    }
    assert!(choices > 1_000 && without > 100, "{choices} choices, {without} rounds without");
}

#[test]
fn few_columns_and_no_rows_are_fitted() {
    let options = Options { rounds_per_column: 4.0, ..Options::default() };
    for sizes in [&[3][..], &[1], &[2, 2], &[9, 2, 3], &[1, 2, 1, 2, 3], &[300, 300], &[1, 200]] {
        for (rows, epsilon) in [(0, 0.05), (1, 3.0), (400, 0.05), (400, 3.0)] {
            let (fitted, _) = run::<AddRemove, Gdp>(related(sizes, rows), goal(epsilon, 1e-6), 1, &options);
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
fn what_is_measured_is_part_of_the_workload() {
    let named = workload(&[(&[0, 2, 3], 1.0), (&[1], 0.5)]);
    let options = Options { workload: named, rounds_per_column: 6.0, ..Options::default() };
    let (_, certificate) = run::<AddRemove, Gdp>(related(&[3, 3, 3, 3, 3], 3_000), goal(2.0, 1e-6), 1, &options);
    let of_workload = Clique::new([0, 2, 3].map(AttributeId::new));
    let rounds: Vec<&Clique> = certificate.events()[5..].iter().filter_map(Event::table).collect();
    assert!(rounds.iter().any(|table| table.len() > 1));
    let second = Clique::single(AttributeId::new(1));
    assert!(rounds.iter().all(|table| of_workload.holds(table) || **table == second), "{rounds:?}");
}

#[test]
fn models_stay_within_their_maximum_size() {
    let options = Options { model_cells: 1_000, ..Options::default() };
    let (fitted, _) = run::<AddRemove, Gdp>(related(&[8; 8], 5_000), goal(20.0, 1e-6), 1, &options);
    let Distribution::Tree(model) = &fitted.distribution else { panic!("not a graphical model") };
    let cells: usize = model.nodes().iter().map(|node| node.conditional().len()).sum();
    assert!((64..=1_000).contains(&cells), "{cells}");
}

#[test]
fn options_out_of_their_range_are_named() {
    let domain = Domain::new(vec![2, 2]).unwrap();
    for wrong in [
        "workload_columns=0",
        "workload_columns=9",
        "rounds_per_column=0.5",
        "rounds_per_column=101",
        "choice_share=0",
        "choice_share=1",
        "model_cells=999",
        "model_cells=50000001",
        "candidates=0",
        "candidates=100001",
        "spread=0",
        "spread=101",
        r#"workload=[{"columns": [0, 2]}]"#,
        r#"workload=[{"columns": []}]"#,
        r#"workload=[{"columns": [0], "weight": 0}]"#,
    ] {
        let method = Method::named("aim").unwrap().with_options([wrong]).unwrap();
        let error = method.recoding(&domain).unwrap_err().to_string();
        let name = wrong.split('=').next().unwrap();
        assert!(error.contains(&format!("option `{name}`")), "{wrong}: {error}");
    }
    assert!(Method::Aim(Options::default()).recoding(&Domain::new(vec![2; 1_001]).unwrap()).is_err());
    let zcdp = Method::Aim(Options { accounting: GaussianAccounting::Zcdp, ..Options::default() });
    let kinds = [Method::named("aim").unwrap(), zcdp].map(|method| method.accounting(goal(1.0, 1e-6)));
    assert_eq!(kinds, [AccountingKind::Gdp, AccountingKind::Zcdp]);
}

#[test]
fn a_workload_names_columns_of_the_schema() {
    let schema = scumble_testing::integers(&[2, 3, 2], 1, AdjacencyKind::AddRemove);
    let fitted = |name: &str| {
        let workload = format!(r#"workload=[{{"columns": ["{name}", 1]}}]"#);
        let method = Method::named("aim").unwrap().with_options([&*workload, "rounds_per_column=2"]).unwrap();
        let source = RowSource::new(schema.domain().clone(), vec![vec![0, 1, 1]; 50]);
        scumble_mechanisms::fit(&schema, Box::new(source), &method, goal(1.0, 1e-6), None)
    };
    let model = fitted(schema.attributes()[2].name()).unwrap();
    let pair = Clique::new([1, 2].map(AttributeId::new));
    assert!(model.certificate().unwrap().events()[3..].iter().filter_map(Event::table).all(|table| pair.holds(table)));
    let error = fitted("nobody").unwrap_err().to_string();
    assert!(error.contains("names the column `nobody`, which is not in the schema"), "{error}");
}

/// Counts bounds of a basis: those that held, those of which a fifth would have held, and all.
fn coverage(basis: Basis, epsilon: f64, fits: u64) -> [f64; 3] {
    let sizes = [2, 3, 2, 4, 3, 2];
    let options = Options { rounds_per_column: 4.0, candidates: 30, ..Options::default() };
    let mut held = [0.0; 3];
    for seed in 0..fits {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let row = |_| {
            let hidden: u32 = rng.random_range(0..12);
            let mut code = |size: u32| if rng.random_bool(0.6) { hidden % size } else { rng.random_range(0..size) };
            sizes.iter().map(|&size| code(size)).collect()
        };
        let source = RowSource::new(Domain::new(sizes.to_vec()).unwrap(), (0..1_000).map(row).collect());
        let (fitted, _) = run::<AddRemove, Gdp>(source.clone(), goal(epsilon, 1e-6), 1, &options);
        let Distribution::Tree(model) = &fitted.distribution else { panic!("not a graphical model") };
        for bound in fitted.bounds.iter().filter(|bound| bound.basis == basis) {
            let shares = model.marginal(&bound.table).unwrap();
            let counts = source.counts(&bound.table);
            let error =
                |(share, &count): (&f64, &u64)| (share * model.total() - number(count.try_into().unwrap())).abs();
            let error: f64 = shares.values().iter().zip(&counts).map(error).sum();
            held[0] += f64::from(u8::from(error <= bound.rows));
            held[1] += f64::from(u8::from(error <= bound.rows / 5.0));
            held[2] += 1.0;
        }
    }
    held
}

#[test]
fn bounds_hold_as_often_as_they_claim() {
    for epsilon in [0.3, 3.0] {
        for basis in [Basis::Measured, Basis::NotChosen] {
            let [held, a_fifth, all] = coverage(basis, epsilon, 40);
            assert!(all >= 40.0, "{all} bounds of {basis:?}");
            // Bounds are for the worst case, so nearly all hold; a fifth of each would not.
            assert!(held >= TableBound::LEVEL * all, "{held} of {all} of {basis:?} at {epsilon}");
            assert!(
                a_fifth < TableBound::LEVEL * all,
                "a fifth holds for {a_fifth} of {all} of {basis:?} at {epsilon}"
            );
        }
    }
}
