//! The tools of the replay test notice what they are for: a run that differs from its recording.
#![cfg(feature = "replay")]

#[path = "support/rows.rs"]
mod rows;

use std::num::NonZeroU32;

use rows::{Rows, goal};
use scumble_schema::{AttributeId, Clique};
use scumble_vault::account::{Noise, Share};
use scumble_vault::replay::{self, Recording};
use scumble_vault::{AddRemove, Adjacency, Certificate, MarginalSource, ReplaceOne, Vault, VaultError};

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
    let (vault, budget, recorder) = replay::record::<A>(table(rows), goal(1.0, 1e-9), ONE).unwrap();
    (honest(vault, budget).unwrap(), recorder.finish())
}

fn forced<A: Adjacency>(rows: &[[u32; 2]], recording: &Recording) -> ((Vec<i64>, Certificate), Recording) {
    let (vault, budget, recorder) = replay::force::<A>(table(rows), goal(1.0, 1e-9), ONE, recording).unwrap();
    (honest(vault, budget).unwrap(), recorder.finish())
}

#[test]
fn an_honest_method_cannot_tell_neighbours_apart() {
    let (before, recording) = recorded::<AddRemove>(&[[0, 0], [1, 2]]);
    let (after, replayed) = forced::<AddRemove>(&[[0, 0], [1, 2], [1, 1]], &recording);
    assert_eq!(before, after);
    recording.check_neighbour(&replayed).unwrap();
    assert_eq!(recording.squared_distances(&replayed).unwrap(), [1, 1, 1]);
    assert_eq!(recording.events().count(), 3);

    let (before, recording) = recorded::<ReplaceOne>(&[[0, 0], [1, 2]]);
    let (after, replayed) = forced::<ReplaceOne>(&[[0, 0], [0, 1]], &recording);
    assert_eq!(before, after);
    recording.check_neighbour(&replayed).unwrap();
}

#[test]
fn both_certificates_say_that_they_are_not_private() {
    let ((_, before), recording) = recorded::<AddRemove>(&[[0, 0]]);
    let ((_, after), _) = forced::<AddRemove>(&[], &recording);
    for certificate in [before, after] {
        assert_eq!(certificate.noise(), Noise::Forced);
        certificate.verify().unwrap();
        assert!(serde_json::to_string(&certificate).unwrap().contains("NOT PRIVATE"));
    }
}

#[test]
fn tables_that_are_no_neighbours_are_noticed() {
    let (_, recording) = recorded::<AddRemove>(&[[0, 0]]);
    let (_, replayed) = forced::<AddRemove>(&[[0, 0], [1, 0], [1, 0]], &recording);
    let error = recording.check_neighbour(&replayed).unwrap_err();
    assert!(matches!(error, VaultError::Replay { divergence, release: 0 } if divergence.contains("sensitivity")));
}

#[test]
fn another_question_or_one_more_is_noticed() {
    let (_, recording) = recorded::<AddRemove>(&[[0, 0]]);
    let force = || replay::force::<AddRemove>(table(&[]), goal(1.0, 1e-9), ONE, &recording).unwrap();

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

    let (mut vault, budget, _) = replay::force::<AddRemove>(table(&[]), goal(1.0, 1e-9), ONE, &short).unwrap();
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
