//! Total variation distance of two sets of attributes from independence, in rows.

use scumble_schema::{Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::split::Split;
use super::{ONE, Score, ScoreKind, Statistic};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("total_variation.md")]
///
/// [the lattice]: super
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotalVariation {
    split: Split,
}

impl TotalVariation {
    /// Creates the score of two disjoint sets of attributes, such as an attribute and its parents.
    /// It is symmetric in them.
    ///
    /// # Errors
    /// If a set is empty, or they overlap.
    pub fn between(left: Clique, right: Clique) -> Result<Self, VaultError> {
        Ok(Self { split: Split::new(Self::KIND, left, right)? })
    }
}

impl Value for TotalVariation {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let margins = self.split.margins(domain, counts);
        if margins.rows == 0 {
            return 0;
        }
        // Both kinds of products add up to n² < 2^96, so N < 2^97.
        let mut numerator = 0_u128;
        let rows = u128::from(margins.rows);
        self.split.walk(domain, counts, |i, j, count| {
            let independent = u128::from(margins.left[i]) * u128::from(margins.right[j]);
            numerator += (rows * u128::from(count)).abs_diff(independent);
        });
        // N / (2n) in lattice units; the division is the floor.
        (numerator * u128::from(ONE / 2) / rows).cast_signed()
    }
}

impl Statistic for TotalVariation {
    const KIND: ScoreKind = ScoreKind::TotalVariation;

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

/// How far one added or removed row moves the score, and one replaced row if a side is binary.
pub(super) const TWO_ROWS: ScoreUnits = ScoreUnits::from_rows(2);

/// Returns how far replacing one of `rows` rows moves the score, whatever the sides: 3 + 2/n,
/// rounded up.
pub(super) fn three_rows(rows: u64) -> ScoreUnits {
    // A table without rows has no neighbour.
    ScoreUnits::from_units(u128::from(3 * ONE + (2 * ONE).div_ceil(rows.max(1))))
}

impl<A: Adjacency> Score<A> for TotalVariation {
    fn sensitivity(&self, domain: &Domain, rows: A::Rows) -> ScoreUnits {
        match A::declared_rows(rows) {
            // Under replace-one the number of rows is public.
            Some(rows) if !self.split.has_binary_side(domain) => three_rows(rows),
            _ => TWO_ROWS,
        }
    }
}
