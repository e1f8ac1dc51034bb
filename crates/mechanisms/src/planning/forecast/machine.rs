//! Speed of the machine that a forecast is for.

use std::sync::OnceLock;

use scumble_pgm::{Estimator, Measurement, Search, Stop, Total};
use scumble_schema::{AttributeId, Clique, Domain};
use serde::Serialize;

use super::clock::thread_time;

/// Processor seconds of a pass of the benchmark on the machine of the coefficients.
const REFERENCE_PASS: f64 = 5.0e-4;
/// Number of runs of the benchmark. Disturbances make it slower, so the fastest run counts.
const RUNS: usize = 5;
/// Passes of one run, which take about 20 milliseconds.
const PASSES: usize = 40;
/// Maximum ratio to the reference machine. A larger one means that all runs were disturbed.
const MAX_RATIO: f64 = 50.0;

/// Speed of a machine.
///
/// Forecasts multiply counts of work with coefficients of one machine. Another machine, or a build
/// with other optimisations, is slower or faster by about the same factor for all kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Machine {
    /// Time relative to the machine of the coefficients.
    pub slowness: f64,
}

impl Machine {
    /// The machine that the coefficients were measured on.
    pub const REFERENCE: Self = Self { slowness: 1.0 };

    /// The machine that this process runs on. Measured once, which takes 0.1 to 0.2 seconds.
    pub fn this() -> Self {
        static THIS: OnceLock<Machine> = OnceLock::new();
        *THIS.get_or_init(|| Self::by_pass(fastest_pass()))
    }

    fn by_pass(seconds: f64) -> Self {
        Self { slowness: (seconds / REFERENCE_PASS).clamp(MAX_RATIO.recip(), MAX_RATIO) }
    }
}

/// Returns the processor seconds of the fastest pass of the benchmark.
fn fastest_pass() -> f64 {
    // The model is too small for threads, so the time of this thread is all of it.
    let (estimator, measured) = benchmark();
    let seconds = || {
        let start = thread_time();
        let estimate = estimator.estimate(&measured).expect("the benchmark is a valid model");
        let passes = estimate.passes.max(1) as f64;
        thread_time().saturating_sub(start).as_secs_f64() / passes
    };
    (0..RUNS).map(|_| seconds()).fold(f64::INFINITY, f64::min)
}

/// Returns the fit of a small model, a chain of tables over three columns. Most methods spend their
/// time on such fits.
fn benchmark() -> (Estimator, Vec<Measurement>) {
    const COLUMNS: usize = 8;
    const SIZE: u32 = 12;
    const ROWS: f64 = 10_000.0;
    let domain = Domain::new(vec![SIZE; COLUMNS]).expect("a small domain");
    let table = |columns: &[usize]| {
        let clique = Clique::new(columns.iter().map(|&column| AttributeId::new(column)));
        let cells = domain.table_len(&clique).expect("a small table");
        // Any counts will do that the search does not fit at once.
        let count = |cell: usize| f64::from(u32::try_from(cell * 7_919 % 101).expect("below 101"));
        let counts: Vec<f64> = (0..cells).map(count).collect();
        let scale = ROWS / counts.iter().sum::<f64>();
        Measurement::new(&domain, clique, counts.iter().map(|count| count * scale).collect(), 1.0)
            .expect("a cell for each count")
    };
    let triples = (0..COLUMNS - 2).map(|first| table(&[first, first + 1, first + 2]));
    let measured = (0..COLUMNS).map(|column| table(&[column])).chain(triples).collect();
    let estimator = Estimator::new(domain.clone())
        .total(Total::Fixed(ROWS))
        .search(Search::Shrunk { spread: 0.7 })
        .stop(Stop { at_noise: None, settled: 0.0, passes: PASSES });
    (estimator, measured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_takes_twice_as_long_is_twice_as_slow() {
        assert!((Machine::by_pass(2.0 * REFERENCE_PASS).slowness - 2.0).abs() < 1e-12);
        assert_eq!(Machine::by_pass(REFERENCE_PASS), Machine::REFERENCE);
        assert!(Machine::by_pass(0.0).slowness > 0.0 && Machine::by_pass(f64::INFINITY).slowness.is_finite());
    }

    #[test]
    fn the_benchmark_makes_all_passes_and_is_measured_once() {
        let (estimator, measured) = benchmark();
        assert_eq!(estimator.estimate(&measured).unwrap().passes, PASSES);
        let start = thread_time();
        let machine = Machine::this();
        assert!(machine.slowness > 0.0 && thread_time().saturating_sub(start).as_secs_f64() < 10.0);
        assert_eq!(Machine::this(), machine, "it is measured once");
    }
}
