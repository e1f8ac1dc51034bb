#![doc = include_str!("lattice.md")]

mod candidate;
mod comparison;
mod excess;
mod half_l1;
mod l1_error;
mod log2;
mod maximal_joint;
mod mutual_information;
mod parity;
mod product;
mod split;
#[cfg(test)]
mod tests;
mod total_variation;
#[cfg(feature = "planted-bugs")]
mod undercharged;

use std::fmt;
use std::num::NonZeroU32;

use scumble_schema::{AdjacencyKind, Clique, Domain};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use candidate::Candidate;
pub use comparison::{ComparedFigure, Comparison, ReleasedTable, WeightedCount};
pub use excess::Excess;
pub use half_l1::HalfL1;
pub use l1_error::L1Error;
pub use maximal_joint::MaximalJoint;
pub use mutual_information::MutualInformation;
pub use parity::Parity;
pub use total_variation::TotalVariation;
#[cfg(feature = "planted-bugs")]
pub use undercharged::Undercharged;

use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

/// Scores are integer multiples of `g = 2^-10` rows, or bits for mutual information.
pub const LATTICE_LOG2: u32 = 10;
/// One row, or one bit, in lattice units.
const ONE: u64 = 1 << LATTICE_LOG2;
/// Exclusive limit on the number of rows of a scored table, which keeps every product below 2^127.
/// Public numbers that are compared with counts must be below it too.
pub const MAX_ROWS: u64 = 1 << 48;

/// Kind of a score, as a value for files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreKind {
    /// [`TotalVariation`].
    TotalVariation,
    /// [`MaximalJoint`].
    MaximalJoint,
    /// [`MutualInformation`].
    MutualInformation,
    /// [`L1Error`].
    L1Error,
    /// [`HalfL1`].
    HalfL1,
    /// [`Excess`].
    Excess,
    /// [`Parity`].
    Parity,
    /// Figures of a [`Comparison`].
    Comparison,
}

impl ScoreKind {
    /// Returns whether the score compares a table with the expectation of a model. Methods ask
    /// about the same tables repeatedly, each time with other expected values.
    pub(crate) fn follows_a_model(self) -> bool {
        self == Self::L1Error
    }

    /// Returns every sensitivity that such a score can have for one row: those that a certificate
    /// may state. Empty if the score is not defined under that adjacency.
    pub fn sensitivities(self, adjacency: AdjacencyKind, rows: Option<u64>) -> Vec<ScoreUnits> {
        match (adjacency, self) {
            (AdjacencyKind::AddRemove, Self::TotalVariation) => vec![total_variation::TWO_ROWS],
            (AdjacencyKind::AddRemove, Self::MaximalJoint) => vec![maximal_joint::ADD_REMOVE],
            (AdjacencyKind::AddRemove, Self::MutualInformation) => vec![],
            (AdjacencyKind::AddRemove, Self::L1Error) => vec![l1_error::ADD_REMOVE],
            (AdjacencyKind::AddRemove, Self::HalfL1) => vec![half_l1::ADD_REMOVE],
            (AdjacencyKind::AddRemove | AdjacencyKind::ReplaceOne, Self::Excess) => vec![excess::ONE_ROW],
            (AdjacencyKind::AddRemove, Self::Parity) => vec![parity::ADD_REMOVE],
            (AdjacencyKind::AddRemove, Self::Comparison) => vec![comparison::ADD_REMOVE],
            (AdjacencyKind::ReplaceOne, Self::TotalVariation) => {
                rows.map(total_variation::three_rows).into_iter().chain([total_variation::TWO_ROWS]).collect()
            }
            (AdjacencyKind::ReplaceOne, Self::MaximalJoint) => vec![maximal_joint::REPLACE_ONE],
            (AdjacencyKind::ReplaceOne, Self::MutualInformation) => {
                rows.map(mutual_information::sensitivities).into_iter().flatten().collect()
            }
            (AdjacencyKind::ReplaceOne, Self::L1Error) => vec![l1_error::REPLACE_ONE],
            (AdjacencyKind::ReplaceOne, Self::HalfL1) => vec![half_l1::REPLACE_ONE],
            (AdjacencyKind::ReplaceOne, Self::Parity) => vec![parity::REPLACE_ONE],
            (AdjacencyKind::ReplaceOne, Self::Comparison) => vec![comparison::REPLACE_ONE],
        }
    }
}

