//! Comparisons of released rows with the real ones: T1 (replay), T2 (sensitivity by enumeration)
//! and T6 (certificates).
#![cfg(feature = "replay")]
#![allow(missing_docs, reason = "a test")]

use std::num::NonZeroU32;

use crate::rows::{Rows, goal};
use scumble_schema::{AttributeId, Clique, Domain, Recoding};
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::replay::{self, Recording};
use scumble_vault::score::{ComparedFigure, Comparison, ReleasedTable, ScoreKind, WeightedCount};
use scumble_vault::{AddRemove, Adjacency, Gdp, MarginalSource, ReplaceOne, Vault, VaultError};

const SIZES: [u32; 2] = [2, 3];

fn clique<const N: usize>(columns: [usize; N]) -> Clique {
    Clique::new(columns.map(AttributeId::new))
}

fn table(rows: &[[u32; 2]]) -> Box<dyn MarginalSource> {
    Box::new(Rows::new(&SIZES, rows.iter().map(|row| row.to_vec()).collect()))
}

/// A figure of every kind: over one table and several, restricted ones, and counts with and without
/// a recoding.
fn tables_and_counts() -> (Comparison, Vec<ComparedFigure>) {
    let mut comparison = Comparison::new();
    // Some cells expect no rows, others many, and others parts of a row.
    let released = [
        ReleasedTable::new(clique([0]), &[1.25, 2.0]),
        ReleasedTable::new(clique([1]), &[0.0, 3.3, 0.5]),
        ReleasedTable::new(clique([0, 1]), &[0.0, 1.5, 0.25, 2.0, 0.0, 0.125]),
        ReleasedTable::new(clique([0, 1]), &[4.0, 0.1, 0.0, 0.0, 1.0, 1.0])
            .map(|table| table.within(AttributeId::new(0), 1)),
    ];
    let tables: Vec<usize> = released.into_iter().map(|table| comparison.add_table(table.unwrap())).collect();
    let groups =
        Recoding::with_groups(&Domain::new(SIZES.to_vec()).unwrap(), vec![(AttributeId::new(1), vec![0, 1, 1])]);
    let counts = [
        WeightedCount::new(None, clique([1]), &[-0.5, 0.125, 0.5]),
        WeightedCount::new(Some(groups.unwrap()), clique([0, 2]), &[0.5, 0.0, -0.25, 0.5]),
    ];
    let mut figures = Vec::new();
    for tables in [&tables[..], &tables[2..3], &tables[3..]] {
        figures.extend([ComparedFigure::MeanError(tables.to_vec()), ComparedFigure::LargestError(tables.to_vec())]);
    }
    figures.extend(counts.map(|count| ComparedFigure::Count(comparison.add_count(count.unwrap()))));
    (comparison, figures)
}

fn comparison() -> Comparison {
    with_figures(&tables_and_counts().1)
}

/// The tables and counts of [`comparison`], with these of its figures.
fn with_figures(figures: &[ComparedFigure]) -> Comparison {
    let (mut comparison, _) = tables_and_counts();
    for figure in figures {
        comparison.add_figure(figure.clone());
    }
    comparison
}

fn recorded<A: Adjacency>(rows: &[[u32; 2]], unit: u32, comparison: &Comparison) -> Recording {
    let unit = NonZeroU32::new(unit).unwrap();
    let (mut vault, budget, recorder) = replay::record::<A, Gdp>(table(rows), goal(1.0, 1e-9), unit).unwrap();
    vault.compare(comparison, budget).unwrap();
    recorder.finish()
}

fn forced<A: Adjacency>(rows: &[[u32; 2]], unit: u32, comparison: &Comparison, recording: &Recording) -> Recording {
    let unit = NonZeroU32::new(unit).unwrap();
    let (mut vault, budget, recorder) = replay::force::<A, Gdp>(table(rows), goal(1.0, 1e-9), unit, recording).unwrap();
    vault.compare(comparison, budget).unwrap();
    recorder.finish()
}

/// All rows of the domain.
fn all_rows() -> Vec<[u32; 2]> {
    (0..SIZES[0]).flat_map(|left| (0..SIZES[1]).map(move |right| [left, right])).collect()
}

/// All tables of this number of rows, up to the order of rows.
fn tables(rows: usize) -> Vec<Vec<[u32; 2]>> {
    let mut tables = vec![Vec::new()];
    for _ in 0..rows {
        let longer = tables.into_iter().flat_map(|table: Vec<[u32; 2]>| {
            let last = table.last().copied().unwrap_or_default();
            let next = all_rows().into_iter().filter(move |row| *row >= last);
            next.map(move |row| [&table[..], &[row]].concat()).collect::<Vec<_>>()
        });
        tables = longer.collect();
    }
    tables
}

/// Tables with a unit of `unit` rows more, all of which may be anything.
fn with_unit(table: &[[u32; 2]], unit: usize) -> impl Iterator<Item = Vec<[u32; 2]>> {
    tables(unit).into_iter().map(move |rows| [table, &rows[..]].concat())
}

