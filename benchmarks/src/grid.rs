//! Runs at the same time, and their means.

use crate::Result;
use scumble_pgm::parallel;

/// Calls `work(0)` to `work(tasks - 1)` on `at_once` threads, and returns the results in order.
pub fn all<T: Send>(tasks: usize, at_once: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    parallel::map_on(at_once, 0..tasks, work).into_iter().collect()
}

/// Returns the mean and the standard deviation.
pub fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    let runs = values.len() as f64;
    let mean = values.iter().sum::<f64>() / runs;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (runs - 1.0).max(1.0)).sqrt())
}
