//! Upper bounds of natural logarithms, in integer arithmetic.

use dashu_int::UBig;

/// Number of binary digits after the point.
pub(super) const LN_BITS: usize = 192;
/// Number of terms of the series. The remainder is below `9^-40`, which is below `2^-126`.
const TERMS: u32 = 40;

/// Returns `2^192 ln(numerator / denominator)`, rounded up; for `numerator >= denominator > 0`.
///
/// With `2^e <= r < 2^(e+1)` and `m = r / 2^e`, `ln r = e ln 2 + ln m`, and
/// `ln m = 2 artanh((m - 1) / (m + 1))` for both. The result is never below the exact value. For a
/// ratio of at least `1 + 2^-96` the relative error is below `2^-90`: the series adds `2^-126`, and
/// rounding adds a few `2^-192` to a result of at least `2^-97`.
pub(super) fn ln_above(numerator: &UBig, denominator: &UBig) -> UBig {
    let (mut denominator, mut twos) = (denominator.clone(), 0_u32);
    while &denominator << 1 <= *numerator {
        denominator <<= 1;
        twos += 1;
    }
    let ln_2 = twice_artanh(&UBig::ONE, &UBig::from(3_u8));
    ln_2 * twos + twice_artanh(&(numerator - &denominator), &(numerator + &denominator))
}

/// Returns `2^192 * 2 artanh(z)`, rounded up, for `z = over / under` from 0 to 1/3.
///
/// Evaluates `artanh(z) = z (1 + z²(1/3 + z²(1/5 + ...)))` from the inside out. Every step is
/// rounded up and is monotone in its input. The innermost bracket is at most
/// `(1/81)(1 + 1/9 + 1/81 + ...)` and is replaced by 1. Each step multiplies an error by
/// `z² <= 1/9`, so the replacement contributes `9^-40` and all roundings less than `3 * 2^-192`.
fn twice_artanh(over: &UBig, under: &UBig) -> UBig {
    let (over_squared, under_squared) = (over.pow(2), under.pow(2));
    let one = UBig::ONE << LN_BITS;
    let bracket = (0..TERMS).rev().fold(one.clone(), |inner, term| {
        ceil(inner * &over_squared, &under_squared) + ceil(one.clone(), &UBig::from(2 * term + 1))
    });
    ceil(bracket * over * 2_u8, under)
}

/// Divides, rounding up: a cost that is too low makes the guarantee false.
fn ceil(numerator: UBig, denominator: &UBig) -> UBig {
    (numerator + denominator - UBig::ONE) / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ln(numerator: u128, denominator: u128) -> UBig {
        ln_above(&UBig::from(numerator), &UBig::from(denominator))
    }

    /// Compares with `2^192 ln x`, rounded up, computed with 100 digits by mpmath. Near one the
    /// series adds almost nothing, so that a rounding down would fail the test.
    #[test]
    fn known_logarithms_are_bounded_tightly_from_above() {
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

    /// Checks `ln x + ln y = ln xy` within the bounds of the three logarithms.
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
