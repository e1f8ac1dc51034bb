//! Sensitivities: how far one unit can move an exact answer.
//!
//! Every sensitivity that is charged or verified is computed in this module, from public facts
//! alone: the adjacency, the maximum number of rows `m` per unit, the kind of the score, the
//! heaviest weight, the number of scores. The vault calls it with a question,
//! [`Certificate::verify`](super::Certificate::verify) with the question of an event. Neither has
//! arithmetic of its own, so charge and verification agree.
//!
//! | release | function | `Δ`, add/remove | `Δ`, replace-one | proof |
//! |---|---|---|---|---|
//! | a table | [`Sensitivity::of_table`] | L1 `m`, squared L2 `m²` | L1 `2 m`, squared L2 `2 m²` | [Laplace](crate::noise::DiscreteLaplace), [Gaussian](crate::noise::RoundedGaussian) |
//! | one cell of a table, for rows drawn from it | [`RowUnits::of_cell`] | - | `m` | [`Smoothing`](super::Smoothing) |
//! | one score, one row | [`ScoreKind::sensitivities`](crate::score::ScoreKind::sensitivities) | `s` | `s` | at each [score](crate::score) |
//! | one score, one unit; a selection | [`ScoreUnits::of_unit`] | `w m s` | `w m s` | [lattice](crate::score), [selection](crate::noise::ExponentialMechanism) |
//! | `k` scores | [`Sensitivity::of_scores`] | L1 `k w m s`, squared L2 `k (w m s)²` | as add/remove | [`Sensitivity::of_scores`] |
//!
//! Tables are counted in [`RowUnits`], scores in [`ScoreUnits`]; `w` is the heaviest weight among
//! the candidates.

mod units;

use std::marker::PhantomData;
use std::num::NonZeroU32;

use scumble_planted::Mutant;
use scumble_schema::AdjacencyKind;

pub use units::{RowUnits, ScoreUnits, Unit};

/// How far one unit can move an exact answer, in both norms: exact integers, in the unit `U` of the
/// lattice of the answer.
///
/// # Privacy
/// The fields are private, so that a number of one norm is never used for the other:
/// ```compile_fail,E0451
/// # use scumble_vault::account::{RowUnits, Sensitivity};
/// let swapped = Sensitivity::<RowUnits> { l1: 4, squared_l2: 2, unit: std::marker::PhantomData };
/// ```
/// Scores do not pass for tables:
/// ```compile_fail,E0308
/// # use scumble_vault::account::{RowUnits, ScoreUnits, Sensitivity};
/// fn of_one_table(due: Sensitivity<RowUnits>) {}
/// of_one_table(Sensitivity::of_scores(ScoreUnits::from_rows(2), 1).unwrap());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sensitivity<U: Unit> {
    l1: u128,
    squared_l2: u128,
    unit: PhantomData<U>,
}

impl<U: Unit> Sensitivity<U> {
    /// Returns the L1 norm, `Δ₁`, in units of the lattice.
    pub fn l1(self) -> u128 {
        self.l1
    }

    /// Returns the squared L2 norm, `Δ₂²`, in squared units of the lattice.
    pub fn squared_l2(self) -> u128 {
        self.squared_l2
    }

    /// Returns the exponent of the lattice: answers are integer multiples of `2^-lattice_log2`.
    pub fn lattice_log2(self) -> u32 {
        U::LATTICE_LOG2
    }
}

impl Sensitivity<RowUnits> {
    /// Returns the sensitivity of a count table, whatever its number of cells.
    ///
    /// # Privacy
    /// | | L1 | squared L2 | worst case |
    /// |---|---|---|---|
    /// | add/remove | `m` | `m²` | all `m` rows are in one cell |
    /// | replace-one | `2 m` | `2 m²` | all `m` rows leave one cell and arrive in another |
    pub fn of_table(adjacency: AdjacencyKind, max_contributions: NonZeroU32) -> Self {
        // Below 2^65.
        let m = u128::from(max_contributions.get());
        let cells = match adjacency {
            AdjacencyKind::AddRemove => 1,
            AdjacencyKind::ReplaceOne if Mutant::ReplaceOneAsAddRemove.is_planted() => 1,
            AdjacencyKind::ReplaceOne => 2,
        };
        Self { l1: cells * m, squared_l2: cells * m * m, unit: PhantomData }
    }
}

impl Sensitivity<ScoreUnits> {
    /// Returns the sensitivity of `count` scores released together, each of which one unit moves by
    /// at most `one`; `None` if it does not fit.
    ///
    /// # Privacy
    /// One unit may move all of them: `k Δ` in L1, `k Δ²` in squared L2.
    pub fn of_scores(one: ScoreUnits, count: u64) -> Option<Self> {
        let (one, count) = (one.get(), u128::from(count));
        let (l1, squared_l2) = (one.checked_mul(count)?, one.checked_mul(one)?.checked_mul(count)?);
        Some(Self { l1, squared_l2, unit: PhantomData })
    }
}

impl RowUnits {
    /// Returns how far one unit moves the count of any one cell: at most all of its rows arrive or
    /// leave.
    pub fn of_cell(max_contributions: NonZeroU32) -> Self {
        Self(max_contributions.get().into())
    }
}

impl ScoreUnits {
    /// Returns how far one unit moves any one of several weighted scores: `heaviest * m` times as
    /// far as one row moves a score of weight one. This is the `Δ` of a selection. `None` if it
    /// does not fit.
    ///
    /// # Privacy
    /// A unit of `m` rows is a path of `m` single rows, and a weight multiplies the distance
    /// between neighbours.
    pub fn of_unit(one_row: Self, heaviest: NonZeroU32, max_contributions: NonZeroU32) -> Option<Self> {
        let factor = u128::from(heaviest.get()) * u128::from(max_contributions.get());
        one_row.get().checked_mul(factor).map(Self::from_units)
    }

    /// Returns how far one row moves a score of this weight. Saturates, as the value of such a
    /// score does.
    pub(crate) fn times(self, weight: NonZeroU32) -> Self {
        Self::from_units(self.get().saturating_mul(weight.get().into()))
    }

    /// Divides by the weight, the inverse of [`ScoreUnits::times`].
    ///
    /// Rounded up: the result is multiplied by the heaviest weight of all candidates.
    pub(crate) fn at_weight_one(self, weight: NonZeroU32) -> Self {
        Self::from_units(self.get().div_ceil(weight.get().into()))
    }
}

#[cfg(test)]
mod tests;
