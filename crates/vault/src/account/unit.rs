//! Units as types, so that a budget cannot be passed where a scale is due.
//!
//! No float is a budget: what is added up and compared is an integer. Every rounding goes to the safe side, which is
//! up for what is spent and down for what may be spent.

use std::fmt;

use dashu_int::UBig;
use dashu_int::ops::DivRem;
use serde::{Deserialize, Serialize};

use super::Sigma;
use crate::error::VaultError;

/// The `epsilon` of approximate differential privacy.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Epsilon(f64);

impl Epsilon {
    /// No privacy loss at all: what a job that releases nothing spends.
    pub const ZERO: Self = Self(0.0);
    /// The largest one. Above it the last digits of the profile are lost; no release that large protects anybody.
    pub const MAX: Self = Self(1e6);

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

    /// The number.
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

/// The `delta` of approximate differential privacy.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(into = "f64", try_from = "f64")]
pub struct Delta(f64);

impl Delta {
    /// The smallest one. Below it the profile leaves the range of normal floats.
    pub const MIN: Self = Self(1e-300);

    /// A goal.
    ///
    /// # Errors
    /// If it is below [`Delta::MIN`] (Gaussian noise gives no guarantee with `delta = 0`), or not below one.
    pub fn new(delta: f64) -> Result<Self, VaultError> {
        if (Self::MIN.0..1.0).contains(&delta) {
            Ok(Self(delta))
        } else {
            Err(VaultError::config("delta", &delta, "at least 1e-300 and below 1"))
        }
    }

    /// The number.
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApproxDp {
    /// The `epsilon`.
    pub epsilon: Epsilon,
    /// The `delta`.
    pub delta: Delta,
}

/// How far one unit can move a query, as a squared L2 norm: an exact integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sensitivity(u128);

impl Sensitivity {
    /// The sensitivity `Δ` with this `Δ²`. Sensitivities come from [`super::Adjacency`] or from the file of an event.
    pub(crate) fn from_squared(squared: u128) -> Self {
        Self(squared)
    }

    /// `Δ²`.
    pub fn squared(self) -> u128 {
        self.0
    }
}

/// A total of Gaussian differential privacy: `mu²`, the sum of `Δ² / σ²`, in quanta of 2^-96.
///
/// ```
/// # use scumble_vault::account::MuSquared;
/// let quarter = MuSquared::from_quanta(1 << 94);
/// assert_eq!(quarter.to_f64(), 0.25);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct MuSquared(u128);

impl MuSquared {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// The binary digits after the point.
    pub(crate) const FRACTION_BITS: usize = 96;
    const SUFFIX: &str = "/2^96";

    /// This many quanta of 2^-96.
    pub const fn from_quanta(quanta: u128) -> Self {
        Self(quanta)
    }

    /// How many quanta of 2^-96.
    pub const fn quanta(self) -> u128 {
        self.0
    }

    /// What a Gaussian release costs: `Δ² / σ²`, rounded up to whole quanta. `None` if it does not fit.
    pub fn of_gaussian(sensitivity: Sensitivity, sigma: Sigma) -> Option<Self> {
        // Δ² / (p / 2^s)² in quanta of 2^-96 is Δ² 2^(2s + 96) / p².
        let numerator = UBig::from(sensitivity.0) << (2 * sigma.denominator_log2() as usize + Self::FRACTION_BITS);
        let denominator = UBig::from(sigma.numerator()).pow(2);
        let (quotient, remainder) = numerator.div_rem(denominator);
        // Rounded up: a cost that is too low is a false promise.
        let quanta = if remainder.is_zero() { quotient } else { quotient + 1_u8 };
        u128::try_from(quanta).ok().map(Self)
    }

    /// The number, to the nearest float. For people to read: nothing is decided by it.
    #[expect(clippy::cast_precision_loss, reason = "the nearest float is what this promises")]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 * 2_f64.powi(-96)
    }

    /// A float that is not below `mu` and at most 2^-50 above it.
    pub(crate) fn mu_rounded_up(self) -> f64 {
        // Conversion and root are each off by at most 2^-53 of the value; the factor is worth four times that.
        libm::sqrt(self.to_f64()) * (1.0 + 2_f64.powi(-51))
    }

    /// The exact sum, or `None` if it does not fit.
    pub fn total(terms: impl IntoIterator<Item = Self>) -> Option<Self> {
        terms.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// The sum, or `None` if it does not fit.
    pub fn checked_add(self, other: Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Self)
    }

    /// The difference, or `None` if it is negative.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// `numerator / denominator` of it, rounded down; the caller keeps the rest.
    pub(crate) fn fraction(self, numerator: u32, denominator: u32) -> Self {
        let quanta = UBig::from(self.0) * numerator / denominator;
        Self(u128::try_from(quanta).expect("a proper fraction of a u128 fits a u128"))
    }
}

impl From<MuSquared> for String {
    /// Exact, whatever reads it: `"123/2^96"`.
    fn from(mu_squared: MuSquared) -> Self {
        format!("{}{}", mu_squared.0, MuSquared::SUFFIX)
    }
}

impl TryFrom<String> for MuSquared {
    type Error = VaultError;

    fn try_from(text: String) -> Result<Self, VaultError> {
        let quanta = text.strip_suffix(Self::SUFFIX).and_then(|quanta| quanta.parse().ok());
        quanta.map(Self).ok_or(VaultError::Certificate { disagreement: "a mu² is not written as `<integer>/2^96`" })
    }
}

impl fmt::Display for MuSquared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.6e}", self.to_f64())
    }
}
