//! Rows with an even number of ones above those with an odd number.

use scumble_schema::{AdjacencyKind, Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::{ONE, Score, ScoreKind, Statistic, check_clique, put_clique, refused};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("parity.md")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parity {
    columns: Clique,
}

impl Parity {
    /// Creates the parity of binary columns.
    pub fn of(columns: Clique) -> Self {
        Self { columns }
    }
}

impl Value for Parity {
    fn value(&self, _domain: &Domain, counts: &[u64]) -> i128 {
        // All columns are binary, so the codes of a cell are the bits of its number.
        let signed = |(cell, &count): (usize, &u64)| {
            let count = i128::from(count) * i128::from(ONE);
            if cell.count_ones().is_multiple_of(2) { count } else { -count }
        };
        counts.iter().enumerate().map(signed).sum()
    }
}

impl Statistic for Parity {
    const KIND: ScoreKind = ScoreKind::Parity;

    fn clique(&self) -> &Clique {
        &self.columns
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        check_clique(&self.columns, domain)?;
        if self.columns.attributes().iter().all(|&column| domain.size(column) == 2) {
            Ok(())
        } else {
            Err(refused(Self::KIND, "a column does not have two values"))
        }
    }

    fn question(&self, digest: &mut Sha256) {
        put_clique(digest, &self.columns);
    }
}

/// How far one added or removed row moves the score, and one replaced row.
pub(super) const ADD_REMOVE: ScoreUnits = ScoreUnits::from_rows(1);
pub(super) const REPLACE_ONE: ScoreUnits = ScoreUnits::from_rows(2);

impl<A: Adjacency> Score<A> for Parity {
    fn sensitivity(&self, _domain: &Domain, _rows: A::Rows) -> ScoreUnits {
        match A::KIND {
            AdjacencyKind::AddRemove => ADD_REMOVE,
            AdjacencyKind::ReplaceOne => REPLACE_ONE,
        }
    }
}
