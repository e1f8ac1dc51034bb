//! Releases of `auto`, their shares of the budget, and edge cases.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::asked::{self, close, cost_of_table, goal, number, related};
use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_mechanisms::auto::Options;
use scumble_mechanisms::{Distribution, Fitted, Method, MethodAdjacency};
use scumble_pgm::{Sampler, Sampling};
use scumble_schema::{AdjacencyKind, AttributeId, Clique, CodeColumn, Domain};
use scumble_testing::RowSource;
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::score::{LATTICE_LOG2, ScoreKind};
use scumble_vault::{
    Accounting, AddRemove, ApproxDp, Certificate, CountTable, Event, Gdp, MarginalSource, Private, ReplaceOne,
    SourceError, Vault,
};

fn run<A: MethodAdjacency>(source: RowSource, goal: ApproxDp, unit: u32, options: &Options) -> (Fitted, Certificate) {
    asked::run::<A, Gdp>(&Method::Auto(options.clone()), source, goal, unit)
}

fn light() -> Options {
    Options { candidates: 12, rounds_per_column: 1.0, ..Options::default() }
}

fn is_choice(event: &Event) -> bool {
    matches!(event.question(), Question::Scores { score: ScoreKind::L1Error, .. })
}

fn is_edge(event: &Event) -> bool {
    matches!(event.question(), Question::Scores { score: ScoreKind::Excess, .. })
}

fn draw(fitted: &Fitted, rows: u64) -> Vec<CodeColumn> {
    let Distribution::Tree(model) = &fitted.distribution else { panic!("not a graphical model") };
    let sampler = Sampler::new(model).towards(&fitted.targets).unwrap();
    sampler.sample(rows, 1, Sampling::LowVariance).next().unwrap()
}

/// Checks the sensitivity of an event. Returns its cost; that of a selection is `(pi/8) ε²`.
fn cost<A: MethodAdjacency>(event: &Event, unit: u32) -> f64 {
    let Mechanism::Exponential { sensitivity, epsilon } = event.mechanism() else {
        return cost_of_table::<A>(event, unit, Gdp::KIND);
    };
    assert_eq!(event.length(), 1);
    let one = if A::KIND == AdjacencyKind::ReplaceOne && is_choice(event) { 2 } else { 1 };
    assert_eq!(sensitivity, (one * u128::from(unit)) << LATTICE_LOG2);
    355.0 / 904.0 * epsilon.to_f64().powi(2)
}

/// The events of a fit, and their costs.
struct Costs {
    events: Vec<(Event, f64)>,
    columns: usize,
    targets: usize,
}

impl Costs {
    /// Fits, and checks sensitivities, the total, and the passes over the columns. The events that
    /// are left are of tables of several columns.
    fn of<A: MethodAdjacency>(source: RowSource, goal: ApproxDp, unit: u32, options: &Options) -> Self {
        let columns = source.domain().sizes().iter().filter(|&&size| size > 1).count();
        let (fitted, certificate) = run::<A>(source, goal, unit, options);
        let whole = Gdp::KIND.largest(goal).unwrap();
        // At most the goal, and just below it.
        assert!(certificate.total().quanta <= whole.quanta && close(certificate.total().to_f64(), whole.to_f64()));
        let (claimed, asked) = (certificate.epsilon().get(), goal.epsilon.get());
        assert!(claimed <= asked && claimed > asked * (1.0 - 1e-5), "{claimed} of {asked}");
        let events = certificate.events().iter().map(|event| (event.clone(), cost::<A>(event, unit))).collect();
        let mut costs = Self { events, columns, targets: fitted.targets.len() };
        assert!(close(costs.take_columns().unwrap(), options.one_way_share * whole.to_f64()));
        costs.take_columns();
        costs
    }

