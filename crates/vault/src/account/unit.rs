//! `epsilon`, `delta` and the goal of a job, as types, so that one is not passed for the other.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::VaultError;

/// The `epsilon` of `(epsilon, delta)`-differential privacy: the natural logarithm of the factor by
/// which one unit may change the probability of any outcome.
///
/// ```
/// use scumble_vault::Epsilon;
///
/// assert_eq!(Epsilon::new(0.5)?.get(), 0.5);
/// // A goal that guarantees nothing, and one that allows no release, are refused.
/// assert!(Epsilon::new(f64::INFINITY).is_err() && Epsilon::new(0.0).is_err());
/// # Ok::<(), scumble_vault::VaultError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Epsilon(f64);

impl Epsilon {
    /// No privacy loss: the claim of a job that releases nothing.
    pub const ZERO: Self = Self(0.0);
    /// Largest value. Above it the privacy profile loses its last digits; such a release protects
    /// nobody.
    pub const MAX: Self = Self(1e6);

    /// Creates a constant. It must be positive and at most [`Epsilon::MAX`].
    pub(super) const fn constant(epsilon: f64) -> Self {
        Self(epsilon)
    }

    /// Creates the `epsilon` of a goal.
    ///
    /// # Errors
    /// If it is not positive, or above [`Epsilon::MAX`].
    pub fn new(epsilon: f64) -> Result<Self, VaultError> {
        if epsilon > 0.0 && epsilon <= Self::MAX.0 {
            Ok(Self(epsilon))
        } else {
            Err(VaultError::config("epsilon", &epsilon, "positive and at most 1000000"))
        }
    }

    /// Returns the value as a float.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Epsilon {
    type Error = VaultError;

    fn try_from(epsilon: f64) -> Result<Self, VaultError> {
        if epsilon == 0.0 { Ok(Self::ZERO) } else { Self::new(epsilon) }
    }
}

impl From<Epsilon> for f64 {
    fn from(epsilon: Epsilon) -> Self {
        epsilon.0
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The `delta` of `(epsilon, delta)`-differential privacy: the additive term beyond the factor of
/// [`Epsilon`].
///
/// It should be far below one over the number of units: a program that publishes one random row
/// outright has a `delta` of one over their number.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Delta(f64);

impl Delta {
    /// Zero, for pure differential privacy.
    pub const ZERO: Self = Self(0.0);
    /// Smallest positive value. Below it the privacy profiles leave the range of normal floats.
    pub const MIN: Self = Self(1e-300);

    /// Creates a constant. It must be at least [`Delta::MIN`] and below one.
    pub(super) const fn constant(delta: f64) -> Self {
        Self(delta)
    }

    /// Creates the `delta` of a goal. Zero is valid under pure differential privacy only.
    ///
    /// # Errors
    /// If it is neither zero nor at least [`Delta::MIN`], or not below one.
    pub fn new(delta: f64) -> Result<Self, VaultError> {
        if delta == 0.0 {
            Ok(Self::ZERO)
        } else if (Self::MIN.0..1.0).contains(&delta) {
            Ok(Self(delta))
        } else {
            Err(VaultError::config("delta", &delta, "zero, or at least 1e-300 and below 1"))
        }
    }

    /// Returns the value as a float.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Delta {
    type Error = VaultError;

    fn try_from(delta: f64) -> Result<Self, VaultError> {
        Self::new(delta)
    }
}

impl From<Delta> for f64 {
    fn from(delta: Delta) -> Self {
        delta.0
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ZERO {
            // As a power of ten, zero would be `0e0`.
            return formatter.write_str("0");
        }
        fmt::LowerExp::fmt(&self.0, formatter)
    }
}

/// The goal of a job: `(epsilon, delta)`-differential privacy of all its releases together.
///
/// ```
/// use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon};
///
/// let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
/// // Under Gaussian accounting it allows mu = 0.18197.
/// let mu = AccountingKind::Gdp.largest(goal)?.to_f64().sqrt();
/// assert!((mu - 0.18197).abs() < 1e-5);
/// # Ok::<(), scumble_vault::VaultError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApproxDp {
    /// The `epsilon`.
    pub epsilon: Epsilon,
    /// The `delta`.
    pub delta: Delta,
}
