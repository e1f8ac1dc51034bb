//! The units that a sensitivity is counted in, as types.

use std::fmt;

use crate::score::LATTICE_LOG2;

mod sealed {
    pub trait Sealed {}
}

/// The step of the lattice on which exact answers of one kind lie. Sealed: tables and scores are all there is.
pub trait Unit: sealed::Sealed + fmt::Debug + Copy + Eq + Send + Sync + 'static {
    /// An answer is a whole number of steps of `g = 2^-LATTICE_LOG2`.
    const LATTICE_LOG2: u32;
}

/// Whole rows: the unit of tables. `g = 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowUnits(pub(super) u128);

/// 1/1024 of a row, or of a bit for mutual information: the unit of scores. `g = 2^-10`.
///
/// # Privacy
/// A number of rows is smaller by a factor of 1,024 than the same distance in score units, and noise for it would be too small by
/// as much. So no bare number turns into score units outside this crate, and this does not compile:
/// ```compile_fail,E0308
/// # use scumble_vault::account::{Mechanism, ScoreUnits};
/// # use scumble_vault::{Gdp, account::Amount};
/// fn selection(two_rows: u128, share: Amount<Gdp>) -> Option<Mechanism> {
///     Mechanism::exponential(two_rows, share)
/// }
/// ```
/// nor does this:
/// ```compile_fail,E0423
/// # use scumble_vault::account::ScoreUnits;
/// let two_rows = ScoreUnits(2);
/// ```
/// A distance in rows says so:
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
    /// The number of rows.
    pub fn get(self) -> u128 {
        self.0
    }
}

impl ScoreUnits {
    /// No distance at all.
    pub(crate) const ZERO: Self = Self(0);

    /// Whole rows, or whole bits.
    pub const fn from_rows(rows: u32) -> Self {
        // Below 2^42.
        Self((rows as u128) << LATTICE_LOG2)
    }

    /// A number that is in units of the lattice already, as the proofs beside the scores derive it.
    pub(crate) const fn from_units(units: u128) -> Self {
        Self(units)
    }

    /// The number of lattice steps, which is what events and certificates hold.
    pub const fn get(self) -> u128 {
        self.0
    }

    /// The distance in rows, or in bits.
    #[expect(clippy::cast_precision_loss, reason = "for people to read")]
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / f64::from(1_u32 << LATTICE_LOG2)
    }
}