    /// Takes a pass over the columns, if the next events are one. Returns its cost.
    fn take_columns(&mut self) -> Option<f64> {
        let is_column = |(event, _): &(Event, f64)| event.table().is_some_and(|table| table.len() == 1);
        if self.events.len() < self.columns || !self.events[..self.columns].iter().all(is_column) {
            return None;
        }
        let pass: Vec<f64> = self.events.drain(..self.columns).map(|(_, cost)| cost).collect();
        assert!(pass.iter().all(|&cost| close(cost, pass[0])), "{pass:?}");
        Some(pass.iter().sum())
    }

    /// Takes selections and as many tables, if the next events are that. Returns their costs.
    fn take_selected(&mut self, is_selection: impl Fn(&Event) -> bool) -> Option<(Vec<f64>, Vec<f64>)> {
        let selections = self.events.iter().take_while(|(event, _)| is_selection(event)).count();
        let mut take = || self.events.drain(..selections).map(|(_, cost)| cost).collect::<Vec<f64>>();
        (selections > 0).then(|| (take(), take()))
    }
}

fn share_of(selections: &[f64], tables: &[f64]) -> f64 {
    let selecting: f64 = selections.iter().sum();
    selecting / (selecting + tables.iter().sum::<f64>())
}

/// Checks the shares of rounds. Returns how many there were.
fn check_rounds<A: MethodAdjacency>(source: RowSource, goal: ApproxDp, unit: u32, options: &Options) -> usize {
    let mut costs = Costs::of::<A>(source, goal, unit, options);
    if costs.events.is_empty() {
        // No candidate is small enough.
        return 0;
    }
    // With few rows every budget is ordinary.
    let planned = (options.rounds_per_column * number(costs.columns)).round().max(1.0);
    let parts = |round: f64| {
        let way = round / (planned - 1.0).max(1.0);
        (1_000.0 * (1.0 + (options.last_round - 1.0) * way)).round()
    };
    let parts: Vec<f64> = (0..100).map(f64::from).filter(|&round| round < planned).map(parts).collect();
    let part = costs.events.iter().map(|(_, cost)| cost).sum::<f64>() / parts.iter().sum::<f64>();
    let mut rounds = 0;
    while let Some((selections, tables)) = costs.take_selected(is_choice) {
        assert!(close(share_of(&selections, &tables), options.choice_share));
        let due = part * parts[rounds];
        assert!(
            selections.len() == 1 && close(selections[0] + tables[0], due),
            "{selections:?} and {tables:?} for {due}, {options:?}"
        );
        rounds += 1;
    }
    // Rounds without candidates leave their budget to the columns.
    let left = part * parts[rounds..].iter().sum::<f64>();
    assert!(costs.take_columns().map_or(left == 0.0, |again| close(again, left)) && costs.events.is_empty());
    rounds
}

#[test]
fn every_event_has_the_scale_of_its_sensitivity_and_its_share_of_the_budget() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut choices = 0;
    for _ in 0..2_000 {
        let thousandths = |from: u32, to: u32, rng: &mut ChaCha8Rng| f64::from(rng.random_range(from..to)) / 1_000.0;
        let options = Options {
            one_way_share: thousandths(1, 999, &mut rng),
            choice_share: thousandths(1, 999, &mut rng),
            rounds_per_column: thousandths(100, 2_000, &mut rng),
            last_round: thousandths(100, 5_000, &mut rng),
            most_columns: rng.random_range(2..5),
            candidates: rng.random_range(1..12),
            noise_penalty: thousandths(0, 2_000, &mut rng),
            spread: rng.random_bool(0.7).then(|| thousandths(10, 5_000, &mut rng)),
            large_column: rng.random_range(2..8),
            groups: rng.random_range(2..5),
            row_share: None,
            ..Options::default()
        };
        let sizes: Vec<u32> = (0..rng.random_range(1..6)).map(|_| rng.random_range(1..10)).collect();
        // One column alone is fitted as `independent` does it.
        if sizes.iter().filter(|&&size| size > 1).count() < 2 {
            continue;
        }
        let rows = [0, 1, 30, 800][rng.random_range(0..4)];
        let goal = goal(0.01 * 500_f64.powf(rng.random()), 1e-9 * 1e6_f64.powf(rng.random()));
        let unit = rng.random_range(1..4);
        choices += if rng.random() {
            check_rounds::<AddRemove>(related(&sizes, rows), goal, unit, &options)
        } else {
            check_rounds::<ReplaceOne>(related(&sizes, rows), goal, unit, &options)
        };
    }
    assert!(choices > 1_000, "{choices} choices");
}

