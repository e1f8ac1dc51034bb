//! Binary logarithms in integer arithmetic, with a bound on their error.

use std::sync::LazyLock;

/// Number of binary digits after the point.
pub(super) const FRACTION_BITS: u32 = 56;
/// Logarithms below this number are tabulated: most counts of a large table are small.
const SMALL: u64 = 1024;

static OF_SMALL: LazyLock<Vec<u64>> = LazyLock::new(|| (1..SMALL).map(log2).collect());

/// Returns `2^56 x lb(x)`, exact or too low by less than `2x`; 0 for `x = 0`. For `x < 2^64`.
pub(super) fn x_log2_x(x: u64) -> u128 {
    match x {
        0 => 0,
        1..SMALL => u128::from(x) * u128::from(OF_SMALL[usize::try_from(x - 1).expect("it is small")]),
        _ => u128::from(x) * u128::from(log2(x)),
    }
}

/// Returns `2^56 lb(x)`, exact or too low by less than 2. For `x > 0`.
///
/// Computes one digit at a time: for `1 <= y < 2`, the first digit of `lb(y)` is whether `y² >= 2`,
/// and the others are those of `lb(y²)` or `lb(y² / 2)`. A mantissa of 64 bits is rounded down to a
/// multiple of 2^-63 after each step, and stays at least one, so the `k`-th rounding lowers its
/// logarithm by less than `2^-62` and the result by less than `2^-62-k`: less than `2^-62` in
/// total. The digits that are not computed are worth less than `2^-56`.
fn log2(x: u64) -> u64 {
    let whole = x.ilog2();
    let mut mantissa = x << (63 - whole);
    let mut digits = u64::from(whole);
    for _ in 0..FRACTION_BITS {
        let square = u128::from(mantissa).pow(2);
        let carry = u64::from(square >> 127 == 1);
        #[expect(clippy::cast_possible_truncation, reason = "square < 2^(127 + carry), so it is below 2^64")]
        {
            mantissa = (square >> (63 + carry)) as u64;
        }
        digits = 2 * digits + carry;
    }
    digits
}

#[cfg(test)]
mod tests {
    use dashu_int::UBig;
    use dashu_int::ops::BitTest;

    use super::*;

    #[test]
    fn powers_of_two_are_exact() {
        for power in 0..64_u32 {
            assert_eq!(log2(1 << power), u64::from(power) << FRACTION_BITS);
        }
    }

    /// Uses `2^k lb(x) = lb(x^(2^k))`, whose integer part is a number of bits, to check twelve
    /// digits.
    #[test]
    fn the_first_digits_are_those_of_exact_powers() {
        for x in [3, 5, 7, 10, 1000, 1023, 1025, 65_535, (1 << 48) - 1, (1 << 48) + 1, u64::MAX] {
            let whole = (UBig::from(x).pow(1 << 12).bit_len() - 1) as u64;
            let digits = log2(x) >> (FRACTION_BITS - 12);
            assert!(digits == whole || log2(x) + 1 == whole << (FRACTION_BITS - 12), "lb({x})");
        }
    }

    /// Checks `lb(x) + lb(y) = lb(xy)` within the errors of three numbers, each too low by less
    /// than 2.
    #[test]
    fn logarithms_of_products_are_sums_within_the_error() {
        for x in (3..4000).step_by(7) {
            for y in [3, 11, 1021, 4093, 999_983, (1 << 40) - 87] {
                let difference = i128::from(log2(x * y)) - i128::from(log2(x)) - i128::from(log2(y));
                assert!((-2..4).contains(&difference), "lb({x}) + lb({y}) is off by {difference}");
            }
        }
    }

    #[test]
    fn values_agree_at_the_end_of_the_table() {
        assert_eq!([0, 1, 2].map(x_log2_x), [0, 0, 2 << FRACTION_BITS]);
        for x in SMALL - 2..SMALL + 2 {
            assert_eq!(x_log2_x(x), u128::from(x) * u128::from(log2(x)));
        }
    }
}
