//! Mirror descent: potentials move against the gradient of the loss by the counts.
//!
//! # Reference
//! McKenna, Sheldon, Miklau 2019, arXiv:1901.09136, Algorithm 1, with a line search for the step.

use scumble_cancel::checkpoint;

use super::Stopped;
use super::problem::{Point, Problem};

/// A step is taken when the loss falls by at least this share of what the tangent promises.
const SUFFICIENT: f64 = 0.5;
/// Steps grow slower than they shrink, so that about two in three are taken.
const GROWTH: f64 = 1.5;
const SHRINKAGE: f64 = 0.5;
/// Steps between two looks at the progress.
const STEPS_BETWEEN_LOOKS: usize = 50;

pub(crate) fn run(problem: &mut Problem, mut point: Point) -> Stopped {
    let largest = problem.objective.precisions().iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    // No cell has more than all rows, so a step this small is always taken; the search soon finds larger ones.
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
        let promised: f64 =
            point.gradient.values().iter().zip(moved).map(|(slope, (from, to))| slope * (from - to)).sum();
        if point.loss - trial.loss >= SUFFICIENT * promised {
            problem.fit_total(&mut trial);
            std::mem::swap(&mut point, &mut trial);
            step *= GROWTH;
        } else {
            step *= SHRINKAGE;
        }
        if let Some(reason) = problem.reached(&point) {
            return reason;
        }
        if steps % STEPS_BETWEEN_LOOKS == 0 && problem.stands_still() {
            return Stopped::Settled;
        }
    }
    Stopped::OutOfPasses
}
