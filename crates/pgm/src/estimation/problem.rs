//! The state of a search, and its stopping rules.

use super::objective::Objective;
use super::oracle::Oracle;
use super::{Stop, Stopped, Total};
use crate::table::clique_vector::CliqueVector;
use crate::table::vector;

/// Ratio of losses, beyond the noise level, from which another point is far better.
const FAR_BETTER: f64 = 2.0;

/// A model on its way to the optimum.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) total: f64,
    pub(crate) potentials: CliqueVector,
    /// The centre that the potentials moved away from; the next stage continues that move.
    pub(crate) centre: CliqueVector,
    /// The expected counts of the potentials, for `total` rows.
    pub(crate) counts: CliqueVector,
    /// The gradient of the loss by the counts.
    pub(crate) gradient: CliqueVector,
    pub(crate) loss: f64,
}

/// The problem that a search solves, and its best point so far.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) oracle: Oracle,
    pub(crate) objective: Objective,
    pub(crate) total: Total,
    pub(crate) stop: Stop,
    /// Whether each table is new: the earlier estimate has no potentials for it.
    pub(crate) is_new: Vec<bool>,
    best: Best,
    /// The best loss at the last check of progress.
    checked_loss: f64,
}

/// The best point of a search so far.
#[derive(Debug)]
pub(crate) struct Best {
    pub(crate) total: f64,
    pub(crate) potentials: CliqueVector,
    pub(crate) centre: CliqueVector,
    pub(crate) loss: f64,
}

/// The start of a search.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) total: f64,
    pub(crate) potentials: CliqueVector,
    pub(crate) centre: CliqueVector,
    pub(crate) is_new: Vec<bool>,
}

impl Problem {
    /// Returns the problem and the first point of a search.
    pub(crate) fn new(
        mut oracle: Oracle,
        objective: Objective,
        total: Total,
        stop: Stop,
        start: Start,
    ) -> (Self, Point) {
        let Start { total: rows, potentials, centre, is_new } = start;
        let (mut counts, mut gradient) = (potentials.zeros_like(), potentials.zeros_like());
        oracle.counts(&potentials, rows, &mut counts);
        let loss = objective.evaluate(&counts, &mut gradient);
        let best = Best { total: rows, potentials: potentials.clone(), centre: centre.clone(), loss };
        let problem = Self { oracle, objective, total, stop, is_new, best, checked_loss: loss };
        (problem, Point { total: rows, potentials, centre, counts, gradient, loss })
    }

    /// Records a new point. Returns the reason to stop there, if any.
    pub(crate) fn reached(&mut self, point: &Point) -> Option<Stopped> {
        if point.loss < self.best.loss {
            self.best.total = point.total;
            self.best.loss = point.loss;
            self.best.potentials.values_mut().copy_from_slice(point.potentials.values());
            self.best.centre.values_mut().copy_from_slice(point.centre.values());
        }
        if self.stop.at_noise.is_some_and(|share| self.best.loss <= share * self.objective.noise_level()) {
            return Some(Stopped::AtNoise);
        }
        (self.oracle.passes() >= self.stop.passes).then_some(Stopped::OutOfPasses)
    }

    /// Whether an earlier point had a far smaller loss, beyond what noise or shrinkage explains.
    pub(crate) fn has_met_far_better_than(&self, point: &Point) -> bool {
        point.loss > FAR_BETTER * self.best.loss + self.objective.noise_level()
    }

    /// Makes this point the best, whatever its loss: for a search that does not minimise the loss.
    pub(crate) fn set_best(&mut self, point: &Point) {
        self.best.loss = f64::INFINITY;
        self.reached(point);
    }

    /// Returns the change of loss that counts as none.
    pub(crate) fn negligible(&self) -> f64 {
        self.stop.settled * self.objective.noise_level()
    }

    /// Whether the best loss fell by no more than a negligible amount since the last call.
    pub(crate) fn stands_still(&mut self) -> bool {
        let progress = self.checked_loss - self.best.loss;
        self.checked_loss = self.best.loss;
        progress <= self.negligible()
    }

    /// Fits a free total to the point's distribution. Alternating minimisation over the total and
    /// the distribution finds the least loss over both: the loss is convex in their product.
    pub(crate) fn fit_total(&self, point: &mut Point) {
        if self.total == Total::Free
            && let Some(scale) = self.objective.best_scale(&point.counts)
            && scale > 0.0
        {
            point.total *= scale;
            vector::scale(point.counts.values_mut(), scale);
            point.loss = self.objective.evaluate(&point.counts, &mut point.gradient);
        }
    }

    /// Returns the oracle, the objective and the best point.
    pub(crate) fn finish(self) -> (Oracle, Objective, Best) {
        (self.oracle, self.objective, self.best)
    }
}
