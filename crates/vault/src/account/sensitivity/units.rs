//! Units of sensitivities, as types.

use std::fmt;

use crate::score::LATTICE_LOG2;

mod sealed {
    pub trait Sealed {}
}

/// Step of the lattice of exact answers. Sealed: there are two kinds of answers, tables and scores.
pub trait Unit: sealed::Sealed + fmt::Debug + Copy + Eq + Send + Sync + 'static {
    /// Answers are integer multiples of `g = 2^-LATTICE_LOG2`.
    const LATTICE_LOG2: u32;
}

/// Whole rows: the unit of tables. `g = 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowUnits(pub(super) u128);

/// 1/1024 of a row, or of a bit for mutual information: the unit of scores. `g = 2^-10`.
///
/// # Privacy
/// A distance in rows is 1,024 times as many score units. Noise for a bare number of rows would be
/// too small by that factor. So other crates cannot turn a bare number into score units. This does
/// not compile:
/// ```compile_fail,E0308
/// # use scumble_vault::account::{Mechanism, ScoreUnits};
/// # use scumble_vault::{Gdp, account::Amount};
/// fn selection(two_rows: u128, share: Amount<Gdp>) -> Option<Mechanism> {
///     Mechanism::exponential(two_rows, share)
/// }
/// ```
/// Nor does this:
/// ```compile_fail,E0423
/// # use scumble_vault::account::ScoreUnits;
/// let two_rows = ScoreUnits(2);
/// ```
/// The constructor names the unit:
/// ```
/// # use scumble_vault::account::ScoreUnits;
/// assert_eq!(ScoreUnits::from_rows(2).get(), 2048);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScoreUnits(u128);

impl sealed::Sealed for RowUnits {}
impl sealed::Sealed for ScoreUnits {}

impl Unit for RowUnits {
    const LATTICE_LOG2: u32 = 0;
}

impl Unit for ScoreUnits {
    const LATTICE_LOG2: u32 = LATTICE_LOG2;
}

impl RowUnits {
    /// Returns the number of rows.
    pub fn get(self) -> u128 {
        self.0
    }
}

impl ScoreUnits {
    /// Distance zero.
    pub(crate) const ZERO: Self = Self(0);

    /// Converts whole rows, or whole bits.
    pub const fn from_rows(rows: u32) -> Self {
        // Below 2^42.
        Self((rows as u128) << LATTICE_LOG2)
    }

    /// Creates a distance from lattice units, as derived by the proofs beside the scores.
    pub(crate) const fn from_units(units: u128) -> Self {
        Self(units)
    }

    /// Returns the number of lattice units, as stored in events and certificates.
    pub const fn get(self) -> u128 {
        self.0
    }

    /// Returns the distance in rows, or in bits.
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / f64::from(1_u32 << LATTICE_LOG2)
    }
}
