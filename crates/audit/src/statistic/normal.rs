//! The normal distribution.

use std::f64::consts::SQRT_2;

/// Returns the probability that a standard normal number is at most `x`.
pub fn distribution(x: f64) -> f64 {
    libm::erfc(-x / SQRT_2) / 2.0
}

/// Returns the `x` at which [`distribution`] is `p`; infinite at 0 and 1.
pub fn quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    if p > 0.5 {
        // The lower tail keeps more digits.
        return -quantile(1.0 - p);
    }
    let (mut low, mut high) = (-40.0, 0.0);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if distribution(middle) < p { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_tables() {
        for (p, x) in [(0.5, 0.0), (0.975, 1.959_963_984_540_054), (1e-10, -6.361_340_902_404_056)] {
            assert!((quantile(p) - x).abs() < 1e-9, "{p}: {}", quantile(p));
        }
        assert!(quantile(0.0).is_infinite() && quantile(1.0).is_infinite());
    }
}
