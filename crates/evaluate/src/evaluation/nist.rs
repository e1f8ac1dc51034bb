//! The metrics of the NIST 2018 challenge beside what can be achieved.

use serde::Serialize;

use super::{Beside, Settings, mean};
use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::kind::ColumnKind;
use crate::nist::{Challenge, Scores};

/// Scores of [`PERFECT`](crate::nist::PERFECT), a million.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NistScores {
    /// Random three-way tables.
    pub clustering: Beside,
    /// Frequencies of random conjunctions.
    pub classification: Beside,
    /// Income inequality and pay gaps; `None` unless the columns were named.
    pub regression: Option<RegressionScores>,
}

/// The challenge's regression metric: whether inequality and pay gaps of places come out as they are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegressionScores {
    /// The mean of both.
    pub score: Beside,
    /// The places' Gini coefficients of income.
    pub inequality: Beside,
    /// The places' ranks by the pay gap between the sexes.
    pub ranks: Beside,
}

impl NistScores {
    pub(super) fn new(
        real: &Columns,
        synthetic: &Columns,
        resampled: &[Columns],
        kinds: &[ColumnKind],
        settings: &Settings,
    ) -> Result<Self, EvaluateError> {
        let challenge = Challenge { kinds: kinds.to_vec(), earnings: settings.earnings.clone(), seed: settings.seed };
        let scores = challenge.score(real, synthetic)?;
        let by_chance: Vec<Scores> =
            resampled.iter().map(|table| challenge.score(real, table)).collect::<Result<_, _>>()?;
        let beside =
            |of: &dyn Fn(&Scores) -> f64| Beside { value: of(&scores), achievable: mean(by_chance.iter().map(of)) };
        let of_regression = |of: fn(&crate::nist::Regression) -> f64| {
            beside(&|scores: &Scores| scores.regression.as_ref().map_or(0.0, of))
        };
        Ok(Self {
            clustering: beside(&|scores| scores.clustering),
            classification: beside(&|scores| scores.classification),
            regression: scores.regression.as_ref().map(|_| RegressionScores {
                score: of_regression(crate::nist::Regression::score),
                inequality: of_regression(|regression| regression.inequality),
                ranks: of_regression(|regression| regression.ranks),
            }),
        })
    }
}
