//! Exact confidence bounds on a probability, by Clopper and Pearson.

/// Returns the largest probability under which at most `successes` of `trials` has probability
/// `level` or more: an upper confidence bound of confidence `1 - level`.
pub fn upper_bound(successes: u64, trials: u64, level: f64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    let [k, n] = [successes, trials].map(|count| count as f64);
    // P(X <= k) is the regularized incomplete beta function at 1 - p, which falls with p.
    root(|p| regularized_beta(n - k, k + 1.0, 1.0 - p) > level)
}

/// Returns the smallest probability under which at least `successes` of `trials` has probability
/// `level` or more: a lower confidence bound of confidence `1 - level`.
pub fn lower_bound(successes: u64, trials: u64, level: f64) -> f64 {
    1.0 - upper_bound(trials - successes, trials, level)
}

/// Returns the end of the interval from zero on which `holds`, rounded up.
fn root(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    high
}

/// Computes `I_x(a, b)`, by the continued fraction of the incomplete beta function.
fn regularized_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean, so the other tail is computed above it.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - regularized_beta(b, a, 1.0 - x);
    }
    let ln_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = (a * x.ln() + b * (-x).ln_1p() - ln_beta).exp() / a;
    front * fraction(a, b, x)
}

/// Evaluates the continued fraction by the modified method of Lentz.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    const STEPS: u32 = 10_000;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    // Ratios of successive numerators, and of successive denominators turned around.
    let mut numerators = 1.0;
    let mut denominators = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut sum = denominators;
    for step in (1..STEPS).map(f64::from) {
        let twice = a + 2.0 * step;
        for coefficient in [
            step * (b - step) * x / ((twice - 1.0) * twice),
            -(a + step) * (a + b + step) * x / (twice * (twice + 1.0)),
        ] {
            denominators = 1.0 / away(1.0 + coefficient * denominators);
            numerators = away(1.0 + coefficient / numerators);
            sum *= numerators * denominators;
        }
        if (numerators * denominators - 1.0).abs() < 1e-15 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums the terms of the binomial distribution.
    fn at_most(successes: u64, trials: u64, p: f64) -> f64 {
        let [k, n] = [successes, trials].map(|count| count as f64);
        let mut term = (n * (-p).ln_1p()).exp();
        let mut sum = term;
        for count in 1..=successes {
            term *= (n - count as f64 + 1.0) / count as f64 * p / (1.0 - p);
            sum += term;
        }
        assert!(sum > 0.0 && k <= n);
        sum
    }

    #[test]
    fn bounds_are_those_of_tables() {
        // 8 of 10 at 95 %: 0.49310; none of 10: 1 - 0.05^(1/10).
        assert!((lower_bound(8, 10, 0.05) - 0.493_10).abs() < 1e-5);
        assert!((upper_bound(0, 10, 0.05) - (1.0 - 0.05_f64.powf(0.1))).abs() < 1e-12);
        assert!((upper_bound(10, 10, 0.05) - 1.0).abs() < f64::EPSILON);
        assert!(lower_bound(0, 10, 0.05).abs() < f64::EPSILON);
    }

    #[test]
    fn at_the_bound_the_tail_has_the_level() {
        for (successes, trials) in [(0, 5), (3, 7), (50, 1000), (400, 1000), (30, 100_000)] {
            for level in [0.05, 0.0005] {
                let bound = upper_bound(successes, trials, level);
                let tail = at_most(successes, trials, bound);
                assert!((tail / level - 1.0).abs() < 1e-6, "{successes} of {trials}: {tail} for {level}");
            }
        }
    }

    #[test]
    fn a_fair_coin_is_within_its_bounds() {
        let (low, high) = (lower_bound(50_200, 100_000, 0.0005), upper_bound(50_200, 100_000, 0.0005));
        // 3.29 standard deviations of 0.00158.
        assert!((0.4967..0.4969).contains(&low) && (0.5071..0.5073).contains(&high), "{low} {high}");
    }
}
