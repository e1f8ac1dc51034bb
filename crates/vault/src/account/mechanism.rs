//! The mechanism of a release, and its cost.

use std::num::NonZeroU32;

use dashu_int::UBig;
use scumble_planted::Mutant;
use serde::{Deserialize, Serialize};

use super::amount::{FRACTION_BITS, ceil_quanta};
use super::scale::scale_of_square;
use super::{
    AccountingKind, Amount, LaplaceScale, Pure, RowUnits, ScoreUnits, Selecting, SelectionEpsilon, Sensitivity, Sigma,
    Smoothing, Threshold, ThresholdDelta, Thresholding, Unit, gdp,
};

/// The mechanism of a release, with all parameters of its cost.
///
/// # Privacy
/// Sensitivities and scales are in units of the lattice of the answer. They are plain integers
/// here, as in certificates; the constructors take them with their unit, and choose the norm
/// themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Mechanism {
    /// Adds `floor(σ N + 1/2)` to every number, with `N` exactly standard normal.
    RoundedGaussian {
        /// `Δ²`, as a squared L2 norm.
        #[serde(with = "integer")]
        squared_sensitivity: u128,
        /// `σ`.
        sigma: Sigma,
    },
    /// Adds an integer `z` of probability proportional to `e^(-|z|/b)` to every number.
    DiscreteLaplace {
        /// `Δ`, as an L1 norm.
        #[serde(with = "integer")]
        sensitivity: u128,
        /// `b`.
        scale: LaplaceScale,
    },
    /// Selects a candidate of score `q` with probability proportional to `e^(epsilon q / (2 Δ))`.
    Exponential {
        /// `Δ`, the most that any one score moves.
        #[serde(with = "integer")]
        sensitivity: u128,
        /// `epsilon`.
        epsilon: SelectionEpsilon,
    },
    /// Draws cells from a smoothed histogram.
    SmoothedHistogram(Smoothing),
    /// Adds `floor(σ N + 1/2)` to the count of every value present, and releases those that reach a
    /// threshold.
    ThresholdedGaussian {
        /// `Δ²`, as a squared L2 norm.
        #[serde(with = "integer")]
        squared_sensitivity: u128,
        /// `σ`.
        sigma: Sigma,
        /// `T` and `delta_T`.
        threshold: Threshold,
    },
}

impl Mechanism {
    /// Returns Gaussian noise with the smallest `σ² >= Δ² / (quanta 2^-96)`; `None` if it is too
    /// large.
    pub(super) fn gaussian<U: Unit>(sensitivity: Sensitivity<U>, quanta: &UBig) -> Option<Self> {
        if quanta.is_zero() {
            return None;
        }
        let squared_sensitivity = sensitivity.squared_l2();
        let sigma = scale_of_square(&(UBig::from(squared_sensitivity) << FRACTION_BITS), quanta)?;
        Some(Self::RoundedGaussian { squared_sensitivity, sigma })
    }

    /// Returns Laplace noise with the smallest `b >= Δ / epsilon`; `None` if it is too large.
    pub(super) fn laplace<U: Unit>(sensitivity: Sensitivity<U>, epsilon: Amount<Pure>) -> Option<Self> {
        if epsilon == Amount::ZERO {
            return None;
        }
        let sensitivity = sensitivity.l1();
        let [over, under] = [UBig::from(sensitivity) << FRACTION_BITS, UBig::from(epsilon.quanta())];
        Some(Self::DiscreteLaplace { sensitivity, scale: scale_of_square(&over.pow(2), &under.pow(2))? })
    }

    /// Returns Gaussian noise that costs at most `share`, with the least threshold that adds at
    /// most `limit` to `delta` for units of at most `m` rows; `None` if there is none.
    pub(crate) fn thresholded<M: Thresholding>(
        sensitivity: Sensitivity<RowUnits>,
        m: NonZeroU32,
        share: Amount<M>,
        limit: ThresholdDelta,
    ) -> Option<Self> {
        match M::noise(sensitivity, share)? {
            Self::RoundedGaussian { squared_sensitivity, sigma } => {
                let threshold = Threshold::least(sigma, m, limit)?;
                Some(Self::ThresholdedGaussian { squared_sensitivity, sigma, threshold })
            }
            _ => None,
        }
    }

    /// Returns what the release adds to the `delta` of its job.
    pub fn delta(&self) -> ThresholdDelta {
        match self {
            Self::ThresholdedGaussian { threshold, .. } => threshold.delta,
            _ => ThresholdDelta::ZERO,
        }
    }

    /// Returns the exponential mechanism that costs at most `share`, for scores that one unit moves
    /// by at most `sensitivity`; `None` if its `epsilon` would be too small.
    pub fn exponential<M: Selecting>(sensitivity: ScoreUnits, share: Amount<M>) -> Option<Self> {
        let (numerator, denominator) = M::squared_epsilon(share);
        let sensitivity = sensitivity.get();
        Some(Self::Exponential { sensitivity, epsilon: SelectionEpsilon::of_square(&numerator, &denominator)? })
    }

