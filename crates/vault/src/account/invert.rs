//! What the accountings with a computed profile share: rounding it to the safe side, and going from a goal back to what
//! reaches it, by bisection.

use super::{ApproxDp, Epsilon};
use crate::error::VaultError;

/// How far a computed profile is raised above its value, relatively. The profiles' own errors are below 10^-11 (see their
/// notes), so the raised value is never below the truth.
const MARGIN: f64 = 1e-10;
/// No smaller result is returned: floats lose digits soon below. [`super::Delta::MIN`] is well above.
const LEAST: f64 = 1e-305;

/// How much less than `delta` a budget is calibrated to, relatively. A profile as computed is not monotone in its last bits;
/// this is ten times what they amount to, so a total within the budget is certain to verify.
const SLACK: f64 = 1e-10;

/// A computed profile, raised by the margin and kept within what a delta can be.
pub(super) fn raised(profile: f64) -> f64 {
    (profile * (1.0 + MARGIN)).clamp(LEAST, 1.0)
}

/// The most quanta that may be spent to reach `goal`, rounded down. `delta` is what follows from spending so many.
///
/// # Errors
/// If the goal is so strict that not even one quantum may be spent.
pub(super) fn largest_amount(goal: ApproxDp, delta: impl Fn(u128) -> f64) -> Result<u128, VaultError> {
    let reached = |quanta| delta(quanta) * (1.0 + SLACK) <= goal.delta.get();
    // `allowed` has been checked to reach the goal at every step, so what is returned has been checked itself, whatever
    // the last bits of the profile do.
    let (mut allowed, mut refused) = (0, u128::MAX);
    // It stops at one part in 2^45, far below the slack.
    while refused - allowed > 1 + (allowed >> 45) {
        let middle = u128::midpoint(allowed, refused);
        if reached(middle) { allowed = middle } else { refused = middle }
    }
    if allowed == 0 {
        return Err(VaultError::config("delta", &goal.delta, "large enough for at least one release"));
    }
    Ok(allowed)
}

/// The smallest `epsilon` that holds with the `delta` of `goal`, rounded up, or `None` if it is above the `epsilon` of
/// `goal`. `delta` is what holds with each `epsilon`.
pub(super) fn smallest_epsilon(goal: ApproxDp, delta: impl Fn(f64) -> f64) -> Option<Epsilon> {
    let reached = |epsilon| delta(epsilon) <= goal.delta.get();
    if reached(0.0) {
        return Some(Epsilon::ZERO);
    }
    let (mut refused, mut allowed) = (0.0, goal.epsilon.get());
    if !reached(allowed) {
        return None;
    }
    // `allowed` has been checked at every step, so it is valid itself; one part in 10^13 is left on the table.
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
