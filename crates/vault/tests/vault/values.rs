//! Values above a threshold: T1 (replay), T2 (the worst unit), T5 and T6 (scales and certificates)
//! and T17 (the rate of the delta event).
#![allow(missing_docs, reason = "a test")]

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::rows::{Rows, goal};
use scumble_schema::{AdjacencyKind, AttributeId, Clique};
use scumble_vault::account::{Mechanism, Question, Share, ThresholdDelta};
use scumble_vault::ledger::{JobPlan, Ledger, LedgerError, Terms};
use scumble_vault::replay::{self, Recording};
use scumble_vault::{
    AccountingKind, AddRemove, Adjacency, Budget, Certificate, ColumnVault, Gdp, Grid, MarginalSource, ReplaceOne,
    SourceError, ValueSink, ValueSource, VaultError, Zcdp,
};

/// Columns of texts, each with the rows that hold it.
#[derive(Clone, Default)]
struct Texts(BTreeMap<String, Vec<(Vec<u8>, u64)>>);

impl Texts {
    fn column(mut self, name: &str, values: &[(&str, u64)]) -> Self {
        let values = values.iter().map(|(value, rows)| (value.as_bytes().to_vec(), *rows));
        self.0.insert(name.into(), values.collect());
        self
    }

    /// `number` values of `rows` rows each.
    fn alike(number: u32, rows: u64) -> Self {
        let values = (0..number).map(|value| (value.to_be_bytes().to_vec(), rows)).collect();
        Self(BTreeMap::from([("name".to_owned(), values)]))
    }
}

impl ValueSource for Texts {
    fn count_values(&self, columns: &[&str], sink: &mut ValueSink<'_>) -> Result<(), SourceError> {
        for (place, column) in columns.iter().enumerate() {
            for (value, rows) in &self.0[*column] {
                sink.add(place, value, *rows);
            }
        }
        Ok(())
    }
}

fn unit(rows: u32) -> NonZeroU32 {
    NonZeroU32::new(rows).unwrap()
}

/// A probability, in quanta.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^96")]
fn delta(probability: f64) -> ThresholdDelta {
    ThresholdDelta::from_quanta((probability * 2_f64.powi(96)) as u128)
}

