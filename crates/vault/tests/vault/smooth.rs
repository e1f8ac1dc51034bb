//! Rows drawn from a smoothed histogram: costs, distribution, refusals.
#![allow(clippy::disallowed_methods, reason = "statistics of small numbers")]

use std::num::{NonZeroU32, NonZeroUsize};

use crate::rows::{Rows, goal};
use crate::support::{LEAST_P, histogram, p_value};
use scumble_schema::{AttributeId, Clique, Domain};
use scumble_vault::account::{Mechanism, Question, RowDrawing, Share, Smoothing};
use scumble_vault::noise::SmoothedHistogram;
use scumble_vault::{
    AccountingKind, Budget, Certificate, CountTable, Event, MarginalSource, Private, Pure, ReplaceOne, SourceError,
    Vault, VaultError, Zcdp,
};
use serde_json::{Value, json};

const ONE: NonZeroU32 = NonZeroU32::MIN;
const ALL: u64 = 1 << 32;

fn clique() -> Clique {
    Clique::new([0, 1].map(AttributeId::new))
}

/// Two columns of four cells together, of which one is empty.
fn table(rows: usize) -> Rows {
    Rows::new(&[2, 2], (0..rows).map(|row| [[0, 0], [1, 1], [0, 1], [1, 1]][row % 4].to_vec()).collect())
}

fn open<M: RowDrawing>(rows: usize, epsilon: f64, m: NonZeroU32) -> (Vault<ReplaceOne, M>, Budget<ReplaceOne, M>) {
    let delta = if M::KIND == AccountingKind::Pure { 0.0 } else { 1e-9 };
    Vault::open(Box::new(table(rows)), goal(epsilon, delta), m).unwrap()
}

fn event(cells: u64, unit: u64, rows: u64, drawn: u64, smoothing: u64) -> Event {
    let smoothed = json!({"cells": cells, "unit": unit, "rows": rows, "drawn": drawn, "smoothing": smoothing});
    let event = json!({
        "id": 0, "adjacency": "replace-one", "question": {"rows": [0]}, "mechanism": {"smoothed-histogram": smoothed},
        "lattice_log2": 0, "length": drawn,
    });
    serde_json::from_value(event).unwrap()
}

fn smoothing(event: &Event) -> Smoothing {
    match event.mechanism() {
        Mechanism::SmoothedHistogram(smoothing) => smoothing,
        other => panic!("rows were drawn by {other:?}"),
    }
}

#[test]
fn costs_are_never_below_the_reference_and_tight() {
    let (mut costs, mut too_large) = (0, 0);
    for line in include_str!("../reference/smoothed_cost.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |index: usize| fields[index].parse::<u64>().unwrap();
        let event = event(number(0), number(1), number(2), number(3), number(4));
        for (accounting, truth) in [(AccountingKind::Pure, fields[5]), (AccountingKind::Zcdp, fields[6])] {
            // A reference that does not fit has no cost either.
            let Ok(truth) = truth.parse::<u128>() else {
                assert_eq!(event.cost(accounting), None);
                too_large += 1;
                continue;
            };
            let cost = event.cost(accounting).unwrap().quanta;
            assert!(cost >= truth && cost - truth <= 1 + (truth >> 60), "{line}: {cost}");
            costs += 1;
        }
        assert_eq!(event.cost(AccountingKind::Gdp), None);
    }
    assert!(costs + too_large == 2000 && too_large < 10, "{too_large} costs do not fit");
}

#[test]
fn a_table_of_no_rows_is_charged_like_one_of_one_row() {
    let cost = |rows| event(6, 2, rows, 10, 1 << 20).cost(AccountingKind::Pure);
    assert_eq!(cost(0), cost(1));
    assert_ne!(cost(1), cost(2));
}

/// Returns all tables of `cells` cells and `rows` rows.
fn tables(cells: usize, rows: u64) -> Vec<Vec<u64>> {
    if cells == 1 {
        return vec![vec![rows]];
    }
    let with = |first| tables(cells - 1, rows - first).into_iter().map(move |rest| [vec![first], rest].concat());
    (0..=rows).flat_map(with).collect()
}

/// Returns the largest log-ratio of the probability of one draw, over all cells and neighbours.
fn largest_loss(cells: usize, rows: u64, unit: u64, smoothing: u64) -> f64 {
    // The probability times `2^32 n cells`, which is the same on both tables.
    let weight = |count: u64| (ALL - smoothing) * count * cells as u64 + smoothing * rows;
    let mut largest = 0_f64;
    for one in tables(cells, rows) {
        for other in tables(cells, rows) {
            // Replacing `d` rows moves a table by at most `2 d` in L1, and any two tables at that
            // distance differ by `d` rows.
            if one.iter().zip(&other).map(|(a, b)| a.abs_diff(*b)).sum::<u64>() <= 2 * unit {
                let losses = one.iter().zip(&other).map(|(&a, &b)| {
                    let [low, high] = [weight(a.min(b)), weight(a.max(b))];
                    ((high - low) as f64 / low as f64).ln_1p()
                });
                largest = losses.fold(largest, f64::max);
            }
        }
    }
    largest
}

