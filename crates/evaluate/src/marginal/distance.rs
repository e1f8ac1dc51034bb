//! Total variation distance.

/// Accumulates the total variation distance of two tables: half the sum, over all cells, of the
/// absolute differences of shares. The distance of a table without rows from one with rows is one.
///
/// The sum is taken in integers, over the common denominator of both numbers of rows. So it does
/// not depend on the order of the cells, and only the last division rounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TotalVariation {
    rows: [u64; 2],
    /// At most twice the product of the numbers of rows, which fits a `u128` for any real tables.
    sum: u128,
}

impl TotalVariation {
    /// Returns the distance of two tables from the counts of all their cells.
    pub(crate) fn between(left: &[u64], right: &[u64]) -> f64 {
        let mut distance = Self::new([left.iter().sum(), right.iter().sum()]);
        left.iter().zip(right).for_each(|(&left, &right)| distance.add([left, right]));
        distance.finish()
    }

    /// Starts a distance of two tables with these numbers of rows.
    pub(crate) fn new(rows: [u64; 2]) -> Self {
        Self { rows, sum: 0 }
    }

    /// Adds a cell.
    pub(crate) fn add(&mut self, counts: [u64; 2]) {
        let [left, right] = [0, 1].map(|side| u128::from(counts[side]) * u128::from(self.rows[1 - side]));
        self.sum += left.abs_diff(right);
    }

    /// Returns the distance after all cells were added.
    pub(crate) fn finish(self) -> f64 {
        match self.rows {
            [0, 0] => 0.0,
            [0, _] | [_, 0] => 1.0,
            [left, right] => self.sum as f64 / (2.0 * (u128::from(left) * u128::from(right)) as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TotalVariation;

    #[test]
    fn shares_are_compared_and_not_counts() {
        assert!(TotalVariation::between(&[1, 3], &[2, 6]).abs() < 1e-15);
        assert!((TotalVariation::between(&[1, 0], &[0, 5]) - 1.0).abs() < 1e-15);
        assert!((TotalVariation::between(&[3, 1], &[2, 2]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_table_without_rows_has_distance_one() {
        assert!((TotalVariation::between(&[0, 0], &[1, 0]) - 1.0).abs() < 1e-15);
        assert!(TotalVariation::between(&[0], &[0]).abs() < 1e-15);
    }
}
