//! Uniform deviates whose digits are drawn lazily.

use std::cmp::Ordering;

use dashu_int::UBig;
use dashu_int::ops::DivRem;

/// A stream of random digits: independent, uniform, 32 bits each.
pub(crate) trait Digits {
    /// Returns the next digit.
    fn digit(&mut self) -> u32;
}

/// A uniform number between zero and one, of which only the required digits of base 2^32 are drawn.
///
/// The digits not yet drawn are independent of every decision made with the number so far.
/// Therefore a comparison may stop at the first digit that differs, and the number stays exactly
/// uniform given all other draws.
#[derive(Debug, Clone)]
pub(crate) struct Deviate {
    first: u32,
    /// Further digits. Empty in all but about one draw in 2^32; an empty vector does not allocate.
    rest: Vec<u32>,
}

impl Deviate {
    /// Draws a new deviate.
    #[inline]
    pub(crate) fn draw(digits: &mut impl Digits) -> Self {
        Self { first: digits.digit(), rest: Vec::new() }
    }

    /// Returns whether this number is below `other`. They are equal with probability zero.
    #[inline]
    pub(crate) fn is_below(&mut self, other: &mut Self, digits: &mut impl Digits) -> bool {
        if self.first == other.first { self.is_below_after_a_tie(other, digits) } else { self.first < other.first }
    }

    #[cold]
    fn is_below_after_a_tie(&mut self, other: &mut Self, digits: &mut impl Digits) -> bool {
        for index in 1.. {
            let (own, others) = (self.digit(index, digits), other.digit(index, digits));
            if own != others {
                return own < others;
            }
        }
        unreachable!("the loop ends at the first difference")
    }

    /// Returns whether this number is below `numerator / denominator`, which is below one. They are
    /// equal with probability zero.
    #[inline]
    pub(crate) fn is_below_ratio(&mut self, numerator: UBig, denominator: &UBig, digits: &mut impl Digits) -> bool {
        let mut left = numerator;
        for index in 0.. {
            // Long division, one digit at a time. A ratio that ends here is below all numbers with
            // the same first digits.
            if left.is_zero() {
                return false;
            }
            let (of_ratio, rest) = (left << 32).div_rem(denominator);
            match UBig::from(self.digit(index, digits)).cmp(&of_ratio) {
                Ordering::Less => return true,
                Ordering::Greater => return false,
                Ordering::Equal => left = rest,
            }
        }
        unreachable!("the loop ends at the first difference")
    }

    /// Returns the digit at `index`, drawing it if necessary.
    pub(crate) fn digit(&mut self, index: usize, digits: &mut impl Digits) -> u32 {
        if index == 0 {
            return self.first;
        }
        while self.rest.len() < index {
            self.rest.push(digits.digit());
        }
        self.rest[index - 1]
    }

    /// Returns the first digit.
    #[inline]
    pub(crate) fn first(&self) -> u32 {
        self.first
    }
}

/// Sign of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

impl Sign {
    /// Draws a sign, each with probability one half.
    #[inline]
    pub(crate) fn draw(digits: &mut impl Digits) -> Self {
        if digits.digit() & 1 == 0 { Self::Plus } else { Self::Minus }
    }

    /// Returns the number of this sign and magnitude.
    #[inline]
    pub(crate) fn of(self, magnitude: i128) -> i128 {
        match self {
            Self::Plus => magnitude,
            Self::Minus => -magnitude,
        }
    }
}

/// Returns whether the longest run `x > z₁ > z₂ > ...` of fresh numbers has even length: true with
/// probability e^(-x), given `x`.
///
/// The run has at least `n` members with probability `x^n / n!`: the next `n` numbers all lie below
/// `x`, and one of their `n!` orders is falling. So it has exactly `n` with probability
/// `x^n / n! - x^(n+1) / (n+1)!`. Over even `n` that sums to e^(-x).
///
/// # Reference
/// J. von Neumann 1951, Various techniques used in connection with random digits.
#[inline]
pub(crate) fn falling_run_is_even(x: &mut Deviate, digits: &mut impl Digits) -> bool {
    let mut next = Deviate::draw(digits);
    // The rest is a run below `next`. The recursion has depth `n` with probability 1/n! at most.
    !next.is_below(x, digits) || !falling_run_is_even(&mut next, digits)
}

/// Draws an exactly uniform number of `0..bound`, rejecting digits that would favour some results.
#[inline]
pub(crate) fn below(bound: u32, digits: &mut impl Digits) -> u32 {
    debug_assert!(bound > 0, "there is no number below zero");
    loop {
        let product = u64::from(digits.digit()) * u64::from(bound);
        let [high, low] = [product >> 32, product & u64::from(u32::MAX)];
        // Each high half has floor(2^32 / bound) low halves at or above 2^32 mod bound, so
        // accepting only those is uniform. The first comparison avoids the division: 2^32 mod bound
        // is below bound.
        if low >= u64::from(bound) || low >= (1 << 32) % u64::from(bound) {
            return u32::try_from(high).expect("the high half of 64 bits has 32");
        }
    }
}

