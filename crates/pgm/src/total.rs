//! The number of rows, estimated from noisy tables.

/// One noisy table's word on the number of rows: the sum of its cells, and the variance of that sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The sum of all cells.
    pub sum: f64,
    /// The number of cells times the variance of the noise on each.
    pub variance: f64,
}

/// The mean of all sums, each weighted by its precision: the estimate with the least variance.
///
/// Never below zero; zero without evidence.
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
    fn noise_below_zero_is_no_rows() {
        assert!(estimate(&[Evidence { sum: -3.0, variance: 1.0 }]).abs() < f64::EPSILON);
        assert!(estimate(&[]).abs() < f64::EPSILON);
    }
}
