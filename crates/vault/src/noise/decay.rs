//! Exact trials of probability `e^(-a/b)` for a rational `a/b`.
//!
//! `a/b = j/2 + r` with an integer `j` and `r` below one half, so the trial is two independent
//! ones.
//!
//! - `e^(-j/2)`: a uniform number is compared with that constant, see `exponential.rs`. For a large
//!   `j` the constant would need many digits, so `HALVES_PER_TRIAL` halves are tried at a time. The
//!   first such trial succeeds once in 10^14 times.
//! - `e^(-r)`: the longest run `r > z₁ > z₂ > ...` of uniform numbers has even length, see
//!   [`falling_run_is_even`]. Its first member is compared with the digits of `r`, computed by long
//!   division; each other member is compared with the one before it.

use dashu_int::UBig;
use dashu_int::ops::DivRem;

use super::exponential::Exponentials;
use super::uniform::{Deviate, Digits, falling_run_is_even};

/// Number of halves of a large exponent that one trial covers.
const HALVES_PER_TRIAL: u64 = 64;

/// Returns true with probability `e^(-numerator / denominator)`.
#[inline]
pub(super) fn trial(exponentials: Exponentials, numerator: UBig, denominator: &UBig, digits: &mut impl Digits) -> bool {
    let (mut halves, rest) = (numerator << 1).div_rem(denominator);
    let last = loop {
        match u64::try_from(&halves) {
            Ok(few) if few <= HALVES_PER_TRIAL => break few,
            _ if !exponentials.trial(HALVES_PER_TRIAL, digits) => return false,
            _ => halves -= HALVES_PER_TRIAL,
        }
    };
    if !exponentials.trial(last, digits) {
        return false;
    }
    // The rest of the exponent is `rest / (2 denominator)`. A run below zero has no members.
    if rest.is_zero() {
        return true;
    }
    let mut first = Deviate::draw(digits);
    !first.is_below_ratio(rest, &(denominator << 1), digits) || !falling_run_is_even(&mut first, digits)
}

#[cfg(test)]
mod tests {
    use super::super::rng::JobKey;
    use super::super::uniform::tests::Script;
    use super::*;

    /// Returns the outcome for the digits of `script`, all of which must be drawn.
    fn scripted(numerator: impl Into<UBig>, denominator: impl Into<UBig>, script: &[u32]) -> bool {
        let mut digits = Script::new(script.iter().copied());
        let outcome = trial(Exponentials::new(), numerator.into(), &denominator.into(), &mut digits);
        assert_eq!(digits.left(), 0, "all digits are drawn");
        outcome
    }

    /// `floor(2^32 e^(-1/2))`.
    const ROOT: u32 = 0x9b45_97e3;

    #[test]
    fn a_zero_exponent_draws_nothing_and_is_certain() {
        assert!(scripted(0_u8, 7_u8, &[]));
        assert!(scripted(UBig::ZERO, UBig::ONE << 500, &[]));
    }

    #[test]
    fn whole_halves_are_one_comparison() {
        for (numerator, denominator) in [(1_u8, 2_u8), (3, 6)] {
            assert!(scripted(numerator, denominator, &[ROOT - 1]));
            assert!(!scripted(numerator, denominator, &[ROOT + 1]));
        }
    }

    #[test]
    fn the_rest_is_a_run_below_it() {
        const THIRD: u32 = 0x5555_5555;
        assert!(scripted(1_u8, 3_u8, &[THIRD + 1]), "no member");
        assert!(!scripted(1_u8, 3_u8, &[THIRD - 1, THIRD]), "one member");
        assert!(scripted(1_u8, 3_u8, &[THIRD - 1, 9, 10]), "two members");
        assert!(!scripted(1_u8, 3_u8, &[THIRD - 1, 9, 8, 10]), "three members");
        // 5/6 = 1/2 + 1/3.
        assert!(scripted(5_u8, 6_u8, &[ROOT - 1, THIRD + 1]));
        assert!(!scripted(5_u8, 6_u8, &[ROOT - 1, THIRD - 1, THIRD]));
        assert!(!scripted(5_u8, 6_u8, &[ROOT + 1]));
    }

    #[test]
    fn a_tie_with_the_rest_is_decided_late_and_its_digits_are_kept() {
        const THIRD: u32 = 0x5555_5555;
        assert!(scripted(1_u8, 3_u8, &[THIRD, THIRD, THIRD, THIRD + 1]));
        // Below by the fourth digit; the second member agrees with it in two digits and is above by
        // the third.
        assert!(!scripted(1_u8, 3_u8, &[THIRD, THIRD, THIRD, THIRD - 1, THIRD, THIRD, THIRD + 1]));
        let wide = UBig::ONE << 400;
        assert!(!scripted(wide.clone(), 3_u8 * wide, &[THIRD, THIRD - 1, THIRD, THIRD]));
    }

    #[test]
    fn a_huge_exponent_fails_at_the_first_trial() {
        for exponent in [UBig::from(33_u8), UBig::from(u64::MAX), UBig::ONE << 1000] {
            assert!(!scripted(exponent, 1_u8, &[1]));
        }
    }

    #[test]
    fn parts_of_a_huge_exponent_are_tried_until_one_fails() {
        // e^(-32) is about 234,000 / 2^64: a first digit of zero and a second of one are below it.
        assert!(!scripted(UBig::ONE << 200, 1_u8, &[0, 1, 0, 1, 0, 300_000]));
        assert!(scripted(64_u8, 1_u8, &[0, 1, 0, 1]));
        assert!(!scripted(65_u8, 1_u8, &[0, 1, 0, 1, u32::MAX]));
        assert!(scripted(65_u8, 1_u8, &[0, 1, 0, 1, 5]));
    }

    #[test]
    fn trials_succeed_with_the_stated_probability() {
        const TRIALS: u32 = 400_000;
        // Six standard deviations: a false alarm about once in 10^9.
        const BAND: f64 = 6.0;
        let mut substream = JobKey::from_os().unwrap().substream(0, 0).unwrap();
        for (numerator, denominator) in [(1_u32, 1000_u32), (1, 3), (49, 100), (1, 2), (3, 4), (7, 5), (311, 100)] {
            let denominator = UBig::from(denominator);
            let succeeds = |_: &u32| trial(Exponentials::new(), numerator.into(), &denominator, &mut substream);
            let hits = f64::from(u32::try_from((0..TRIALS).filter(succeeds).count()).unwrap());
            let deviations = |exponent: f64| {
                let p = libm::exp(-exponent);
                (hits - f64::from(TRIALS) * p) / (f64::from(TRIALS) * p * (1.0 - p)).sqrt()
            };
            let exponent = f64::from(numerator) / f64::from(u32::try_from(&denominator).unwrap());
            assert!(deviations(exponent).abs() < BAND, "e^(-{exponent})");
            // Even e^(-1/1000) fails 400 times, and would fail 800 times: a false alarm is 11
            // deviations away.
            assert!(deviations(exponent * 2.0).abs() > BAND, "the test rejects another exponent");
        }
    }
}
