//! Exact `floor(c (w + x) + h)` for a scale `c = p / 2^s`, an integer `w`, a lazily drawn fraction
//! `x`, and `h` zero or one half.
//!
//! Given its first `n` digits, `x` is uniform on an open interval `(X, X + 1) / 2^(32 n)`. With
//! `D = 2^(s + 32 n)`, the number to be rounded lies strictly between `low / D` and
//! `(low + p) / D`, `low = p (w 2^(32 n) + X) + h D`. Its floor is the same on the whole interval
//! iff `floor(low / D) = floor((low + p - 1) / D)`; otherwise one more digit is drawn.

use dashu_int::UBig;

use super::uniform::{Deviate, Digits};

/// A scale and the rounding of its products.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scaling {
    /// `p`, below 2^48.
    numerator: u128,
    /// `s`, from 1 to 57.
    denominator_log2: u32,
    to: Rounding,
}

/// Direction of rounding to an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// To the largest integer that is not above the number.
    Down,
    /// To the nearest integer.
    Nearest,
}

impl Scaling {
    pub(super) fn new(numerator: u64, denominator_log2: u32, to: Rounding) -> Self {
        debug_assert!(numerator < 1 << 48 && (1..=57).contains(&denominator_log2), "products fit 128 bits");
        Self { numerator: numerator.into(), denominator_log2, to }
    }

    /// Scales and rounds `whole + fraction`. The result is below 2^112.
    #[inline]
    pub(super) fn round(&self, whole: u64, fraction: &mut Deviate, digits: &mut impl Digits) -> i128 {
        let known = u32::try_from(whole).map(|whole| (u64::from(whole) << 32) | u64::from(fraction.first()));
        let rounded = known.ok().and_then(|known| self.round_known(known));
        rounded.unwrap_or_else(|| self.round_with_more_digits(whole, fraction, digits))
    }

    /// Returns the result if it is the same for all numbers strictly between `known / 2^32` and
    /// `(known + 1) / 2^32`.
    #[inline]
    fn round_known(&self, known: u64) -> Option<i128> {
        let places = self.denominator_log2 + 32;
        let half = u128::from(self.to == Rounding::Nearest) << (places - 1);
        // known < 2^64, p < 2^48 and half < 2^89: the sum is below 2^113.
        let low = u128::from(known) * self.numerator + half;
        let high = low + self.numerator - 1;
        let [low, high] = [low, high].map(|end| end >> places);
        (low == high).then(|| low.cast_signed())
    }

    /// Scales and rounds with one more digit at a time, in integers of arbitrary size.
    #[cold]
    fn round_with_more_digits(&self, whole: u64, fraction: &mut Deviate, digits: &mut impl Digits) -> i128 {
        let numerator = UBig::from(self.numerator);
        let mut known = UBig::from(whole);
        for index in 0.. {
            known = (known << 32) + fraction.digit(index, digits);
            let places = self.denominator_log2 as usize + 32 * (index + 1);
            let half = UBig::from(u8::from(self.to == Rounding::Nearest)) << (places - 1);
            let low = &known * &numerator + half;
            let high = &low + &numerator - UBig::ONE;
            let [low, high] = [low, high].map(|end| end >> places);
            if low == high {
                return i128::try_from(low).expect("a product of 64 and 48 bits");
            }
        }
        unreachable!("the ends meet unless all remaining digits are equal, which has probability zero")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::uniform::tests::Script;
    use super::Rounding::{Down, Nearest};
    use super::*;
    use crate::account::Sigma;

    fn scaling(scale: f64, to: Rounding) -> Scaling {
        let scale = Sigma::at_least(scale).unwrap();
        Scaling::new(scale.numerator(), scale.denominator_log2(), to)
    }

    fn round(scale: f64, to: Rounding, whole: u64, fraction: &[u32]) -> i128 {
        let mut digits = Script::new(fraction.iter().copied());
        let mut deviate = Deviate::draw(&mut digits);
        let rounded = scaling(scale, to).round(whole, &mut deviate, &mut digits);
        assert_eq!(digits.left(), 0, "all digits are drawn");
        rounded
    }

    #[test]
    fn numbers_are_rounded_down_or_to_the_nearest_integer() {
        let both = |scale, whole, first| [Down, Nearest].map(|to| round(scale, to, whole, &[first]));
        assert_eq!(both(1.0, 0, 0x7fff_ffff), [0, 0]);
        assert_eq!(both(1.0, 0, 0x8000_0000), [0, 1]);
        assert_eq!(both(1.0, 3, 0x7fff_ffff), [3, 3]);
        assert_eq!(both(1.0, 3, 0xffff_ffff), [3, 4]);
        assert_eq!(both(100.0, 1, 0x8000_0000), [150, 150]);
    }

    #[test]
    fn an_undecided_number_gets_more_digits() {
        // 0.75 x + 1/2 and 1.5 x pass one at x = 2/3 = 0.aaaa... in hexadecimal.
        for (scale, to) in [(0.75, Nearest), (1.5, Down)] {
            assert_eq!(round(scale, to, 0, &[0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaab]), 1);
            assert_eq!(round(scale, to, 0, &[0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaa9]), 0);
        }
    }

    #[test]
    fn the_largest_products_fit() {
        let largest = scaling(2_f64.powi(40) - 1.0, Down);
        for (whole, log2) in [(u32::MAX.into(), 71), (1 << 33, 72), (u64::MAX, 103)] {
            let rounded = largest.round(whole, &mut Deviate::draw(&mut Script::new([1])), &mut Script::new([2]));
            assert_eq!(rounded.ilog2(), log2);
        }
    }

    proptest! {
        /// Both code paths give floor(p (whole + fraction) / 2^s + h), computed with all digits at
        /// once.
        #[test]
        fn rounding_in_128_bits_and_with_more_digits_agree(
            log_scale in -10.0..39.99_f64,
            to in prop_oneof![Just(Down), Just(Nearest)],
            whole in prop_oneof![0..8_u32, Just(u32::MAX)],
            fraction in prop::array::uniform8(prop_oneof![Just(0), Just(u32::MAX), Just(0x8000_0000), any::<u32>()]),
        ) {
            let scaling = scaling(log_scale.exp2(), to);
            let known = fraction.iter().fold(UBig::from(whole), |known, &digit| (known << 32) + digit);
            let places = 32 * fraction.len() + scaling.denominator_log2 as usize;
            let half = if to == Nearest { UBig::ONE << (places - 1) } else { UBig::ZERO };
            let exact = i128::try_from((known * scaling.numerator + half) >> places).unwrap();

            // Digits after the script's are never needed: it differs from a tie long before.
            let mut digits = Script::new(fraction.into_iter().chain([1]));
            let mut deviate = Deviate::draw(&mut digits);
            prop_assert_eq!(scaling.round_with_more_digits(whole.into(), &mut deviate, &mut digits), exact);
            if let Some(fast) = scaling.round_known((u64::from(whole) << 32) | u64::from(fraction[0])) {
                prop_assert_eq!(fast, exact);
            }
        }
    }
}
