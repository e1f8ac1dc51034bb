//! The three metrics of the NIST 2018 Differential Privacy Synthetic Data Challenge.
//!
//! Each is a score between 0 and [`PERFECT`]. Where the paper of the PrivBayes team is ambiguous,
//! the challenge's public scorer decides, to which the paper's footnote refers:
//!
//! * A classification score is 10⁶ (1 + RMS / ln(1/1000)), not below zero. The paper omits the
//!   `1 +`, but its better tables score higher, which needs it.
//! * A classification test is drawn around a row of the real table, so that the real frequency is
//!   never zero. A synthetic frequency below 10⁻⁶ counts as 10⁻⁶, so that the score stays finite:
//!   ln 10⁻⁶ is twice ln(1/1000), so one missed test costs at most twice the mean cost at which the
//!   score reaches zero.
//! * The Gini coefficient of a place is over the incomes of both sexes together; the pay gap is the
//!   mean income of one sex less that of the other. Both components are the root mean square of a
//!   closeness, one less the difference of coefficients, and one less the difference of ranks over
//!   the largest possible.
//!
//! Two things differ from the scorer: the coefficient is zero for equal incomes (the scorer's is
//! lower by one over the number of people), and codes replace the scorer's hundred bins of numbers.
//!
//! # Reference
//! E. Bao, X. Xiao, J. Zhao, D. Zhang, B. Ding, Synthetic data generation with differential privacy
//! via Bayesian networks, section 4.

mod classification;
mod clustering;
mod earnings;
mod regression;

use std::fmt;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_schema::AttributeId;
use serde::Serialize;

pub use self::earnings::{Earnings, signed_log_bins};
pub use self::regression::Regression;
use crate::NOT_PRIVATE;
use crate::error::EvaluateError;
pub use crate::table::ColumnKind;
use crate::table::Columns;

/// Score of a table that equals the real one in all tests.
pub const PERFECT: f64 = 1e6;

/// Settings of the challenge's metrics.
#[derive(Debug, Clone, PartialEq)]
pub struct Challenge {
    /// Kind of each column, which decides how classification draws its values.
    pub kinds: Vec<ColumnKind>,
    /// Columns of the regression metric; `None` for a table without such columns.
    pub earnings: Option<Earnings>,
    /// Seed of the random triples, rows and values. The same seed gives the same tests for every
    /// synthetic table.
    pub seed: u64,
}

/// Scores of one synthetic table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scores {
    stamp: &'static str,
    /// Closeness of random three-way marginals.
    pub clustering: f64,
    /// Closeness of the logarithms of random conjunctions' frequencies.
    pub classification: f64,
    /// Closeness of income inequality and of the ranks of places; `None` for a table without such
    /// columns.
    pub regression: Option<Regression>,
}

impl Challenge {
    /// Scores a synthetic table.
    ///
    /// # Errors
    /// If the tables are over different domains, the real table has no row, there is not one kind
    /// per attribute, or the columns of the regression metric are not as [`Earnings`] says.
    pub fn score(&self, real: &Columns, synthetic: &Columns) -> Result<Scores, EvaluateError> {
        if real.domain() != synthetic.domain() {
            return Err(EvaluateError::OtherDomain { what: "the synthetic table" });
        }
        if real.rows() == 0 || real.domain().is_empty() {
            return Err(EvaluateError::config("real", "a table with rows"));
        }
        let regression = |earnings: &Earnings| regression::score(real, synthetic, earnings);
        Ok(Scores {
            stamp: NOT_PRIVATE,
            clustering: clustering::score(real, synthetic, self.dice(Metric::Clustering))?,
            classification: classification::score(real, synthetic, &self.kinds, self.dice(Metric::Classification))?,
            regression: self.earnings.as_ref().map(regression).transpose()?,
        })
    }

    /// Returns the random stream of one metric, which is independent of the other's.
    fn dice(&self, metric: Metric) -> ChaCha8Rng {
        let mut dice = ChaCha8Rng::seed_from_u64(self.seed);
        dice.set_stream(metric as u64);
        dice
    }
}

