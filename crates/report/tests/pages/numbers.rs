//! Numbers that follow from a budget, for the pages.
//!
//! Profiles are those of the vault, which tests them against 60 digits. What the report computes
//! itself is computed here by another method.

use scumble_vault::account::{MuSquared, Rho, gdp, zcdp};
use scumble_vault::{ApproxDp, Delta, Epsilon};

/// Converts a total to quanta.
fn quanta(total: f64) -> u128 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "totals of tests are positive and small"
    )]
    let quanta = (total * 2_f64.powi(96)) as u128;
    quanta
}

/// Returns the largest `mu` of a pair.
pub(crate) fn mu(epsilon: f64, delta: f64) -> f64 {
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    gdp::largest_mu_squared(goal).unwrap().to_f64().sqrt()
}

/// Returns the largest `rho` of a pair.
pub(crate) fn rho(epsilon: f64, delta: f64) -> f64 {
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    zcdp::largest_rho(goal).unwrap().to_f64()
}

/// Returns the epsilon of `mu` at `delta`.
pub(crate) fn epsilon(mu: f64, delta: f64) -> f64 {
    gdp::epsilon(MuSquared::from_quanta(quanta(mu * mu)), Delta::new(delta).unwrap()).unwrap().get()
}

/// Returns the epsilon of `rho` at `delta`.
pub(crate) fn epsilon_of_rho(rho: f64, delta: f64) -> f64 {
    zcdp::epsilon(Rho::from_quanta(quanta(rho)), Delta::new(delta).unwrap()).unwrap().get()
}

/// The normal distribution function.
pub(crate) fn phi(number: f64) -> f64 {
    libm::erfc(-number / std::f64::consts::SQRT_2) / 2.0
}

/// Returns the rate of true alarms of the best test with 5 false alarms in 100, in per cent.
pub(crate) fn noticed(mu: f64) -> f64 {
    100.0 * phi(-1.644_853_626_951_472_7 + mu)
}

/// Returns the largest probability that the odds grow by more than `e^epsilon`: that of a threshold
/// on a normal number.
pub(crate) fn beyond(mu: f64, epsilon: f64) -> f64 {
    let (mut weak, mut strong) = (-20.0, 37.0);
    for _ in 0..200 {
        let middle = f64::midpoint(weak, strong);
        if phi(mu - middle) > epsilon.exp() * phi(-middle) { strong = middle } else { weak = middle }
    }
    phi(mu - strong)
}

/// Returns a suspicion of 1 in `many` after evidence of `e^epsilon`, as a share.
pub(crate) fn suspicion(many: f64, epsilon: f64) -> f64 {
    1.0 / (1.0 + (many - 1.0) / epsilon.exp())
}

/// Returns the standard deviation of Laplace noise of scale `b` on whole numbers.
pub(crate) fn laplace_deviation(b: f64) -> f64 {
    let q = (-1.0 / b).exp();
    (2.0 * q).sqrt() / (1.0 - q)
}

/// Rounds up, for upper bounds. A rounding error above a round number must not round up.
pub(crate) fn up(number: f64, places: usize) -> String {
    rounded(number, places, |scaled| (scaled - 1e-9).ceil())
}

/// Rounds down, for amounts under a cap.
pub(crate) fn down(number: f64, places: usize) -> String {
    rounded(number, places, |scaled| (scaled + 1e-9).floor())
}

/// Rounds to nearest, for descriptions.
pub(crate) fn near(number: f64, places: usize) -> String {
    rounded(number, places, f64::round)
}

fn rounded(number: f64, places: usize, round: impl Fn(f64) -> f64) -> String {
    let scale = 10_f64.powi(i32::try_from(places).unwrap());
    let text = format!("{:.places$}", round(number * scale) / scale);
    let (whole, part) = text.split_once('.').map_or((text.as_str(), None), |(whole, part)| (whole, Some(part)));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    part.map_or(grouped.clone(), |part| format!("{grouped}.{part}"))
}

/// Removes trailing zeros: `2` for `2.00`.
pub(crate) fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// Formats one over a probability with two digits, rounded down: `11,000,000`.
pub(crate) fn one_of(probability: f64) -> String {
    let many = 1.0 / probability * (1.0 + 1e-12);
    let power = many.log10().floor();
    if power > 15.0 {
        return format!("10^{power:.0}");
    }
    let step = 10_f64.powf((power - 1.0).max(0.0));
    near((many / step).floor() * step, 0)
}
