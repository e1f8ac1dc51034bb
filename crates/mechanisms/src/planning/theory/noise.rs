//! Moments and tails of noise.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};
use std::num::NonZeroU32;

use scumble_vault::account::{Amount, LaplaceScale, Mechanism};
use scumble_vault::{Accounting, Adjacency, Sigma};

use super::{FailureProbability, real};

/// The noise on every cell of the tables of a release, in rows.
///
/// The scale is the vault's, so a bound is about the noise that would be drawn. The sensitivity
/// follows from the adjacency:
///
/// ```
/// use std::num::NonZeroU32;
/// use scumble_mechanisms::theory::Noise;
/// use scumble_vault::account::{AddRemove, Amount, Pure, ReplaceOne};
///
/// let epsilon = Amount::<Pure>::from_quanta(1 << 96);
/// let eight_tables = NonZeroU32::new(8).unwrap();
/// let private_rows = Noise::for_tables::<AddRemove, Pure>(epsilon, eight_tables, NonZeroU32::MIN).unwrap();
/// let public_rows = Noise::for_tables::<ReplaceOne, Pure>(epsilon, eight_tables, NonZeroU32::MIN).unwrap();
/// let [private_rows, public_rows] = [private_rows, public_rows].map(|noise| match noise {
///     Noise::Laplace(scale) => scale.to_f64(),
///     Noise::Gaussian(_) => unreachable!("no Gaussian noise is purely private"),
/// });
/// assert_eq!([private_rows, public_rows], [8.0, 16.0]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// Discrete Laplace.
    Laplace(LaplaceScale),
    /// Exactly rounded Gaussian.
    Gaussian(Sigma),
}

impl Noise {
    /// Noise of a release; `None` if it adds no noise to numbers.
    pub fn of(mechanism: &Mechanism) -> Option<Self> {
        match *mechanism {
            Mechanism::DiscreteLaplace { scale, .. } => Some(Self::Laplace(scale)),
            Mechanism::RoundedGaussian { sigma, .. } => Some(Self::Gaussian(sigma)),
            _ => None,
        }
    }

    /// Noise of `tables` count tables that cost `total` together; `None` if it would be too large.
    pub fn for_tables<A: Adjacency, M: Accounting>(
        total: Amount<M>,
        tables: NonZeroU32,
        max_contributions: NonZeroU32,
    ) -> Option<Self> {
        let share = total.divided(usize::try_from(tables.get()).unwrap_or(usize::MAX));
        Self::of(&M::noise(A::table_sensitivity(max_contributions), share)?)
    }

    /// `E|Z|`, or a slightly larger bound.
    pub fn mean_absolute(self) -> f64 {
        match self {
            Self::Laplace(scale) => 1.0 / (1.0 / scale.to_f64()).sinh(),
            Self::Gaussian(sigma) => sigma.to_f64() * FRAC_2_PI.sqrt(),
        }
    }

    /// `√(E Z²)`, or a slightly larger bound.
    pub fn standard_deviation(self) -> f64 {
        match self {
            Self::Laplace(scale) => FRAC_1_SQRT_2 / (0.5 / scale.to_f64()).sinh(),
            Self::Gaussian(sigma) => (sigma.to_f64().powi(2) + 1.0 / 12.0).sqrt(),
        }
    }

    /// Upper bound on the mean of `max(ΣZ₊, ΣZ₋)` over a number of cells.
    pub(super) fn mean_larger_side(self, cells: u64) -> f64 {
        let cells = real(cells);
        0.5 * (cells * self.mean_absolute() + cells.sqrt() * self.standard_deviation())
    }

    /// Upper bound on the mean of `max Z - min Z` over a number of cells.
    pub(super) fn mean_range(self, cells: u64) -> f64 {
        if cells < 2 {
            return 0.0;
        }
        let largest = match self {
            Self::Laplace(scale) => scale.to_f64() * (1.0 + (0.5 * real(cells)).ln()),
            Self::Gaussian(sigma) => sigma.to_f64() * (2.0 * real(cells).ln()).sqrt(),
        };
        2.0 * (0.5 + largest)
    }

    /// Upper bound on `Σ|Z|` over a number of cells, except with the failure probability.
    pub(super) fn sum_of_absolutes(self, cells: u64, failure: FailureProbability) -> f64 {
        let (cells, depth) = (real(cells), failure.depth(1.0));
        match self {
            Self::Laplace(scale) => scale.to_f64() * (cells + (2.0 * cells * depth).sqrt() + depth),
            Self::Gaussian(sigma) => {
                cells * (0.5 + self.mean_absolute()) + sigma.to_f64() * (2.0 * cells * depth).sqrt()
            }
        }
    }

    /// Upper bound on `|Z|` in all of a number of cells, except with the failure probability.
    pub(super) fn largest_absolute(self, cells: u64, failure: FailureProbability) -> f64 {
        let depth = failure.depth(real(cells));
        0.5 + match self {
            Self::Laplace(scale) => scale.to_f64() * depth,
            Self::Gaussian(sigma) => sigma.to_f64() * (2.0 * depth).sqrt(),
        }
    }
}
