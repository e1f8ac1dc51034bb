//! What follows from a budget, computed for the pages.
//!
//! Profiles are those of the vault, which are tested against 60 digits there. What the report computes itself is computed here in another way.

use scumble_vault::account::{MuSquared, Rho, gdp, zcdp};
use scumble_vault::{ApproxDp, Delta, Epsilon};

/// The quanta of a total that is given as a number.
fn quanta(total: f64) -> u128 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "totals of tests are positive and small"
    )]
    let quanta = (total * 2_f64.powi(96)) as u128;
    quanta
}

/// The `mu` that reaches a pair.
pub(crate) fn mu(epsilon: f64, delta: f64) -> f64 {
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    gdp::largest_mu_squared(goal).unwrap().to_f64().sqrt()
}

/// The `rho` that reaches a pair.
pub(crate) fn rho(epsilon: f64, delta: f64) -> f64 {
    let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
    zcdp::largest_rho(goal).unwrap().to_f64()
}

/// The epsilon of `mu` at `delta`.
pub(crate) fn epsilon(mu: f64, delta: f64) -> f64 {
    gdp::epsilon(MuSquared::from_quanta(quanta(mu * mu)), Delta::new(delta).unwrap()).unwrap().get()
}

/// The epsilon of `rho` at `delta`.
pub(crate) fn epsilon_of_rho(rho: f64, delta: f64) -> f64 {
    zcdp::epsilon(Rho::from_quanta(quanta(rho)), Delta::new(delta).unwrap()).unwrap().get()
}

/// The normal distribution function.
pub(crate) fn phi(number: f64) -> f64 {
    libm::erfc(-number / std::f64::consts::SQRT_2) / 2.0
}

/// How often the best test notices a unit, with a false alarm in 5 of 100 cases, in hundredths.
pub(crate) fn noticed(mu: f64) -> f64 {
    100.0 * phi(-1.644_853_626_951_472_7 + mu)
}

/// How often the odds grow by more than `e^epsilon`, at most: what a threshold on a normal number reaches.
pub(crate) fn beyond(mu: f64, epsilon: f64) -> f64 {
    let (mut weak, mut strong) = (-20.0, 37.0);
    for _ in 0..200 {
        let middle = f64::midpoint(weak, strong);
        if phi(mu - middle) > epsilon.exp() * phi(-middle) { strong = middle } else { weak = middle }
    }
    phi(mu - strong)
}

/// A suspicion of 1 in `many`, after evidence of `e^epsilon`, as a share.
pub(crate) fn suspicion(many: f64, epsilon: f64) -> f64 {
    1.0 / (1.0 + (many - 1.0) / epsilon.exp())
}

/// The standard deviation of Laplace noise `b` on whole numbers.
pub(crate) fn laplace_deviation(b: f64) -> f64 {
    let q = (-1.0 / b).exp();
    (2.0 * q).sqrt() / (1.0 - q)
}

/// A number rounded up, for what is promised at most. What is a last digit above a round number is that number.
pub(crate) fn up(number: f64, places: usize) -> String {
    rounded(number, places, |scaled| (scaled - 1e-9).ceil())
}

/// A number rounded down, for what fits under a cap.
pub(crate) fn down(number: f64, places: usize) -> String {
    rounded(number, places, |scaled| (scaled + 1e-9).floor())
}

/// The nearest number, for what describes.
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

/// A number without zeros at its end: `2` for `2.00`.
pub(crate) fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// How rare something is, in two digits, never rarer: `11,000,000`.
pub(crate) fn one_of(probability: f64) -> String {
    let many = 1.0 / probability * (1.0 + 1e-12);
    let power = many.log10().floor();
    if power > 15.0 {
        return format!("10^{power:.0}");
    }
    let step = 10_f64.powf((power - 1.0).max(0.0));
    near((many / step).floor() * step, 0)
}
