//! Half the L1 distance of a table from the product of two released tables, in rows.

use scumble_planted::Mutant;
use scumble_schema::{AdjacencyKind, Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::split::Split;
use super::{MAX_ROWS, ONE, Score, ScoreKind, Statistic, check_cells, is_comparable, put_number, put_numbers, refused};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("half_l1.md")]
///
/// [`TotalVariation`]: super::TotalVariation
#[derive(Debug, Clone, PartialEq)]
pub struct HalfL1 {
    split: Split,
    left: Vec<f64>,
    right: Vec<f64>,
    rows: f64,
}

impl HalfL1 {
    /// Creates the score of the table over two disjoint cliques against the product of their
    /// released tables divided by the released number of rows. A number of rows below one counts as
    /// one.
    ///
    /// # Errors
    /// If a clique is empty, or they overlap, or a number is NaN or is 2^48 or more in magnitude.
    pub fn against_product(
        (left, left_table): (Clique, &[f64]),
        (right, right_table): (Clique, &[f64]),
        rows: f64,
    ) -> Result<Self, VaultError> {
        let split = Split::new(Self::KIND, left, right)?;
        if !left_table.iter().chain(right_table).chain([&rows]).all(|&number| is_comparable(number)) {
            return Err(refused(Self::KIND, "a released value is not a number, or not below 2^48"));
        }
        Ok(Self { split, left: left_table.to_vec(), right: right_table.to_vec(), rows: rows.max(1.0) })
    }

    /// Returns half of the expected count of a cell, in lattice units. A function of released
    /// values.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a power of two is exact; below 2^59"
    )]
    fn half_expected(&self, left: usize, right: usize) -> i64 {
        let limit = (MAX_ROWS * ONE) as f64;
        let halves = self.left[left] * self.right[right] / self.rows * (ONE / 2) as f64;
        libm::floor(halves.clamp(-limit, limit)) as i64
    }
}

impl Value for HalfL1 {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let mut distance = 0_u128;
        self.split.walk(domain, counts, |i, j, count| {
            let half_count = i128::from(count) * i128::from(ONE / 2);
            distance += half_count.abs_diff(self.half_expected(i, j).into());
        });
        distance.cast_signed()
    }
}

impl Statistic for HalfL1 {
    const KIND: ScoreKind = ScoreKind::HalfL1;

    fn clique(&self) -> &Clique {
        &self.split.joint
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        check_cells(Self::KIND, &self.split.left, self.left.len(), domain)?;
        check_cells(Self::KIND, &self.split.right, self.right.len(), domain)
    }

    fn question(&self, digest: &mut Sha256) {
        self.split.question(digest);
        for table in [&self.left, &self.right] {
            put_numbers(digest, table.iter().map(|number| number.to_bits()));
        }
        put_number(digest, self.rows.to_bits());
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
