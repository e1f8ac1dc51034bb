#![doc = include_str!("zcdp.md")]

use super::invert::{largest_amount, raised, smallest_epsilon};
use super::{ApproxDp, Delta, Epsilon, Rho};
use crate::error::VaultError;

/// Where the best `a - 1` is looked for. Below, `delta` is one but for 10^-17; above it is never best, even for one quantum and
/// the largest `epsilon`.
const ORDERS: (f64, f64) = (1e-18, 1e36);
/// Halvings of that range, as a range of logarithms: `a - 1` is found to one part in 10^9, and the bound, which is flat
/// there, to one in 10^15.
const STEPS: u32 = 40;

/// `delta(epsilon)` of a job that spent `rho`: never below the truth, at most 1e-9 of it above.
///
/// Results under 1e-305 are returned as 1e-305, which is above the truth.
pub fn delta(rho: Rho, epsilon: Epsilon) -> f64 {
    if rho == Rho::ZERO { 0.0 } else { raised_profile(rho.rounded_up(), epsilon.get()) }
}

/// The most that may be spent to reach `goal`, rounded down.
///
/// # Errors
/// If the goal is so strict that not even one quantum of 2^-96 may be spent.
pub fn largest_rho(goal: ApproxDp) -> Result<Rho, VaultError> {
    largest_amount(goal, |quanta| delta(Rho::from_quanta(quanta), goal.epsilon)).map(Rho::from_quanta)
}

/// The smallest `epsilon` that holds with `delta` after spending `rho`: never below the truth. `None` if it is above
/// [`Epsilon::MAX`].
pub fn epsilon(rho: Rho, delta: Delta) -> Option<Epsilon> {
    epsilon_within(rho, ApproxDp { epsilon: Epsilon::MAX, delta })
}

/// The same, or `None` if it is above that of `goal`.
pub(crate) fn epsilon_within(rho: Rho, goal: ApproxDp) -> Option<Epsilon> {
    if rho == Rho::ZERO {
        return Some(Epsilon::ZERO);
    }
    let rho = rho.rounded_up();
    smallest_epsilon(goal, |epsilon| raised_profile(rho, epsilon))
}

/// The bound for a positive `rho`, raised by the margin and kept within what a delta can be. It grows with `rho`, so a float above
/// `rho` gives a delta above the truth.
fn raised_profile(rho: f64, epsilon: f64) -> f64 {
    let best = best_order(rho, epsilon);
    raised(libm::exp(log_bound(rho, epsilon, best)))
}

/// The logarithm of `exp((a-1)(a rho - epsilon)) (1-1/a)^a / (a-1)` with `a = 1 + x`.
fn log_bound(rho: f64, epsilon: f64, x: f64) -> f64 {
    // `rho - epsilon` comes first: near the best `x` no part of the sum is then much larger than the result.
    x * (rho * x + (rho - epsilon)) - x * libm::log1p(1.0 / x) - libm::log1p(x)
}

/// The `x` at which [`log_bound`] is least: where its derivative, which grows with `x`, changes sign.
fn best_order(rho: f64, epsilon: f64) -> f64 {
    let (mut falling, mut rising) = ORDERS;
    for _ in 0..STEPS {
        let middle = libm::sqrt(falling * rising);
        let slope = 2.0 * rho * middle + (rho - epsilon) - libm::log1p(1.0 / middle);
        if slope < 0.0 { falling = middle } else { rising = middle }
    }
    falling
}
