//! Maximum size of tables: theta-usefulness.

use std::f64::consts::FRAC_2_PI;
use std::num::{NonZeroU32, NonZeroUsize};

use scumble_schema::limits;
use scumble_vault::account::{Amount, Mechanism};
use scumble_vault::{Accounting, Adjacency};

/// Maximum number of parents by theta-usefulness; `privbayes.md` has the measurements.
const MAX_USEFUL_PARENTS: usize = 7;

/// Maximum size of the tables of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    /// Maximum number of parents, the paper's k.
    pub(crate) parents: usize,
    /// Maximum number of cells of a table with parents.
    pub(crate) cells: u128,
}

impl Bound {
    /// Limits the number of parents, whatever the sizes of columns.
    pub(crate) fn of_degree(degree: usize) -> Self {
        Self { parents: degree, cells: limits::CELLS_PER_TABLE }
    }

    /// Limits tables to those that are theta-useful: on average, a cell holds theta times its
    /// noise.
    ///
    /// `sizes` are those of the columns of the network, and `noise` is the mean noise for a number
    /// of tables. If all columns are binary, a network of degree k has d - k tables, and the degree
    /// is the largest that is useful, at most seven. Otherwise the number of tables depends on the
    /// network, and the bound assumes the maximum, d.
    ///
    /// # Reference
    /// 2014, section 4.6 and Lemma 3. For columns of several codes, the criterion is a limit on
    /// cells.
    pub(crate) fn of_usefulness(
        theta: f64,
        rows: f64,
        sizes: &[u32],
        noise: impl Fn(NonZeroUsize) -> Option<f64>,
    ) -> Self {
        let noise = |tables| NonZeroUsize::new(tables).and_then(&noise).unwrap_or(f64::INFINITY);
        // Maximum number of useful cells if the budget is spent on a number of tables.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates; NaN is 0, and useless")]
        let useful = |tables| ((rows / (theta * noise(tables))) as u128).min(limits::CELLS_PER_TABLE);
        if sizes.iter().all(|&size| size == 2) {
            // From the top: a larger degree has fewer and less noisy tables, so usefulness is not
            // monotone.
            let is_useful = |&degree: &usize| {
                let cells = u32::try_from(degree + 1).ok().and_then(|digits| 1_u128.checked_shl(digits));
                cells.is_some_and(|cells| cells <= useful(sizes.len() - degree))
            };
            let degree = (1..sizes.len()).rev().find(is_useful).unwrap_or(0);
            return Self::of_degree(degree.min(MAX_USEFUL_PARENTS));
        }
        Self { parents: usize::MAX, cells: useful(sizes.len()) }
    }
}

/// Returns the mean magnitude of the noise on every count as a function of the number of tables
/// that `amount` is spent on. `unit` is the maximum number of rows of one unit.
///
/// # Reference
/// 2014, proof of Lemma 3, for Laplace noise; for Gaussian noise, sigma times the root of 2 / pi.
pub(crate) fn mean_noise<A: Adjacency, M: Accounting>(
    unit: NonZeroU32,
    amount: Amount<M>,
) -> impl Fn(NonZeroUsize) -> Option<f64> {
    move |tables| {
        let share = amount.divided(tables.get());
        match M::noise(A::table_sensitivity(unit), share)? {
            Mechanism::DiscreteLaplace { scale, .. } => Some(scale.to_f64()),
            Mechanism::RoundedGaussian { sigma, .. } => Some(sigma.to_f64() * FRAC_2_PI.sqrt()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The noise of an epsilon that is spent on tables which one unit moves by `delta`.
    fn laplace(delta: f64, epsilon: f64) -> impl Fn(NonZeroUsize) -> Option<f64> {
        move |tables| Some(delta * tables.get() as f64 / epsilon)
    }

    #[test]
    fn the_degree_is_the_largest_that_is_useful() {
        // 21,574 rows of 16 binary columns, epsilon 0.56 for tables, theta 4: 2^(k+1) (16 - k) may
        // be 3020 for Δ = 1, since 2304 is for k = 7 and 4096 for k = 8; and 1510 for Δ = 2, since
        // 1280 is for k = 6.
        let degree = |delta| Bound::of_usefulness(4.0, 21_574.0, &[2; 16], laplace(delta, 0.56)).parents;
        assert_eq!([degree(1.0), degree(2.0)], [7, 6]);
    }

    #[test]
    fn tables_of_several_codes_are_limited_by_cells() {
        // Three tables with noise of 6 each: 1000 / (4 * 6) = 41.7.
        let bound = Bound::of_usefulness(4.0, 1_000.0, &[16, 7, 2], laplace(1.0, 0.5));
        assert_eq!(bound, Bound { parents: usize::MAX, cells: 41 });
    }

    #[test]
    fn without_rows_or_with_too_much_noise_there_are_no_parents() {
        for (rows, noise) in [(0.0, Some(1.0)), (1e6, None), (f64::NAN, Some(1.0))] {
            assert_eq!(Bound::of_usefulness(4.0, rows, &[2; 5], |_| noise).parents, 0);
            assert_eq!(Bound::of_usefulness(4.0, rows, &[3; 5], |_| noise).cells, 0);
        }
    }

    #[test]
    fn there_are_at_most_seven_parents_for_any_number_of_rows() {
        assert_eq!(Bound::of_usefulness(4.0, 1e18, &[2; 40], laplace(1.0, 1.0)).parents, 7);
        assert_eq!(Bound::of_usefulness(4.0, 1e18, &[2; 5], laplace(1.0, 1.0)).parents, 4);
        assert_eq!(Bound::of_usefulness(4.0, 1e18, &[2], laplace(1.0, 1.0)).parents, 0);
    }
}
