//! The state that every search works on, and when it may end.

use super::objective::Objective;
use super::oracle::Oracle;
use super::{Stop, Stopped, Total};
use crate::table::clique_vector::CliqueVector;
use crate::table::vector;

/// How many times the loss of another a point may have before that is called far better.
const FAR_BETTER: f64 = 2.0;

/// A model on its way to the optimum.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) total: f64,
    pub(crate) potentials: CliqueVector,
    /// Potentials that these have moved away from: what moved them is what will move them on.
    pub(crate) centre: CliqueVector,
    /// The expected counts of the potentials, for `total` rows.
    pub(crate) counts: CliqueVector,
    /// The gradient of the loss by the counts.
    pub(crate) gradient: CliqueVector,
    pub(crate) loss: f64,
}

/// What a search may use.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) oracle: Oracle,
    pub(crate) objective: Objective,
    pub(crate) total: Total,
    pub(crate) stop: Stop,
    /// Whether the table at each place is new to the search: an earlier one has left nothing for it.
    pub(crate) is_new: Vec<bool>,
    best: Best,
    /// The best loss when progress was last looked at.
    looked_at: f64,
}

/// The best point of a search so far.
#[derive(Debug)]
pub(crate) struct Best {
    pub(crate) total: f64,
    pub(crate) potentials: CliqueVector,
    pub(crate) centre: CliqueVector,
    pub(crate) loss: f64,
}

/// Where a search starts.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) total: f64,
    pub(crate) potentials: CliqueVector,
    pub(crate) centre: CliqueVector,
    pub(crate) is_new: Vec<bool>,
}

impl Problem {
    /// The problem, and the point at which a search starts.
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
        let problem = Self { oracle, objective, total, stop, is_new, best, looked_at: loss };
        (problem, Point { total: rows, potentials, centre, counts, gradient, loss })
    }

    /// Notes a new point; says whether to stop there, and why.
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

    /// Whether another point on the way had a loss that is less by far more than noise, or than holding back, explains.
    pub(crate) fn has_met_far_better_than(&self, point: &Point) -> bool {
        point.loss > FAR_BETTER * self.best.loss + self.objective.noise_level()
    }

    /// Takes this point for the best, whatever its loss: for a search that does not look for the least.
    pub(crate) fn take(&mut self, point: &Point) {
        self.best.loss = f64::INFINITY;
        self.reached(point);
    }

    /// The change of loss that counts as none.
    pub(crate) fn negligible(&self) -> f64 {
        self.stop.settled * self.objective.noise_level()
    }

    /// Whether the best loss has fallen by no more than a negligible amount since this was last asked.
    pub(crate) fn stands_still(&mut self) -> bool {
        let progress = self.looked_at - self.best.loss;
        self.looked_at = self.best.loss;
        progress <= self.negligible()
    }

    /// Fits a free total to the point's distribution. At the least loss by the total and by the distribution, each with
    /// the other held, the loss is least over both: it is convex in their product.
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

    /// The parts, and the best model.
    pub(crate) fn finish(self) -> (Oracle, Objective, Best) {
        (self.oracle, self.objective, self.best)
    }
}
