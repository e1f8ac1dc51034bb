//! The product of two released tables, which a table of both is compared with.

use scumble_schema::{Clique, Domain};
use sha2::Sha256;

use super::split::Split;
use super::{MAX_ROWS, ONE, ScoreKind, check_cells, is_comparable, put_number, put_numbers, refused};
use crate::error::VaultError;

/// The product of the released tables of two disjoint cliques, divided by a released number of
/// rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Product {
    pub(super) split: Split,
    left: Vec<f64>,
    right: Vec<f64>,
    rows: f64,
}

impl Product {
    /// A number of rows below one counts as one.
    ///
    /// # Errors
    /// If a clique is empty, or they overlap, or a number is NaN or is 2^48 or more in magnitude.
    pub(super) fn new(
        score: ScoreKind,
        (left, left_table): (Clique, &[f64]),
        (right, right_table): (Clique, &[f64]),
        rows: f64,
    ) -> Result<Self, VaultError> {
        let split = Split::new(score, left, right)?;
        if !left_table.iter().chain(right_table).chain([&rows]).all(|&number| is_comparable(number)) {
            return Err(refused(score, "a released value is not a number, or not below 2^48"));
        }
        Ok(Self { split, left: left_table.to_vec(), right: right_table.to_vec(), rows: rows.max(1.0) })
    }

    /// Returns the expected count of a cell in units of which a row has `row`, rounded down. A
    /// function of released values.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a power of two is exact; below 2^59"
    )]
    pub(super) fn expected(&self, left: usize, right: usize, row: u64) -> i64 {
        let limit = (MAX_ROWS * ONE) as f64;
        let units = self.left[left] * self.right[right] / self.rows * row as f64;
        libm::floor(units.clamp(-limit, limit)) as i64
    }

    pub(super) fn check(&self, score: ScoreKind, domain: &Domain) -> Result<(), VaultError> {
        check_cells(score, &self.split.left, self.left.len(), domain)?;
        check_cells(score, &self.split.right, self.right.len(), domain)
    }

    pub(super) fn question(&self, digest: &mut Sha256) {
        self.split.question(digest);
        for table in [&self.left, &self.right] {
            put_numbers(digest, table.iter().map(|number| number.to_bits()));
        }
        put_number(digest, self.rows.to_bits());
    }
}
