//! Correlations of pairs of columns, with the names of the columns.

use scumble_schema::Schema;
use serde::Serialize;

use super::{Measured, mean};
use crate::error::EvaluateError;
use crate::relation::correlation::{Measure, PairCorrelation, correlations, mean_difference};
use crate::table::{ColumnKind, Columns};

/// How well correlations of pairs of columns are preserved.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrelationScores {
    /// Mean absolute difference over the pairs; `None` if no pair has one.
    pub mean_difference: Option<Measured>,
    /// All pairs, with the positions of their columns.
    pub pairs: Vec<PairCorrelation>,
    /// The pairs with the largest differences, the worst first.
    pub worst: Vec<CorrelationScore>,
}

/// Correlation of two named columns in both tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrelationScore {
    /// The two columns.
    pub columns: [String; 2],
    /// The measure of correlation.
    pub measure: Measure,
    /// Correlation in the real table.
    pub real: f64,
    /// Correlation in the synthetic table.
    pub synthetic: f64,
}

/// Maximum number of pairs in the list of the worst.
const MAX_WORST_PAIRS: usize = 10;

impl CorrelationScores {
    pub(super) fn new(
        real: &Columns,
        synthetic: &Columns,
        resampled: &[Columns],
        schema: &Schema,
        kinds: &[ColumnKind],
    ) -> Result<Self, EvaluateError> {
        let pairs = correlations(real, synthetic, kinds)?;
        let mut by_chance = Vec::with_capacity(resampled.len());
        for table in resampled {
            by_chance.extend(mean_difference(&correlations(real, table, kinds)?));
        }
        let achievable = mean(by_chance.into_iter());
        let mean_difference = mean_difference(&pairs).map(|value| Measured { value, achievable });
        let name = |column| schema.attribute(column).name().to_owned();
        let score = |pair: &PairCorrelation| {
            let (real, synthetic) = (pair.real?, pair.synthetic?);
            Some(CorrelationScore { columns: pair.columns.map(name), measure: pair.measure, real, synthetic })
        };
        let mut worst: Vec<CorrelationScore> = pairs.iter().filter_map(score).collect();
        let size = |score: &CorrelationScore| (score.synthetic - score.real).abs();
        worst.sort_by(|left, right| size(right).total_cmp(&size(left)));
        worst.truncate(MAX_WORST_PAIRS);
        Ok(Self { mean_difference, pairs, worst })
    }
}