#[test]
fn the_pairs_of_a_tree_are_selected_and_measured_at_once() {
    let options = Options { model_cells: 1_000, row_share: None, ..Options::default() };
    for unit in [1, 3] {
        for public in [false, true] {
            let (source, goal) = (related(&[12, 9, 1, 10, 15], 2_000), goal(2.0, 1e-6));
            let mut costs = if public {
                Costs::of::<ReplaceOne>(source, goal, unit, &options)
            } else {
                Costs::of::<AddRemove>(source, goal, unit, &options)
            };
            let (selections, tables) = costs.take_selected(is_edge).unwrap();
            assert!(selections.len() == 3 && costs.events.is_empty());
            assert!(selections.iter().all(|&cost| close(cost, selections[0])));
            assert!(close(share_of(&selections, &tables), 0.05));
        }
    }
}

#[test]
fn tables_for_the_rows_are_selected_in_batches() {
    let options = Options { model_cells: 1_000, choice_share: 0.2, ..Options::default() };
    for epsilon in [1.0, 4.0] {
        let mut costs =
            Costs::of::<AddRemove>(related(&[12, 9, 7, 10, 15, 6], 40_000), goal(epsilon, 1e-6), 1, &options);
        assert_eq!(costs.take_selected(is_edge).unwrap().0.len(), 5);
        let mut tables = 0;
        while let Some((selections, of_batch)) = costs.take_selected(is_choice) {
            assert!(close(share_of(&selections, &of_batch), options.choice_share));
            assert!(of_batch.iter().all(|&cost| close(cost, of_batch[0])));
            tables += of_batch.len();
        }
        assert!(costs.events.is_empty() && tables > 0 && tables == costs.targets, "{tables} at {epsilon}");
    }
}

/// Rows that count the questions about them.
struct Asked {
    rows: RowSource,
    questions: Arc<AtomicUsize>,
}

impl MarginalSource for Asked {
    fn domain(&self) -> &Domain {
        self.rows.domain()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        self.questions.fetch_add(1, Ordering::SeqCst);
        self.rows.count(cliques)
    }
}

#[test]
fn rows_are_read_twice_whatever_the_number_of_rounds() {
    // Rounds and their tables for the rows, then a tree and those beside it.
    let rounds = Options { rounds_per_column: 4.0, ..light() };
    let tree = Options { model_cells: 1_000, ..Options::default() };
    for (options, at_least) in [(rounds, 15), (tree, 9)] {
        let rows = related(&[12, 9, 7, 10, 15, 6], 40_000);
        let questions = Arc::new(AtomicUsize::new(0));
        let source = Asked { rows, questions: Arc::clone(&questions) };
        let (mut vault, budget) =
            Vault::<AddRemove, Gdp>::open(Box::new(source), goal(4.0, 1e-6), NonZeroU32::MIN).unwrap();
        let fitted = Method::Auto(options).fit_columns(&mut vault, budget).unwrap();
        let certificate = vault.close();
        let selections = certificate.events().iter().filter(|event| is_choice(event) || is_edge(event)).count();
        assert!(selections >= at_least && !fitted.targets.is_empty(), "{selections} selections");
        assert_eq!(questions.load(Ordering::SeqCst), 2, "the columns, and all that is asked later");
    }
}

