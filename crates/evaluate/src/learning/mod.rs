//! Learners trained on synthetic rows, tested on real ones.
//!
//! Real rows are split at random into training and test rows. One learner is trained on the real
//! training rows, another on as many synthetic rows, and both predict the classes of the test rows.
//! The accuracy of the first is the achievable one; the difference is the loss of the synthetic
//! table.
//!
//! * The **linear** learner is multinomial logistic regression. Categorical columns are one-hot,
//!   ordered ones are standardised with an indicator of missing values. The weights minimise the
//!   losses plus half the squared weights.
//! * The **forest** has 20 classification trees of depth 16 and leaves of five rows or more, each
//!   grown on a bootstrap. A split separates one group of a categorical column or the groups below
//!   a bound of an ordered one, in one of √d columns.
//!
//! For both, the codes of a column with more than 256 codes are grouped: ranges of ordered codes,
//! the most frequent categories and the rest.

mod features;
mod forest;
mod lbfgs;
mod linear;
mod loss;
pub mod propensity;
mod score;
mod tree;

use std::fmt;

use scumble_pgm::parallel;
use scumble_schema::AttributeId;
use serde::Serialize;

pub(crate) use self::features::Features;
pub(crate) use self::forest::Forest;
pub(crate) use self::linear::Linear;
pub use self::score::Score;
pub(crate) use self::score::auc;
pub(crate) use self::tree::Growth;
use crate::NOT_PRIVATE;
use crate::error::EvaluateError;
use crate::sample::{Draw, Grouping, Sample, check, different_rows, tally};
use crate::table::{ColumnKind, Columns};

/// Settings of the learners.
#[derive(Debug, Clone, PartialEq)]
pub struct Learning {
    /// Kind of each column.
    pub kinds: Vec<ColumnKind>,
    /// Columns that are predicted from the others, each in turn.
    pub targets: Vec<AttributeId>,
    /// Maximum number of training rows, drawn at random.
    pub training_rows: usize,
    /// Maximum number of test rows, drawn at random. At most three in ten real rows are test rows.
    pub test_rows: usize,
    /// Maximum number of classes of a target, between 2 and 256. More codes are grouped: ranges of
    /// ordered codes, the most frequent categories and the rest.
    pub max_classes: usize,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Accuracy of the learners.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LearningScores {
    stamp: &'static str,
    /// Number of real training rows.
    pub real_training_rows: usize,
    /// Number of synthetic training rows.
    pub synthetic_training_rows: usize,
    /// Number of real rows that all learners were tested on.
    pub test_rows: usize,
    /// Scores of each target.
    pub targets: Vec<TargetScores>,
}

/// Accuracy of the learners on one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TargetScores {
    /// The position of the column.
    pub target: AttributeId,
    /// Number of classes of the test rows.
    pub classes: usize,
    /// Whether some classes are groups of codes.
    pub grouped: bool,
    /// Score of always predicting the most frequent class of the real training rows.
    pub majority: Score,
    /// Scores of logistic regression.
    pub linear: LearnerScores,
    /// Scores of the forest.
    pub forest: LearnerScores,
}

/// Accuracy of one learner on the same real test rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LearnerScores {
    /// Score after training on real rows.
    pub real_trained: Score,
    /// Score after training on synthetic rows.
    pub synthetic_trained: Score,
}

/// Limits of the trees of the forest.
const GROWTH: Growth = Growth { max_depth: 16, min_rows: 5 };
/// Maximum share of test rows, as a fraction.
const MAX_TEST_SHARE: (usize, usize) = (3, 10);

impl Learning {
    /// Returns the default settings: at most 20,000 training rows, 10,000 test rows and ten
    /// classes.
    pub fn new(kinds: Vec<ColumnKind>, targets: Vec<AttributeId>, seed: u64) -> Self {
        Self { kinds, targets, training_rows: 20_000, test_rows: 10_000, max_classes: 10, seed }
    }

    /// Trains and tests learners.
    ///
    /// # Errors
    /// If the tables are over different domains or have fewer than two rows, there is not one kind
    /// per attribute, a target is not among them, or a limit is out of range.
    pub fn score(&self, real: &Columns, synthetic: &Columns) -> Result<LearningScores, EvaluateError> {
        check(real, synthetic, &self.kinds)?;
        self.check_limits()?;
        let mut dice = Draw::LearningRows.dice(self.seed);
        let all = real.rows() as usize;
        let tests = self.test_rows.min(all * MAX_TEST_SHARE.0 / MAX_TEST_SHARE.1).max(1);
        let mut training = different_rows(real.rows(), tests + self.training_rows.min(all - tests), &mut dice);
        let test = training.split_off(training.len() - tests);
        let other = different_rows(synthetic.rows(), training.len(), &mut dice);

        let groupings = Grouping::of_all(real, &self.kinds, Grouping::MAX_GROUPS)?;
        let parts = [(real, &training), (synthetic, &other), (real, &test)];
        let samples = parts.map(|(table, rows)| Sample::of(table, rows, &groupings));
        let targets: Result<Vec<Target>, _> = self.targets.iter().map(|&target| self.target(target, parts)).collect();
        let targets = targets?;
        let fits: Vec<Fit> = targets.iter().flat_map(Fit::all).collect();
        let scores = parallel::map(&fits, |fit| fit.score(&samples, &groupings, self.seed));
        let scores =
            targets.iter().zip(scores.chunks_exact(FITS_PER_TARGET)).map(|(target, scores)| target.with(scores));
        Ok(LearningScores {
            stamp: NOT_PRIVATE,
            real_training_rows: training.len(),
            synthetic_training_rows: other.len(),
            test_rows: tests,
            targets: scores.collect(),
        })
    }

