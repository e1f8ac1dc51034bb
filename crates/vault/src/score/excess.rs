//! Rows of a table above the product of two released tables.

use scumble_schema::{AdjacencyKind, Clique, Domain};
use sha2::Sha256;

use super::product::Product;
use super::sealed::Value;
use super::{ONE, Score, ScoreKind, Statistic, on_lattice, put_number};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("excess.md")]
///
/// [`HalfL1`]: super::HalfL1
#[derive(Debug, Clone, PartialEq)]
pub struct Excess {
    product: Product,
    /// In lattice units.
    slack: i64,
}

impl Excess {
    /// Creates the score of the table over two disjoint cliques above the product of their released
    /// tables divided by the released number of rows, plus `slack` rows in every cell. A number of
    /// rows below one counts as one.
    ///
    /// # Errors
    /// If a clique is empty, or they overlap, or a number is NaN or is 2^48 or more in magnitude.
    pub fn above_product(
        left: (Clique, &[f64]),
        right: (Clique, &[f64]),
        rows: f64,
        slack: f64,
    ) -> Result<Self, VaultError> {
        Ok(Self { product: Product::new(Self::KIND, left, right, rows)?, slack: on_lattice(Self::KIND, slack)? })
    }
}

impl Value for Excess {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let mut excess = 0;
        self.product.split.walk(domain, counts, |left, right, count| {
            let bound = i128::from(self.product.expected(left, right, ONE)) + i128::from(self.slack);
            excess += (i128::from(count) * i128::from(ONE) - bound).max(0);
        });
        excess
    }
}

impl Statistic for Excess {
    const KIND: ScoreKind = ScoreKind::Excess;

    fn clique(&self) -> &Clique {
        &self.product.split.joint
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        self.product.check(Self::KIND, domain)
    }

    fn question(&self, digest: &mut Sha256) {
        self.product.question(digest);
        put_number(digest, self.slack.cast_unsigned());
    }
}

/// How far one row moves the score: added or removed, or replaced.
pub(super) const ONE_ROW: ScoreUnits = ScoreUnits::from_rows(1);

impl<A: Adjacency> Score<A> for Excess {
    fn sensitivity(&self, _domain: &Domain, _rows: A::Rows) -> ScoreUnits {
        match A::KIND {
            AdjacencyKind::AddRemove | AdjacencyKind::ReplaceOne => ONE_ROW,
        }
    }
}
