#![doc = include_str!("gdp.md")]

use std::sync::LazyLock;

use super::invert::{largest_amount, raised, smallest_epsilon};
use super::{ApproxDp, Delta, Epsilon, MuSquared};
use crate::error::VaultError;

/// `mu²` of a selection divided by its `epsilon²`, as numerator and denominator: `pi/8` with
/// 355/113 for `pi`.
///
/// # Privacy
/// Rounded up, by one part in ten million: a cost that is too low makes the guarantee false. The
/// proof is at [`ExponentialMechanism`](crate::noise::ExponentialMechanism).
pub(super) const PI_EIGHTHS: (u32, u32) = (355, 8 * 113);

/// Step of the trapezoidal rule, in the variable in which the integrand falls off
/// double-exponentially.
const STEP: f64 = 1.0 / 20.0;
/// Number of steps from `s = -3.5` to `6.5`. Beyond, the integrand is below e^-60 of its largest
/// value.
const STEPS: u32 = 200;
/// Past the peak, a term below this fraction of the sum ends the sum.
const NEGLIGIBLE: f64 = 1e-18;

/// Points `e^(s - e^(-s))` of the rule, and their weights.
static POINTS: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
    let point = |step| {
        let s = -3.5 + STEP * f64::from(step);
        let shrink = libm::exp(-s);
        let t = libm::exp(s - shrink);
        (t, STEP * t * (1.0 + shrink))
    };
    (0..STEPS).map(point).collect()
});

/// Returns `delta(epsilon)` of a job that spent `mu_squared`: never below the exact value, with a
/// relative error of at most 1e-9.
///
/// Results below 1e-305 are raised to 1e-305.
pub fn delta(mu_squared: MuSquared, epsilon: Epsilon) -> f64 {
    if mu_squared == MuSquared::ZERO {
        return 0.0;
    }
    // The profile grows with mu, so rounding mu up gives a delta above the exact one.
    raised_profile(mu_squared.mu_rounded_up(), epsilon.get())
}

/// Returns the largest amount that may be spent under `goal`, rounded down.
///
/// # Errors
/// If the goal is so strict that not even one quantum of 2^-96 may be spent.
pub fn largest_mu_squared(goal: ApproxDp) -> Result<MuSquared, VaultError> {
    let quanta = largest_amount(goal, |quanta| delta(MuSquared::from_quanta(quanta), goal.epsilon))?;
    Ok(MuSquared::from_quanta(quanta))
}

/// Returns the smallest `epsilon` that holds with `delta` after spending `mu_squared`, never below
/// the exact value; `None` if it is above [`Epsilon::MAX`].
pub fn epsilon(mu_squared: MuSquared, delta: Delta) -> Option<Epsilon> {
    epsilon_within(mu_squared, ApproxDp { epsilon: Epsilon::MAX, delta })
}

/// Returns the smallest `epsilon` that holds with the `delta` of `goal` after spending
/// `mu_squared`; `None` if it is above the `epsilon` of `goal`.
pub(crate) fn epsilon_within(mu_squared: MuSquared, goal: ApproxDp) -> Option<Epsilon> {
    if mu_squared == MuSquared::ZERO {
        return Some(Epsilon::ZERO);
    }
    let mu = mu_squared.mu_rounded_up();
    smallest_epsilon(goal, |epsilon| raised_profile(mu, epsilon))
}

/// Computes the profile, raised by the margin and clamped to a valid `delta`.
fn raised_profile(mu: f64, epsilon: f64) -> f64 {
    raised(profile(mu, epsilon))
}

/// Computes `Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)` as the integral of a
/// positive function.
fn profile(mu: f64, epsilon: f64) -> f64 {
    let start = epsilon / mu - mu / 2.0;
    if start < -9.0 {
        // 1 - delta is below 1e-17 here.
        return 1.0;
    }
    // For a large start, phi(start) leaves the range of floats before the integral does, so it is
    // multiplied last.
    let outside = start.max(0.0);
    let width = 1.0 / (1.0 + outside);
    let mut sum = 0.0;
    for &(point, weight) in POINTS.iter() {
        let t = width * point;
        let u = start + t;
        let exponent = if outside > 0.0 { -t * (start + t / 2.0) } else { -u * u / 2.0 };
        let term = libm::exp(exponent) * -libm::expm1(-mu * t) * weight;
        sum += term;
        // Past the peaks of the density (u > 1) and of the rest (point > 1) the terms only fall.
        if u > 1.0 && point > 1.0 && term < sum * NEGLIGIBLE {
            break;
        }
    }
    let inverse_root_two_pi = std::f64::consts::FRAC_2_SQRT_PI / (2.0 * std::f64::consts::SQRT_2);
    width * sum * inverse_root_two_pi * libm::exp(-outside * outside / 2.0)
}
