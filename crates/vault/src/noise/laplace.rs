//! The exact discrete Laplace distribution. The proof is in `laplace.md`, shown at
//! [`DiscreteLaplace`].

use super::rng::Substream;
use super::scaling::{Rounding, Scaling};
use super::uniform::{Deviate, Digits, Sign, falling_run_is_even};
use super::{Noise, clamp_to_i64};
use crate::account::LaplaceScale;

/// The discrete Laplace distribution: every integer `z` with probability proportional to
/// `e^(-|z|/b)`, exactly.
///
/// # Privacy
/// Integers only, from the random bits to the result. On a query of L1 sensitivity `Δ₁` it is
/// exactly `Δ₁ / b`-differentially private, with no failure probability.
///
/// # Reference
/// J. von Neumann 1951, Various techniques used in connection with random digits, for the
/// exponential deviate. C. Canonne, G. Kamath, T. Steinke 2020, arXiv:2004.00010, Algorithm 2, for
/// the sign; their magnitude has the same law, drawn by another algorithm.
#[doc = ""]
#[doc = include_str!("laplace.md")]
#[derive(Debug, Clone, Copy)]
pub struct DiscreteLaplace {
    scaling: Scaling,
}

impl DiscreteLaplace {
    /// Creates noise of this scale.
    pub fn new(scale: LaplaceScale) -> Self {
        Self { scaling: Scaling::new(scale.numerator(), scale.denominator_log2(), Rounding::Down) }
    }

    /// Draws one number. Saturates at the ends of `i64`, with probability below e^(-2^23).
    #[inline]
    pub fn draw(&self, substream: &mut Substream) -> i64 {
        clamp_to_i64(self.draw_exact(substream))
    }
}

impl Noise for DiscreteLaplace {
    #[inline]
    fn draw_exact(&self, digits: &mut impl Digits) -> i128 {
        loop {
            let (whole, mut fraction) = exponential(digits);
            let magnitude = self.scaling.round(whole, &mut fraction, digits);
            let sign = Sign::draw(digits);
            // Zero can be drawn with either sign, so it would be twice too likely: minus zero is
            // rejected.
            if magnitude > 0 || sign == Sign::Plus {
                return sign.of(magnitude);
            }
        }
    }
}

/// Draws an integer and a fraction whose sum is exactly exponential: above `t` with probability
/// `e^(-t)`.
#[inline]
fn exponential(digits: &mut impl Digits) -> (u64, Deviate) {
    let mut whole = 0;
    loop {
        let mut fraction = Deviate::draw(digits);
        if falling_run_is_even(&mut fraction, digits) {
            return (whole, fraction);
        }
        // Cannot overflow: 2^64 failures would take centuries.
        whole += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::uniform::tests::Script;
    use super::*;

    fn draw(scale: f64, script: &[u32]) -> i128 {
        let mut digits = Script::new(script.iter().copied());
        let drawn = DiscreteLaplace::new(LaplaceScale::at_least(scale).unwrap()).draw_exact(&mut digits);
        assert_eq!(digits.left(), 0, "all digits are drawn");
        drawn
    }

    const HALF: u32 = 1 << 31;

    #[test]
    fn an_accepted_fraction_is_scaled_rounded_down_and_signed() {
        // x = 1/2, accepted because the next number is above it; 15 / 2 is rounded down on both
        // sides of zero.
        assert_eq!(draw(15.0, &[HALF, u32::MAX, 0]), 7);
        assert_eq!(draw(15.0, &[HALF, u32::MAX, 1]), -7);
    }

    #[test]
    fn each_odd_run_adds_one() {
        // 1/2 > 1/4, then a rise: one. 1/2 > 1/4 > 1/8, then a rise: accepted.
        let (quarter, eighth) = (HALF / 2, HALF / 4);
        assert_eq!(draw(10.0, &[HALF, quarter, HALF, HALF, quarter, HALF, HALF, quarter, eighth, HALF, 0]), 25);
    }

    #[test]
    fn zero_is_drawn_with_one_sign_only() {
        assert_eq!(draw(1.0, &[HALF, u32::MAX, 0]), 0);
        assert_eq!(draw(1.0, &[HALF, u32::MAX, 1, HALF, u32::MAX, 1, HALF, u32::MAX, 0]), 0);
    }

    #[test]
    fn an_undecided_floor_gets_more_digits() {
        // 1.5 x passes one at x = 2/3 = 0.aaaa... in hexadecimal.
        let [below, tie, above] = [0xaaaa_aaa9, 0xaaaa_aaaa, 0xaaaa_aaab];
        assert_eq!(draw(1.5, &[tie, u32::MAX, tie, tie, above, 1]), -1);
        assert_eq!(draw(1.5, &[tie, u32::MAX, tie, tie, below, 0]), 0);
    }
}