/// A metric with a random stream of its own.
enum Metric {
    Clustering,
    Classification,
}

impl fmt::Display for Scores {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        writeln!(formatter, "clustering {:.0}, classification {:.0}", self.clustering, self.classification)?;
        match &self.regression {
            Some(regression) => writeln!(
                formatter,
                "regression {:.0}: inequality {:.0}, ranks {:.0}",
                regression.score(),
                regression.inequality,
                regression.ranks
            ),
            None => Ok(()),
        }
    }
}

/// Draws `count` of `attributes` attributes uniformly, without replacement.
fn some_attributes(attributes: usize, count: usize, dice: &mut ChaCha8Rng) -> Vec<AttributeId> {
    let mut all: Vec<usize> = (0..attributes).collect();
    for position in 0..count {
        all.swap(position, dice.random_range(position..attributes));
    }
    all.truncate(count);
    all.into_iter().map(AttributeId::new).collect()
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    fn table(rows: u32, shift: u32) -> Columns {
        let sizes = [2, 3, 4, 5];
        let column = |size: u32| (0..rows).map(|row| (row * row / 7 + shift * row / 3) % size).collect();
        Columns::new(Domain::new(sizes.to_vec()).unwrap(), sizes.map(column).to_vec()).unwrap()
    }

    fn challenge(seed: u64) -> Challenge {
        let [sex, _, place, income] = [0, 1, 2, 3].map(AttributeId::new);
        let incomes = vec![None, Some(0.0), Some(10.0), Some(20.0), Some(70.0)];
        let earnings = Earnings { income, incomes, sex, sexes: [0, 1], place };
        Challenge { kinds: vec![ColumnKind::Categorical; 4], earnings: Some(earnings), seed }
    }

    #[test]
    fn the_real_table_scores_perfectly() {
        let real = table(200, 0);
        let scores = challenge(1).score(&real, &real).unwrap();
        let regression = scores.regression.as_ref().unwrap().score();
        for score in [scores.clustering, scores.classification, regression] {
            assert!((score - PERFECT).abs() < 1e-6, "{scores}");
        }
    }

    #[test]
    fn another_table_scores_less_and_scores_repeat() {
        let (real, other) = (table(200, 0), table(150, 1));
        let scores = challenge(1).score(&real, &other).unwrap();
        assert!(scores.clustering < 0.99 * PERFECT && scores.clustering > 0.0, "{scores}");
        assert!(scores.classification < 0.99 * PERFECT && scores.classification > 0.0, "{scores}");
        assert!(scores.regression.as_ref().unwrap().score() < 0.999 * PERFECT, "{scores}");
        assert_eq!(challenge(1).score(&real, &other).unwrap(), scores);
        let reseeded = challenge(2).score(&real, &other).unwrap();
        assert_ne!(reseeded.classification.to_bits(), scores.classification.to_bits());
        assert_eq!(reseeded.regression, scores.regression, "nothing is drawn for it");
    }

    #[test]
    fn no_scores_are_shown_without_the_stamp() {
        let real = table(50, 0);
        let text = challenge(1).score(&real, &real).unwrap().to_string();
        assert!(text.starts_with("NOT DIFFERENTIALLY PRIVATE") && text.contains("clustering 1000000"), "{text}");
    }

    #[test]
    fn a_real_table_without_rows_is_refused() {
        let empty = table(0, 0);
        assert!(matches!(challenge(1).score(&empty, &empty), Err(EvaluateError::Config { .. })));
    }

    #[test]
    fn attributes_are_drawn_without_repeats_and_all_of_them() {
        let mut dice = ChaCha8Rng::seed_from_u64(1);
        let mut seen = [0; 5];
        for _ in 0..200 {
            let mut drawn: Vec<usize> = some_attributes(5, 3, &mut dice).iter().map(|one| one.index()).collect();
            for &attribute in &drawn {
                seen[attribute] += 1;
            }
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 3);
        }
        // 120 each is due, with a standard deviation of 6.9: six of them, false alarm 1e-8.
        assert!(seen.iter().all(|&times| (78..=162).contains(&times)), "{seen:?}");
    }
}
