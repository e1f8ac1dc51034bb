#![doc = include_str!("lattice.md")]

mod candidate;
mod half_l1;
mod l1_error;
mod log2;
mod maximal_joint;
mod mutual_information;
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
pub use half_l1::HalfL1;
pub use l1_error::L1Error;
pub use maximal_joint::MaximalJoint;
pub use mutual_information::MutualInformation;
pub use total_variation::TotalVariation;
#[cfg(feature = "planted-bugs")]
pub use undercharged::Undercharged;

use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

/// Scores are whole multiples of `g = 2^-10`: of rows, and of bits for mutual information.
pub const LATTICE_LOG2: u32 = 10;
/// One row, or one bit, in lattice units.
const ONE: u64 = 1 << LATTICE_LOG2;
/// Scores are worked out for fewer rows than this, which keeps every product below 2^127. Public numbers that are compared
/// with counts have to be smaller too.
pub const MAX_ROWS: u64 = 1 << 48;

/// Which score, as a value for files.
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
}

impl ScoreKind {
    /// Whether it compares a table with what a model expects. A method that has one asks about the same tables again and
    /// again, each time with other expected values.
    pub(crate) fn follows_a_model(self) -> bool {
        self == Self::L1Error
    }

    /// Every sensitivity that such a score can have for one row, in lattice units: what a certificate may say. There is
    /// none if the score is not offered under that adjacency.
    pub fn sensitivities(self, adjacency: AdjacencyKind, rows: Option<u64>) -> Vec<ScoreUnits> {
        match (adjacency, self) {
            (AdjacencyKind::AddRemove, Self::TotalVariation) => vec![total_variation::TWO_ROWS],
            (AdjacencyKind::AddRemove, Self::MaximalJoint) => vec![maximal_joint::ADD_REMOVE],
            (AdjacencyKind::AddRemove, Self::MutualInformation) => vec![],
            (AdjacencyKind::AddRemove, Self::L1Error) => vec![l1_error::ADD_REMOVE],
            (AdjacencyKind::AddRemove, Self::HalfL1) => vec![half_l1::ADD_REMOVE],
            (AdjacencyKind::ReplaceOne, Self::TotalVariation) => {
                rows.map(total_variation::three_rows).into_iter().chain([total_variation::TWO_ROWS]).collect()
            }
            (AdjacencyKind::ReplaceOne, Self::MaximalJoint) => vec![maximal_joint::REPLACE_ONE],
            (AdjacencyKind::ReplaceOne, Self::MutualInformation) => {
                rows.map(mutual_information::sensitivities).into_iter().flatten().collect()
            }
            (AdjacencyKind::ReplaceOne, Self::L1Error) => vec![l1_error::REPLACE_ONE],
            (AdjacencyKind::ReplaceOne, Self::HalfL1) => vec![half_l1::REPLACE_ONE],
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
        })
    }
}

pub(crate) mod sealed {
    use scumble_schema::Domain;

    pub trait Value {
        /// The score of the table with these counts, in lattice units. For a domain that passed `check`.
        fn value(&self, domain: &Domain, counts: &[u64]) -> i128;
    }
}
use sealed::Value;

/// A number computed from one exact count table. Sealed: a new one needs a proof, not an `impl`.
///
/// Working the number out is hidden from other crates for tidiness. What keeps it private is that they have no exact counts.
pub trait Statistic: Value + fmt::Debug + Sync {
    /// Which one it is.
    const KIND: ScoreKind;

    /// The one table it reads.
    fn clique(&self) -> &Clique;

    /// The factor on it.
    fn weight(&self) -> NonZeroU32 {
        NonZeroU32::MIN
    }

    /// Whether it makes sense over `domain`: the attributes exist, and public tables have as many cells as they should.
    fn check(&self, domain: &Domain) -> Result<(), VaultError>;

    /// Writes down everything that the number depends on besides the counts, the domain and the kind. All of it is
    /// public.
    fn question(&self, digest: &mut Sha256);
}

/// A [`Statistic`] whose sensitivity under adjacency `A` is known.
pub trait Score<A: Adjacency>: Statistic {
    /// How far one row, added, removed or replaced, moves the value: in lattice units, rounded up, at least one.
    ///
    /// A unit of `m` rows moves it `m` times as far at most.
    fn sensitivity(&self, domain: &Domain, rows: A::Rows) -> ScoreUnits;
}

/// The refusal of a score.
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

/// Whether a public number can be compared with counts: a number, and smaller than [`MAX_ROWS`].
fn is_comparable(number: f64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "a power of two is exact")]
    let limit = MAX_ROWS as f64;
    number.abs() < limit
}

/// A public number in lattice units, rounded down; refused if it is not a number or too large.
///
/// # Privacy
/// The number is a function of released values, and so is the rounded one: the direction does not matter.
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

/// The exact bits of public numbers, with how many there are.
fn put_numbers(digest: &mut Sha256, numbers: impl ExactSizeIterator<Item = u64>) {
    put_number(digest, numbers.len() as u64);
    // In one piece: a digest takes many bytes at once faster than few.
    let bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
    digest.update(bytes);
}

/// Lattice units as a number.
#[expect(clippy::cast_precision_loss, reason = "noise is far above the last bit of a score beyond 2^53")]
pub(crate) fn to_f64(units: i64) -> f64 {
    units as f64 / f64::from(1 << LATTICE_LOG2)
}
