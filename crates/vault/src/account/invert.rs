//! Safe rounding of computed privacy profiles, and their inversion by bisection.

use super::{ApproxDp, Epsilon};
use crate::error::VaultError;

/// Relative margin by which a computed profile is raised. The errors of the profiles are below
/// 10^-11 (see their notes), so the raised value is never below the exact one.
const MARGIN: f64 = 1e-10;
/// Smallest result, below which floats lose digits. [`super::Delta::MIN`] is well above it.
const MIN_DELTA: f64 = 1e-305;

/// Relative margin below `delta` to which a budget is calibrated. A computed profile is not
/// monotone in its last bits. The margin is ten times their size, so a total within the budget
/// always verifies.
const SLACK: f64 = 1e-10;

/// Raises a computed profile by the margin and clamps it to a valid `delta`.
pub(super) fn raised(profile: f64) -> f64 {
    (profile * (1.0 + MARGIN)).clamp(MIN_DELTA, 1.0)
}

/// Returns the largest number of quanta that may be spent under `goal`, rounded down. `delta` maps
/// spent quanta to the `delta` that holds with the `epsilon` of `goal`.
///
/// # Errors
/// If the goal is so strict that not even one quantum may be spent.
pub(super) fn largest_amount(goal: ApproxDp, delta: impl Fn(u128) -> f64) -> Result<u128, VaultError> {
    let reached = |quanta| delta(quanta) * (1.0 + SLACK) <= goal.delta.get();
    // `allowed` itself has been checked against the goal, so the result holds even where the last
    // bits of the profile are not monotone.
    let (mut allowed, mut refused) = (0, u128::MAX);
    // Stops at one part in 2^45, far below the slack.
    while refused - allowed > 1 + (allowed >> 45) {
        let middle = u128::midpoint(allowed, refused);
        if reached(middle) { allowed = middle } else { refused = middle }
    }
    if allowed == 0 {
        return Err(VaultError::config("delta", &goal.delta, "large enough for at least one release"));
    }
    Ok(allowed)
}

/// Returns the smallest `epsilon` that holds with the `delta` of `goal`, rounded up, or `None` if
/// it is above the `epsilon` of `goal`. `delta` maps an `epsilon` to the `delta` that holds with
/// it.
pub(super) fn smallest_epsilon(goal: ApproxDp, delta: impl Fn(f64) -> f64) -> Option<Epsilon> {
    let reached = |epsilon| delta(epsilon) <= goal.delta.get();
    if reached(0.0) {
        return Some(Epsilon::ZERO);
    }
    let (mut refused, mut allowed) = (0.0, goal.epsilon.get());
    if !reached(allowed) {
        return None;
    }
    // `allowed` itself has been checked, so it is valid; it is at most one part in 10^13 above the
    // smallest.
    while allowed - refused > 1e-13 * allowed {
        let middle = f64::midpoint(refused, allowed);
        if reached(middle) {
            allowed = middle;
        } else {
            refused = middle;
        }
    }
    Epsilon::new(allowed).ok()
}