#[test]
fn neighbours_are_within_the_sensitivity_of_the_event() {
    let comparison = comparison();
    for unit in [1, 3] {
        for before in [0, 1, 4].into_iter().flat_map(tables).step_by(3) {
            let recording = recorded::<AddRemove>(&before, unit, &comparison);
            for after in with_unit(&before, unit as usize) {
                let replayed = forced::<AddRemove>(&after, unit, &comparison, &recording);
                recording.check_neighbour(&replayed).unwrap_or_else(|error| panic!("{before:?}, {after:?}: {error}"));
            }
            let changed: Vec<_> = with_unit(&before, unit as usize).step_by(5).collect();
            let recording = recorded::<ReplaceOne>(&changed[0], unit, &comparison);
            for other in &changed {
                let replayed = forced::<ReplaceOne>(other, unit, &comparison, &recording);
                recording.check_neighbour(&replayed).unwrap_or_else(|error| panic!("{changed:?}, {other:?}: {error}"));
            }
        }
    }
}

#[test]
fn every_figure_moves_by_half_a_row_or_by_one_that_is_replaced() {
    let all = comparison();
    for figure in 0..all.figures().len() {
        let one = with_figures(&all.figures()[figure..=figure]);
        let [mut joined, mut replaced] = [0, 0];
        for before in (0..=3).flat_map(tables) {
            let recording = recorded::<AddRemove>(&before, 1, &one);
            let after: Vec<_> = with_unit(&before, 1).collect();
            for after in &after {
                joined = joined.max(recording.distances(&forced::<AddRemove>(after, 1, &one, &recording)).unwrap()[0]);
            }
            let recording = recorded::<ReplaceOne>(&after[0], 1, &one);
            for other in &after {
                let other = forced::<ReplaceOne>(other, 1, &one, &recording);
                replaced = replaced.max(recording.distances(&other).unwrap()[0]);
            }
        }
        // Squares of lattice units. A mean over tables that share columns may move less.
        assert!(joined <= 512 * 512 && replaced <= 1024 * 1024, "{figure}: {joined}, {replaced}");
        let is_mean = matches!(all.figures()[figure], ComparedFigure::MeanError(_));
        assert!(is_mean || joined >= 500 * 500, "{figure} moves by {joined}");
    }
}

#[test]
fn the_event_is_one_of_scores_and_its_certificate_is_verified() {
    let rows = [[0, 0], [1, 2], [1, 2], [0, 1]];
    let (mut vault, budget) = Vault::<AddRemove, Gdp>::open(table(&rows), goal(1.0, 1e-9), NonZeroU32::MIN).unwrap();
    let comparison = comparison();
    let released = vault.compare(&comparison, budget).unwrap();
    assert_eq!(released.values().len(), comparison.figures().len());
    let deviation = released.standard_deviation();
    let certificate = vault.close();
    certificate.verify().unwrap();
    let [event] = certificate.events() else { panic!("one event") };
    let Question::Scores { score: ScoreKind::Comparison, candidates, .. } = event.question() else {
        panic!("{event:?}")
    };
    assert_eq!(candidates.get(), comparison.figures().len() as u64);
    let Mechanism::RoundedGaussian { squared_sensitivity, sigma } = event.mechanism() else { panic!("{event:?}") };
    assert_eq!(squared_sensitivity, 512 * 512 * comparison.figures().len() as u128);
    assert!((deviation - sigma.to_f64() / 1024.0).abs() < 1e-9);
}

#[test]
fn figures_without_tables_and_weights_above_a_half_are_refused() {
    assert!(WeightedCount::new(None, clique([0]), &[0.5, 0.51]).is_err());
    assert!(ReleasedTable::new(clique([0]), &[f64::NAN, 0.0]).is_err());
    let refused = |build: &dyn Fn(&mut Comparison)| {
        let mut comparison = Comparison::new();
        build(&mut comparison);
        let (mut vault, budget) = Vault::<AddRemove, Gdp>::open(table(&[]), goal(1.0, 1e-9), NonZeroU32::MIN).unwrap();
        assert!(vault.compare(&comparison, budget).is_err());
        assert!(vault.close().events().is_empty());
    };
    refused(&|_| ());
    refused(&|comparison| {
        comparison.add_figure(ComparedFigure::MeanError(vec![]));
    });
    refused(&|comparison| {
        let table = comparison.add_table(ReleasedTable::new(clique([0]), &[1.0]).unwrap());
        comparison.add_figure(ComparedFigure::MeanError(vec![table]));
    });
    refused(&|comparison| {
        let table = ReleasedTable::new(clique([0]), &[1.0, 2.0]).unwrap().within(AttributeId::new(0), 2);
        let table = comparison.add_table(table);
        comparison.add_figure(ComparedFigure::LargestError(vec![table]));
    });
    refused(&|comparison| {
        let other = Recoding::identity(&Domain::new(vec![2]).unwrap());
        let count = comparison.add_count(WeightedCount::new(Some(other), clique([0]), &[0.0, 0.5]).unwrap());
        comparison.add_figure(ComparedFigure::Count(count));
    });
}

#[test]
fn other_released_rows_are_another_question() {
    let rows = [[0, 0], [1, 1]];
    let recording = recorded::<AddRemove>(&rows, 1, &comparison());
    let other = with_figures(&comparison().figures()[1..]);
    let (mut vault, budget, _) =
        replay::force::<AddRemove, Gdp>(table(&rows), goal(1.0, 1e-9), NonZeroU32::MIN, &recording).unwrap();
    assert!(matches!(vault.compare(&other, budget), Err(VaultError::Replay { .. })));
}