#[test]
fn a_model_that_holds_every_pair_leaves_nothing_to_the_rows() {
    let options = Options { rounds_per_column: 10.0, ..light() };
    let (fitted, certificate) = run::<AddRemove>(related(&[4, 3, 4], 100_000), goal(3.0, 1e-6), 1, &options);
    assert!(fitted.targets.is_empty());
    assert!(close(certificate.total().to_f64(), Gdp::KIND.largest(goal(3.0, 1e-6)).unwrap().to_f64()));
}

#[test]
fn a_budget_large_for_the_rows_makes_more_rounds() {
    let rounds = |rows, epsilon| {
        let (_, certificate) = run::<ReplaceOne>(related(&[2, 3, 4, 3], rows), goal(epsilon, 1e-6), 1, &light());
        certificate.events().iter().filter(|event| is_choice(event)).count()
    };
    // Six sets of two columns and more of three and four.
    assert_eq!([rounds(300, 1.0), rounds(30_000, 20.0)], [4, 8]);
}

#[test]
fn one_column_two_columns_and_columns_of_one_code_are_fitted() {
    for sizes in [&[3][..], &[1], &[1, 1], &[2, 2], &[9, 2, 3], &[1, 2, 1, 2, 3], &[300], &[1, 200]] {
        for epsilon in [0.05, 3.0] {
            let options = light();
            let (fitted, certificate) = run::<AddRemove>(related(sizes, 400), goal(epsilon, 1e-6), 1, &options);
            if sizes.iter().filter(|&&size| size > 1).count() < 2 {
                assert!(matches!(fitted.distribution, Distribution::Product(_)));
                continue;
            }
            for (column, &size) in draw(&fitted, 20).iter().zip(sizes) {
                assert!(column.len() == 20 && column.iter().all(|code| code < size));
            }
            let recoding = Method::Auto(options.clone()).recoding(&Domain::new(sizes.to_vec()).unwrap()).unwrap();
            let asked = certificate.events().iter().filter_map(Event::table).flat_map(Clique::attributes);
            assert!(asked.into_iter().all(|&column| recoding.domain().size(column) > 1));
        }
    }
}

#[test]
fn no_rows_and_one_row_are_fitted() {
    for _ in 0..5 {
        for epsilon in [0.01, 1.0, 50.0] {
            for rows in [0, 1] {
                // Noise makes the number of rows negative every other time.
                let (fitted, _) = run::<AddRemove>(related(&[2, 3, 4], rows), goal(epsilon, 1e-6), 1, &light());
                assert!(fitted.rows >= 1 && draw(&fitted, 5)[0].len() == 5);
                let (fitted, _) = run::<ReplaceOne>(related(&[2, 3, 4], rows), goal(epsilon, 1e-6), 1, &light());
                assert_eq!(fitted.rows, 1);
            }
        }
    }
}

#[test]
fn no_table_is_selected_twice_and_large_columns_are_grouped() {
    let options = Options { large_column: 4, groups: 3, rounds_per_column: 3.0, ..light() };
    let (_, certificate) = run::<AddRemove>(related(&[9, 2, 5, 3], 2_000), goal(2.0, 1e-6), 1, &options);
    let tables: Vec<&Clique> = certificate.events()[4..].iter().filter_map(Event::table).collect();
    let of_more = || tables.iter().filter(|table| table.len() > 1);
    assert!(of_more().count() > 8 && of_more().any(|table| table.attributes().iter().any(|column| column.index() > 3)));
    for (place, table) in tables.iter().enumerate().filter(|(_, table)| table.len() > 1) {
        assert!(!tables[..place].contains(table));
        assert!(table.attributes().iter().all(|column| ![0, 2].contains(&column.index())), "{table:?}");
    }
}

