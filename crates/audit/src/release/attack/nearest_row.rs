//! Distance to the nearest synthetic row.
//!
//! The score is minus the number of columns in which the nearest synthetic row differs. A bounded
//! sample of the synthetic rows is compared; copies anywhere in the release are found by the exact
//! match.
//!
//! # Reference
//! Chen, Yu, Zhang, Fritz, GAN-Leaks: A taxonomy of membership inference attacks against generative
//! models, CCS 2020, for the distance as a score.

use super::neighbours::Neighbours;
use crate::release::progress::Progress;
use crate::release::study::Study;

/// Returns minus the distance of every target to its nearest synthetic row.
pub(crate) fn scores(study: &Study<'_>, progress: &Progress<'_>) -> Vec<f64> {
    let mut neighbours = Neighbours::new(study);
    let mut codes = vec![0; study.targets.domain().len()];
    let score = |row| {
        progress.target(row);
        study.targets.copy_row(row, &mut codes);
        neighbours.compare(&codes);
        -f64::from(neighbours.distances.iter().copied().min().unwrap_or(u16::MAX))
    };
    (0..study.targets.rows()).map(score).collect()
}
