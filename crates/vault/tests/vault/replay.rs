//! The replay tools detect a run that differs from its recording.
#![cfg(feature = "replay")]

use std::num::{NonZeroU32, NonZeroUsize};

use crate::rows::{Rows, goal};
use scumble_schema::{AttributeId, Clique};
use scumble_vault::account::{Noise, Share};
use scumble_vault::replay::{self, Recording};
use scumble_vault::score::L1Error;
use scumble_vault::{AddRemove, Adjacency, Certificate, Gdp, MarginalSource, Pure, ReplaceOne, Vault, VaultError};

const ONE: NonZeroU32 = NonZeroU32::MIN;

fn table(rows: &[[u32; 2]]) -> Box<dyn MarginalSource> {
    Box::new(Rows::new(&[2, 3], rows.iter().map(|row| row.to_vec()).collect()))
}

fn single(index: usize) -> Clique {
    Clique::single(AttributeId::new(index))
}

/// A method that learns through the vault alone: its second question depends on its first answer.
fn honest<A: Adjacency>(
    mut vault: Vault<A>,
    budget: scumble_vault::Budget<A>,
) -> Result<(Vec<i64>, Certificate), VaultError> {
    let (first, second) = budget.split(Share::of(1, 3).unwrap());
    let rows = vault.measure(&[single(0)], first)?;
    let column = usize::from(rows[0].values()[0] > 1);
    let tables = vault.measure(&[single(column), Clique::empty()], second)?;
    let values = tables.iter().flat_map(|table| table.values().to_vec()).collect();
    Ok((values, vault.close()))
}

fn recorded<A: Adjacency>(rows: &[[u32; 2]]) -> ((Vec<i64>, Certificate), Recording) {
    let (vault, budget, recorder) = replay::record::<A, Gdp>(table(rows), goal(1.0, 1e-9), ONE).unwrap();
    (honest(vault, budget).unwrap(), recorder.finish())
}

fn forced<A: Adjacency>(rows: &[[u32; 2]], recording: &Recording) -> ((Vec<i64>, Certificate), Recording) {
    let (vault, budget, recorder) = replay::force::<A, Gdp>(table(rows), goal(1.0, 1e-9), ONE, recording).unwrap();
    (honest(vault, budget).unwrap(), recorder.finish())
}

#[test]
fn an_honest_method_cannot_distinguish_neighbours() {
    let (before, recording) = recorded::<AddRemove>(&[[0, 0], [1, 2]]);
    let (after, replayed) = forced::<AddRemove>(&[[0, 0], [1, 2], [1, 1]], &recording);
    assert_eq!(before, after);
    recording.check_neighbour(&replayed).unwrap();
    assert_eq!(recording.distances(&replayed).unwrap(), [1, 1, 1]);
    assert_eq!(recording.events().count(), 3);

    let (before, recording) = recorded::<ReplaceOne>(&[[0, 0], [1, 2]]);
    let (after, replayed) = forced::<ReplaceOne>(&[[0, 0], [0, 1]], &recording);
    assert_eq!(before, after);
    recording.check_neighbour(&replayed).unwrap();
}

/// Releases two tables with Laplace noise, two noisy scores and a selection.
fn pure_run(rows: &[[u32; 2]], recording: Option<&Recording>) -> Recording {
    let goal = goal(1.0, 0.0);
    let (mut vault, budget, recorder) = match recording {
        None => replay::record::<AddRemove, Pure>(table(rows), goal, ONE).unwrap(),
        Some(recording) => replay::force::<AddRemove, Pure>(table(rows), goal, ONE, recording).unwrap(),
    };
    let mut parts = budget.split_evenly(NonZeroUsize::new(3).unwrap()).into_iter();
    vault.measure(&[single(0), Clique::empty()], parts.next().unwrap()).unwrap();
    let errors = [0, 1].map(|column| L1Error::against(single(column), &[0.25, 0.5, 1.0][..2 + column]).unwrap());
    vault.measure_scores(&errors, parts.next().unwrap()).unwrap();
    vault.select(&errors, parts.next().unwrap()).unwrap();
    recorder.finish()
}

#[test]
fn distances_are_in_the_norm_of_the_mechanism() {
    let recording = pure_run(&[[0, 0], [1, 2]], None);
    let replayed = pure_run(&[[0, 0], [1, 2], [1, 1]], Some(&recording));
    // Tables move by one row. Of the scores, in units of 1/1024 rows, one moves by a row: counts
    // [1, 1] against [1/4, 1/2] become [1, 2], from 5/4 to 9/4. The other does not: counts [1, 0,
    // 1] against [1/4, 1/2, 1] become [1, 1, 1].
    assert_eq!(recording.distances(&replayed).unwrap(), [1, 1, 1024, 1024]);
    recording.check_neighbour(&replayed).unwrap();

    // A table with two more rows is not a neighbour, in any norm.
    let replayed = pure_run(&[[0, 0], [1, 2], [1, 1], [1, 1]], Some(&recording));
    assert!(recording.check_neighbour(&replayed).is_err());
}

#[test]
fn both_certificates_are_stamped_not_private() {
    let ((_, before), recording) = recorded::<AddRemove>(&[[0, 0]]);
    let ((_, after), _) = forced::<AddRemove>(&[], &recording);
    for certificate in [before, after] {
        assert_eq!(certificate.noise(), Noise::Forced);
        certificate.verify().unwrap();
        assert!(serde_json::to_string(&certificate).unwrap().contains("NOT PRIVATE"));
    }
}

#[test]
fn tables_that_are_not_neighbours_are_detected() {
    let (_, recording) = recorded::<AddRemove>(&[[0, 0]]);
    let (_, replayed) = forced::<AddRemove>(&[[0, 0], [1, 0], [1, 0]], &recording);
    let error = recording.check_neighbour(&replayed).unwrap_err();
    assert!(matches!(error, VaultError::Replay { divergence, release: 0 } if divergence.contains("sensitivity")));
}

#[test]
fn another_question_and_an_extra_one_are_detected() {
    let (_, recording) = recorded::<AddRemove>(&[[0, 0]]);
    let force = || replay::force::<AddRemove, Gdp>(table(&[]), goal(1.0, 1e-9), ONE, &recording).unwrap();

    let (mut vault, budget, _) = force();
    let error = vault.measure(&[single(1)], budget).unwrap_err();
    assert!(matches!(error, VaultError::Replay { release: 0, .. }), "another table at another scale: {error}");

    let (mut vault, budget, recorder) = force();
    let (budget, rest) = budget.split(Share::of(1, 3).unwrap());
    vault.measure(&[single(0)], budget).unwrap();
    drop(rest);
    let short = recorder.finish();
    let error = recording.check_neighbour(&short).unwrap_err();
    assert!(matches!(error, VaultError::Replay { release: 1, .. }), "one release less: {error}");

    let (mut vault, budget, _) = replay::force::<AddRemove, Gdp>(table(&[]), goal(1.0, 1e-9), ONE, &short).unwrap();
    let (first, second) = budget.split(Share::of(1, 3).unwrap());
    vault.measure(&[single(0)], first).unwrap();
    let error = vault.measure(&[single(1), Clique::empty()], second).unwrap_err();
    assert!(matches!(error, VaultError::Replay { release: 1, .. }), "one release more: {error}");
}

#[test]
fn debug_shows_no_counts() {
    let (_, recording) = recorded::<AddRemove>(&[[0, 0]]);
    assert_eq!(format!("{recording:?}"), "Recording(.. 3 releases ..)");
}