#[test]
fn a_column_of_very_many_codes_is_fitted_with_the_others() {
    for codes in [5_000, 100_000] {
        let row = |row: u32| vec![row * 37 % codes, u32::from(row * 37 % codes >= codes / 2), row % 3];
        let rows = RowSource::new(Domain::new(vec![codes, 2, 3]).unwrap(), (0..20_000).map(row).collect());
        let (fitted, certificate) = run::<AddRemove>(rows, goal(4.0, 1e-6), 1, &light());
        let drawn = draw(&fitted, 1_000);
        let tables = || certificate.events().iter().filter_map(Event::table);
        assert!(tables().any(|table| table.len() > 1));
        // The largest has no groups that are few enough to be linked to it.
        let is_in_groups = |column: &AttributeId| column.index() > 2;
        assert_eq!(tables().any(|table| table.attributes().iter().any(is_in_groups)), codes == 5_000);
        if codes == 5_000 {
            let agree = |row: &usize| u32::from(drawn[0].get(*row) >= codes / 2) == drawn[1].get(*row);
            let agreeing = (0..1_000).filter(agree).count();
            assert!(agreeing > 850, "{agreeing} of 1000 rows have the half of the codes that they should");
        }
    }
}

#[test]
fn large_columns_are_joined_by_a_tree() {
    let sizes = [60; 8];
    let row = |row: u32| (0..8).map(|column| (row + (row * 7919 % 60) * column / 40) % 60).collect();
    let rows = RowSource::new(Domain::new(sizes.to_vec()).unwrap(), (0..40_000).map(row).collect());
    let options = Options { model_cells: 60_000, row_share: None, ..Options::default() };
    let (_, certificate) = run::<AddRemove>(rows, goal(4.0, 1e-6), 1, &options);
    let pairs: Vec<&Clique> =
        certificate.events().iter().filter_map(Event::table).filter(|table| table.len() > 1).collect();
    assert_eq!(pairs.len(), 7);
    let mut parts: Vec<usize> = (0..8).collect();
    for pair in pairs {
        let &[one, other] = pair.attributes() else { panic!("{pair:?} is not a pair") };
        let (kept, joined) = (parts[one.index()], parts[other.index()]);
        assert_ne!(kept, joined, "{pair:?} joins nothing");
        parts.iter_mut().filter(|part| **part == joined).for_each(|part| *part = kept);
    }
}

#[test]
fn rows_have_relations_that_the_tree_has_not() {
    // Every column is related to the first, and the second and third to each other besides.
    let row = |row: u32| {
        let (one, other) = (row % 12, row / 12 % 12);
        vec![one, (one + other) % 12, (one + 5 * other) % 12, (one + row / 144 % 2) % 12]
    };
    let source = RowSource::new(Domain::new(vec![12; 4]).unwrap(), (0..60_000).map(row).collect());
    let error = |row_share: Option<f64>| {
        let options = Options { model_cells: 1_000, row_share, ..Options::default() };
        let (fitted, _) = run::<AddRemove>(source.clone(), goal(4.0, 1e-6), 1, &options);
        let rows = draw(&fitted, 60_000);
        let real: Vec<Vec<u32>> = source.rows().to_vec();
        [[0, 1], [0, 2], [1, 2], [0, 3], [1, 3], [2, 3]]
            .map(|pair| distance(&rows, &real, pair, [12, 12]))
            .iter()
            .sum::<f64>()
    };
    let (with, without) = (error(Some(0.4)), error(None));
    assert!(with < 0.7 * without, "{with} with tables for the rows, {without} without");
}

#[test]
fn sixty_columns_are_fitted() {
    let sizes: Vec<u32> = (0..60).map(|column| 2 + column % 7).collect();
    let options = Options { candidates: 60, rounds_per_column: 0.2, ..Options::default() };
    let (fitted, certificate) = run::<AddRemove>(related(&sizes, 3_000), goal(1.0, 1e-6), 1, &options);
    assert_eq!(certificate.events().iter().filter(|event| is_choice(event)).count(), 12);
    assert_eq!(draw(&fitted, 10).len(), 60);
}

