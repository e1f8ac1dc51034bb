//! Shrunk potentials: a Gaussian prior keeps them small where noise hides them.
//!
//! The least loss fits noise as well as rows: a cell of one row with noise of fifty may get the
//! potential of a cell of eighty. Here potentials have a Gaussian prior with mean zero and standard
//! deviation `spread`: a table changes what the other tables imply by factors near one. The maximum
//! a posteriori potentials `θ` minimise
//!
//! ```text
//! 1/2 Σ_C |μ_C(θ) - y_C|² / σ_C²  +  1/2 Σ_C |θ_C|² / spread²
//! ```
//!
//! In a cell of `μ` rows, a potential moves the count by about `μ` times as much. So where the
//! gradient is zero,
//!
//! ```text
//! y - μ = r θ,     r = σ² / (spread² μ)
//! ```
//!
//! which is the end of a proximal stage with its centre at zero and the stiffness `r` of each
//! potential. A cell of many rows is hardly shrunk; a cell of few rows must be off by far more than
//! its noise to matter. The weights come from the model at the start, and again from the models
//! that the search finds.
//!
//! A cell that the model believes to be empty would stay empty for ever. So a cell that was
//! measured above its noise counts with at least its value less a standard deviation.

use scumble_schema::{Clique, Domain};

use super::Stopped;
use super::lbfgs::StepHistory;
use super::problem::{Point, Problem};
use super::proximal::{Pull, stage};

/// Rounds of weighting. More change little, except in cells with negative measured values.
const WEIGHTING_ROUNDS: usize = 3;
/// Steps in the L-BFGS history. Here tables are small beside the tree, so passes take most of the
/// time.
const HISTORY_STEPS: usize = 30;
/// Standard deviations subtracted from a measured value for a lower bound on its cell.
const LOWER_BOUND_DEVIATIONS: f64 = 1.0;
/// Smallest count assumed of a cell, in standard deviations. It bounds the shrinkage.
const MIN_COUNT_DEVIATIONS: f64 = 1e-3;

/// Returns the prior standard deviation of a table's potentials.
///
/// A column's own table is the only one that shows how its values are distributed, and they are
/// seldom about equally frequent: one of `k` values may hold most rows, a potential of about
/// `ln k`.
fn spread_of(domain: &Domain, clique: &Clique, spread: f64) -> f64 {
    match clique.attributes() {
        &[column] => spread.max(f64::from(domain.size(column)).ln()),
        _ => spread,
    }
}

/// Runs the search.
pub(crate) fn run(problem: &mut Problem, mut point: Point, spread: f64) -> Stopped {
    let mut pull = Pull::new(&problem.objective, point.total);
    let deviations: Vec<f64> =
        problem.objective.precisions().iter().map(|precision| precision.sqrt().recip()).collect();
    let measured = problem.objective.measured();
    let spread_of = |clique| spread_of(measured.domain(), clique, spread);
    let spreads: Vec<f64> = measured.cliques().iter().map(spread_of).collect();
    let stiffness = |place: usize, count: f64, aim: f64| {
        let (deviation, spread) = (deviations[place], spreads[place]);
        let held = count.max(aim - LOWER_BOUND_DEVIATIONS * deviation).max(MIN_COUNT_DEVIATIONS * deviation);
        deviation * deviation / (spread * spread * held)
    };
    point.centre.values_mut().fill(0.0);
    let negligible = problem.negligible();
    let max_steps = problem.stop.passes;
    let mut stopped = Stopped::Settled;
    for _ in 0..WEIGHTING_ROUNDS {
        let before_round = point.clone();
        pull.set_stiffness(&point.counts, stiffness);
        let passes_before = problem.oracle.passes();
        // The history of the last round belongs to other weights.
        let mut history = StepHistory::new(HISTORY_STEPS);
        let ended = stage(problem, &mut point, &pull, max_steps, |_, residual| residual <= negligible, &mut history);
        problem.fit_total(&mut point);
        pull.set_total(point.total);
        // A line search may have used up the passes.
        let ended = ended.or((problem.oracle.passes() >= problem.stop.passes).then_some(Stopped::OutOfPasses));
        if let Some(reason) = ended {
            stopped = reason;
            if problem.has_met_far_better_than(&point) {
                // With little noise, the potentials of cells that were measured to be empty
                // diverge, and the search passes models that fit nothing. Cut short there, it keeps
                // the best one.
                return stopped;
            }
            if point.loss > before_round.loss {
                // New weights may need potentials far from the current ones. Cut short on the way,
                // the search keeps the start of the round.
                point = before_round;
            }
            break;
        }
        if problem.oracle.passes() <= passes_before + 2 {
            break;
        }
    }
    problem.set_best(&point);
    stopped
}
