//! Tails of the chi-square distribution.

/// Maximum number of terms. The series and the fraction need about the square root of the shape, so
/// further terms do not change the sum.
const MAX_TERMS: u32 = 100_000;

/// Returns the probability that a chi-square variable with `degrees` degrees of freedom, above
/// zero, is at least `statistic`.
pub(super) fn upper_tail(statistic: f64, degrees: f64) -> f64 {
    upper_gamma(degrees / 2.0, statistic / 2.0)
}

/// Regularised upper incomplete gamma function: by the series of the lower one where that is small,
/// and by its continued fraction elsewhere.
///
/// # Reference
/// NIST Digital library of mathematical functions, 8.11.4 and 8.9.2.
fn upper_gamma(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = libm::exp(shape * libm::log(x) - x - libm::lgamma(shape));
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        for n in 1..MAX_TERMS {
            term *= x / (shape + f64::from(n));
            sum += term;
            if term < sum * f64::EPSILON {
                break;
            }
        }
        return 1.0 - front * sum;
    }
    // Ratios of successive numerators and denominators. With x > shape, no denominator is near
    // zero.
    let mut base = x + 1.0 - shape;
    let mut denominator = 1.0 / base;
    let mut numerator = f64::INFINITY;
    let mut value = denominator;
    for n in 1..MAX_TERMS {
        let n = f64::from(n);
        let part = n * (shape - n);
        base += 2.0;
        denominator = 1.0 / (base + part * denominator);
        numerator = base + part / numerator;
        let change = numerator * denominator;
        value *= change;
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    front * value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.chi2.sf` of `scipy` 1.17.1.
    const REFERENCE: [(f64, f64, f64); 14] = [
        (3.841_458_820_694_124, 1.0, 0.049_999_999_999_999_89),
        (0.5, 1.0, 0.479_500_122_186_953_37),
        (40.0, 1.0, 2.539_628_589_470_863_4e-10),
        (0.001, 3.0, 0.999_991_592_080_941_9),
        (10.0, 4.0, 0.040_427_681_994_512_79),
        (100.0, 4.0, 9.836_624_224_615_988e-21),
        (700.0, 10.0, 6.280_146_699_235_733e-144),
        (80.0, 100.0, 0.929_664_933_340_605_1),
        (100.0, 100.0, 0.481_191_684_527_956_74),
        (150.0, 100.0, 0.000_903_932_042_354_018_4),
        (3_969.0, 3_969.0, 0.497_014_861_580_926),
        (3_700.0, 3_969.0, 0.998_974_507_324_010_2),
        (4_500.0, 3_969.0, 5.310_317_124_005_33e-9),
        (0.2, 2.0, 0.904_837_418_035_959_5),
    ];

    #[test]
    fn tails_are_those_of_scipy() {
        for (statistic, degrees, due) in REFERENCE {
            let found = upper_tail(statistic, degrees);
            assert!((found / due - 1.0).abs() < 1e-10, "{statistic} with {degrees}: {found} and not {due}");
        }
    }

    #[test]
    fn two_degrees_are_an_exponential() {
        for statistic in [1e-9, 0.1, 1.0, 3.9, 4.0, 4.1, 50.0, 1_000.0] {
            let (found, due) = (upper_tail(statistic, 2.0), libm::exp(-statistic / 2.0));
            assert!((found / due - 1.0).abs() < 1e-12, "{statistic}: {found} and not {due}");
        }
        assert!((upper_tail(0.0, 7.0) - 1.0).abs() < 1e-15);
        assert!(upper_tail(1e9, 3.0).abs() < 1e-300, "an impossible statistic has no probability left");
    }
}