#[test]
fn a_large_budget_gives_the_relation_between_columns_back() {
    for spread in [None, Some(0.7)] {
        let options = Options { spread, ..light() };
        let (fitted, _) = run::<AddRemove>(related(&[3, 3, 3, 3], 3_000), goal(100.0, 1e-6), 1, &options);
        assert!(fitted.rows.abs_diff(3_000) < 5);
        let columns = draw(&fitted, 3_000);
        let agree = (0..3_000).filter(|&row| columns[0].get(row) == columns[3].get(row)).count();
        assert!(agree > 2_850, "{agree} of 3000 agree with a spread of {spread:?}");
    }
}

/// Total variation distance between two lists of rows in two of their columns.
fn distance(left: &[CodeColumn], right: &[Vec<u32>], columns: [usize; 2], sizes: [usize; 2]) -> f64 {
    let mut counts = vec![0_i32; sizes[0] * sizes[1]];
    let mut cell = |codes: [u32; 2], sign| counts[codes[0] as usize * sizes[1] + codes[1] as usize] += sign;
    for row in 0..left[0].len() {
        cell(columns.map(|column| left[column].get(row)), 1);
    }
    for row in right {
        cell(columns.map(|column| row[column]), -1);
    }
    0.5 * counts.iter().map(|count| f64::from(count.abs())).sum::<f64>()
        / f64::from(u32::try_from(right.len()).unwrap())
}

#[test]
fn relations_of_a_column_of_300_codes_are_kept() {
    let sizes = [300, 6, 4, 2, 5];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut row = || {
        let code = rng.random_range(0..300_u32);
        let near = (code + rng.random_range(0..20)).min(299);
        vec![code, near / 50, near / 75, rng.random_range(0..2), near / 60]
    };
    let rows: Vec<Vec<u32>> = (0..20_000).map(|_| row()).collect();
    let source = || RowSource::new(Domain::new(sizes.to_vec()).unwrap(), rows.clone());
    let (fitted, _) = run::<AddRemove>(source(), goal(1.0, 1e-6), 1, &Options::default());
    let (mut vault, budget) =
        Vault::<AddRemove, Gdp>::open(Box::new(source()), goal(1.0, 1e-6), NonZeroU32::MIN).unwrap();
    let alone = Method::INDEPENDENT.fit_columns(&mut vault, budget).unwrap();
    let Distribution::Product(columns) = &alone.distribution else { panic!("not independent columns") };
    let independent: Vec<CodeColumn> = columns.sample(20_000, 1, Sampling::LowVariance).next().unwrap();
    let ours = draw(&fitted, 20_000);
    for other in [1, 2, 4] {
        let of = |drawn: &[CodeColumn]| distance(drawn, &rows, [0, other], [300, sizes[other] as usize]);
        assert!(of(&independent) > 0.6 && of(&ours) < 0.5 * of(&independent), "{} {}", of(&ours), of(&independent));
    }
}

#[test]
fn options_out_of_their_range_are_named() {
    let domain = Domain::new(vec![2, 2]).unwrap();
    for wrong in [
        "one_way_share=0",
        "one_way_share=1",
        "one_way_share=0.0004",
        "choice_share=-0.1",
        "choice_share=0.9999",
        "rounds_per_column=0.05",
        "rounds_per_column=11",
        "last_round=0.01",
        "last_round=10.5",
        "most_columns=1",
        "most_columns=17",
        "candidates=0",
        "candidates=100001",
        "model_cells=999",
        "model_cells=50000001",
        "noise_penalty=-1",
        "noise_penalty=101",
        "spread=0",
        "spread=-1",
        "spread=101",
        "large_column=1",
        "groups=1",
        "groups=10001",
    ] {
        let method = Method::named("auto").unwrap().with_options([wrong]).unwrap();
        let error = method.recoding(&domain).unwrap_err().to_string();
        let name = wrong.split('=').next().unwrap();
        assert!(error.contains(&format!("option `{name}`")), "{wrong}: {error}");
    }
}

