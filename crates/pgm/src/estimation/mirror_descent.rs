//! Mirror descent: potentials move against the gradient of the loss by the counts.
//!
//! # Reference
//! McKenna, Sheldon, Miklau 2019, arXiv:1901.09136, Algorithm 1, with a line search for the step.

use scumble_cancel::checkpoint;

use super::Stopped;
use super::problem::{Point, Problem};

/// Share of the descent predicted by the tangent that a step must reach to be accepted.
const SUFFICIENT: f64 = 0.5;
/// Steps grow more slowly than they shrink, so that about two in three are accepted.
const GROWTH: f64 = 1.5;
const SHRINKAGE: f64 = 0.5;
/// Steps between two checks of progress.
const STEPS_BETWEEN_CHECKS: usize = 50;

/// Runs the search.
pub(crate) fn run(problem: &mut Problem, mut point: Point) -> Stopped {
    let largest = problem.objective.precisions().iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    // No cell has more than all rows, so a step this small is always accepted, and steps grow fast.
    let mut step = 1.0 / (largest * point.total.max(1.0));
    let mut trial = point.clone();
    for steps in 1.. {
        checkpoint();
        let cells = point.potentials.values().iter().zip(point.gradient.values());
        for (trial, (potential, slope)) in trial.potentials.values_mut().iter_mut().zip(cells) {
            *trial = potential - step * slope;
        }
        trial.total = point.total;
        problem.oracle.counts(&trial.potentials, trial.total, &mut trial.counts);
        trial.loss = problem.objective.evaluate(&trial.counts, &mut trial.gradient);
        let moved = point.counts.values().iter().zip(trial.counts.values());
        let predicted: f64 =
            point.gradient.values().iter().zip(moved).map(|(slope, (from, to))| slope * (from - to)).sum();
        if point.loss - trial.loss >= SUFFICIENT * predicted {
            problem.fit_total(&mut trial);
            std::mem::swap(&mut point, &mut trial);
            step *= GROWTH;
        } else {
            step *= SHRINKAGE;
        }
        if let Some(reason) = problem.reached(&point) {
            return reason;
        }
        if steps % STEPS_BETWEEN_CHECKS == 0 && problem.stands_still() {
            return Stopped::Settled;
        }
    }
    Stopped::OutOfPasses
}
