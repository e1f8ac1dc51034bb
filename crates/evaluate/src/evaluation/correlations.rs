//! Relations of pairs of columns.

use scumble_schema::Schema;
use serde::Serialize;

use super::{Beside, mean};
use crate::columns::Columns;
use crate::correlation::{Measure, PairCorrelation, correlations, mean_difference};
use crate::error::EvaluateError;
use crate::kind::ColumnKind;

/// How far relations of pairs of columns are kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrelationScores {
    /// The mean absolute difference of a pair; `None` if no pair has one.
    pub mean_difference: Option<Beside>,
    /// All pairs; columns by their positions.
    pub pairs: Vec<PairCorrelation>,
    /// The pairs with the largest differences, the worst first.
    pub worst: Vec<CorrelationScore>,
}

/// How strongly two columns go together in either table, by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CorrelationScore {
    /// The two columns.
    pub columns: [String; 2],
    /// How they are measured.
    pub measure: Measure,
    /// In the real table.
    pub real: f64,
    /// In the synthetic table.
    pub synthetic: f64,
}

/// So many of the worst pairs are named.
const WORST: usize = 10;

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
        let mean_difference = mean_difference(&pairs).map(|value| Beside { value, achievable });
        let name = |column| schema.attribute(column).name().to_owned();
        let score = |pair: &PairCorrelation| {
            let (real, synthetic) = (pair.real?, pair.synthetic?);
            Some(CorrelationScore { columns: pair.columns.map(name), measure: pair.measure, real, synthetic })
        };
        let mut worst: Vec<CorrelationScore> = pairs.iter().filter_map(score).collect();
        let size = |score: &CorrelationScore| (score.synthetic - score.real).abs();
        worst.sort_by(|left, right| size(right).total_cmp(&size(left)));
        worst.truncate(WORST);
        Ok(Self { mean_difference, pairs, worst })
    }
}
