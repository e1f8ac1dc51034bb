//! The number of rows, estimated from noisy tables.

/// What one noisy table says about the number of rows: the sum of its cells and its variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// Sum of all cells.
    pub sum: f64,
    /// Number of cells times the variance of the noise on each.
    pub variance: f64,
}

/// Returns the mean of all sums, weighted by precision: the estimate with the least variance.
///
/// It is never negative, and zero without evidence.
pub fn estimate(evidence: &[Evidence]) -> f64 {
    let weight: f64 = evidence.iter().map(|table| 1.0 / table.variance).sum();
    let weighted: f64 = evidence.iter().map(|table| table.sum / table.variance).sum();
    if weight > 0.0 { (weighted / weight).max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_with_a_quarter_of_the_variance_counts_four_times() {
        let tables = [Evidence { sum: 100.0, variance: 1.0 }, Evidence { sum: 110.0, variance: 4.0 }];
        assert!((estimate(&tables) - 102.0).abs() < 1e-12);
    }

    #[test]
    fn a_negative_sum_is_zero_rows() {
        assert!(estimate(&[Evidence { sum: -3.0, variance: 1.0 }]).abs() < f64::EPSILON);
        assert!(estimate(&[]).abs() < f64::EPSILON);
    }
}
