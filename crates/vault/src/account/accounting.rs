//! The three accountings of privacy loss.

use std::fmt;

use dashu_int::UBig;
use serde::{Deserialize, Serialize};

use super::amount::{self, Amount, Cost};
use super::{ApproxDp, Delta, Epsilon, Mechanism, Sensitivity, Unit, gdp, pure, zcdp};
use crate::error::VaultError;

mod sealed {
    pub trait Sealed {}
}

/// A definition of privacy loss and its composition, as a type: budgets of different accountings do
/// not mix. Sealed: a new one needs a proof, not an `impl`.
///
/// # Privacy
/// Each is a filter: the cap is fixed before the first release, and scales may depend on earlier
/// answers.
pub trait Accounting: sealed::Sealed + fmt::Debug + Copy + Ord + Send + Sync + 'static {
    /// The accounting as a value, for files.
    const KIND: AccountingKind;

    /// Returns the smallest noise with which a release of this sensitivity costs at most `share`;
    /// `None` if its scale would be too large.
    fn noise<U: Unit>(sensitivity: Sensitivity<U>, share: Amount<Self>) -> Option<Mechanism>;
}

/// An accounting under which a selection has a cost.
pub trait Selecting: Accounting {
    /// Returns the square of the `epsilon` with which an exponential mechanism costs `share`, as
    /// numerator and denominator.
    #[doc(hidden)]
    fn squared_epsilon(share: Amount<Self>) -> (UBig, UBig);
}

/// An accounting under which rows drawn from a smoothed histogram have a cost.
pub trait RowDrawing: Accounting {}

/// An accounting under which values above a threshold have a cost. Under [`Pure`] they have none: a
/// value that one unit alone holds could be released with some probability, and without the unit it
/// could not.
pub trait Thresholding: Accounting {}

/// Pure differential privacy: `epsilon` adds up, and `delta` is 0. Noise is Laplace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pure {}

/// Gaussian differential privacy: `mu²` adds up. Noise is Gaussian, and selections have a cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gdp {}

/// Zero-concentrated differential privacy: `rho` adds up. Noise is Gaussian, and selections have a
/// cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zcdp {}

impl sealed::Sealed for Pure {}
impl sealed::Sealed for Gdp {}
impl sealed::Sealed for Zcdp {}

impl Accounting for Pure {
    const KIND: AccountingKind = AccountingKind::Pure;

    fn noise<U: Unit>(sensitivity: Sensitivity<U>, share: Amount<Self>) -> Option<Mechanism> {
        Mechanism::laplace(sensitivity, share)
    }
}

impl Accounting for Gdp {
    const KIND: AccountingKind = AccountingKind::Gdp;

    fn noise<U: Unit>(sensitivity: Sensitivity<U>, share: Amount<Self>) -> Option<Mechanism> {
        // σ² = Δ² / mu².
        Mechanism::gaussian(sensitivity, &UBig::from(share.quanta()))
    }
}

impl Accounting for Zcdp {
    const KIND: AccountingKind = AccountingKind::Zcdp;

    fn noise<U: Unit>(sensitivity: Sensitivity<U>, share: Amount<Self>) -> Option<Mechanism> {
        // σ² = Δ² / (2 rho).
        Mechanism::gaussian(sensitivity, &(UBig::from(share.quanta()) * 2_u8))
    }
}

impl Selecting for Pure {
    fn squared_epsilon(share: Amount<Self>) -> (UBig, UBig) {
        (UBig::from(share.quanta()).pow(2), UBig::ONE << (2 * amount::FRACTION_BITS))
    }
}

impl Selecting for Gdp {
    fn squared_epsilon(share: Amount<Self>) -> (UBig, UBig) {
        // mu² = (pi/8) epsilon², with a fraction above pi/8.
        let (over, under) = gdp::PI_EIGHTHS;
        (UBig::from(share.quanta()) * under, (UBig::ONE << amount::FRACTION_BITS) * over)
    }
}

impl Selecting for Zcdp {
    fn squared_epsilon(share: Amount<Self>) -> (UBig, UBig) {
        // rho = epsilon² / 8.
        (UBig::from(share.quanta()) * 8_u8, UBig::ONE << amount::FRACTION_BITS)
    }
}

