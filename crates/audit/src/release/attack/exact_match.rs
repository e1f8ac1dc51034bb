//! Exact copies.
//!
//! The score is one if the row occurs among the synthetic rows. It finds members only where a
//! method copies rows; rows that are frequent in the population match without any leak, which the
//! control shows.
//!
//! # Reference
//! Giomi, Boenisch, Wehmeyer, Tasnádi, A unified framework for quantifying privacy risk in
//! synthetic data, `PoPETs` 2023 (Anonymeter), for the comparison with a control.

use std::collections::HashMap;

use crate::release::progress::Progress;
use crate::release::study::Study;

/// Returns one for every target that occurs among the synthetic rows, and zero for the others.
pub(crate) fn scores(study: &Study<'_>, progress: &Progress<'_>) -> Vec<f64> {
    progress.step();
    let mut codes = vec![0; study.targets.domain().len()];
    // Targets are fewer than synthetic rows, so they are the ones kept in memory.
    let mut found: HashMap<Box<[u32]>, bool> = HashMap::new();
    for row in 0..study.targets.rows() {
        study.targets.copy_row(row, &mut codes);
        found.insert(codes.clone().into(), false);
    }
    for row in 0..study.synthetic.rows() {
        study.synthetic.copy_row(row, &mut codes);
        if let Some(found) = found.get_mut(codes.as_slice()) {
            *found = true;
        }
    }
    let score = |row| {
        study.targets.copy_row(row, &mut codes);
        f64::from(u8::from(found[codes.as_slice()]))
    };
    (0..study.targets.rows()).map(score).collect()
}
