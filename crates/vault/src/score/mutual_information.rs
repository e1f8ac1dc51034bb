//! Mutual information times the number of rows, in bits.

use scumble_schema::{Clique, Domain};
use sha2::Sha256;

use super::log2::{FRACTION_BITS, x_log2_x};
use super::sealed::Value;
use super::split::Split;
use super::{LATTICE_LOG2, Score, ScoreKind, Statistic};
use crate::account::{ReplaceOne, ScoreUnits};
use crate::error::VaultError;

/// Number of binary digits computed beyond those of the lattice.
const GUARD_BITS: u32 = FRACTION_BITS - LATTICE_LOG2;
/// Error bound of each of the four sums of `x lb(x)`: too low by less than this many units of 2^-56
/// per row.
const ERROR: u64 = 2;

#[doc = include_str!("mutual_information.md")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MutualInformation {
    split: Split,
}

impl MutualInformation {
    /// Creates the score of two disjoint sets of attributes, such as an attribute and its parents.
    /// It is symmetric in them.
    ///
    /// # Errors
    /// If a set is empty, or they overlap.
    pub fn between(left: Clique, right: Clique) -> Result<Self, VaultError> {
        Ok(Self { split: Split::new(Self::KIND, left, right)? })
    }
}

impl Value for MutualInformation {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let margins = self.split.margins(domain, counts);
        // Every sum is at most n lb(n) < 2^48 * 48 * 2^56 < 2^110.
        let sum = |counts: &[u64]| counts.iter().copied().map(x_log2_x).sum::<u128>().cast_signed();
        let information = sum(&[margins.rows]) + sum(counts) - sum(&margins.left) - sum(&margins.right);
        // Now at least the exact value, and less than 4 ERROR n above it: an exact value on the
        // lattice is its own floor.
        (information + i128::from(2 * ERROR * margins.rows)) >> GUARD_BITS
    }
}

impl Statistic for MutualInformation {
    const KIND: ScoreKind = ScoreKind::MutualInformation;

    fn clique(&self) -> &Clique {
        &self.split.joint
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        self.split.check(domain)
    }

    fn question(&self, digest: &mut Sha256) {
        self.split.question(digest);
    }
}

/// Returns how far replacing one of `rows` rows moves the score: if a side is binary, and if none
/// is.
pub(super) fn sensitivities(rows: u64) -> [ScoreUnits; 2] {
    // A table without rows has no neighbour. One of more than `MAX_ROWS` rows has no value.
    let rows = rows.clamp(1, super::MAX_ROWS);
    let rounded_up = |x: u64| x_log2_x(x) + u128::from(ERROR * x);
    let binary = rounded_up(rows) - x_log2_x(rows - 1);
    let any = rounded_up(rows + 1) - x_log2_x(rows - 1) - (2 << FRACTION_BITS);
    let on_lattice = |exact: u128| (exact + u128::from(4 * ERROR * rows)).div_ceil(1 << GUARD_BITS);
    [binary, any].map(|exact| ScoreUnits::from_units(on_lattice(exact)))
}

impl Score<ReplaceOne> for MutualInformation {
    fn sensitivity(&self, domain: &Domain, rows: u64) -> ScoreUnits {
        let [binary, any] = sensitivities(rows);
        if self.split.has_binary_side(domain) { binary } else { any }
    }
}
