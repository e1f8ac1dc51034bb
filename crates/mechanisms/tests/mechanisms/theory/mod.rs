//! Bounds against simulation with the vault's own noise, against enumeration, and against each
//! other.

mod bounds;
mod lower;
mod network;
mod numbers;
mod page;
mod simulation;
mod table;

use std::num::{NonZeroU32, NonZeroU64};

use scumble_mechanisms::theory::{Conditional, Generator, Network, Noise};
use scumble_schema::AdjacencyKind;
use scumble_vault::account::{Amount, LaplaceScale};
use scumble_vault::{Accounting, Adjacency, ApproxDp, Delta, Epsilon, Gdp, Pure, Sigma};

fn count(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).unwrap()
}

fn laplace(scale: f64) -> Noise {
    Noise::Laplace(LaplaceScale::at_least(scale).unwrap())
}

fn gaussian(sigma: f64) -> Noise {
    Noise::Gaussian(Sigma::at_least(sigma).unwrap())
}

fn goal(epsilon: f64, delta: f64) -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
}

/// The noise of `tables` tables that together reach the goal.
fn noise<A: Adjacency, M: Accounting>(goal: ApproxDp, tables: usize) -> Noise {
    let total = Amount::<M>::from_quanta(M::KIND.largest(goal).unwrap().quanta);
    let tables = NonZeroU32::new(u32::try_from(tables).unwrap()).unwrap();
    Noise::for_tables::<A, M>(total, tables, NonZeroU32::MIN).unwrap()
}

/// Binary columns in order, each with up to `degree` columns before it as parents, one table per
/// column.
fn binary(columns: u32, degree: u32) -> Vec<Conditional> {
    (0..columns).map(|column| Conditional { child: count(2), parents: count(1 << column.min(degree)) }).collect()
}

/// A network for all of the goal.
fn upper<A: Adjacency>(goal: ApproxDp, conditionals: &[Conditional], rows: u64) -> Network<'_> {
    let tables = conditionals.len();
    let pure = goal.delta == Delta::ZERO;
    let noise = if pure { noise::<A, Pure>(goal, tables) } else { noise::<A, Gdp>(goal, tables) };
    Network { conditionals, rows: count(rows), noise }
}

/// Any generator that reaches the goal.
fn lower(neighbours: AdjacencyKind, privacy: ApproxDp, rows: u64) -> Generator {
    Generator { neighbours, max_contributions: NonZeroU32::MIN, privacy, rows: count(rows) }
}

fn total_variation(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right).abs()).sum::<f64>() / 2.0
}

fn l2(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| (left - right).powi(2)).sum::<f64>().sqrt()
}

/// Negative numbers cut, the rest divided by its sum; uniform if nothing is left.
fn normalise(values: &[f64]) -> Vec<f64> {
    let sum: f64 = values.iter().map(|value| value.max(0.0)).sum();
    let uniform = 1.0 / f64::from(u32::try_from(values.len()).unwrap());
    values.iter().map(|value| if sum > 0.0 { value.max(0.0) / sum } else { uniform }).collect()
}

fn scaled(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value * factor).collect()
}
