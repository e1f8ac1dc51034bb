//! Whether learners distinguish real rows from synthetic ones.
//!
//! Real rows are labelled 0 and synthetic ones 1. With p the probability of label 1 that a learner
//! trained on all rows gives each of them, and c the share of synthetic rows, the propensity score
//! is pMSE = mean (p - c)²: zero if the learner cannot distinguish the rows, c (1 - c) if it
//! identifies every row.
//!
//! A learner finds some difference between any two samples. Resampling measures how much:
//! bootstraps of the real table, each of as many rows as the synthetic sample, replace the
//! synthetic rows. Rows drawn independently cannot have a better distribution than that of the real
//! table, so the mean score of the bootstraps is the achievable one. For logistic regression with k
//! weights besides the intercept, on all n real rows and m others, it is near k c (1 - c)² / (n +
//! m), the formula of Snoke and others; if the real rows are a share f of their table, one of the
//! factors (1 - c) becomes (1 - f c). A new sample of the population behind the real table scores 1
//! / (1 - c) times as much, because of its own sampling error.
//!
//! # Reference
//! J. Snoke, G. Raab, B. Nowok, C. Dibben, A. Slavkovic, General and specific utility measures for
//! synthetic data, Journal of the Royal Statistical Society A 181, 2018, section 3.

use std::fmt;

use chacha20::ChaCha8Rng;
use scumble_pgm::parallel;
use serde::Serialize;

use crate::NOT_PRIVATE;
use crate::error::EvaluateError;
use crate::learning::{Features, Forest, Growth, Linear, auc};
use crate::sample::{Draw, Grouping, Sample, bootstrap_rows, check, different_rows, number};
use crate::table::{ColumnKind, Columns};

/// Share of rows that are trained on for the area under the curve, as a fraction. The others are
/// scored.
const TRAINING_SHARE: (usize, usize) = (2, 3);
/// A leaf of a tree has at least one in `LEAF_ONE_IN` of the rows.
const LEAF_ONE_IN: usize = 400;
/// Maximum depth of a tree.
const MAX_DEPTH: usize = 12;

/// Settings of the propensity scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Propensity {
    /// Kind of each column.
    pub kinds: Vec<ColumnKind>,
    /// Maximum number of rows of each table. From a larger table, this number is drawn at random.
    pub rows: usize,
    /// Number of bootstraps of the real table that estimate the achievable scores; two or more.
    pub resamples: u32,
    /// Seed of the random draws.
    pub seed: u64,
}

/// How well learners distinguish real and synthetic rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PropensityScores {
    stamp: &'static str,
    /// Number of real rows, labelled 0.
    pub real_rows: usize,
    /// Number of synthetic rows, labelled 1.
    pub synthetic_rows: usize,
    /// Number of bootstraps of the real table.
    pub resamples: u32,
    /// Maximum pMSE: that of a learner that identifies every row.
    pub most: f64,
    /// Scores of logistic regression without interactions: differences of single columns.
    pub linear: PropensityScore,
    /// Scores of a random forest: differences of single columns and of their relations.
    pub forest: PropensityScore,
}

/// How well one learner distinguishes real and synthetic rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PropensityScore {
    /// Mean squared distance of the learner's probabilities from the share of synthetic rows.
    pub pmse: f64,
    /// Mean pMSE of bootstraps of the real table.
    pub expected: f64,
    /// Standard deviation of the pMSE over these bootstraps.
    pub deviation: f64,
    /// `pmse` over `expected`: near 1 if the tables cannot be distinguished; `None` if `expected`
    /// is zero.
    pub ratio: Option<f64>,
    /// `(pmse - expected) / deviation`; `None` if `deviation` is zero.
    pub standardised: Option<f64>,
    /// Area under the curve on rows that were not trained on: near 0.5 if the tables cannot be
    /// distinguished, 1 if every row is identified. It is a little below 0.5 for the best possible
    /// table: values that are rare by chance among the real training rows are frequent among the
    /// other real rows.
    pub auc: f64,
    /// Mean area under the curve of the bootstraps.
    pub achievable_auc: f64,
}

/// Kind of learner.
#[derive(Clone, Copy)]
enum Learner {
    Linear,
    Forest,
}

/// How well one learner distinguishes two samples.
#[derive(Clone, Copy)]
struct Separation {
    pmse: f64,
    auc: f64,
}

impl Propensity {
    /// Returns the default settings: at most 10,000 rows of each table, and 20 bootstraps.
    pub fn new(kinds: Vec<ColumnKind>, seed: u64) -> Self {
        Self { kinds, rows: 10_000, resamples: 20, seed }
    }

