//! What people say about privacy, as types, so that one cannot be passed where the other is due.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::VaultError;

/// The `epsilon` of `(epsilon, delta)`-differential privacy: the natural logarithm of the factor by which one unit may change the
/// probability of any outcome.
///
/// ```
/// use scumble_vault::Epsilon;
///
/// assert_eq!(Epsilon::new(0.5)?.get(), 0.5);
/// // A goal that promises nothing, and one that allows nothing, are refused.
/// assert!(Epsilon::new(f64::INFINITY).is_err() && Epsilon::new(0.0).is_err());
/// # Ok::<(), scumble_vault::VaultError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Epsilon(f64);

impl Epsilon {
    /// No privacy loss at all: what a job that releases nothing spends.
    pub const ZERO: Self = Self(0.0);
    /// The largest one. Above it the last digits of the profile are lost; no release that large protects anybody.
    pub const MAX: Self = Self(1e6);

    /// A constant of ours, which is positive and at most [`Epsilon::MAX`].
    pub(super) const fn constant(epsilon: f64) -> Self {
        Self(epsilon)
    }

    /// A goal.
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

    /// As a plain number, to be shown or computed with.
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

/// The `delta` of `(epsilon, delta)`-differential privacy: what may be added to a probability beyond the factor of [`Epsilon`].
///
/// It should be far below one over the number of units: a program that publishes one row outright, chosen at random, has as much.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Delta(f64);

impl Delta {
    /// None: pure differential privacy.
    pub const ZERO: Self = Self(0.0);
    /// The smallest positive one. Below it the profiles leave the range of normal floats.
    pub const MIN: Self = Self(1e-300);

    /// A constant of ours, which is at least [`Delta::MIN`] and below one.
    pub(super) const fn constant(delta: f64) -> Self {
        Self(delta)
    }

    /// A goal. Zero is one for pure differential privacy alone.
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

    /// As a plain number, to be shown or computed with.
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
        fmt::LowerExp::fmt(&self.0, formatter)
    }
}

/// The goal of a job: `(epsilon, delta)`-differential privacy of everything it releases together.
///
/// Its two numbers are types, so that neither is taken for the other.
///
/// ```
/// use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon};
///
/// let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
/// // What it allows under Gaussian accounting: mu = 0.18197, as the certificate of such a job says.
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
