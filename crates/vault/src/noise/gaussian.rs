//! The exactly rounded Gaussian. The proof is in `gaussian.md`, shown at [`RoundedGaussian`].

use dashu_int::UBig;

use super::exponential::Exponentials;
use super::rng::Substream;
use super::uniform::{self, Deviate, Digits};
use crate::account::Sigma;

/// The exactly rounded Gaussian: `Z = floor(σ N + 1/2)` with `N` exactly standard normal.
///
/// # Privacy
/// Integers only, from the random bits to the result. A count plus `Z` is the count plus `σ N`, rounded: post-processing of
/// the Gaussian mechanism, so exactly `Δ / σ`-GDP.
///
/// # Reference
/// C. F. F. Karney 2016, Sampling exactly from the normal distribution, ACM TOMS 42(1), Algorithms N, B and C.
#[doc = ""]
#[doc = include_str!("gaussian.md")]
#[derive(Debug, Clone, Copy)]
pub struct RoundedGaussian {
    numerator: u128,
    denominator_log2: u32,
    exponentials: Exponentials,
}

impl RoundedGaussian {
    /// Noise of this scale.
    pub fn new(sigma: Sigma) -> Self {
        let exponentials = Exponentials::new();
        Self { numerator: sigma.numerator().into(), denominator_log2: sigma.denominator_log2(), exponentials }
    }

    /// One draw. Saturates at the ends of `i64`, which is rounding once more and happens with probability below e^(-2^40).
    #[inline]
    pub fn draw(&self, substream: &mut Substream) -> i64 {
        self.draw_from(substream)
    }

    #[inline]
    pub(super) fn draw_from(&self, digits: &mut impl Digits) -> i64 {
        let (sign, whole, mut fraction) = normal(self.exponentials, digits);
        let magnitude = self.round(whole, &mut fraction, digits);
        match sign {
            Sign::Plus => magnitude,
            Sign::Minus => -magnitude,
        }
    }

    /// `floor(σ (whole + fraction) + 1/2)`, at most `i64::MAX`.
    #[inline]
    fn round(&self, whole: u32, fraction: &mut Deviate, digits: &mut impl Digits) -> i64 {
        if let Some(rounded) = self.round_known((u64::from(whole) << 32) | u64::from(fraction.first())) {
            return rounded;
        }
        self.round_with_more_digits(whole, fraction, digits)
    }

    /// The result if it is the same for all numbers strictly between `known / 2^32` and `(known + 1) / 2^32`.
    #[inline]
    fn round_known(&self, known: u64) -> Option<i64> {
        let places = self.denominator_log2 + 32;
        let half = 1 << (places - 1);
        // known < 2^64, p < 2^48 and half < 2^89: the sum is below 2^113.
        let low = u128::from(known) * self.numerator + half;
        let high = low + self.numerator - 1;
        let [low, high] = [low, high].map(|end| end >> places);
        (low == high).then(|| i64::try_from(low).unwrap_or(i64::MAX))
    }

    /// The same with one more digit at a time, in integers that grow as needed.
    #[cold]
    fn round_with_more_digits(&self, whole: u32, fraction: &mut Deviate, digits: &mut impl Digits) -> i64 {
        let numerator = UBig::from(self.numerator);
        let mut known = UBig::from(whole);
        for index in 0.. {
            known = (known << 32) + fraction.digit(index, digits);
            let places = self.denominator_log2 as usize + 32 * (index + 1);
            let low = &known * &numerator + (UBig::ONE << (places - 1));
            let high = &low + &numerator - UBig::ONE;
            let [low, high] = [low, high].map(|end| end >> places);
            if low == high {
                return i64::try_from(low).unwrap_or(i64::MAX);
            }
        }
        unreachable!("the ends meet unless all remaining digits are equal, which has probability zero")
    }
}

/// Which half of the line a draw lies on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// Algorithm N: a sign, a whole number and a uniform fraction that together are exactly standard normal.
#[inline]
fn normal(exponentials: Exponentials, digits: &mut impl Digits) -> (Sign, u32, Deviate) {
    loop {
        // N1: `k` with probability proportional to e^(-k/2): at least `j` if a uniform number is below e^(-j/2).
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
            let sign = if digits.digit() & 1 == 0 { Sign::Plus } else { Sign::Minus };
            return (sign, k, x);
        }
    }
}