#[test]
fn the_largest_loss_between_neighbours_is_what_is_charged() {
    // Tolerance for rounding of floats.
    const CLOSE: f64 = 1e-14;
    for (cells, unit) in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2)] {
        for (rows, smoothing) in (1..=5).flat_map(|rows| [1, 12_345_678, 1 << 31, ALL - 1].map(|s| (rows, s))) {
            let charged = event(cells as u64, unit, rows, 1, smoothing).cost(AccountingKind::Pure).unwrap().to_f64();
            let loss = largest_loss(cells, rows, unit, smoothing);
            assert!(loss <= charged * (1.0 + CLOSE), "{cells} cells, {rows} rows, units of {unit}, {smoothing}");
            let reached = loss >= charged * (1.0 - CLOSE);
            assert_eq!(reached, cells > 1 && unit <= rows, "{cells} cells, {rows} rows, units of {unit}, {smoothing}");
        }
    }
}

fn check_smallest<M: RowDrawing>(index: u32) {
    let (rows, drawn) = (1 + 37 * index as usize % 300, 1 + 91 * u64::from(index) % 1000);
    let epsilon = 0.01 * 1.1_f64.powi(index.try_into().unwrap());
    let (mut vault, budget) = open::<M>(rows, epsilon, ONE.saturating_add(index % 3));
    let share = budget.amount().quanta();
    let released = vault.draw_rows(&clique(), drawn, budget).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    let Smoothing { cells, unit, rows: n, drawn: k, smoothing } = smoothing(&certificate.events()[0]);
    assert_eq!((cells.get(), unit, n), (4, certificate.max_contributions(), rows as u64));
    assert_eq!((k.get(), released.len() as u64, released.events().len()), (drawn, drawn, 1));
    let cost = |smoothing| event(4, unit.get().into(), n, k.get(), smoothing).cost(M::KIND).unwrap().quanta;
    let smoothing = u64::from(smoothing.get());
    assert!(cost(smoothing) <= share && (smoothing == 1 || cost(smoothing - 1) > share), "the smallest {smoothing}");
}

#[test]
fn the_smoothing_is_the_smallest_that_the_budget_pays_for() {
    for index in 0..150 {
        check_smallest::<Pure>(index);
        check_smallest::<Zcdp>(index);
    }
}

/// Returns `(1-s) c/n + s/cells` for every cell.
fn probabilities(counts: &[u64], s: f64) -> Vec<f64> {
    let rows = counts.iter().sum::<u64>() as f64;
    counts.iter().map(|&count| (1.0 - s) * count as f64 / rows + s / counts.len() as f64).collect()
}

#[test]
fn draws_have_the_smoothing_we_charge_for() {
    const DRAWS: u64 = 2_000_000;
    for (counts, smoothing) in
        [(&[5, 0, 2, 13, 0, 1, 0, 9][..], 1_288_490_189), (&[0, 1], 1 << 31), (&[7, 0, 0, 0, 0, 1000], 1 << 28)]
    {
        let s = f64::from(smoothing) / ALL as f64;
        let sampler = SmoothedHistogram::new(counts, NonZeroU32::new(smoothing).unwrap());
        let drawn = histogram(|substream| sampler.draw(substream), counts.len(), DRAWS, 2);
        let p = |factor: f64| p_value(&drawn, &probabilities(counts, s * factor));
        assert!(p(1.0) > LEAST_P, "{counts:?}: the truth has p {}", p(1.0));
        assert!(p(1.1) < LEAST_P, "{counts:?}: ten percent more has p {}", p(1.1));
        assert!(p(0.9) < LEAST_P, "{counts:?}: ten percent less has p {}", p(0.9));
    }
}

#[test]
fn released_rows_have_the_probabilities_of_their_event() {
    const DRAWN: u64 = 200_000;
    let (mut vault, budget) = open::<Pure>(1000, 1000.0, ONE);
    let rows = vault.draw_rows(&clique(), DRAWN, budget).unwrap();
    let mut drawn = [0; 4];
    for &cell in rows.iter() {
        drawn[usize::try_from(cell).unwrap()] += 1;
    }
    let s = f64::from(smoothing(&vault.close().events()[0]).smoothing.get()) / ALL as f64;
    // ln r = 1/200, so s is 4 / (4 + 5.01...) or so.
    assert!((s - 0.444).abs() < 0.001, "{s}");
    let p = |factor: f64| p_value(&drawn, &probabilities(&[250, 250, 0, 500], s * factor));
    assert!(p(1.0) > LEAST_P && p(1.1) < LEAST_P && p(0.9) < LEAST_P, "{} {} {}", p(1.0), p(1.1), p(0.9));
}