impl RowDrawing for Pure {}
impl RowDrawing for Zcdp {}

impl Thresholding for Gdp {}
impl Thresholding for Zcdp {}

/// An [`Accounting`] as a value: how the costs of releases add up, and to which epsilon and delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccountingKind {
    /// [`Pure`]: epsilons add up, and delta is 0.
    Pure,
    /// [`Gdp`]: squares of `mu` add up, and the epsilon of Gaussian noise is exact.
    Gdp,
    /// [`Zcdp`]: `rho` of any mix of releases adds up.
    Zcdp,
}

impl AccountingKind {
    /// All accountings.
    pub const ALL: [Self; 3] = [Self::Pure, Self::Gdp, Self::Zcdp];

    /// Returns the name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pure => "pure",
            Self::Gdp => "gdp",
            Self::Zcdp => "zcdp",
        }
    }

    /// Returns the symbol of the quantity that adds up.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Pure => "epsilon",
            Self::Gdp => "mu²",
            Self::Zcdp => "rho",
        }
    }

    /// Returns the largest amount that may be spent under `goal`, rounded down.
    ///
    /// # Errors
    /// If the goal is so strict that nothing may be spent, as with a `delta` of zero under an
    /// accounting other than [`AccountingKind::Pure`].
    pub fn largest(self, goal: ApproxDp) -> Result<Cost, VaultError> {
        let quanta = match self {
            Self::Pure => pure::largest(goal)?,
            Self::Gdp => gdp::largest_mu_squared(goal)?.quanta(),
            Self::Zcdp => zcdp::largest_rho(goal)?.quanta(),
        };
        Ok(Cost { accounting: self, quanta })
    }

    /// Returns the smallest `epsilon` that holds with `delta` after spending `quanta`, never below
    /// the exact value; `None` if it is above [`Epsilon::MAX`].
    pub fn epsilon(self, quanta: u128, delta: Delta) -> Option<Epsilon> {
        self.epsilon_within(quanta, ApproxDp { epsilon: Epsilon::MAX, delta })
    }

    /// Returns the smallest `epsilon` that holds with the `delta` of `goal` after spending
    /// `quanta`, never below the exact value; `None` if it is above that of `goal`.
    pub(crate) fn epsilon_within(self, quanta: u128, goal: ApproxDp) -> Option<Epsilon> {
        match self {
            Self::Pure => pure::epsilon_within(quanta, goal),
            Self::Gdp => gdp::epsilon_within(Amount::from_quanta(quanta), goal),
            Self::Zcdp => zcdp::epsilon_within(Amount::from_quanta(quanta), goal),
        }
    }

    /// Returns the `delta` that a job with this goal claims.
    pub(crate) fn claimed_delta(self, goal: ApproxDp) -> Delta {
        match self {
            Self::Pure => Delta::ZERO,
            Self::Gdp | Self::Zcdp => goal.delta,
        }
    }

    /// Returns an upper bound under this accounting of a cost under its own; `None` if it is
    /// unbounded or not known.
    ///
    /// # Privacy
    /// `mu`-GDP is `mu²/2`-zCDP, whatever the releases were: its outputs are a function of one
    /// Gaussian release of that `mu` (see [`gdp`](super::gdp)), and a function does not raise a
    /// Rényi divergence. `epsilon`-DP is `epsilon²/2`-zCDP. Both are rounded up.
    pub fn bound(self, cost: Cost) -> Option<Cost> {
        let quanta = UBig::from(cost.quanta);
        let quanta = match (self, cost.accounting) {
            (own, others) if own == others => cost.quanta,
            (Self::Zcdp, Self::Gdp) => amount::ceil_quanta(&quanta, &(UBig::ONE << (amount::FRACTION_BITS + 1)))?,
            (Self::Zcdp, Self::Pure) => {
                amount::ceil_quanta(&quanta.pow(2), &(UBig::ONE << (2 * amount::FRACTION_BITS + 1)))?
            }
            _ => return None,
        };
        Some(Cost { accounting: self, quanta })
    }
}

impl fmt::Display for AccountingKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::str::FromStr for AccountingKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|kind| kind.name() == name);
        known.ok_or_else(|| format!("unknown accounting; expected one of {}", Self::ALL.map(Self::name).join(", ")))
    }
}