/// Algorithm B: true with probability e^(-x q), `q = (2k + x) / (2k + 2)`. The longest falling run that starts below `x` and
/// survives a trial of probability `q` at every step has even length.
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

/// Algorithm C: true with probability `q = (2k + x) / (2k + 2)`: of `2k + 2` equal cases, `2k` succeed, one fails, and one
/// succeeds with probability `x`.
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
    use proptest::prelude::*;

    use super::super::uniform::tests::Script;
    use super::*;

    fn noise(sigma: f64) -> RoundedGaussian {
        RoundedGaussian::new(Sigma::at_least(sigma).unwrap())
    }

    fn round(sigma: f64, whole: u32, fraction: &[u32]) -> i64 {
        let mut digits = Script::new(fraction.iter().copied());
        let mut deviate = Deviate::draw(&mut digits);
        let rounded = noise(sigma).round(whole, &mut deviate, &mut digits);
        assert_eq!(digits.left(), 0, "digits are drawn until the result is decided, and no further");
        rounded
    }

    #[test]
    fn numbers_are_rounded_to_the_nearest_integer() {
        assert_eq!(round(1.0, 0, &[0x7fff_ffff]), 0);
        assert_eq!(round(1.0, 0, &[0x8000_0000]), 1);
        assert_eq!(round(1.0, 3, &[0x7fff_ffff]), 3);
        assert_eq!(round(1.0, 3, &[0x8000_0000]), 4);
        assert_eq!(round(100.0, 1, &[0x8000_0000]), 150);
    }

    #[test]
    fn an_undecided_number_gets_more_digits() {
        // 0.75 x + 1/2 passes one at x = 2/3 = 0.aaaa... in hexadecimal.
        assert_eq!(round(0.75, 0, &[0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaab]), 1);
        assert_eq!(round(0.75, 0, &[0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaaa, 0xaaaa_aaa9]), 0);
    }

    #[test]
    fn numbers_beyond_an_i64_saturate() {
        assert_eq!(round(2_f64.powi(40) - 1.0, u32::MAX, &[1, 2]), i64::MAX);
    }

    #[test]
    fn the_sign_is_a_fair_digit_of_its_own() {
        // k = 0 because the first digit is above e^(-1/2), x = 3/4, accepted at once because the next digit is above it.
        let script = |sign| [u32::MAX, 0xc000_0000, 0xffff_ffff, sign];
        assert_eq!(noise(10.0).draw_from(&mut Script::new(script(0))), 8);
        assert_eq!(noise(10.0).draw_from(&mut Script::new(script(1))), -8);
    }

    proptest! {
        /// Both ways to round give floor(p (whole + fraction) / 2^s + 1/2), worked out with all digits at once.
        #[test]
        fn the_fast_and_the_wide_way_agree(
            log_sigma in -10.0..39.99_f64,
            whole in prop_oneof![0..8_u32, Just(u32::MAX)],
            fraction in prop::array::uniform8(prop_oneof![Just(0), Just(u32::MAX), Just(0x8000_0000), any::<u32>()]),
        ) {
            let sigma = Sigma::at_least(log_sigma.exp2()).unwrap();
            let noise = RoundedGaussian::new(sigma);
            let known = fraction.iter().fold(UBig::from(whole), |known, &digit| (known << 32) + digit);
            let places = 32 * fraction.len() + sigma.denominator_log2() as usize;
            let exact = ((known * sigma.numerator()) + (UBig::ONE << (places - 1))) >> places;
            let exact = i64::try_from(exact).unwrap_or(i64::MAX);

            // Later digits than the script's are never needed: it differs from a tie long before.
            let mut digits = Script::new(fraction.into_iter().chain([1]));
            let mut deviate = Deviate::draw(&mut digits);
            prop_assert_eq!(noise.round_with_more_digits(whole, &mut deviate, &mut digits), exact);
            if let Some(fast) = noise.round_known((u64::from(whole) << 32) | u64::from(fraction[0])) {
                prop_assert_eq!(fast, exact);
            }
        }
    }
}
