//! How far two distributions are from each other.

/// Half the sum of the differences of shares, from the counts in the cells that either table has rows in. A table
/// without rows is at distance one from any with rows.
///
/// The sum is taken in integers, over the common denominator of both numbers of rows, so it is the same in any order of
/// the cells and only the last division rounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TotalVariation {
    rows: [u64; 2],
    /// At most twice the product of the rows, which fits for any tables that fit a machine.
    sum: u128,
}

impl TotalVariation {
    /// The distance of two tables with so many rows of which no cell was seen yet.
    pub(crate) fn new(rows: [u64; 2]) -> Self {
        Self { rows, sum: 0 }
    }

    /// Takes a cell in.
    pub(crate) fn add(&mut self, counts: [u64; 2]) {
        let [left, right] = [0, 1].map(|side| u128::from(counts[side]) * u128::from(self.rows[1 - side]));
        self.sum += left.abs_diff(right);
    }

    /// The distance, once all cells were taken in.
    pub(crate) fn finish(self) -> f64 {
        match self.rows {
            [0, 0] => 0.0,
            [0, _] | [_, 0] => 1.0,
            [left, right] => {
                #[expect(clippy::cast_precision_loss, reason = "a distance needs no more digits than a float has")]
                let distance = self.sum as f64 / (2.0 * (u128::from(left) * u128::from(right)) as f64);
                distance
            }
        }
    }
}

/// The same from counts that are at hand.
pub(crate) fn total_variation(cells: impl Iterator<Item = (u64, u64)>, rows_left: u64, rows_right: u64) -> f64 {
    let mut distance = TotalVariation::new([rows_left, rows_right]);
    cells.for_each(|(left, right)| distance.add([left, right]));
    distance.finish()
}

/// The same between counts and the distribution that `noisy` counts give once they are mended as the 2014 paper mends
/// its baselines: what is below zero becomes zero, and the rest is scaled to the right sum. Counts of which none is
/// positive give the uniform distribution.
#[expect(clippy::cast_precision_loss, reason = "a distance needs no more digits than a float has")]
pub(crate) fn to_clipped(counts: &[u64], noisy: &[i64]) -> f64 {
    let rows: u64 = counts.iter().sum();
    if rows == 0 {
        return 1.0;
    }
    let clipped = || noisy.iter().map(|&count| count.max(0));
    let sum: i128 = clipped().map(i128::from).sum();
    let uniform = 1.0 / noisy.len() as f64;
    let share = |count: i64| if sum == 0 { uniform } else { count as f64 / sum as f64 };
    let differences =
        counts.iter().zip(clipped()).map(|(&count, noisy)| (count as f64 / rows as f64 - share(noisy)).abs());
    differences.sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn between(left: &[u64], right: &[u64]) -> f64 {
        let cells = left.iter().copied().zip(right.iter().copied());
        total_variation(cells, left.iter().sum(), right.iter().sum())
    }

    #[test]
    fn shares_are_compared_and_not_counts() {
        assert!(between(&[1, 3], &[2, 6]).abs() < 1e-15);
        assert!((between(&[1, 0], &[0, 5]) - 1.0).abs() < 1e-15);
        assert!((between(&[3, 1], &[2, 2]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_table_without_rows_is_as_far_as_can_be() {
        assert!((between(&[0, 0], &[1, 0]) - 1.0).abs() < 1e-15);
        assert!(between(&[0], &[0]).abs() < 1e-15);
        assert!((to_clipped(&[0, 0], &[1, 0]) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn noisy_counts_are_clipped_and_scaled_before_they_are_compared() {
        // Clipped to (3, 0, 1): shares 3/4, 0, 1/4 against 1/2, 1/4, 1/4.
        assert!((to_clipped(&[2, 1, 1], &[3, -7, 1]) - 0.25).abs() < 1e-15);
        assert!(to_clipped(&[2, 2], &[-1, -5]).abs() < 1e-15, "nothing positive is taken as uniform");
        assert!((to_clipped(&[4, 0], &[0, 0]) - 0.5).abs() < 1e-15);
    }
}