    /// Trains learners to distinguish the tables, and scores them.
    ///
    /// # Errors
    /// If the tables are over different domains or have fewer than two rows, there is not one kind
    /// per attribute, or a limit is below two.
    pub fn score(&self, real: &Columns, synthetic: &Columns) -> Result<PropensityScores, EvaluateError> {
        check(real, synthetic, &self.kinds)?;
        if self.resamples < 2 || self.rows < 2 {
            return Err(EvaluateError::config("rows and resamples", "two or more"));
        }
        let mut dice = Draw::PropensityRows.dice(self.seed);
        let groupings = Grouping::of_all(real, &self.kinds, Grouping::MAX_GROUPS)?;
        let [real_rows, synthetic_rows] =
            [real, synthetic].map(|table| different_rows(table.rows(), self.rows, &mut dice));
        let sample = Sample::of(real, &real_rows, &groupings);
        let others: Vec<Option<u32>> = std::iter::once(None).chain((0..self.resamples).map(Some)).collect();
        let separations = parallel::map(&others, |&resample| {
            let other = if let Some(resample) = resample {
                let mut dice = Draw::PropensityResample(resample).dice(self.seed);
                let rows = bootstrap_rows(real.rows(), synthetic_rows.len(), &mut dice);
                Sample::of(real, &rows, &groupings)
            } else {
                Sample::of(synthetic, &synthetic_rows, &groupings)
            };
            // All of them use the same random stream, so that chance does not differ between them.
            let dice = || Draw::PropensityForest.dice(self.seed);
            [Learner::Linear, Learner::Forest].map(|learner| learner.separate(&sample, &other, &groupings, dice()))
        });
        let [linear, forest] = [0, 1].map(|learner| {
            let separations: Vec<Separation> = separations.iter().map(|of_learners| of_learners[learner]).collect();
            PropensityScore::new(separations[0], &separations[1..])
        });
        let share = number(synthetic_rows.len()) / number(real_rows.len() + synthetic_rows.len());
        Ok(PropensityScores {
            stamp: NOT_PRIVATE,
            real_rows: real_rows.len(),
            synthetic_rows: synthetic_rows.len(),
            resamples: self.resamples,
            most: share * (1.0 - share),
            linear,
            forest,
        })
    }
}

impl PropensityScore {
    fn new(Separation { pmse, auc }: Separation, resampled: &[Separation]) -> Self {
        let count = number(resampled.len());
        let mean = |of: fn(&Separation) -> f64| resampled.iter().map(of).sum::<f64>() / count;
        let expected = mean(|other| other.pmse);
        let squares: f64 = resampled.iter().map(|other| (other.pmse - expected).powi(2)).sum();
        let deviation = (squares / (count - 1.0)).sqrt();
        Self {
            pmse,
            expected,
            deviation,
            ratio: (expected > 0.0).then(|| pmse / expected),
            standardised: (deviation > 0.0).then(|| (pmse - expected) / deviation),
            auc,
            achievable_auc: mean(|other| other.auc),
        }
    }
}

impl Learner {
    fn separate(self, real: &Sample, other: &Sample, groupings: &[Grouping], mut dice: ChaCha8Rng) -> Separation {
        let share = number(other.rows()) / number(real.rows() + other.rows());
        let both = real.followed_by(other);
        let probabilities = self.probabilities(&both, real.rows(), &both, groupings, &mut dice);
        let squares: f64 = probabilities.iter().map(|p| (p - share).powi(2)).sum();

        // Samples are in random order, so any split of them is random.
        let [[real, real_test], [other, other_test]] =
            [real, other].map(|sample| sample.split((sample.rows() * TRAINING_SHARE.0 / TRAINING_SHARE.1).max(1)));
        let test = real_test.followed_by(&other_test);
        let probabilities = self.probabilities(&real.followed_by(&other), real.rows(), &test, groupings, &mut dice);
        Separation { pmse: squares / number(both.rows()), auc: auc(&probabilities, |row| row >= real_test.rows()) }
    }

    /// Trains on `training`, whose first `real` rows have label 0, and returns the probability of
    /// label 1 of each row of `test`.
    fn probabilities(
        self,
        training: &Sample,
        real: usize,
        test: &Sample,
        groupings: &[Grouping],
        dice: &mut ChaCha8Rng,
    ) -> Vec<f64> {
        let labels: Vec<u8> = (0..training.rows()).map(|row| u8::from(row >= real)).collect();
        let [training, test] = [training, test].map(|sample| Features::new(sample, groupings, None));
        let of_labels = match self {
            Self::Linear => Linear::fit(&training, &labels, 2).probabilities(&test),
            Self::Forest => {
                let growth = Growth { max_depth: MAX_DEPTH, min_rows: (labels.len() / LEAF_ONE_IN).max(1) };
                Forest::fit(&training, &labels, 2, growth, dice).probabilities(&test)
            }
        };
        of_labels.chunks_exact(2).map(|of_row| of_row[1]).collect()
    }
}