#[test]
fn rows_of_an_empty_table_are_uniform_and_charged() {
    let (mut vault, budget) = open::<Pure>(0, 1e6, ONE);
    let rows = vault.draw_rows(&clique(), 100_000, budget).unwrap();
    let drawn = [0, 1, 2, 3].map(|cell| rows.iter().filter(|&&row| row == cell).count() as u64);
    assert!(p_value(&drawn, &[0.25; 4]) > LEAST_P, "{drawn:?}");
    let certificate = vault.close();
    certificate.verify().unwrap();
    assert!(certificate.epsilon().get() > 0.99e6 && smoothing(&certificate.events()[0]).rows == 0);
}

/// Source that reports 100 rows for the empty clique, but one row for other tables.
struct Inconsistent(Domain);

impl MarginalSource for Inconsistent {
    fn domain(&self) -> &Domain {
        &self.0
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let counts = if cliques[0] == Clique::empty() { vec![100] } else { vec![1, 0, 0, 0] };
        Ok(Private::new(vec![CountTable::new(cliques[0].clone(), counts)]))
    }
}

#[test]
fn invalid_draws_are_refused() {
    let (mut vault, budget) = open::<Pure>(10, 1.0, ONE);
    let mut parts = budget.split_evenly(NonZeroUsize::new(6).unwrap()).into_iter();
    let mut refuse = |clique: &Clique, rows| vault.draw_rows(clique, rows, parts.next().unwrap()).unwrap_err();
    assert!(matches!(refuse(&clique(), 0), VaultError::Config { parameter: "rows", .. }));
    assert!(matches!(refuse(&clique(), 50_000_001), VaultError::Config { parameter: "rows", .. }));
    let unknown = Clique::single(AttributeId::new(2));
    assert!(matches!(refuse(&unknown, 1), VaultError::NoSuchAttribute { attribute: 2, attributes: 2 }));
    let (_other, foreign) = open::<Pure>(10, 1.0, ONE);
    assert!(matches!(vault.draw_rows(&clique(), 1, foreign), Err(VaultError::ForeignBudget)));
    // One row at s = 1 - 2^-32 costs 4 / (10 * 2^32); a share of 2^-32 of 2^-2 is less.
    let (dust, _) = parts.next().unwrap().split(Share::of(1, u32::MAX).unwrap());
    assert!(matches!(vault.draw_rows(&clique(), 1, dust), Err(VaultError::BudgetTooSmall { .. })));
    assert!(vault.close().events().is_empty());

    let inconsistent = Box::new(Inconsistent(Domain::new(vec![2, 2]).unwrap()));
    let (mut vault, budget) = Vault::<ReplaceOne, Pure>::open(inconsistent, goal(1.0, 0.0), ONE).unwrap();
    assert!(matches!(vault.draw_rows(&clique(), 1, budget), Err(VaultError::SourceShape)));
}

/// Returns the certificate with some fields replaced.
fn changed(certificate: &Certificate, change: &[(&str, Value)]) -> Result<Certificate, serde_json::Error> {
    let mut value = serde_json::to_value(certificate).unwrap();
    for (path, field) in change {
        let old = value.pointer_mut(path).unwrap_or_else(|| panic!("no {path}"));
        assert_ne!(old, field);
        *old = field.clone();
    }
    serde_json::from_value(value)
}

