//! L1 distance of a table from the expectation of a model, in rows.

use scumble_schema::{AdjacencyKind, Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::{ONE, Score, ScoreKind, Statistic, check_cells, on_lattice, put_clique, put_numbers};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("l1_error.md")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct L1Error {
    clique: Clique,
    /// In lattice units, one per cell.
    expected: Vec<i64>,
}

impl L1Error {
    /// Creates the score of the table over `clique` against expected counts, one per cell in the
    /// order of [`scumble_schema::cells`]. They are numbers of rows: a model's probabilities times
    /// the released number of rows.
    ///
    /// # Errors
    /// If an expected count is not a number, or is 2^48 or more in magnitude.
    pub fn against(clique: Clique, expected: &[f64]) -> Result<Self, VaultError> {
        let expected = expected.iter().map(|&number| on_lattice(Self::KIND, number)).collect::<Result<_, _>>()?;
        Ok(Self { clique, expected })
    }
}

impl Value for L1Error {
    fn value(&self, _domain: &Domain, counts: &[u64]) -> i128 {
        let distance = |(&expected, &count): (&i64, &u64)| {
            i128::from(expected).abs_diff(i128::from(count) * i128::from(ONE)).cast_signed()
        };
        self.expected.iter().zip(counts).map(distance).sum()
    }
}

impl Statistic for L1Error {
    const KIND: ScoreKind = ScoreKind::L1Error;

    fn clique(&self) -> &Clique {
        &self.clique
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        check_cells(Self::KIND, &self.clique, self.expected.len(), domain)
    }

    fn question(&self, digest: &mut Sha256) {
        put_clique(digest, &self.clique);
        put_numbers(digest, self.expected.iter().map(|number| number.cast_unsigned()));
    }
}

/// How far one added or removed row moves the score, and one replaced row.
pub(super) const ADD_REMOVE: ScoreUnits = ScoreUnits::from_rows(1);
pub(super) const REPLACE_ONE: ScoreUnits = ScoreUnits::from_rows(2);

impl<A: Adjacency> Score<A> for L1Error {
    fn sensitivity(&self, _domain: &Domain, _rows: A::Rows) -> ScoreUnits {
        match A::KIND {
            AdjacencyKind::AddRemove => ADD_REMOVE,
            AdjacencyKind::ReplaceOne => REPLACE_ONE,
        }
    }
}
