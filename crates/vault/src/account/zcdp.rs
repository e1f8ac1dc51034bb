#![doc = include_str!("zcdp.md")]

use super::invert::{largest_amount, raised, smallest_epsilon};
use super::{ApproxDp, Delta, Epsilon, Rho};
use crate::error::VaultError;

/// Search range of the best `a - 1`. Below it, `delta` is within 10^-17 of one; above it is never
/// best, even for one quantum and the largest `epsilon`.
const ORDERS: (f64, f64) = (1e-18, 1e36);
/// Number of bisections of that range on a logarithmic scale: they find `a - 1` to one part in
/// 10^9, and the bound, which is flat there, to one part in 10^15.
const STEPS: u32 = 40;

/// Returns `delta(epsilon)` of a job that spent `rho`: never below the exact value, with a relative
/// error of at most 1e-9.
///
/// Results below 1e-305 are raised to 1e-305.
pub fn delta(rho: Rho, epsilon: Epsilon) -> f64 {
    if rho == Rho::ZERO { 0.0 } else { raised_profile(rho.rounded_up(), epsilon.get()) }
}

/// Returns the largest amount that may be spent under `goal`, rounded down.
///
/// # Errors
/// If the goal is so strict that not even one quantum of 2^-96 may be spent.
pub fn largest_rho(goal: ApproxDp) -> Result<Rho, VaultError> {
    largest_amount(goal, |quanta| delta(Rho::from_quanta(quanta), goal.epsilon)).map(Rho::from_quanta)
}

/// Returns the smallest `epsilon` that holds with `delta` after spending `rho`, never below the
/// exact value; `None` if it is above [`Epsilon::MAX`].
pub fn epsilon(rho: Rho, delta: Delta) -> Option<Epsilon> {
    epsilon_within(rho, ApproxDp { epsilon: Epsilon::MAX, delta })
}

/// Returns the smallest `epsilon` that holds with the `delta` of `goal` after spending `rho`;
/// `None` if it is above the `epsilon` of `goal`.
pub(crate) fn epsilon_within(rho: Rho, goal: ApproxDp) -> Option<Epsilon> {
    if rho == Rho::ZERO {
        return Some(Epsilon::ZERO);
    }
    let rho = rho.rounded_up();
    smallest_epsilon(goal, |epsilon| raised_profile(rho, epsilon))
}

/// Computes the bound for a positive `rho`, raised by the margin and clamped to a valid `delta`. It
/// grows with `rho`, so rounding `rho` up gives a delta above the exact one.
fn raised_profile(rho: f64, epsilon: f64) -> f64 {
    let best = best_order(rho, epsilon);
    raised(libm::exp(log_bound(rho, epsilon, best)))
}

/// Computes the logarithm of `exp((a-1)(a rho - epsilon)) (1-1/a)^a / (a-1)` with `a = 1 + x`.
fn log_bound(rho: f64, epsilon: f64, x: f64) -> f64 {
    // `rho - epsilon` is computed first, so that near the best `x` no term is much larger than the
    // sum.
    x * (rho * x + (rho - epsilon)) - x * libm::log1p(1.0 / x) - libm::log1p(x)
}

/// Finds the `x` at which [`log_bound`] is least: where its derivative, which grows with `x`,
/// changes sign.
fn best_order(rho: f64, epsilon: f64) -> f64 {
    let (mut falling, mut rising) = ORDERS;
    for _ in 0..STEPS {
        let middle = libm::sqrt(falling * rising);
        let slope = 2.0 * rho * middle + (rho - epsilon) - libm::log1p(1.0 / middle);
        if slope < 0.0 { falling = middle } else { rising = middle }
    }
    falling
}
