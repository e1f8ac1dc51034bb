//! Noisy counts turned into probabilities. Papers differ in the method, so each has its own name.

/// Sets negative counts to zero and scales the rest to sum to one.
///
/// Biased upwards in sparse tables: every cell that noise lifted above zero stays.
///
/// Counts that are all zero or below give the uniform distribution.
pub fn clip_and_normalise(counts: &[f64]) -> Vec<f64> {
    let clipped: Vec<f64> = counts.iter().map(|count| count.max(0.0)).collect();
    normalise(clipped)
}

/// Returns the nearest non-negative table, in least squares, whose cells sum to `total`, scaled to
/// sum to one.
///
/// It subtracts one constant from every cell and sets negative cells to zero; the constant is the
/// one for which the cells sum to `total`. In a sparse table this removes about as much noise as it
/// keeps, which clipping does not.
///
/// # Panics
/// If `total` is not positive and finite.
pub fn project(counts: &[f64], total: f64) -> Vec<f64> {
    assert!(total > 0.0 && total.is_finite(), "a total is positive");
    let constant = excess(counts, total);
    normalise(counts.iter().map(|count| (count - constant).max(0.0)).collect())
}

/// Replaces counts by the nearest ones, in least squares, that are not negative and sum to `total`.
/// All become zero if `total` is not positive.
pub(crate) fn project_in_place(counts: &mut [f64], total: f64) {
    if total > 0.0 {
        let constant = excess(counts, total);
        for count in counts {
            *count = (*count - constant).max(0.0);
        }
    } else {
        counts.fill(0.0);
    }
}

/// Returns the constant by which counts exceed the nearest non-negative ones that sum to `total`,
/// in all cells that stay positive.
fn excess(counts: &[f64], total: f64) -> f64 {
    // If the cells above a constant stay, the constant is (their sum - total) / their number. It
    // grows as cells drop out, so a cell that dropped out stays out. The largest never does.
    let (mut constant, mut before) = (f64::NEG_INFINITY, usize::MAX);
    loop {
        let (mut sum, mut kept) = (0.0, 0_usize);
        for &count in counts.iter().filter(|&&count| count > constant) {
            sum += count;
            kept += 1;
        }
        // Rounding may let the constant fall by a little, and a cell come back.
        if kept >= before || kept == 0 {
            return constant;
        }
        constant = (sum - total) / kept as f64;
        before = kept;
    }
}

fn normalise(mut counts: Vec<f64>) -> Vec<f64> {
    let sum: f64 = counts.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        for count in &mut counts {
            *count /= sum;
        }
    } else {
        let uniform = 1.0 / counts.len() as f64;
        counts.fill(uniform);
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn non_negative_counts_are_only_scaled() {
        assert_eq!(project(&[1.0, 3.0], 4.0), [0.25, 0.75]);
        assert_eq!(clip_and_normalise(&[1.0, 3.0]), [0.25, 0.75]);
    }

    #[test]
    fn negative_counts_alone_are_clipped_to_the_uniform_distribution() {
        assert_eq!(clip_and_normalise(&[-1.0, -5.0]), [0.5, 0.5]);
    }

    #[test]
    fn the_projection_subtracts_one_constant_from_positive_cells() {
        assert_eq!(project(&[70.0, 34.0, -4.0], 100.0), [0.68, 0.32, 0.0]);
    }

    proptest! {
        #[test]
        fn equal_counts_and_tiny_totals_are_projected_too(
            places in prop::collection::vec(0..4_usize, 1..200), total in prop::sample::select(vec![1e-300, 1e-17, 1e-3, 0.7, 1e9]),
        ) {
            let counts: Vec<f64> = places.iter().map(|&place| [0.1, 0.3, 0.7, -1e9][place]).collect();
            let nearest = project(&counts, total);
            prop_assert!(nearest.iter().all(|share| *share >= 0.0) && (nearest.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }

        #[test]
        fn no_other_table_with_that_total_is_nearer(
            counts in prop::collection::vec(-50.0..200.0_f64, 1..8), total in 1.0..500.0_f64,
            weights in prop::collection::vec(0.01..1.0_f64, 8)
        ) {
            let distance = |table: &[f64]| table.iter().zip(&counts).map(|(a, b)| (a * total - b).powi(2)).sum::<f64>();
            let nearest = project(&counts, total);
            prop_assert!((nearest.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let other = clip_and_normalise(&weights[..counts.len()]);
            // Any step towards any other distribution leads away from the noisy counts.
            for step in [1.0, 0.1, 0.001] {
                let moved: Vec<f64> = nearest.iter().zip(&other).map(|(a, b)| a + step * (b - a)).collect();
                prop_assert!(distance(&moved) >= distance(&nearest) - 1e-6);
            }
        }
    }
}