    /// Returns the cost of the release in quanta, rounded up; `None` if the accounting has no cost
    /// for it or it does not fit.
    ///
    /// # Privacy
    /// | | epsilon | mu² | rho |
    /// |---|---|---|---|
    /// | Gaussian | - | `Δ²/σ²` | `Δ²/(2σ²)` |
    /// | Laplace | `Δ/b` | - | `epsilon²/2` |
    /// | exponential | `epsilon` | `(pi/8) epsilon²` | `epsilon²/8` |
    /// | smoothed histogram, `k` rows | `k ln r` | - | `k (ln r)²/2` |
    /// | Gaussian with a threshold | - | `Δ²/σ²` | `Δ²/(2σ²)` |
    ///
    /// `pi` is replaced by 355/113, which is above it. A threshold adds [`Mechanism::delta`]
    /// besides.
    pub(crate) fn quanta(&self, accounting: AccountingKind) -> Option<u128> {
        match (*self, accounting) {
            (
                Self::RoundedGaussian { squared_sensitivity, sigma }
                | Self::ThresholdedGaussian { squared_sensitivity, sigma, .. },
                AccountingKind::Gdp | AccountingKind::Zcdp,
            ) => {
                let (over, under) = sigma.squared();
                let halves = if accounting == AccountingKind::Zcdp { 2_u8 } else { 1 };
                ceil_quanta(&(under * squared_sensitivity), &(over * halves))
            }
            (Self::DiscreteLaplace { sensitivity, scale }, AccountingKind::Pure) => ceil_quanta(
                &(UBig::from(sensitivity) << scale.denominator_log2() as usize),
                &UBig::from(scale.numerator()),
            ),
            (Self::DiscreteLaplace { sensitivity, scale }, AccountingKind::Zcdp) => {
                let (over, under) = scale.squared();
                ceil_quanta(&(under * UBig::from(sensitivity).pow(2)), &(over * 2_u8))
            }
            (Self::Exponential { epsilon, .. }, AccountingKind::Pure) => {
                ceil_quanta(&UBig::from(epsilon.numerator()), &(UBig::ONE << epsilon.denominator_log2() as usize))
            }
            (Self::Exponential { epsilon, .. }, AccountingKind::Gdp) => {
                let factor = if Mutant::GdpSelectionTooCheap.is_planted() { (1, 4) } else { gdp::PI_EIGHTHS };
                let ((over, under), (numerator, denominator)) = (epsilon.squared(), factor);
                ceil_quanta(&(over * numerator), &(under * denominator))
            }
            (Self::Exponential { epsilon, .. }, AccountingKind::Zcdp) => {
                let (over, under) = epsilon.squared();
                ceil_quanta(&over, &(under * 8_u8))
            }
            (Self::SmoothedHistogram(smoothing), accounting) => smoothing.quanta(accounting),
            _ => None,
        }
    }

    /// Returns whether the mechanism states this sensitivity, in its own norm. A smoothed histogram
    /// states none: its event is checked field by field.
    pub(super) fn covers<U: Unit>(&self, due: Sensitivity<U>) -> bool {
        match *self {
            Self::RoundedGaussian { squared_sensitivity, .. }
            | Self::ThresholdedGaussian { squared_sensitivity, .. } => squared_sensitivity == due.squared_l2(),
            Self::DiscreteLaplace { sensitivity, .. } | Self::Exponential { sensitivity, .. } => {
                sensitivity == due.l1()
            }
            Self::SmoothedHistogram(_) => false,
        }
    }

    /// Returns the standard deviation of the noise on each number, in units of the lattice; `None`
    /// if the mechanism adds no noise.
    ///
    /// Ignores rounding, which adds at most 1/12 to the variance.
    pub fn standard_deviation(&self) -> Option<f64> {
        match self {
            Self::RoundedGaussian { sigma, .. } | Self::ThresholdedGaussian { sigma, .. } => Some(sigma.to_f64()),
            Self::DiscreteLaplace { scale, .. } => {
                // The variance is 2 q / (1 - q)², q = e^(-1/b), which is 1 / (2 sinh²(1 / (2b))).
                Some(std::f64::consts::FRAC_1_SQRT_2 / libm::sinh(0.5 / scale.to_f64()))
            }
            Self::Exponential { .. } | Self::SmoothedHistogram(_) => None,
        }
    }
}

/// Serializes integers as decimal strings, because JSON readers lose digits above 2^53.
pub(super) mod integer {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::account) fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(in crate::account) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|_| D::Error::custom("a sensitivity is not an integer"))
    }
}
