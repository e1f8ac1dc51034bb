//! Vaults of audits: privacy losses of real releases between two tables.
#![cfg(feature = "audit")]
#![allow(clippy::disallowed_methods, reason = "numbers to compare exact ones with")]

use std::num::{NonZeroU32, NonZeroUsize};

use crate::rows::{Rows, goal};
use scumble_schema::{AttributeId, Clique};
use scumble_vault::account::{Mechanism, Noise};
use scumble_vault::audit::{Measured, PrivacyLoss, open, with_rows};
use scumble_vault::score::L1Error;
use scumble_vault::{
    Accounting, AddRemove, ApproxDp, Budget, Certificate, Gdp, MarginalSource, Pure, Vault, VaultError,
};

fn single(column: usize) -> Clique {
    Clique::single(AttributeId::new(column))
}

/// Four rows of ones, and a fifth of zeros in the neighbour.
fn pair() -> [Box<dyn MarginalSource>; 2] {
    let ones = || vec![vec![1, 1]; 4];
    [Box::new(Rows::new(&[2, 2], ones())), Box::new(Rows::new(&[2, 2], [ones(), vec![vec![0, 0]]].concat()))]
}

fn losses<M: Accounting>(
    measured: Measured,
    goal: ApproxDp,
    ask: impl Fn(&mut Vault<AddRemove, M>, Budget<AddRemove, M>) -> Result<(), VaultError>,
) -> (Vec<PrivacyLoss>, Vec<Vec<i64>>, Certificate) {
    let [table, neighbour] = pair();
    let (mut vault, budget, losses) = open(table, neighbour, measured, goal, NonZeroU32::MIN).unwrap();
    ask(&mut vault, budget).unwrap();
    let released = vault.released_values().to_vec();
    (losses.finish(), released, vault.close())
}

fn opposed() -> [L1Error; 2] {
    [L1Error::against(single(0), &[0.0, 14.0]).unwrap(), L1Error::against(single(1), &[11.0, 4.0]).unwrap()]
}

#[test]
fn the_loss_is_one_function_of_the_released_values() {
    // Of many releases on either table, those with the same values have the same loss, bit by bit.
    let mut known = std::collections::BTreeMap::new();
    let mut repeated = [0, 0];
    for run in 0..4_000 {
        let measured = if run % 2 == 0 { Measured::Table } else { Measured::Neighbour };
        let (losses, released, _) =
            losses::<Pure>(measured, goal(3.0, 0.0), |vault, budget| vault.select(&opposed(), budget).map(drop));
        let loss = losses[0].loss().to_bits();
        let (first, sides) = known.entry(released).or_insert((loss, [false, false]));
        assert_eq!(*first, loss, "the rounding of a loss shows which table was measured");
        sides[run % 2] = true;
        repeated[run % 2] += 1;
    }
    assert!(known.values().any(|(_, sides)| *sides == [true, true]) && repeated == [2_000, 2_000]);
}

#[test]
fn losses_are_those_of_the_law_of_the_event() {
    let (losses, released, certificate) =
        losses::<Pure>(Measured::Table, goal(1.0, 0.0), |vault, budget| vault.measure(&[single(0)], budget).map(drop));
    let Mechanism::DiscreteLaplace { scale, .. } = losses[0].event().mechanism() else { panic!("tables have noise") };
    // Only the first cell differs: no row in the table, and one in the neighbour.
    let value = released[0][0] as f64;
    assert!((losses[0].loss() - (value.abs() - (value - 1.0).abs()) / scale.to_f64()).abs() < 1e-12);
    assert_eq!(certificate.noise(), Noise::Forced, "losses are exact, so the certificate says NOT PRIVATE");
}

#[test]
fn every_release_has_a_loss_and_uses_what_was_charged() {
    let (losses, _, certificate) = losses::<Gdp>(Measured::Neighbour, goal(2.0, 1e-9), |vault, budget| {
        let mut parts = budget.split_evenly(NonZeroUsize::new(3).unwrap()).into_iter();
        let mut next = || parts.next().unwrap();
        vault.measure(&[single(0), single(1)], next())?;
        vault.measure_scores(&opposed(), next())?;
        vault.select(&opposed(), next()).map(drop)
    });
    assert_eq!(losses.len(), certificate.events().len());
    for loss in losses {
        assert!((loss.used() - 1.0).abs() < 1e-12, "{loss:?}");
    }
}

#[test]
fn planted_rows_are_counted_in_every_table() {
    let [table, neighbour] = pair();
    let planted = with_rows(table, vec![vec![0, 0]]).unwrap();
    // A planted row makes the neighbour, so that nothing is left to distinguish.
    let (mut vault, budget, losses) =
        open::<AddRemove, Gdp>(planted, neighbour, Measured::Table, goal(1.0, 1e-9), NonZeroU32::MIN).unwrap();
    vault.measure(&[single(0), single(1), Clique::empty()], budget).unwrap();
    assert!(losses.finish().iter().all(|loss| loss.loss() == 0.0 && loss.used() == 0.0));
    assert!(with_rows(pair().into_iter().next().unwrap(), vec![vec![0, 2]]).is_err());
}

#[test]
fn tables_of_other_columns_are_refused() {
    let [table, _] = pair();
    let other = Box::new(Rows::new(&[2, 3], vec![]));
    let error = open::<AddRemove, Gdp>(table, other, Measured::Table, goal(1.0, 1e-9), NonZeroU32::MIN).unwrap_err();
    assert!(error.to_string().contains("neighbour"), "{error}");
}