/// Draws an exactly uniform index of `0..bound`, for bounds of up to 64 bits.
#[inline]
pub(crate) fn index_below(bound: usize, digits: &mut impl Digits) -> usize {
    if let Ok(bound) = u32::try_from(bound) {
        return below(bound, digits) as usize;
    }
    // Uniform on the next multiple of 2^32, which is less than twice the bound, until it falls
    // below the bound.
    let multiples = u32::try_from(bound.div_ceil(1 << 32));
    loop {
        // With 2^32 multiples, every digit is accepted.
        let high = if let Ok(multiples) = multiples { below(multiples, digits) } else { digits.digit() };
        let index = ((high as usize) << 32) | digits.digit() as usize;
        if index < bound {
            return index;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Digits given by a test. Drawing more of them fails.
    pub(in crate::noise) struct Script(VecDeque<u32>);

    impl Script {
        pub(in crate::noise) fn new(digits: impl IntoIterator<Item = u32>) -> Self {
            Self(digits.into_iter().collect())
        }

        pub(in crate::noise) fn left(&self) -> usize {
            self.0.len()
        }
    }

    impl Digits for Script {
        fn digit(&mut self) -> u32 {
            self.0.pop_front().expect("the script holds all digits that may be drawn")
        }
    }

    #[test]
    fn a_comparison_draws_no_more_digits_than_it_needs() {
        let mut digits = Script::new([7, 8, 99]);
        let (mut one, mut other) = (Deviate::draw(&mut digits), Deviate::draw(&mut digits));
        assert!(one.is_below(&mut other, &mut digits));
        assert!(!other.is_below(&mut one, &mut digits));
        assert_eq!(digits.left(), 1);
    }

    #[test]
    fn a_tie_is_decided_by_later_digits_which_are_kept() {
        // Three digits in common, then 5 against 4.
        let mut digits = Script::new([7, 7, 1, 1, u32::MAX, u32::MAX, 5, 4]);
        let (mut one, mut other) = (Deviate::draw(&mut digits), Deviate::draw(&mut digits));
        assert!(!one.is_below(&mut other, &mut digits));
        assert!(other.is_below(&mut one, &mut digits));
        assert_eq!((0..4).map(|index| one.digit(index, &mut digits)).collect::<Vec<_>>(), [7, 1, u32::MAX, 5]);
    }

    /// For every result, the digits that lead to it are an interval, of which the first few may be
    /// rejected.
    #[test]
    fn each_number_below_a_bound_has_the_same_number_of_digits() {
        const ALL: u64 = 1 << 32;
        for bound in (1..100).chain([1 << 31, (1 << 31) + 1, u32::MAX - 1, u32::MAX]) {
            for number in [0, 1, bound / 2, bound - 1].into_iter().filter(|&number| number < bound) {
                let start = |number: u64| (number * ALL).div_ceil(u64::from(bound));
                let (from, to) = (start(number.into()), start(u64::from(number) + 1));
                let rejected = (from..to).take_while(|&digit| {
                    let digit = u32::try_from(digit).unwrap();
                    // If the first digit is rejected, the second is drawn; it leads to the last
                    // number.
                    let mut digits = Script::new([digit, u32::MAX]);
                    let result = below(bound, &mut digits);
                    assert!(digits.left() == 0 || result == number);
                    digits.left() == 0
                });
                assert_eq!(to - from - rejected.count() as u64, ALL / u64::from(bound), "{number} below {bound}");
            }
        }
    }

    #[test]
    fn an_index_below_a_large_bound_has_two_digits() {
        const LARGE: usize = (1 << 32) + 5;
        // The upper digit is below two: 0 leads to 0 and u32::MAX to 1. The pair (1, 5) is
        // rejected.
        let mut digits = Script::new([u32::MAX, 5, u32::MAX, 4, 0, 7]);
        assert_eq!(index_below(LARGE, &mut digits), LARGE - 1);
        assert_eq!(index_below(LARGE, &mut digits), 7);
        assert_eq!(digits.left(), 0);
        assert_eq!(index_below(10, &mut Script::new([u32::MAX])), 9);
    }

    #[test]
    fn a_number_is_compared_with_a_ratio_digit_by_digit() {
        const THIRD: u32 = 0x5555_5555;
        for (digits, below) in [
            (vec![THIRD - 1], true),
            (vec![THIRD + 1], false),
            (vec![THIRD, THIRD, THIRD, THIRD - 1], true),
            (vec![THIRD, THIRD, THIRD, THIRD + 1], false),
        ] {
            for factor in [UBig::ONE, UBig::ONE << 300] {
                let mut script = Script::new(digits.iter().copied());
                let mut deviate = Deviate::draw(&mut script);
                assert_eq!(deviate.is_below_ratio(factor.clone(), &(3_u8 * factor), &mut script), below);
                assert_eq!(script.left(), 0);
            }
        }
    }

    #[test]
    fn a_number_with_the_digits_of_a_finite_ratio_is_above_it() {
        let [quarter, four] = [1_u8, 4].map(UBig::from);
        let below = |digit| {
            let mut script = Script::new([digit]);
            Deviate::draw(&mut script).is_below_ratio(quarter.clone(), &four, &mut script)
        };
        assert_eq!([0x3fff_ffff, 0x4000_0000, 0x4000_0001].map(below), [true, false, false]);
        assert!(!Deviate::draw(&mut Script::new([0])).is_below_ratio(UBig::ZERO, &four, &mut Script::new([])));
    }

    #[test]
    fn the_parity_of_a_falling_run_is_counted() {
        for length in 0..6 {
            // Below 100: 99, 98, ..., then a rise. The digit after that is not drawn.
            let mut script = Script::new([100].into_iter().chain((0..length).map(|fall| 99 - fall)).chain([101, 7]));
            let mut x = Deviate::draw(&mut script);
            assert_eq!(falling_run_is_even(&mut x, &mut script), length % 2 == 0, "length {length}");
            assert_eq!(script.left(), 1);
        }
    }
}
