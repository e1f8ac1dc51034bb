//! Thresholds of values that nobody declared. The proof is in `threshold.md`, shown at
//! [`Threshold`].

use std::num::NonZeroU32;

use scumble_planted::Mutant;
use serde::{Deserialize, Serialize};

use super::amount::{self, Quanta};
use super::{ApproxDp, Delta, Sigma};

/// Relative margin by which a computed probability is raised. Its error is below 10^-11, see the
/// note.
const MARGIN: f64 = 1e-9;
/// Number of quanta of one.
const ONE: f64 = 79_228_162_514_264_337_593_543_950_336.0;

/// A probability that adds to the `delta` of a job, in quanta of 2^-96.
///
/// Summed and compared as integers, like an [`Amount`](super::Amount), and rounded up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(into = "Quanta", from = "Quanta")]
pub struct ThresholdDelta(u128);

impl ThresholdDelta {
    /// Of a job without thresholds.
    pub const ZERO: Self = Self(0);

    /// Creates a probability from its number of quanta of 2^-96.
    pub const fn from_quanta(quanta: u128) -> Self {
        Self(quanta)
    }

    /// Returns the number of quanta of 2^-96.
    pub const fn quanta(self) -> u128 {
        self.0
    }

    /// Returns half of a `delta`, rounded down. The other half is for noise.
    ///
    /// Either half costs little: scales and thresholds grow with the root of the logarithm of the
    /// inverse.
    pub fn half_of(delta: Delta) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below 2^95")]
        let quanta = (delta.get() / 2.0 * ONE) as u128;
        Self(quanta)
    }

    /// Returns one of `parts` equal parts, rounded down.
    #[must_use]
    pub fn divided(self, parts: usize) -> Self {
        Self(self.0 / parts.max(1) as u128)
    }

    /// Returns the sum; `None` if it does not fit.
    pub(crate) fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// Returns the difference; `None` if it is negative.
    pub(crate) fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// Returns the nearest float. For display only: nothing is decided by it.
    pub fn to_f64(self) -> f64 {
        amount::to_f64(self.0)
    }

    /// Rounds a computed probability up, by more than its error; `None` unless it is below one.
    fn at_least(probability: f64) -> Option<Self> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 2^96")]
        let quanta = |probability: f64| Self(libm::ceil(probability * (1.0 + MARGIN) * ONE) as u128 + 1);
        (0.0..1.0).contains(&probability).then(|| quanta(probability))
    }
}

impl From<Quanta> for ThresholdDelta {
    fn from(quanta: Quanta) -> Self {
        Self(quanta.0)
    }
}

impl From<ThresholdDelta> for Quanta {
    fn from(delta: ThresholdDelta) -> Self {
        Self(delta.0)
    }
}

impl ApproxDp {
    /// Returns the goal that is left for noise if thresholds take `delta` of it; `None` if nothing
    /// is left.
    ///
    /// # Privacy
    /// Rounded down: the two parts add up to at most the goal.
    pub fn without(self, thresholds: ThresholdDelta) -> Option<Self> {
        if thresholds == ThresholdDelta::ZERO {
            return Some(self);
        }
        // Conversion and difference each round to the nearest float.
        let left = self.delta.get() - thresholds.to_f64().next_up();
        let delta = Delta::new(left.next_down()).ok().filter(|delta| delta.get() > 0.0)?;
        Some(Self { delta, ..self })
    }
}

/// A threshold for noisy counts of the values present: only values whose noisy count reaches it are
/// released.
///
/// # Privacy
/// Besides the cost of its noise, such a release adds a `delta` of its own: the probability that
/// a value passes that one unit alone holds.
#[doc = ""]
#[doc = include_str!("threshold.md")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Threshold {
    /// `T`, in rows.
    pub rows: u64,
    /// `delta_T`.
    pub delta: ThresholdDelta,
}

impl Threshold {
    /// Returns the least threshold for noise of scale `sigma` and at most `m` rows per unit whose
    /// `delta_T` is at most `limit`; `None` if there is none.
    pub fn least(sigma: Sigma, m: NonZeroU32, limit: ThresholdDelta) -> Option<Self> {
        let fits = |rows| Self::new(sigma, m, rows).filter(|threshold| threshold.delta <= limit);
        // The probability falls with the threshold. A value with `m` rows passes a threshold of
        // `m` with probability above 1/2.
        let mut above = u64::from(m.get());
        let mut step = 1_u64;
        let mut found = loop {
            if let Some(found) = fits(above.checked_add(step).filter(|&rows| rows < 1 << 48)?) {
                break found;
            }
            (above, step) = (above + step, step * 2);
        };
        while above + 1 < found.rows {
            let middle = u64::midpoint(above, found.rows);
            match fits(middle) {
                Some(smaller) => found = smaller,
                None => above = middle,
            }
        }
        Some(found)
    }

    /// Returns the threshold `rows` with its `delta_T`; `None` if it protects nothing.
    pub(super) fn new(sigma: Sigma, m: NonZeroU32, rows: u64) -> Option<Self> {
        let delta = ThresholdDelta::at_least(passing(sigma.to_f64(), m.get(), rows)?)?;
        Some(Self { rows, delta })
    }
}

