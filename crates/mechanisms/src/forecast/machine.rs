//! How fast the machine is that a forecast is for.

use std::sync::OnceLock;

use scumble_pgm::{Estimator, Measurement, Search, Stop, Total};
use scumble_schema::{AttributeId, Clique, Domain};
use serde::Serialize;

use super::clock::thread_time;

/// Processor seconds that a pass of the benchmark takes where the coefficients were measured.
const REFERENCE_PASS: f64 = 5.0e-4;
/// How often the benchmark is run. What disturbs it makes it slower, so the fastest run counts.
const RUNS: usize = 5;
/// Passes of one run: some hundredths of a second.
const PASSES: usize = 40;
/// A machine that seems to be further off than this was disturbed throughout.
const FURTHEST: f64 = 50.0;

/// How long work takes on a machine.
///
/// Forecasts count work and multiply it with what one of each kind takes on one machine. Another machine, or a build with other
/// optimisations, takes longer or shorter by about the same factor for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Machine {
    /// How many times as long as on the machine that the coefficients were measured on.
    pub slowness: f64,
}

impl Machine {
    /// The machine that the coefficients were measured on.
    pub const REFERENCE: Self = Self { slowness: 1.0 };

    /// The machine that this process runs on. Measured once, which takes a tenth of a second or two.
    pub fn this() -> Self {
        static THIS: OnceLock<Machine> = OnceLock::new();
        *THIS.get_or_init(|| Self::by_pass(fastest_pass()))
    }

    fn by_pass(seconds: f64) -> Self {
        Self { slowness: (seconds / REFERENCE_PASS).clamp(FURTHEST.recip(), FURTHEST) }
    }
}

/// Processor seconds of a pass of the benchmark.
fn fastest_pass() -> f64 {
    // The model is too small for threads, so the time of this one is all of it, whatever others do meanwhile.
    let (estimator, measured) = benchmark();
    let seconds = || {
        let start = thread_time();
        let estimate = estimator.estimate(&measured).expect("the benchmark is a model of ours");
        #[expect(clippy::cast_precision_loss, reason = "some dozen passes")]
        let passes = estimate.passes.max(1) as f64;
        thread_time().saturating_sub(start).as_secs_f64() / passes
    };
    (0..RUNS).map(|_| seconds()).fold(f64::INFINITY, f64::min)
}

/// The fit of a small model, which is what most methods spend their time on: a chain of tables over three columns.
fn benchmark() -> (Estimator, Vec<Measurement>) {
    const COLUMNS: usize = 8;
    const SIZE: u32 = 12;
    const ROWS: f64 = 10_000.0;
    let domain = Domain::new(vec![SIZE; COLUMNS]).expect("a small domain");
    let table = |columns: &[usize]| {
        let clique = Clique::new(columns.iter().map(|&column| AttributeId::new(column)));
        let cells = domain.table_len(&clique).expect("a small table");
        // Any counts will do, as long as they are not met at once.
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
    fn the_benchmark_makes_as_many_passes_as_it_is_asked_for_and_stays_well_below_a_second() {
        let (estimator, measured) = benchmark();
        assert_eq!(estimator.estimate(&measured).unwrap().passes, PASSES);
        let start = thread_time();
        let machine = Machine::this();
        assert!(machine.slowness > 0.0 && thread_time().saturating_sub(start).as_secs_f64() < 10.0);
        assert_eq!(Machine::this(), machine, "it is measured once");
    }
}
