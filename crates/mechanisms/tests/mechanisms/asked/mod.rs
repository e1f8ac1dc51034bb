//! Shared helpers: tables, fits, and the cost of events.

use std::num::NonZeroU32;

use scumble_mechanisms::{Distribution, Fitted, Method, MethodAccounting, MethodAdjacency};
use scumble_pgm::{Sampler, Sampling};
use scumble_schema::{AdjacencyKind, CodeColumn, Domain};
use scumble_testing::RowSource;
use scumble_vault::account::Mechanism;
use scumble_vault::{AccountingKind, ApproxDp, Certificate, Delta, Epsilon, Event, Vault};

/// Rows in which every later column mostly has the code of the first, where it has that code.
pub(crate) fn related(sizes: &[u32], rows: u32) -> RowSource {
    let row = |row: u32| {
        sizes.iter().map(|&size| if row.is_multiple_of(7) { row / 7 % size } else { row % 3 % size }).collect()
    };
    RowSource::new(Domain::new(sizes.to_vec()).unwrap(), (0..rows).map(row).collect())
}

/// Fits a method to all columns. The certificate is verified.
pub(crate) fn run<A: MethodAdjacency, M: MethodAccounting>(
    method: &Method,
    source: RowSource,
    goal: ApproxDp,
    unit: u32,
) -> (Fitted, Certificate) {
    let unit = NonZeroU32::new(unit).unwrap();
    let (mut vault, budget) = Vault::<A, M>::open(Box::new(source), goal, unit).unwrap();
    let fitted = method.fit_columns(&mut vault, budget).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    (fitted, certificate)
}

pub(crate) fn goal(epsilon: f64, delta: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
}

/// Rows of a graphical model, or of independent columns.
pub(crate) fn draw(fitted: &Fitted, rows: u64) -> Vec<CodeColumn> {
    match &fitted.distribution {
        Distribution::Tree(model) => Sampler::new(model).sample(rows, 1, Sampling::LowVariance).next().unwrap(),
        Distribution::Product(model) => model.sample(rows, 1, Sampling::LowVariance).next().unwrap(),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn close(left: f64, right: f64) -> bool {
    (left / right - 1.0).abs() < 1e-6
}

pub(crate) fn number(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// Checks the sensitivity of a table with Gaussian noise. Returns its cost: `Δ²/σ²`, or half of it.
pub(crate) fn cost_of_table<A: MethodAdjacency>(event: &Event, unit: u32, accounting: AccountingKind) -> f64 {
    let Mechanism::RoundedGaussian { squared_sensitivity, sigma } = event.mechanism() else { panic!("{event:?}") };
    let one = if A::KIND == AdjacencyKind::ReplaceOne { 2 } else { 1 };
    assert_eq!(squared_sensitivity, one * u128::from(unit).pow(2));
    let halves = if accounting == AccountingKind::Zcdp { 2.0 } else { 1.0 };
    squared_sensitivity as f64 / sigma.to_f64().powi(2) / halves
}