/// Computes the largest probability with which a value passes that one unit of `m` rows alone
/// holds: over all splits of its rows into one value of several rows and others of one row each.
/// `None` if the threshold is at or below `m`.
fn passing(sigma: f64, m: u32, threshold: u64) -> Option<f64> {
    let beyond = threshold.checked_sub(u64::from(m)).filter(|&rows| rows > 0)?;
    let half = if Mutant::ThresholdForgetsTheHalf.is_planted() { 0.0 } else { 0.5 };
    #[expect(clippy::cast_precision_loss, reason = "thresholds are below 2^48")]
    let ln_hidden = |rows_below: u64| ln_normal((rows_below as f64 - half) / sigma);
    let alone = ln_hidden(threshold - 1);
    // One value of `m - k + 1` rows, and `k - 1` values of one row.
    let ln_all_hidden = |k: u32| ln_hidden(beyond + u64::from(k) - 1) + f64::from(k - 1) * alone;
    // Neither few values nor many are always worse, so every number is tried.
    (1..=m).map(|k| -libm::expm1(ln_all_hidden(k))).reduce(f64::max)
}

/// Computes the logarithm of the standard normal distribution function at `x >= 0`.
fn ln_normal(x: f64) -> f64 {
    libm::log1p(-0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2))
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "thresholds are small")]
mod tests {
    use super::*;

    fn sigma(sigma: f64) -> Sigma {
        Sigma::at_least(sigma).unwrap()
    }

    fn unit(rows: u32) -> NonZeroU32 {
        NonZeroU32::new(rows).unwrap()
    }

    /// All ways to write `rows` as a sum of positive numbers in falling order.
    fn partitions(rows: u64, largest: u64) -> Vec<Vec<u64>> {
        if rows == 0 {
            return vec![vec![]];
        }
        let first = (1..=rows.min(largest)).rev();
        first
            .flat_map(|first| partitions(rows - first, first).into_iter().map(move |rest| [vec![first], rest].concat()))
            .collect()
    }

    #[test]
    fn no_split_of_a_unit_passes_more_often_than_is_charged() {
        for m in 1..=6_u64 {
            for scale in [0.3, 1.0, 2.5, 7.0, 40.0] {
                for limit in [1e-2, 1e-5, 1e-9, 1e-14] {
                    let limit = ThresholdDelta::at_least(limit).unwrap();
                    let threshold = Threshold::least(sigma(scale), unit(u32::try_from(m).unwrap()), limit).unwrap();
                    let passes = |split: &[u64]| {
                        let hidden = |&rows: &u64| ln_normal(((threshold.rows - rows) as f64 - 0.5) / scale);
                        -libm::expm1(split.iter().map(hidden).sum::<f64>())
                    };
                    // A unit may have fewer rows than the most.
                    let splits = (1..=m).flat_map(|rows| partitions(rows, rows));
                    let worst = splits.map(|split| passes(&split)).reduce(f64::max).unwrap();
                    let charged = threshold.delta.to_f64();
                    assert!(
                        worst <= charged && charged < worst * (1.0 + 1e-8) + 1e-28,
                        "{m} {scale}: {worst} {charged}"
                    );
                    assert!(threshold.delta <= limit);
                    let below = Threshold::new(sigma(scale), unit(u32::try_from(m).unwrap()), threshold.rows - 1);
                    assert!(below.is_none_or(|below| below.delta > limit), "a lower threshold would do");
                }
            }
        }
    }

    #[test]
    fn a_threshold_is_where_tables_of_the_normal_distribution_put_it() {
        // 1 - Phi(5.997807) is 1e-9, so T - 1 - 1/2 is at least 599.7807.
        let limit = ThresholdDelta::at_least(1e-9).unwrap();
        assert_eq!(Threshold::least(sigma(100.0), unit(1), limit).unwrap().rows, 602);
        // Three values of one row are worse than one of three: 1 - Phi(6.1743) is a third of it.
        assert_eq!(Threshold::least(sigma(100.0), unit(3), limit).unwrap().rows, 619);
        // With little noise next to `m`, ten rows of one value are.
        assert_eq!(Threshold::least(sigma(1.0), unit(10), limit).unwrap().rows, 17);
    }

    #[test]
    fn many_values_of_one_row_can_be_worse_than_one_value() {
        let (m, scale, rows) = (1_000, 1_000.0, 4_000);
        let one = 1.0 - libm::exp(ln_normal((rows as f64 - f64::from(m) - 0.5) / scale));
        assert!(passing(scale, m, rows).unwrap() > 10.0 * one);
    }

    #[test]
    fn a_threshold_that_protects_nothing_does_not_exist() {
        assert!(Threshold::new(sigma(1.0), unit(3), 3).is_none());
        assert!(Threshold::least(sigma(1.0), unit(1), ThresholdDelta::ZERO).is_none());
    }

    #[test]
    fn one_is_as_many_quanta() {
        assert!((ThresholdDelta::from_quanta(1 << amount::FRACTION_BITS).to_f64() - 1.0).abs() < 1e-15);
        assert_eq!(ThresholdDelta::half_of(Delta::new(0.5).unwrap()).quanta(), 1 << (amount::FRACTION_BITS - 2));
    }

    #[test]
    fn both_parts_of_a_goal_add_up_to_at_most_the_goal() {
        let goal = ApproxDp { epsilon: super::super::Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
        assert_eq!(goal.without(ThresholdDelta::ZERO), Some(goal));
        let half = ThresholdDelta::half_of(goal.delta);
        let left = goal.without(half).unwrap().delta.get();
        assert!(left + half.to_f64() <= 1e-9 && left > 0.499e-9);
        assert!(goal.without(ThresholdDelta::at_least(1e-9).unwrap()).is_none());
        assert!(goal.without(ThresholdDelta::at_least(0.5).unwrap()).is_none());
    }
}
