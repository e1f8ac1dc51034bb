//! Amounts of privacy loss, in fixed point.
//!
//! Amounts are summed and compared as integers, never as floats. Every rounding is to the safe
//! side: up for what is spent, down for what may be spent.

use std::fmt;
use std::marker::PhantomData;

use dashu_int::UBig;
use dashu_int::ops::DivRem;
use serde::{Deserialize, Serialize};

use super::{Accounting, AccountingKind, Gdp, Share, Zcdp};
use crate::error::VaultError;

/// Number of binary digits after the point.
pub(crate) const FRACTION_BITS: usize = 96;

/// An amount of privacy loss under accounting `M`, in quanta of 2^-96.
///
/// ```
/// # use scumble_vault::account::MuSquared;
/// let quarter = MuSquared::from_quanta(1 << 94);
/// assert_eq!(quarter.to_f64(), 0.25);
/// ```
/// Amounts of different accountings do not mix:
/// ```compile_fail,E0308
/// # use scumble_vault::account::{MuSquared, Rho};
/// let mixed = MuSquared::from_quanta(1).checked_sub(Rho::from_quanta(1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount<M: Accounting> {
    quanta: u128,
    accounting: PhantomData<fn() -> M>,
}

/// An amount of Gaussian differential privacy, `mu²`: the sum of `Δ² / σ²` over noisy answers and
/// `(pi/8) epsilon²` over selections.
pub type MuSquared = Amount<Gdp>;
/// An amount of zero-concentrated differential privacy, `rho`.
pub type Rho = Amount<Zcdp>;

impl<M: Accounting> Amount<M> {
    /// No privacy loss.
    pub const ZERO: Self = Self::from_quanta(0);

    /// Creates an amount from its number of quanta of 2^-96.
    pub const fn from_quanta(quanta: u128) -> Self {
        Self { quanta, accounting: PhantomData }
    }

    /// Returns the number of quanta of 2^-96.
    pub const fn quanta(self) -> u128 {
        self.quanta
    }

    /// Returns the amount with its accounting as a value.
    pub fn cost(self) -> Cost {
        Cost { accounting: M::KIND, quanta: self.quanta }
    }

    /// Returns the nearest float. For display only: nothing is decided by it.
    pub fn to_f64(self) -> f64 {
        self.cost().to_f64()
    }

    /// Returns the difference, or `None` if it is negative.
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.quanta.checked_sub(other.quanta).map(Self::from_quanta)
    }

    /// Splits the amount into a share, rounded down, and the rest: the amounts of the two budgets
    /// that [`Budget::split`](super::Budget::split) returns. For planning: an amount is a number,
    /// not permission to spend.
    pub fn split(self, share: Share) -> (Self, Self) {
        let first = self.fraction(share.numerator, share.denominator);
        (first, self.checked_sub(first).expect("a share is below one"))
    }

    /// Returns one of `parts` equal parts, rounded down. For planning, like [`Amount::split`].
    #[must_use]
    pub fn divided(self, parts: usize) -> Self {
        Self::from_quanta(self.quanta / parts.max(1) as u128)
    }

    /// Returns `parts` of `all` equal parts, each rounded down. For planning, like
    /// [`Amount::split`].
    ///
    /// ```
    /// # use scumble_vault::account::MuSquared;
    /// let amount = MuSquared::from_quanta(1_000);
    /// assert_eq!(amount.parts(2, 3), MuSquared::from_quanta(666));
    /// assert_eq!(amount.divided(3), MuSquared::from_quanta(333));
    /// ```
    #[must_use]
    pub fn parts(self, parts: u32, all: u32) -> Self {
        Self::from_quanta(self.quanta / u128::from(all.max(1)) * u128::from(parts))
    }

    /// Returns `numerator / denominator` of the amount, rounded down.
    fn fraction(self, numerator: u32, denominator: u32) -> Self {
        let quanta = UBig::from(self.quanta) * numerator / denominator;
        Self::from_quanta(u128::try_from(quanta).expect("a proper fraction of a u128 fits a u128"))
    }
}

impl MuSquared {
    /// Returns a float that is not below `mu` and at most 2^-50 above it.
    pub(crate) fn mu_rounded_up(self) -> f64 {
        // Conversion and root each have a relative error of at most 2^-53; the factor covers four
        // times that.
        libm::sqrt(self.to_f64()) * (1.0 + 2_f64.powi(-51))
    }
}

impl Rho {
    /// Returns a float that is not below `rho`, with a relative error of at most 2^-51: the nearest
    /// float is at most half a step below.
    pub(crate) fn rounded_up(self) -> f64 {
        self.to_f64().next_up()
    }
}

/// An amount of privacy loss whose accounting is a value, as in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Accounting under which the amount adds up.
    pub accounting: AccountingKind,
    /// Number of quanta of 2^-96.
    pub quanta: u128,
}

impl Cost {
    /// Returns the nearest float. For display only: nothing is decided by it.
    pub fn to_f64(self) -> f64 {
        to_f64(self.quanta)
    }
}

/// Converts quanta to the nearest float. For display only: nothing is decided by it.
#[expect(clippy::cast_precision_loss, reason = "the nearest float is intended")]
pub(crate) fn to_f64(quanta: u128) -> f64 {
    quanta as f64 * 2_f64.powi(-96)
}

impl fmt::Display for Cost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {:.6e}", self.accounting.symbol(), self.to_f64())
    }
}

/// Returns `numerator / denominator` in quanta, rounded up; `None` if it does not fit.
pub(crate) fn ceil_quanta(numerator: &UBig, denominator: &UBig) -> Option<u128> {
    let (quotient, remainder) = (numerator << FRACTION_BITS).div_rem(denominator);
    // Rounded up: a cost that is too low makes the guarantee false.
    let quanta = if remainder.is_zero() { quotient } else { quotient + 1_u8 };
    u128::try_from(quanta).ok()
}

/// Quanta, serialized as exact text: `"123/2^96"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct Quanta(pub(crate) u128);

impl From<Quanta> for String {
    fn from(quanta: Quanta) -> Self {
        format!("{}/2^96", quanta.0)
    }
}

impl TryFrom<String> for Quanta {
    type Error = VaultError;

    fn try_from(text: String) -> Result<Self, VaultError> {
        let quanta = text.strip_suffix("/2^96").and_then(|quanta| quanta.parse().ok());
        quanta.map(Self).ok_or(VaultError::Certificate { disagreement: "a total is not written as `<integer>/2^96`" })
    }
}
