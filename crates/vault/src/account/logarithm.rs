//! Upper bounds of natural logarithms, in integers.

use dashu_int::UBig;

/// The binary digits after the point.
pub(super) const LN_BITS: usize = 192;
/// Terms of the series. What is left after them is below `9^-40`, which is below `2^-126`.
const TERMS: u32 = 40;

/// `2^192 ln(numerator / denominator)`, rounded up; for `numerator >= denominator > 0`.
///
/// With `2^e <= r < 2^(e+1)` and `m = r / 2^e`, `ln r = e ln 2 + ln m`, and `ln m = 2 artanh((m - 1) / (m + 1))` for both.
/// Never below the truth. Of a ratio of at least `1 + 2^-96` less than `2^-90` of it is added: `2^-126` by the series
/// and, by rounding, a few `2^-192` to a result of at least `2^-97`.
pub(super) fn ln_above(numerator: &UBig, denominator: &UBig) -> UBig {
    let (mut denominator, mut twos) = (denominator.clone(), 0_u32);
    while &denominator << 1 <= *numerator {
        denominator <<= 1;
        twos += 1;
    }
    let ln_2 = twice_artanh(&UBig::ONE, &UBig::from(3_u8));
    ln_2 * twos + twice_artanh(&(numerator - &denominator), &(numerator + &denominator))
}

/// `2^192 * 2 artanh(z)`, rounded up, for `z = over / under` from 0 to 1/3.
///
/// `artanh(z) = z (1 + z²(1/3 + z²(1/5 + ...)))`, from the inside out. Every step is rounded up and grows with what it is
/// given. The innermost bracket is at most `(1/81)(1 + 1/9 + 1/81 + ...)`, and 1 is put in its place. Each step takes
/// an error by `z² <= 1/9`, so of the 1 there remains `9^-40` and of all roundings less than `3 * 2^-192`.
fn twice_artanh(over: &UBig, under: &UBig) -> UBig {
    let (over_squared, under_squared) = (over.pow(2), under.pow(2));
    let one = UBig::ONE << LN_BITS;
    let bracket = (0..TERMS).rev().fold(one.clone(), |inner, term| {
        ceil(inner * &over_squared, &under_squared) + ceil(one.clone(), &UBig::from(2 * term + 1))
    });
    ceil(bracket * over * 2_u8, under)
}

/// Rounded up: a cost that is too low is a false promise.
fn ceil(numerator: UBig, denominator: &UBig) -> UBig {
    (numerator + denominator - UBig::ONE) / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ln(numerator: u128, denominator: u128) -> UBig {
        ln_above(&UBig::from(numerator), &UBig::from(denominator))
    }

    /// `2^192 ln x`, rounded up, with 100 digits by mpmath. Near one the series adds next to nothing, and a rounding that went
    /// down would show.
    #[test]
    fn known_logarithms_are_not_below_the_truth_and_tight() {
        for (numerator, denominator, digits, bits) in [
            (2, 1, "4350955369971217654477563090224794165364344896676135745070", 68),
            (10, 1, "14453560883108425870374435737727394665043423914827363902523", 68),
            (1001, 1000, "6273965275318211493560188932958868867067899295011461453", 3),
        ] {
            let (bound, truth) = (ln(numerator, denominator), UBig::from_str_radix(digits, 10).unwrap());
            assert!(bound >= truth && bound - truth < UBig::ONE << bits, "ln({numerator}/{denominator})");
        }
    }

    #[test]
    fn the_ends_of_the_range_are_safe() {
        assert_eq!(ln(1, 1), UBig::ZERO);
        assert_eq!(ln(u128::MAX, u128::MAX), UBig::ZERO);
        // ln(1 + x) is between x - x²/2 and x, and x²/2 is half a unit here.
        let x = UBig::ONE << (LN_BITS - 96);
        let smallest = ln((1 << 96) + 1, 1 << 96);
        assert!(smallest < &x + UBig::from(8_u8) && smallest >= x);
        assert_eq!(ln(1 << 127, 1), ln(2, 1) * 127_u8);
    }

    /// `ln x + ln y = ln xy`, each within its bound.
    #[test]
    fn logarithms_of_products_are_sums() {
        for x in [3_u128, 7, 1001, (1 << 40) + 1] {
            for y in [5_u128, 11, 999_983, (1 << 60) - 1] {
                let (product, sum) = (ln(x * y, 1), ln(x, 1) + ln(y, 1));
                let apart = if product > sum { product - sum } else { sum - product };
                assert!(apart < UBig::ONE << 76, "{x} and {y}");
            }
        }
    }
}