#[test]
fn what_is_too_large_for_a_model_is_refused_before_anything_is_counted() {
    for (sizes, problem) in [(vec![2; 1_001], "1001 columns"), (vec![1_000_000; 60], "60000000 values")] {
        let error = Method::Auto(Options::default()).recoding(&Domain::new(sizes).unwrap()).unwrap_err();
        assert!(error.to_string().contains(problem) && !error.hint().is_empty(), "{error}");
    }
}

/// Checks the releases for binary columns: the number of rows unless it is public, and all
/// parities.
fn check_parities<A: MethodAdjacency>(columns: usize, unit: u32) {
    let source = related(&[vec![2; columns], vec![1]].concat(), 500);
    let whole = Gdp::KIND.largest(goal(1.0, 1e-6)).unwrap();
    let (fitted, certificate) = run::<A>(source, goal(1.0, 1e-6), unit, &Options::default());
    assert!(certificate.total().quanta <= whole.quanta && close(certificate.total().to_f64(), whole.to_f64()));
    let mut events = certificate.events().iter();
    if A::KIND == AdjacencyKind::AddRemove {
        let event = events.next().unwrap();
        assert_eq!(event.table(), Some(&Clique::empty()));
        assert!(close(cost_of_table::<A>(event, unit, Gdp::KIND), 0.05 * whole.to_f64()));
    }
    let one = if A::KIND == AdjacencyKind::ReplaceOne { 2 } else { 1 };
    let mut sets = 1;
    for (event, size) in events.by_ref().zip(1..=3) {
        sets = sets * (columns - size + 1) / size;
        assert!(matches!(event.question(), Question::Scores { score: ScoreKind::Parity, .. }));
        assert_eq!(event.length(), sets as u64, "all sets of {size} columns");
        let Mechanism::RoundedGaussian { squared_sensitivity, .. } = event.mechanism() else { panic!("no noise") };
        assert_eq!(squared_sensitivity, sets as u128 * ((one * u128::from(unit)) << LATTICE_LOG2).pow(2));
    }
    assert!(events.next().is_none() && fitted.targets.is_empty());
}

#[test]
fn binary_columns_are_measured_by_parities() {
    check_parities::<AddRemove>(3, 1);
    check_parities::<AddRemove>(7, 4);
    check_parities::<ReplaceOne>(5, 1);
    check_parities::<ReplaceOne>(4, 3);
}

#[test]
fn a_relation_of_three_binary_columns_is_found() {
    // Each pair is independent, and the third column follows from the others.
    let row = |row: u32| vec![row & 1, row >> 1 & 1, (row ^ row >> 1) & 1, row >> 2 & 1];
    let source = RowSource::new(Domain::new(vec![2; 4]).unwrap(), (0..4_000).map(row).collect());
    let (fitted, _) = run::<AddRemove>(source, goal(3.0, 1e-6), 1, &Options::default());
    let drawn = draw(&fitted, 4_000);
    let codes: Vec<Vec<u32>> = drawn.iter().map(|column| column.iter().collect()).collect();
    let kept = (0..4_000).filter(|&row| codes[0][row] ^ codes[1][row] == codes[2][row]).count();
    assert!(kept > 3_700, "{kept} of 4,000");
}

#[test]
fn tables_are_measured_if_a_column_is_not_binary_or_parities_are_switched_off() {
    let parities = |sizes: &[u32], options: &Options| {
        let (_, certificate) = run::<AddRemove>(related(sizes, 300), goal(1.0, 1e-6), 1, options);
        certificate.events().iter().filter(|event| event.question().is_of_parities()).count()
    };
    assert_eq!(parities(&[2, 2, 2, 2], &light()), 3);
    assert_eq!(parities(&[2, 2, 2, 3], &light()), 0);
    assert_eq!(parities(&[2, 2], &light()), 0);
    assert_eq!(parities(&[2, 2, 2, 2], &Options { parities: false, ..light() }), 0);
}
