//! Half the L1 distance of a table from the product of two released tables, in rows.

use scumble_planted::Mutant;
use scumble_schema::{AdjacencyKind, Clique, Domain};
use sha2::Sha256;

use super::product::Product;
use super::sealed::Value;
use super::{ONE, Score, ScoreKind, Statistic};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("half_l1.md")]
///
/// [`TotalVariation`]: super::TotalVariation
#[derive(Debug, Clone, PartialEq)]
pub struct HalfL1(Product);

impl HalfL1 {
    /// Creates the score of the table over two disjoint cliques against the product of their
    /// released tables divided by the released number of rows. A number of rows below one counts as
    /// one.
    ///
    /// # Errors
    /// If a clique is empty, or they overlap, or a number is NaN or is 2^48 or more in magnitude.
    pub fn against_product(left: (Clique, &[f64]), right: (Clique, &[f64]), rows: f64) -> Result<Self, VaultError> {
        Product::new(Self::KIND, left, right, rows).map(Self)
    }
}

impl Value for HalfL1 {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let mut distance = 0_u128;
        self.0.split.walk(domain, counts, |left, right, count| {
            let half_count = i128::from(count) * i128::from(ONE / 2);
            distance += half_count.abs_diff(self.0.expected(left, right, ONE / 2).into());
        });
        distance.cast_signed()
    }
}

impl Statistic for HalfL1 {
    const KIND: ScoreKind = ScoreKind::HalfL1;

    fn clique(&self) -> &Clique {
        &self.0.split.joint
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        self.0.check(Self::KIND, domain)
    }

    fn question(&self, digest: &mut Sha256) {
        self.0.question(digest);
    }
}

/// How far one added or removed row moves the score, and one replaced row.
pub(super) const ADD_REMOVE: ScoreUnits = ScoreUnits::from_units(ONE as u128 / 2);
pub(super) const REPLACE_ONE: ScoreUnits = ScoreUnits::from_rows(1);

impl<A: Adjacency> Score<A> for HalfL1 {
    fn sensitivity(&self, _domain: &Domain, _rows: A::Rows) -> ScoreUnits {
        match A::KIND {
            AdjacencyKind::AddRemove if Mutant::HalfL1Undercharged.is_planted() => {
                ScoreUnits::from_units(ADD_REMOVE.get() / 2)
            }
            AdjacencyKind::AddRemove => ADD_REMOVE,
            AdjacencyKind::ReplaceOne => REPLACE_ONE,
        }
    }
}