impl fmt::Display for PropensityScores {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        for (name, score) in [("linear", self.linear), ("forest", self.forest)] {
            let PropensityScore { pmse, expected, auc, achievable_auc, .. } = score;
            writeln!(
                formatter,
                "{name}: pMSE {pmse:.5} where {expected:.5} can be achieved, AUC {auc:.3} where {achievable_auc:.3} can"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::fixture::{KINDS, related, unrelated};

    fn propensity() -> Propensity {
        Propensity::new(KINDS.to_vec(), 1)
    }

    fn bootstrap(table: &Columns, seed: u64) -> Columns {
        let rows = bootstrap_rows(table.rows(), table.rows() as usize, &mut Draw::Power(9).dice(seed));
        table.pick(&rows.into_iter().map(|row| row as usize).collect::<Vec<_>>())
    }

    #[test]
    fn a_bootstrap_cannot_be_distinguished_from_the_real_table() {
        let real = related(4_000, 1);
        let scores = propensity().score(&real, &bootstrap(&real, 1)).unwrap();
        for score in [scores.linear, scores.forest] {
            assert!(score.ratio.unwrap() > 0.3 && score.ratio.unwrap() < 2.5, "{score:?}");
            // In standard deviations, estimated from 20 resamples: false alarm below 1e-4 each, at
            // a fixed seed.
            assert!(score.standardised.unwrap().abs() < 5.0, "{score:?}");
            assert!((score.auc - score.achievable_auc).abs() < 0.06, "{score:?}");
            assert!(score.achievable_auc > 0.44 && score.achievable_auc < 0.51, "{score:?}");
        }
        assert!((scores.most - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_copy_of_the_real_table_scores_below_a_bootstrap() {
        let real = related(1_000, 1);
        let score = propensity().score(&real, &real).unwrap().linear;
        assert!(score.pmse < 1e-9 && score.standardised.unwrap() < -1.0, "{score:?}");
    }

    #[test]
    fn lost_relations_are_seen_by_the_forest_alone() {
        let real = related(4_000, 1);
        let scores = propensity().score(&real, &unrelated(&real, 1)).unwrap();
        assert!(scores.forest.ratio.unwrap() > 5.0 && scores.forest.auc > 0.6, "{scores:?}");
        assert!(scores.linear.ratio.unwrap() < 1.0, "single columns are the real ones: {scores:?}");
    }

    #[test]
    fn wrong_single_columns_are_seen_by_both() {
        let real = related(4_000, 1);
        let codes = real.domain().attributes().map(|attribute| match attribute.index() {
            // One row in three becomes one of the first sex, whatever it was.
            2 => (0..).zip(real.codes(attribute).iter()).map(|(row, sex)| if row % 3 == 0 { 0 } else { sex }).collect(),
            _ => real.codes(attribute).iter().collect(),
        });
        let synthetic = Columns::new(real.domain().clone(), codes.collect()).unwrap();
        let scores = propensity().score(&real, &synthetic).unwrap();
        let standardised = [scores.linear, scores.forest].map(|score| score.standardised.unwrap());
        assert!(standardised[0] > 3.0 && standardised[1] > 3.0, "{scores:?}");
        assert!(scores.linear.auc > scores.linear.achievable_auc + 0.01, "{scores:?}");
    }

    /// Number of weights: age, missing age, and one less than the codes of each other column.
    const WEIGHTS: f64 = 2.0 + 2.0 + 1.0 + 1.0 + 4.0;

    #[test]
    fn logistic_regression_has_the_expectation_of_the_formula() {
        let real = related(2_000, 1);
        // All rows and as many others; then half of them, whose share of the table is one half.
        for (rows, drawn) in [(2_000, 1.0), (1_000, 0.5)] {
            let many = Propensity { rows, resamples: 100, ..propensity() };
            let score = many.score(&real, &related(2_000, 2)).unwrap().linear;
            let (c, all) = (0.5, 2.0 * number(rows));
            let due = WEIGHTS * c * (1.0 - c) * (1.0 - drawn * c) / all;
            // A mean of 100 has a relative standard deviation of sqrt(2 / 10) / sqrt(100) = 4.5 %;
            // the penalty takes little.
            assert!((score.expected / due - 1.0).abs() < 5.0 * 0.045, "{} and not {due}", score.expected);
            let spread = due * (2.0 / WEIGHTS).sqrt();
            assert!((score.deviation / spread - 1.0).abs() < 0.4, "{} and not {spread}", score.deviation);
        }
    }

    #[test]
    fn a_fresh_sample_scores_twice_as_much() {
        let real = related(2_000, 1);
        let ratio = |seed| propensity().score(&real, &related(2_000, seed)).unwrap().linear.ratio.unwrap();
        let mean = (2..12).map(ratio).sum::<f64>() / 10.0;
        // Each ratio has a standard deviation of 2 sqrt(2 / 10) = 0.9, their mean 0.28.
        assert!(mean > 1.2 && mean < 3.2, "{mean}");
    }

    #[test]
    fn the_same_seed_gives_the_same_scores_with_a_stamp() {
        let (real, synthetic) = (related(300, 1), related(200, 2));
        let scores = propensity().score(&real, &synthetic).unwrap();
        assert_eq!(propensity().score(&real, &synthetic).unwrap(), scores);
        assert_eq!((scores.real_rows, scores.synthetic_rows), (300, 200));
        assert!(scores.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
        assert_eq!(serde_json::to_value(&scores).unwrap()["stamp"], NOT_PRIVATE);
        assert!(matches!(
            Propensity { resamples: 1, ..propensity() }.score(&real, &synthetic),
            Err(EvaluateError::Config { .. })
        ));
    }
}
