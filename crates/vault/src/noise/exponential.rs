//! Exact trials of probability `e^(-j/2)`.
//!
//! A uniform deviate is compared with the constant `e^(-j/2)`. The first digit decides all but one
//! draw in 2^32; otherwise both are computed to more digits until they differ. The constant is
//! never rounded: it is enclosed between two integers over a power of two, and a deviate between
//! them requires a narrower enclosure.

use std::sync::LazyLock;

use dashu_int::UBig;

use super::uniform::{Deviate, Digits};

/// Number of constants in the table. `e^(-45/2)` is below 2^-32, so the first digits of all later
/// ones are zero.
const TABLE: usize = 46;

/// First digit of `e^(-j/2)` for each `j`, that is `floor(2^32 e^(-j/2))`. For `j = 0` it is
/// `u32::MAX` and unused.
static FIRST_DIGITS: LazyLock<[u32; TABLE]> = LazyLock::new(|| {
    std::array::from_fn(|j| {
        let j = u64::try_from(j).expect("the table is short");
        let [low, high] = enclosure(j, 96).map(|end| end >> 64);
        assert!(j == 0 || low == high, "96 bits determine the first 32");
        u32::try_from(low).unwrap_or(u32::MAX)
    })
});

/// The constants `e^(-j/2)`, for comparing with deviates.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exponentials(&'static [u32; TABLE]);

impl Exponentials {
    pub(super) fn new() -> Self {
        Self(&FIRST_DIGITS)
    }

    /// Returns true with probability `e^(-j/2)`.
    #[inline]
    pub(super) fn trial(self, j: u64, digits: &mut impl Digits) -> bool {
        j == 0 || self.is_above(j, &mut Deviate::draw(digits), digits)
    }

    /// Returns whether `deviate` is below `e^(-j/2)`, for `j > 0`.
    #[inline]
    pub(super) fn is_above(self, j: u64, deviate: &mut Deviate, digits: &mut impl Digits) -> bool {
        let first = usize::try_from(j).ok().and_then(|j| self.0.get(j)).copied().unwrap_or(0);
        if deviate.first() == first { is_above_after_a_tie(j, deviate, digits) } else { deviate.first() < first }
    }
}

#[cold]
fn is_above_after_a_tie(j: u64, deviate: &mut Deviate, digits: &mut impl Digits) -> bool {
    let mut known = UBig::from(deviate.first());
    for index in 1.. {
        known = (known << 32) + deviate.digit(index, digits);
        let [low, high] = enclosure(j, 32 * (index + 1));
        // The deviate lies strictly between `known` and `known + 1`.
        if known < low {
            return true;
        }
        if known >= high {
            return false;
        }
    }
    unreachable!("an irrational number differs from a random one in some digit")
}

/// Returns integers that enclose `2^places e^(-j/2)`, at most two apart.
fn enclosure(j: u64, places: usize) -> [UBig; 2] {
    // e^(j/2) = sum over i of (j/2)^i / i!, in fixed point with guard bits for the error derived
    // below.
    let guard = 64 + 2 * usize::try_from(j).expect("j is k (k - 1) with a 32-bit k that no machine reaches");
    let point = places + guard;
    let mut term = UBig::ONE << point;
    let mut low = term.clone();
    let mut terms = 1_u64;
    while !term.is_zero() {
        term = term * j / (2 * terms);
        low += &term;
        terms += 1;
    }
    // An error of one unit in one term becomes at most the sum of (j/2)^n / n! = e^(j/2) < 2^j
    // units over that term and all later ones, including those not added, because i! m! <= (i +
    // m)!. Each term adds less than one unit of new error.
    let high = &low + (UBig::from(terms) << usize::try_from(j).expect("as above"));
    let one = UBig::ONE << (point + places);
    [&one / high, one / low + 1_u8]
}

#[cfg(test)]
mod tests {
    use super::super::uniform::tests::Script;
    use super::*;

    #[test]
    fn first_digits_are_those_of_the_exponentials() {
        let exponentials = Exponentials::new();
        for j in 1..TABLE {
            let exact = libm::exp(-0.5 * f64::from(u32::try_from(j).unwrap())) * 2_f64.powi(32);
            let error = exact - f64::from(exponentials.0[j]);
            assert!((-1e-6..1.0 + 1e-6).contains(&error), "e^(-{j}/2) is off by {error}");
        }
        assert_eq!(exponentials.0[TABLE - 1], 0, "the table ends where first digits are zero");
    }

    #[test]
    fn enclosures_are_narrow_and_nested() {
        for j in [1, 2, 3, 10, 45, 46, 90, 500] {
            let [mut low, mut high] = enclosure(j, 32);
            for places in [64, 96, 320, 1000] {
                let [finer_low, finer_high] = enclosure(j, places);
                assert!(&finer_high - &finer_low <= UBig::from(2_u8), "j {j}, {places} places");
                assert!(finer_low >= (&low << (places - 32)) && finer_high <= (&high << (places - 32)));
                [low, high] = [finer_low, finer_high].map(|end| end >> (places - 32));
                high += 1_u8;
            }
        }
    }

    /// Products of constants agree with the constant of the sum of their exponents to hundreds of
    /// digits.
    #[test]
    fn the_constants_multiply_as_exponentials_do() {
        let places = 512;
        for (i, j) in [(1, 1), (1, 2), (3, 4), (20, 25)] {
            let [[a, b], [c, d], [low, high]] = [i, j, i + j].map(|j| enclosure(j, places));
            assert!((a * c) >> places <= high && (b * d) >> places >= low - UBig::ONE);
        }
    }

    /// Returns the digits of `e^(-j/2)`, most significant first.
    fn expansion(j: u64, length: usize) -> Vec<u32> {
        let [low, _] = enclosure(j, 32 * length + 64).map(|end| end >> 64);
        (0..length).rev().map(|index| u32::try_from((&low >> (32 * index)) % (UBig::ONE << 32)).unwrap()).collect()
    }

    #[test]
    fn a_comparison_is_decided_at_the_first_digit_that_differs() {
        let exponentials = Exponentials::new();
        for j in [1, 2, 6, 44, 46, 90] {
            for length in 2..8 {
                for (change, below) in [(-2_i64, true), (2, false)] {
                    let mut digits = expansion(j, length);
                    let last = digits.last_mut().unwrap();
                    let Ok(changed) = u32::try_from(i64::from(*last) + change) else { continue };
                    *last = changed;
                    let mut script = Script::new(digits);
                    let mut deviate = Deviate::draw(&mut script);
                    assert_eq!(exponentials.is_above(j, &mut deviate, &mut script), below, "j {j}, {length} digits");
                    assert_eq!(script.left(), 0);
                }
            }
        }
    }

    #[test]
    fn a_trial_of_probability_one_draws_nothing() {
        assert!(Exponentials::new().trial(0, &mut Script::new([])));
    }
}
