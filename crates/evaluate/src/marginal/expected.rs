//! Expected distance of a bootstrap of the real table.
//!
//! Rows drawn with replacement from the real table, as many as the synthetic table has, are the
//! best table that can be made from the real rows alone. Yet their marginals differ from the real
//! ones by chance. The mean distance over all such draws needs no drawing: the count of a cell with
//! share p among m drawn rows is binomial, and its mean absolute deviation has a closed form,
//!
//! E|X - m p| = 2 k (1 - p) C(m, k) p^k (1 - p)^(m - k), with k = floor(m p) + 1.
//!
//! # Reference
//! A. de Moivre 1730; P. Diaconis and S. Zabell 1991, Closed form summation for classical
//! distributions: variations on a theme of de Moivre, Statistical Science 6(3).

use std::cell::OnceCell;

/// Number of counts whose deviation is cached: those below it.
const CACHED_COUNTS: usize = 1 << 14;

/// Expected deviations of the shares of cells, for given numbers of real and synthetic rows.
#[derive(Debug)]
pub(crate) struct ExpectedDeviation {
    real_rows: u64,
    synthetic_rows: u64,
    /// ln(m!)
    log_orders: f64,
    known: Vec<OnceCell<f64>>,
}

impl ExpectedDeviation {
    /// Prepares deviations for a real table and a synthetic one with these numbers of rows.
    pub(crate) fn new(real_rows: u32, synthetic_rows: u32) -> Self {
        let known = vec![OnceCell::new(); CACHED_COUNTS.min(real_rows as usize + 1)];
        let log_orders = libm::lgamma(f64::from(synthetic_rows) + 1.0);
        Self { real_rows: real_rows.into(), synthetic_rows: synthetic_rows.into(), log_orders, known }
    }

    /// Returns the expected absolute deviation of the drawn share of a cell with `count` real rows.
    pub(crate) fn of(&self, count: u64) -> f64 {
        let place = usize::try_from(count).ok().and_then(|count| self.known.get(count));
        place.map_or_else(|| self.compute(count), |known| *known.get_or_init(|| self.compute(count)))
    }

    fn compute(&self, count: u64) -> f64 {
        if count == 0 || count >= self.real_rows || self.synthetic_rows == 0 {
            return 0.0;
        }
        let share = count as f64 / self.real_rows as f64;
        // In integers, because a product of floats may miss the floor.
        let least = u128::from(count) * u128::from(self.synthetic_rows) / u128::from(self.real_rows);
        let (drawn, above) = (self.synthetic_rows as f64, least as f64 + 1.0);
        let log_probability = self.log_orders - libm::lgamma(above + 1.0) - libm::lgamma(drawn - above + 1.0)
            + above * share.ln()
            + (drawn - above) * (-share).ln_1p();
        2.0 * above * (1.0 - share) * log_probability.exp() / drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums over all outcomes.
    fn brute(count: u32, real_rows: u32, synthetic_rows: u32) -> f64 {
        // Rows in the cell deviate as much as those outside it. The rarer of both is used, so that
        // the probability of zero rows does not underflow.
        let share = f64::from(count.min(real_rows - count)) / f64::from(real_rows);
        let mut probability = (1.0 - share).powi(synthetic_rows.cast_signed());
        let mut sum = 0.0;
        for outcome in 0..=synthetic_rows {
            sum += probability * (f64::from(outcome) / f64::from(synthetic_rows) - share).abs();
            probability *= f64::from(synthetic_rows - outcome) / f64::from(outcome + 1) * share / (1.0 - share);
        }
        sum
    }

    #[test]
    fn the_closed_form_is_the_sum_over_all_outcomes() {
        for (real_rows, synthetic_rows) in [(1, 1), (2, 1), (7, 7), (10, 25), (100, 40), (1000, 300)] {
            let expected = ExpectedDeviation::new(real_rows, synthetic_rows);
            for count in (1..real_rows).step_by(1 + real_rows as usize / 20) {
                let due = brute(count, real_rows, synthetic_rows);
                let deviation = expected.of(count.into());
                assert!((deviation - due).abs() < 1e-12, "{count} of {real_rows}, {synthetic_rows}: {deviation} {due}");
            }
            assert!(expected.of(0).abs() < 1e-15 && expected.of(real_rows.into()).abs() < 1e-15);
        }
    }

    #[test]
    fn with_many_rows_it_is_that_of_a_normal_distribution() {
        let rows = 10_000_000;
        let expected = ExpectedDeviation::new(rows, rows);
        for count in [100_000_u32, 5_000_000] {
            let share = f64::from(count) / f64::from(rows);
            let normal = (2.0 / std::f64::consts::PI * share * (1.0 - share) / f64::from(rows)).sqrt();
            assert!((expected.of(count.into()) / normal - 1.0).abs() < 1e-5);
        }
    }
}