#[test]
fn a_certificate_verifies_after_serialization_and_an_altered_one_does_not() {
    const HISTOGRAM: &str = "/events/0/mechanism/smoothed-histogram";
    let (mut vault, budget) = open::<Zcdp>(100, 5.0, NonZeroU32::new(2).unwrap());
    vault.draw_rows(&clique(), 2, budget).unwrap();
    let certificate = vault.close();
    assert_eq!(certificate.events()[0].mechanism().standard_deviation(), None);
    assert_eq!(
        (certificate.events()[0].table(), certificate.events()[0].question()),
        (None, &Question::Rows(clique()))
    );
    let same = changed(&certificate, &[]).unwrap();
    same.verify().unwrap();
    assert_eq!(same.events(), certificate.events());

    let field = |name: &str| format!("{HISTOGRAM}/{name}");
    let scores = json!({"scores": {"score": "l1-error", "candidates": 2, "heaviest": 1, "rows": 100, "digest": ""}});
    for change in [
        &[(&*field("cells"), json!(3))][..],
        &[(&field("unit"), json!(1))],
        &[(&field("rows"), json!(101))],
        &[(&field("drawn"), json!(1))],
        &[(&field("drawn"), json!(1)), ("/events/0/length", json!(1))],
        &[(&field("smoothing"), json!(smoothing(&certificate.events()[0]).smoothing.get() + 1))],
        &[("/events/0/length", json!(4))],
        &[("/events/0/lattice_log2", json!(10))],
        &[("/events/0/question", scores)],
        &[("/events/0/question", json!({"table": [0, 1]}))],
        &[("/adjacency", json!("add-remove")), ("/events/0/adjacency", json!("add-remove"))],
        &[("/max_contributions", json!(1))],
        &[("/accounting", json!("gdp"))],
        &[("/accounting", json!("pure"))],
    ] {
        let verdict = changed(&certificate, change).unwrap().verify();
        assert!(matches!(verdict, Err(VaultError::Certificate { .. })), "{change:?} is detected");
    }
    for name in ["cells", "unit", "drawn", "smoothing"] {
        assert!(changed(&certificate, &[(&field(name), json!(0))]).is_err(), "{name} is never zero");
    }
}

#[cfg(feature = "replay")]
mod replayed {
    use scumble_vault::Certificate;
    use scumble_vault::replay::{self, Recording};

    use super::*;

    /// Draws rows of the pair, then of a column that depends on the first row.
    fn run(
        rows: &[Vec<u32>],
        m: NonZeroU32,
        recording: Option<&Recording>,
    ) -> Result<(Vec<u64>, Certificate, Recording), VaultError> {
        let source = Box::new(Rows::new(&[2, 2], rows.to_vec()));
        let (mut vault, budget, recorder) = match recording {
            None => replay::record::<ReplaceOne, Pure>(source, goal(9.0, 0.0), m)?,
            Some(recording) => replay::force::<ReplaceOne, Pure>(source, goal(9.0, 0.0), m, recording)?,
        };
        let (first, second) = budget.split(Share::of(1, 3).unwrap());
        let drawn = vault.draw_rows(&clique(), 3, first)?.into_inner();
        let column = Clique::single(AttributeId::new(usize::from(drawn[0] > 1)));
        let more = vault.draw_rows(&column, 1 + drawn[0], second)?.into_inner();
        Ok(([drawn, more].concat(), vault.close(), recorder.finish()))
    }

    /// T1 for drawn rows: all tables of two binary columns and two rows, all ways to replace one
    /// row or both.
    #[test]
    fn drawn_rows_cannot_distinguish_neighbours() {
        let table = |rows: usize| -> Vec<Vec<u32>> {
            [rows, rows / 4].map(|row| [[0, 0], [0, 1], [1, 0], [1, 1]][row % 4].to_vec()).to_vec()
        };
        let (mut pairs, mut furthest) = (0, [0; 2]);
        for (one, other) in (0..16).flat_map(|one| (0..16).map(move |other| (one, other))) {
            let [one, other] = [table(one), table(other)];
            let moved = one.iter().zip(&other).filter(|(one, other)| one != other).count();
            if moved == 0 {
                continue;
            }
            let m = NonZeroU32::new(u32::try_from(moved).unwrap()).unwrap();
            let (seen, certificate, recording) = run(&one, m, None).unwrap();
            let (forced, same, replayed) = run(&other, m, Some(&recording)).unwrap();
            assert_eq!((&seen, &certificate), (&forced, &same));
            recording.check_neighbour(&replayed).unwrap();
            furthest[moved - 1] = recording.distances(&replayed).unwrap()[0].max(furthest[moved - 1]);
            pairs += 1;
        }
        assert_eq!((pairs, furthest), (16 * (6 + 9), [2, 4]));
    }

    #[test]
    fn tables_that_are_not_neighbours_are_detected() {
        let rows = vec![vec![0, 0]; 3];
        let (_, _, recording) = run(&rows, ONE, None).unwrap();
        let two_replaced = [vec![0, 0], vec![1, 1], vec![1, 1]];
        let (_, _, replayed) = run(&two_replaced, ONE, Some(&recording)).unwrap();
        let error = recording.check_neighbour(&replayed).unwrap_err();
        assert!(matches!(error, VaultError::Replay { divergence, release: 0 } if divergence.contains("sensitivity")));
        // One row more is another number of rows, which the event states.
        let error = run(&vec![vec![0, 0]; 4], ONE, Some(&recording)).unwrap_err();
        assert!(matches!(error, VaultError::Replay { release: 0, .. }), "{error}");
    }
}