impl fmt::Display for ScoreKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TotalVariation => "total-variation",
            Self::MaximalJoint => "maximal-joint",
            Self::MutualInformation => "mutual-information",
            Self::L1Error => "l1-error",
            Self::HalfL1 => "half-l1",
            Self::Excess => "excess",
            Self::Parity => "parity",
            Self::Comparison => "comparison",
        })
    }
}

pub(crate) mod sealed {
    use scumble_schema::Domain;

    pub trait Value {
        /// Computes the score of the table with these counts, in lattice units. For a domain that
        /// passed `check`.
        fn value(&self, domain: &Domain, counts: &[u64]) -> i128;
    }
}
use sealed::Value;

/// A number computed from one exact count table. Sealed: a new one needs a proof, not an `impl`.
///
/// Other crates cannot call `value`, but privacy does not depend on that: they have no exact
/// counts.
pub trait Statistic: Value + fmt::Debug + Sync {
    /// Kind of the score.
    const KIND: ScoreKind;

    /// Returns the attributes of the one table that it reads.
    fn clique(&self) -> &Clique;

    /// Returns the weight.
    fn weight(&self) -> NonZeroU32 {
        NonZeroU32::MIN
    }

    /// Checks that the score is defined over `domain`: the attributes exist, and public tables have
    /// one number per cell.
    fn check(&self, domain: &Domain) -> Result<(), VaultError>;

    /// Hashes everything that the value depends on besides the counts, the domain and the kind. All
    /// of it is public.
    fn question(&self, digest: &mut Sha256);
}

/// A [`Statistic`] whose sensitivity under adjacency `A` is known.
pub trait Score<A: Adjacency>: Statistic {
    /// Returns how far one row, added, removed or replaced, moves the value: in lattice units,
    /// rounded up, at least one.
    ///
    /// A unit of `m` rows moves it at most `m` times as far.
    fn sensitivity(&self, domain: &Domain, rows: A::Rows) -> ScoreUnits;
}

/// Returns the error for a score that is not defined.
fn refused(score: ScoreKind, problem: &'static str) -> VaultError {
    VaultError::Score { score, problem }
}

/// Refuses a clique over attributes that the domain does not have.
fn check_clique(clique: &Clique, domain: &Domain) -> Result<(), VaultError> {
    match clique.attributes().last() {
        Some(last) if last.index() >= domain.len() => Err(VaultError::no_such_attribute(clique, domain.len())),
        _ => Ok(()),
    }
}

/// Refuses a public table that does not have one number per cell.
fn check_cells(score: ScoreKind, clique: &Clique, numbers: usize, domain: &Domain) -> Result<(), VaultError> {
    check_clique(clique, domain)?;
    if numbers as u128 == domain.cells(clique) {
        Ok(())
    } else {
        Err(refused(score, "a table of expected values does not have one number per cell"))
    }
}

/// Returns whether a public number can be compared with counts: not NaN, and smaller than
/// [`MAX_ROWS`] in magnitude.
fn is_comparable(number: f64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a power of two is exact")]
    let limit = MAX_ROWS as f64;
    number.abs() < limit
}

/// Converts a public number to lattice units, rounded down. Refuses NaN and numbers that are too
/// large.
///
/// # Privacy
/// The number is a function of released values, and so is the rounded one: the direction does not
/// matter.
fn on_lattice(score: ScoreKind, number: f64) -> Result<i64, VaultError> {
    if is_comparable(number) {
        #[expect(clippy::cast_possible_truncation, reason = "below 2^58 in magnitude; the product is exact")]
        Ok(libm::floor(number * f64::from(1 << LATTICE_LOG2)) as i64)
    } else {
        Err(refused(score, "an expected value is not a number, or not below 2^48"))
    }
}

fn put_number(digest: &mut Sha256, number: u64) {
    digest.update(number.to_le_bytes());
}

fn put_clique(digest: &mut Sha256, clique: &Clique) {
    put_number(digest, clique.len() as u64);
    for attribute in clique.attributes() {
        put_number(digest, attribute.index() as u64);
    }
}

/// Hashes the bits of public numbers, preceded by their number.
fn put_numbers(digest: &mut Sha256, numbers: impl ExactSizeIterator<Item = u64>) {
    put_number(digest, numbers.len() as u64);
    // One large update is faster than many small ones.
    let bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
    digest.update(bytes);
}

/// Converts lattice units to rows, or bits.
#[expect(clippy::cast_precision_loss, reason = "noise is far above the last bit of a score beyond 2^53")]
pub(crate) fn to_f64(units: i64) -> f64 {
    units as f64 / f64::from(1 << LATTICE_LOG2)
}