    fn check_limits(&self) -> Result<(), EvaluateError> {
        if self.targets.iter().any(|target| target.index() >= self.kinds.len()) {
            return Err(EvaluateError::config("targets", "columns of the table"));
        }
        if !(2..=Grouping::MAX_GROUPS).contains(&self.max_classes) {
            return Err(EvaluateError::config("max_classes", "between 2 and 256"));
        }
        if self.training_rows == 0 || self.test_rows == 0 {
            return Err(EvaluateError::config("training_rows and test_rows", "above zero"));
        }
        Ok(())
    }

    /// Returns the classes of a target, in the training rows of both tables and in the test rows.
    fn target(&self, target: AttributeId, parts: [(&Columns, &Vec<u32>); 3]) -> Result<Target, EvaluateError> {
        let classes = Grouping::of(parts[0].0, target, self.kinds[target.index()], self.max_classes)?;
        let labels = parts.map(|(table, rows)| classes.gather(table, target, rows));
        Ok(Target { column: target, classes, labels })
    }
}

/// Classes of a target, in the training rows of both tables and in the test rows.
struct Target {
    column: AttributeId,
    classes: Grouping,
    labels: [Vec<u8>; 3],
}

/// Positions of samples and labels.
const REAL: usize = 0;
const SYNTHETIC: usize = 1;
const TEST: usize = 2;

impl Target {
    fn with(&self, scores: &[Score]) -> TargetScores {
        let learner = |at: usize| LearnerScores { real_trained: scores[at], synthetic_trained: scores[at + 1] };
        TargetScores {
            target: self.column,
            classes: self.frequencies(TEST).iter().filter(|&&rows| rows > 0).count(),
            grouped: self.classes.is_coarser(),
            majority: self.majority(),
            linear: learner(0),
            forest: learner(2),
        }
    }

    fn frequencies(&self, part: usize) -> Vec<u32> {
        tally(&self.labels[part], self.classes.count())
    }

    fn majority(&self) -> Score {
        let frequencies = self.frequencies(REAL);
        let most = frequencies.iter().max();
        let of_row: Vec<f64> = frequencies.iter().map(|rows| f64::from(u8::from(Some(rows) == most))).collect();
        Score::of(&of_row.repeat(self.labels[TEST].len()), &self.labels[TEST], of_row.len())
    }
}

/// A learner to train on one table for one target.
struct Fit<'a> {
    target: &'a Target,
    learner: Learner,
    part: usize,
}

#[derive(Clone, Copy)]
enum Learner {
    Linear,
    Forest,
}

/// Number of fits per target: two learners, on two tables.
const FITS_PER_TARGET: usize = 4;

impl<'a> Fit<'a> {
    fn all(target: &'a Target) -> [Self; FITS_PER_TARGET] {
        let fits = [Learner::Linear, Learner::Forest].map(|learner| [REAL, SYNTHETIC].map(|part| (learner, part)));
        let [[a, b], [c, d]] = fits;
        [a, b, c, d].map(|(learner, part)| Self { target, learner, part })
    }

    fn score(&self, samples: &[Sample; 3], groupings: &[Grouping], seed: u64) -> Score {
        let column = self.target.column.index();
        let [training, test] = [self.part, TEST].map(|part| Features::new(&samples[part], groupings, Some(column)));
        let (labels, classes) = (&self.target.labels[self.part], self.target.classes.count());
        let probabilities = match self.learner {
            Learner::Linear => Linear::fit(&training, labels, classes).probabilities(&test),
            Learner::Forest => {
                let member = u32::try_from(column).expect("a schema has at most limits::COLUMNS attributes");
                // Both tables use the same random stream, so that chance does not differ between
                // them.
                let mut dice = Draw::Forest(member).dice(seed);
                Forest::fit(&training, labels, classes, GROWTH, &mut dice).probabilities(&test)
            }
        };
        Score::of(&probabilities, &self.target.labels[TEST], classes)
    }
}

impl fmt::Display for LearningScores {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        for scores in &self.targets {
            write!(formatter, "column {}: majority {:.3}", scores.target.index(), scores.majority.accuracy)?;
            for (name, learner) in [("linear", scores.linear), ("forest", scores.forest)] {
                let (real, synthetic) = (learner.real_trained.accuracy, learner.synthetic_trained.accuracy);
                write!(formatter, ", {name} {real:.3} trained on real rows and {synthetic:.3} on synthetic ones")?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
