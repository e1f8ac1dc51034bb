//! The exactly rounded Gaussian. The proof is in `gaussian.md`, shown at [`RoundedGaussian`].

use super::exponential::Exponentials;
use super::rng::Substream;
use super::scaling::{Rounding, Scaling};
use super::uniform::{self, Deviate, Digits, Sign};
use super::{Noise, clamp_to_i64};
use crate::account::Sigma;

/// The exactly rounded Gaussian: `Z = floor(σ N + 1/2)` with `N` exactly standard normal.
///
/// # Privacy
/// Integers only, from the random bits to the result. A count plus `Z` is the count plus `σ N`,
/// rounded: post-processing of the Gaussian mechanism, so exactly `Δ / σ`-GDP.
///
/// # Reference
/// C. F. F. Karney 2016, Sampling exactly from the normal distribution, ACM TOMS 42(1), Algorithms
/// N, B and C.
#[doc = ""]
#[doc = include_str!("gaussian.md")]
#[derive(Debug, Clone, Copy)]
pub struct RoundedGaussian {
    scaling: Scaling,
    exponentials: Exponentials,
}

impl RoundedGaussian {
    /// Creates noise of this scale.
    pub fn new(sigma: Sigma) -> Self {
        let scaling = Scaling::new(sigma.numerator(), sigma.denominator_log2(), Rounding::Nearest);
        Self { scaling, exponentials: Exponentials::new() }
    }

    /// Draws one number. Saturates at the ends of `i64`, with probability below e^(-2^40).
    #[inline]
    pub fn draw(&self, substream: &mut Substream) -> i64 {
        clamp_to_i64(self.draw_exact(substream))
    }
}

impl Noise for RoundedGaussian {
    #[inline]
    fn draw_exact(&self, digits: &mut impl Digits) -> i128 {
        let (sign, whole, mut fraction) = normal(self.exponentials, digits);
        sign.of(self.scaling.round(whole.into(), &mut fraction, digits))
    }
}

/// Algorithm N: draws a sign, an integer and a fraction whose sum is exactly standard normal.
#[inline]
fn normal(exponentials: Exponentials, digits: &mut impl Digits) -> (Sign, u32, Deviate) {
    loop {
        // N1: `k` with probability proportional to e^(-k/2): at least `j` if a uniform number is
        // below e^(-j/2).
        let mut uniform = Deviate::draw(digits);
        let mut k = 0_u32;
        while exponentials.is_above(u64::from(k) + 1, &mut uniform, digits) {
            k += 1;
        }
        // N2: accepted with probability e^(-k (k - 1) / 2).
        if !exponentials.trial(u64::from(k) * u64::from(k.saturating_sub(1)), digits) {
            continue;
        }
        // N3 and N4: a fraction `x`, accepted with probability e^(-x (2k + x) / 2).
        let mut x = Deviate::draw(digits);
        if (0..=k).all(|_| with_probability_exp_minus_xq(k, &mut x, digits)) {
            return (Sign::draw(digits), k, x);
        }
    }
}

/// Algorithm B: returns true with probability e^(-x q), `q = (2k + x) / (2k + 2)`. That is the
/// probability that the longest falling run that starts below `x`, and passes a trial of
/// probability `q` at every step, has even length.
#[inline]
fn with_probability_exp_minus_xq(k: u32, x: &mut Deviate, digits: &mut impl Digits) -> bool {
    let mut last: Option<Deviate> = None;
    let mut even = true;
    loop {
        let mut next = Deviate::draw(digits);
        let falls = next.is_below(last.as_mut().unwrap_or(x), digits);
        if !falls || !with_probability_q(k, x, digits) {
            return even;
        }
        last = Some(next);
        even = !even;
    }
}

/// Algorithm C: returns true with probability `q = (2k + x) / (2k + 2)`: of `2k + 2` equal cases,
/// `2k` succeed, one fails, and one succeeds with probability `x`.
#[inline]
fn with_probability_q(k: u32, x: &mut Deviate, digits: &mut impl Digits) -> bool {
    match uniform::below(k.saturating_add(1).saturating_mul(2), digits) {
        0 => false,
        1 => Deviate::draw(digits).is_below(x, digits),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::uniform::tests::Script;
    use super::*;

    #[test]
    fn the_sign_is_a_fair_digit_of_its_own() {
        let noise = RoundedGaussian::new(Sigma::at_least(10.0).unwrap());
        // k = 0 because the first digit is above e^(-1/2), x = 3/4, accepted at once because the
        // next digit is above it.
        let script = |sign| [u32::MAX, 0xc000_0000, 0xffff_ffff, sign];
        assert_eq!(noise.draw_exact(&mut Script::new(script(0))), 8);
        assert_eq!(noise.draw_exact(&mut Script::new(script(1))), -8);
    }
}
