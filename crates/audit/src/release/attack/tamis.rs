//! Likelihood ratio of a row.
//!
//! A released graphical model gives every row a probability. The score is its logarithm, less that
//! of the same structure filled with the frequencies of the auxiliary sample: how much more likely
//! the row is under the release than in the population.
//!
//! Without a model, the structure is a tree learned from the synthetic rows, as in the paper. With
//! one, structure and probabilities are those of the model, which is what an attacker with the
//! model file has.
//!
//! # Reference
//! Andrey, Le Bars, Tommasi, TAMIS: Tailored membership inference attacks on synthetic data,
//! 2025.

use crate::release::factor::Factor;
use crate::release::progress::Progress;
use crate::release::study::Study;

/// Returns the log-likelihood ratio of every target.
pub(crate) fn scores(study: &Study<'_>, factors: &[Factor<'_>], progress: &Progress<'_>) -> Vec<f64> {
    let mut codes = vec![0; study.targets.domain().len()];
    let score = |row| {
        progress.target(row);
        study.targets.copy_row(row, &mut codes);
        factors.iter().map(|factor| factor.released(&codes) - factor.auxiliary(&codes)).sum()
    };
    (0..study.targets.rows()).map(score).collect()
}
