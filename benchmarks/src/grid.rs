//! Runs at the same time, and their means.

use crate::Result;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of threads that this machine runs at the same time.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Calls `work(0)` to `work(tasks - 1)` on `at_once` threads, and returns the results in order.
pub fn all<T: Send>(tasks: usize, at_once: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(tasks)));
    thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let task = next.fetch_add(1, Ordering::Relaxed);
                    if task >= tasks {
                        break;
                    }
                    let result = work(task);
                    results.lock().expect("no worker panics while it holds this").push((task, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no worker panics while it holds this");
    results.sort_by_key(|(task, _)| *task);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the mean and the standard deviation.
pub fn mean_and_spread(values: &[f64]) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "a few runs")]
    let runs = values.len() as f64;
    let mean = values.iter().sum::<f64>() / runs;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (runs - 1.0).max(1.0)).sqrt())
}
