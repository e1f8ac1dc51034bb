//! Metrics of the NIST 2018 challenge, each with its achievable value.

use serde::Serialize;

use super::{Measured, Settings, mean};
use crate::error::EvaluateError;
use crate::nist::{Challenge, Scores};
use crate::table::{ColumnKind, Columns};

/// Scores between zero and [`PERFECT`](crate::nist::PERFECT), a million.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NistScores {
    /// Random three-way tables.
    pub clustering: Measured,
    /// Frequencies of random conjunctions.
    pub classification: Measured,
    /// Income inequality and pay gaps; `None` unless the columns were named.
    pub regression: Option<RegressionScores>,
}

/// The challenge's regression metric: closeness of income inequality and pay gaps, place by place.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RegressionScores {
    /// Mean of `inequality` and `ranks`.
    pub score: Measured,
    /// Closeness of the places' Gini coefficients of income.
    pub inequality: Measured,
    /// Closeness of the places' ranks by the pay gap between the sexes.
    pub ranks: Measured,
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
        let measured =
            |of: &dyn Fn(&Scores) -> f64| Measured { value: of(&scores), achievable: mean(by_chance.iter().map(of)) };
        let of_regression = |of: fn(&crate::nist::Regression) -> f64| {
            measured(&|scores: &Scores| scores.regression.as_ref().map_or(0.0, of))
        };
        Ok(Self {
            clustering: measured(&|scores| scores.clustering),
            classification: measured(&|scores| scores.classification),
            regression: scores.regression.as_ref().map(|_| RegressionScores {
                score: of_regression(crate::nist::Regression::score),
                inequality: of_regression(|regression| regression.inequality),
                ranks: of_regression(|regression| regression.ranks),
            }),
        })
    }
}