fn threshold(mechanism: Mechanism) -> (f64, u64, f64) {
    match mechanism {
        Mechanism::ThresholdedGaussian { sigma, threshold, .. } => {
            (sigma.to_f64(), threshold.rows, threshold.delta.to_f64())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_of_one_unit_pass_as_rarely_as_their_event_says() {
    // T17: a million units, each with a value of its own; one false alarm in 10^9.
    const UNITS: u32 = 1_000_000;
    for m in [1, 2, 5] {
        // Several scales, because a threshold is rounded up to a whole row.
        for epsilon in [0.9, 1.0, 1.1, 1.25] {
            let (mut vault, budget) =
                ColumnVault::<AddRemove>::open(goal(epsilon, 1e-2), delta(1e-3), unit(m)).unwrap();
            let values = vault.release_values(&Texts::alike(UNITS, m.into()), &["name"], delta(1e-3), budget).unwrap();
            let (_, _, stated) = threshold(values[0].mechanism());
            assert!(stated <= 1e-3);
            let (passed, expected) = (values[0].values().len() as f64, stated * f64::from(UNITS));
            assert!(passed < expected + 6.0 * expected.sqrt(), "{m} rows: {passed} passed, {expected} were charged");
            // All rows of a unit on one value is the worst case where noise is small next to them,
            // and near it here.
            assert!(passed > 0.5 * expected, "{m} rows: {passed} passed, {expected} were charged");
        }
    }
}

#[test]
fn values_far_below_the_threshold_were_never_released() {
    // A hundred thousand values that six deviations of noise keep below the threshold: one of them
    // passes in one of ten thousand runs of this test.
    let open = || ColumnVault::<AddRemove>::open(goal(1.0, 1e-9), delta(5e-10), unit(1)).unwrap();
    let release = |rows: u64| {
        let (mut vault, budget) = open();
        vault.release_values(&Texts::alike(100_000, rows), &["name"], delta(5e-10), budget).unwrap()
    };
    let (sigma, threshold, _) = threshold(release(1)[0].mechanism());
    let rows = (1..threshold).rev().find(|&rows| (threshold - rows) as f64 >= 6.0 * sigma).unwrap();
    assert_eq!(release(rows)[0].values().len(), 0, "{rows} rows, sigma {sigma}, threshold {threshold}");
    // As many rows as the threshold itself pass every other time.
    assert!((45_000..55_000).contains(&release(threshold)[0].values().len()));
}

#[test]
fn units_with_several_values_pass_no_more_often() {
    const UNITS: usize = 200_000;
    let m = 4_u32;
    for split in [&[4, 0, 0, 0][..], &[3, 1], &[2, 2], &[2, 1, 1], &[1, 1, 1, 1]] {
        let split: Vec<u64> = split.iter().copied().filter(|&rows| rows > 0).collect();
        let (mut vault, budget) = ColumnVault::<AddRemove>::open(goal(1.0, 2e-2), delta(1e-2), unit(m)).unwrap();
        let values = (0..UNITS).flat_map(|person| {
            split.iter().enumerate().map(move |(place, &rows)| (format!("{person:06} {place}").into_bytes(), rows))
        });
        let source = Texts(BTreeMap::from([("name".to_owned(), values.collect())]));
        let values = vault.release_values(&source, &["name"], delta(1e-2), budget).unwrap();
        let mut people: Vec<&[u8]> = values[0].values().iter().map(|(value, _)| &value[..6]).collect();
        people.dedup();
        let expected = threshold(values[0].mechanism()).2 * UNITS as f64;
        assert!((people.len() as f64) < expected + 6.0 * expected.sqrt(), "{split:?}: {} {expected}", people.len());
    }
}

#[test]
fn only_values_of_the_rows_are_released_and_in_the_order_of_their_bytes() {
    let source = Texts::default()
        .column("town", &[("Oslo", 5_000), ("Bergen", 4_000), ("Å", 3_000), ("", 2_500), ("a hamlet", 1), ("Ås", 2)])
        .column("name", &[("Kari", 1), ("Ola", 1)]);
    let (mut vault, budget) = ColumnVault::<AddRemove>::open(goal(1.0, 1e-6), delta(5e-7), unit(1)).unwrap();
    let values = vault.release_values(&source, &["name", "town"], delta(5e-7), budget).unwrap();
    assert!(values[0].values().is_empty(), "nothing of a column of names");
    let towns: Vec<&[u8]> = values[1].values().iter().map(|(value, _)| &value[..]).collect();
    assert_eq!(towns, [b"", "Bergen".as_bytes(), b"Oslo", "Å".as_bytes()]);
    let (sigma, rows, _) = threshold(values[1].mechanism());
    for (value, count) in values[1].values() {
        let exact = source.0["town"].iter().find(|(own, _)| own == value).unwrap().1;
        assert!((*count as f64 - exact as f64).abs() < 7.0 * sigma && *count >= i64::try_from(rows).unwrap());
    }
    vault.close().verify().unwrap();
}

#[test]
fn a_source_that_names_a_value_twice_or_another_column_is_refused() {
    struct Faulty(usize);
    impl ValueSource for Faulty {
        fn count_values(&self, _: &[&str], sink: &mut ValueSink<'_>) -> Result<(), SourceError> {
            sink.add(0, b"a", 1_000_000);
            sink.add(self.0, b"a", 1_000_000);
            Ok(())
        }
    }
    for column in [0, 1] {
        let (mut vault, budget) = ColumnVault::<AddRemove>::open(goal(1.0, 1e-6), delta(5e-7), unit(1)).unwrap();
        let refused = vault.release_values(&Faulty(column), &["name"], delta(5e-7), budget);
        assert!(matches!(refused, Err(VaultError::SourceShape)), "{column}");
    }
}

#[test]
fn thresholds_cannot_take_more_of_delta_than_was_set_aside() {
    let source = Texts::default().column("name", &[("a", 1)]);
    let open = || ColumnVault::<AddRemove>::open(goal(1.0, 1e-6), delta(5e-7), unit(1)).unwrap();
    let (mut vault, budget) = open();
    assert!(vault.release_values(&source, &["name"], delta(6e-7), budget).is_err());
    let (mut vault, budget) = open();
    let (first, rest) = budget.split(Share::of(1, 2).unwrap());
    vault.release_values(&source, &["name"], delta(4e-7), first).unwrap();
    let left = vault.for_thresholds().to_f64();
    assert!((1e-7..2e-7).contains(&left), "{left}");
    assert!(vault.release_values(&source, &["name"], delta(4e-7), rest).is_err());
    assert!(ColumnVault::<AddRemove>::open(goal(1.0, 1e-6), delta(1e-6), unit(1)).is_err(), "nothing for noise");
    let (mut vault, budget) = open();
    assert!(vault.release_values(&source, &[], delta(1e-7), budget).is_err());
}

/// A job that releases a grid, values and then tables of codes that depend on the values.
fn job<A: Adjacency>(
    vault: ColumnVault<A>,
    budget: Budget<A>,
    texts: &Texts,
    codes: impl Fn() -> Box<dyn MarginalSource>,
) -> Result<Certificate, VaultError> {
    let mut vault = vault;
    let (for_grid, rest) = budget.split(Share::of(1, 10).unwrap());
    let (for_values, rest) = rest.split(Share::of(1, 2).unwrap());
    let grid = Grid { column: "age".into(), name: "numbers".into(), attribute: AttributeId::new(0) };
    vault.measure_grids(&*codes(), &[grid], for_grid)?;
    let delta = vault.for_thresholds();
    let values = vault.release_values(texts, &["town"], delta, for_values)?;
    let columns: Vec<usize> = (0..=usize::from(!values[0].values().is_empty())).collect();
    let mut vault = vault.into_vault(codes());
    vault.measure(&[Clique::new(columns.into_iter().map(AttributeId::new))], rest)?;
    Ok(vault.close())
}

/// Two columns of codes; the neighbour has `m` rows more.
fn codes(extra: u32) -> Box<dyn MarginalSource> {
    let rows = (0..500).map(|row| vec![row % 3, row % 2]).chain((0..extra).map(|_| vec![2, 1]));
    Box::new(Rows::new(&[3, 2], rows.collect()))
}

#[test]
fn the_certificate_follows_from_the_events() {
    for m in [1, 4, 9] {
        let texts = Texts::default().column("town", &[("Oslo", 100_000), ("Bergen", 1)]);
        let open =
            ColumnVault::<AddRemove>::open(goal(1.0, 1e-9), ThresholdDelta::half_of(goal(1.0, 1e-9).delta), unit(m));
        let (vault, budget) = open.unwrap();
        let certificate = job(vault, budget, &texts, || codes(0)).unwrap();
        certificate.verify().unwrap();
        assert!(certificate.epsilon().get() <= 1.0 && certificate.epsilon().get() > 0.99);
        assert!((certificate.delta().get() - 1e-9).abs() < 1e-24);
        let [grid, values, table] = certificate.events() else { panic!("three events") };
        assert!(matches!(grid.question(), Question::Grid { column, grid } if column == "age" && grid == "numbers"));
        assert!(matches!(values.question(), Question::Values { column } if column == "town"));
        assert!(matches!(table.question(), Question::Table(_)));
        let Mechanism::ThresholdedGaussian { squared_sensitivity, sigma, threshold } = values.mechanism() else {
            panic!("a threshold")
        };
        assert_eq!(squared_sensitivity, u128::from(m).pow(2), "all rows of a unit may hold one value");
        assert_eq!(threshold.delta, certificate.threshold_delta());
        assert!(threshold.rows > u64::from(m) && threshold.delta.to_f64() <= 5e-10);
        // About half of nine tenths of mu².
        assert!((f64::from(m) / sigma.to_f64() - (0.45_f64).sqrt() * 0.178).abs() < 2e-3);
    }
}

#[test]
fn a_changed_threshold_is_found() {
    let texts = Texts::default().column("town", &[("Oslo", 100_000)]);
    let (vault, budget) = ColumnVault::<AddRemove>::open(goal(1.0, 1e-9), delta(5e-10), unit(2)).unwrap();
    let certificate = job(vault, budget, &texts, || codes(0)).unwrap();
    let json = serde_json::to_value(&certificate).unwrap();
    let mechanism = &json["events"][1]["mechanism"]["thresholded-gaussian"];
    let rows = mechanism["threshold"]["rows"].as_u64().unwrap();
    let quanta: u128 =
        mechanism["threshold"]["delta"].as_str().unwrap().strip_suffix("/2^96").unwrap().parse().unwrap();
    let with = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        change(&mut json["events"][1]);
        serde_json::from_value::<Certificate>(json).unwrap().verify()
    };
    with(&|_| {}).unwrap();
    let threshold = |event: &mut serde_json::Value, field: &str, value: serde_json::Value| {
        event["mechanism"]["thresholded-gaussian"]["threshold"][field] = value;
    };
    assert!(with(&|event| threshold(event, "rows", (rows - 1).into())).is_err());
    assert!(with(&|event| threshold(event, "delta", format!("{}/2^96", quanta - 1).into())).is_err());
    assert!(with(&|event| threshold(event, "delta", format!("{}/2^96", quanta * 3).into())).is_err(), "epsilon");
    assert!(with(&|event| threshold(event, "delta", format!("{}/2^96", u128::MAX).into())).is_err());
    assert!(with(&|event| event["length"] = 5.into()).is_err());
    assert!(with(&|event| event["question"] = serde_json::json!({"grid": {"column": "a", "grid": "b"}})).is_err());
}

fn replayed<A: Adjacency>(m: u32, texts: &Texts, neighbour: &Texts, extra: u32) -> (Recording, Recording) {
    let (goal, half) = (goal(1.0, 1e-6), delta(5e-7));
    let (vault, budget, recorder) = replay::record_columns::<A, Gdp>(goal, half, unit(m)).unwrap();
    let first = job(vault, budget, texts, || codes(0)).unwrap();
    let recording = recorder.finish();
    let (vault, budget, recorder) = replay::force_columns::<A, Gdp>(goal, half, unit(m), &recording).unwrap();
    let second = job(vault, budget, neighbour, || codes(extra)).unwrap();
    assert_eq!(first, second, "the neighbour has another certificate");
    (recording, recorder.finish())
}

#[test]
fn a_job_replayed_on_neighbours_does_not_differ() {
    for m in [1, 2, 5] {
        let rows = u64::from(m);
        let towns = |oslo: u64, other: u64| {
            let values: Vec<(&str, u64)> = [("Oslo", oslo), ("Bergen", 50_000), ("a hamlet", other)].to_vec();
            Texts::default().column("town", &values.into_iter().filter(|(_, rows)| *rows > 0).collect::<Vec<_>>())
        };
        // All rows of a unit in a common value, or in one that nobody else holds.
        for neighbour in [towns(60_000 + rows, 0), towns(60_000, rows), towns(60_001, rows - 1)] {
            let (recording, forced) = replayed::<AddRemove>(m, &towns(60_000, 0), &neighbour, m);
            recording.check_neighbour(&forced).unwrap();
            assert_eq!(forced.foreign_values(), 0);
        }
        let (recording, forced) = replayed::<AddRemove>(m, &towns(60_000, 0), &towns(60_000 + rows + 1, 0), m);
        assert!(recording.check_neighbour(&forced).is_err(), "a row too many is noticed");
        let (recording, forced) = replayed::<ReplaceOne>(m, &towns(60_000, rows), &towns(60_000 + rows, 0), 0);
        recording.check_neighbour(&forced).unwrap();
    }
}

#[test]
fn a_value_that_the_neighbour_lacks_is_counted() {
    // The delta event itself, made likely: a value of one unit that passed.
    let lone = Texts::default().column("town", &[("Oslo", 100_000)]);
    let (_, forced) = replayed::<AddRemove>(1, &lone, &Texts::default().column("town", &[]), 0);
    assert_eq!(forced.foreign_values(), 1);
}

fn plan(accounting: AccountingKind) -> JobPlan {
    let goal = goal(1.0, 1e-6);
    JobPlan {
        adjacency: AdjacencyKind::AddRemove,
        privacy_unit: "row".into(),
        max_contributions: unit(1),
        accounting,
        goal,
        for_thresholds: ThresholdDelta::half_of(goal.delta),
        description: "learning".into(),
        request: "all parameters".into(),
        command: None,
    }
}

fn ledger(folder: &tempfile::TempDir, accounting: AccountingKind, epsilon: f64, delta: f64) -> Ledger {
    let (adjacency, unit) = (AdjacencyKind::AddRemove, unit(1));
    let terms = Terms::new("people".into(), adjacency, "row".into(), unit, accounting, goal(epsilon, delta)).unwrap();
    Ledger::create(&folder.path().join("people.ledger"), &terms).unwrap()
}

#[test]
fn an_interrupted_job_repeats_its_values_and_refuses_another_table() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = ledger(&folder, AccountingKind::Gdp, 1.0, 1e-6);
    let towns = Texts::default().column("town", &[("Oslo", 5_000), ("Bergen", 4_000), ("a hamlet", 1)]);
    let plan = plan(AccountingKind::Gdp);
    let release = |job: &_, source: &Texts| {
        let open = ColumnVault::<AddRemove>::open_on(job, plan.goal, plan.for_thresholds, unit(1));
        let (mut vault, budget) = open?;
        let values = vault.release_values(source, &["town"], plan.for_thresholds, budget)?.into_inner();
        Ok::<_, VaultError>((values, vault.close()))
    };
    let first = release(&ledger.begin(plan.clone()).unwrap(), &towns).unwrap().0;
    // In another order, as another number of threads would count them.
    let mut turned = towns.clone();
    turned.0.get_mut("town").unwrap().reverse();
    let (again, _) = release(&ledger.resume_job(plan.clone()).unwrap().unwrap(), &turned).unwrap();
    assert_eq!(again, first);
    for other in [&[("Oslo", 5_000), ("Bergen", 4_000)][..], &[("Oslo", 5_001), ("Bergen", 4_000), ("a hamlet", 1)]] {
        let other = Texts::default().column("town", other);
        let refused = release(&ledger.resume_job(plan.clone()).unwrap().unwrap(), &other);
        assert!(matches!(refused, Err(VaultError::OtherTable { release: 0 })), "{refused:?}");
    }
    let job = ledger.resume_job(plan.clone()).unwrap().unwrap();
    let (_, certificate) = release(&job, &towns).unwrap();
    job.commit().unwrap();
    let statement = ledger.verify().unwrap();
    assert_eq!(statement.thresholds, certificate.threshold_delta());
    assert_eq!(statement.spent, certificate.total().quanta);
    assert!(statement.thresholds > ThresholdDelta::ZERO && statement.thresholds <= plan.for_thresholds);
}

#[test]
fn a_ledger_adds_up_both_parts_of_delta() {
    // Two jobs that each take half of delta for thresholds leave nothing for noise.
    for accounting in [AccountingKind::Gdp, AccountingKind::Zcdp] {
        let folder = tempfile::tempdir().unwrap();
        let ledger = ledger(&folder, accounting, 10.0, 1e-6);
        drop(ledger.begin(plan(accounting)).unwrap());
        let second = JobPlan { request: "another".into(), ..plan(accounting) };
        let refused = ledger.begin(second.clone()).unwrap_err();
        assert!(matches!(refused, VaultError::Ledger(LedgerError::OverCap { .. })), "{refused}");
        // With less for thresholds there is room.
        let third = JobPlan { for_thresholds: delta(1e-7), ..second.clone() };
        drop(ledger.begin(third).unwrap());
        // A job without thresholds has what the others leave of delta.
        let plain = JobPlan { for_thresholds: ThresholdDelta::ZERO, request: "plain".into(), ..second };
        ledger.begin(plain).unwrap();
        let statement = ledger.verify().unwrap();
        assert_eq!(statement.jobs.len(), 3);
        assert!((statement.thresholds.to_f64() - 6e-7).abs() < 1e-15);
        assert!(statement.left < statement.terms.cap - statement.spent, "thresholds lower the cap");
    }
}

#[test]
fn values_cost_the_same_under_zcdp() {
    let texts = Texts::default().column("town", &[("Oslo", 100_000)]);
    let (mut vault, budget) = ColumnVault::<AddRemove, Zcdp>::open(goal(1.0, 1e-6), delta(5e-7), unit(3)).unwrap();
    let amount = budget.amount().to_f64();
    let values = vault.release_values(&texts, &["town"], delta(5e-7), budget).unwrap();
    let sigma = threshold(values[0].mechanism()).0;
    assert!((9.0 / (2.0 * sigma * sigma) / amount - 1.0).abs() < 1e-9);
    vault.close().verify().unwrap();
}
