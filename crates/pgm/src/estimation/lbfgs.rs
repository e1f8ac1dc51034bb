//! Limited-memory quasi-Newton directions (L-BFGS).

use std::collections::VecDeque;

use crate::table::vector::{add_scaled, dot, scale};

/// The last steps and the change of the gradient over each.
///
/// # Reference
/// Nocedal 1980, Updating quasi-Newton matrices with limited storage. The caller provides the
/// initial curvature.
#[derive(Debug)]
pub(crate) struct StepHistory {
    steps: VecDeque<Step>,
    max_steps: usize,
}

#[derive(Debug)]
struct Step {
    moved: Vec<f64>,
    gradient_change: Vec<f64>,
    /// The dot product of both.
    curvature: f64,
}

impl StepHistory {
    /// Makes an empty history of at most `max_steps` steps.
    pub(crate) fn new(max_steps: usize) -> Self {
        Self { steps: VecDeque::with_capacity(max_steps), max_steps }
    }

    /// Records that the move by `moved` changed the gradient. Ignores a step without positive
    /// curvature.
    pub(crate) fn record(&mut self, moved: Vec<f64>, gradient_change: Vec<f64>) {
        let curvature = dot(&moved, &gradient_change);
        if curvature > 0.0 {
            if self.steps.len() == self.max_steps {
                self.steps.pop_front();
            }
            self.steps.push_back(Step { moved, gradient_change, curvature });
        }
    }

    /// Forgets all steps.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
    }

    /// Writes the search direction at a point with this gradient to `direction`, given an initial
    /// guess of the curvature of every coordinate.
    pub(crate) fn direction(&self, gradient: &[f64], curvature: &[f64], direction: &mut [f64]) {
        direction.copy_from_slice(gradient);
        let mut weights = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let weight = dot(&step.moved, direction) / step.curvature;
            add_scaled(direction, -weight, &step.gradient_change);
            weights.push(weight);
        }
        // The guess is scaled to be exact along the last step.
        let scale_of_guess = self.steps.back().map_or(1.0, |step| {
            let cells = step.gradient_change.iter().zip(curvature);
            let guessed: f64 = cells.map(|(change, curvature)| change * change / curvature).sum();
            step.curvature / guessed
        });
        for (direction, curvature) in direction.iter_mut().zip(curvature) {
            *direction *= scale_of_guess / curvature;
        }
        for (step, weight) in self.steps.iter().zip(weights.iter().rev()) {
            let back = dot(&step.gradient_change, direction) / step.curvature;
            add_scaled(direction, weight - back, &step.moved);
        }
        scale(direction, -1.0);
    }
}
