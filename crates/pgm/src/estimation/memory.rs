//! What a quasi-Newton search remembers of the curvature.

use std::collections::VecDeque;

use crate::table::vector::{add_scaled, dot, scale};

/// The last steps and how the slope changed over each.
///
/// # Reference
/// Nocedal 1980, Updating quasi-Newton matrices with limited storage; the first guess of the curvature is the caller's.
#[derive(Debug)]
pub(crate) struct Memory {
    steps: VecDeque<Step>,
    most: usize,
}

#[derive(Debug)]
struct Step {
    moved: Vec<f64>,
    bent: Vec<f64>,
    /// The product of both.
    curvature: f64,
}

impl Memory {
    /// A memory of at most so many steps.
    pub(crate) fn new(most: usize) -> Self {
        Self { steps: VecDeque::with_capacity(most), most }
    }

    /// Notes that moving by `moved` changed the slope by `bent`. A step along which the slope did not rise says nothing.
    pub(crate) fn note(&mut self, moved: Vec<f64>, bent: Vec<f64>) {
        let curvature = dot(&moved, &bent);
        if curvature > 0.0 {
            if self.steps.len() == self.most {
                self.steps.pop_front();
            }
            self.steps.push_back(Step { moved, bent, curvature });
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
    }

    /// Puts into `direction` where to go from a point with this slope, given a first guess of the curvature of every
    /// coordinate.
    pub(crate) fn direction(&self, slope: &[f64], curvature: &[f64], direction: &mut [f64]) {
        direction.copy_from_slice(slope);
        let mut weights = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let weight = dot(&step.moved, direction) / step.curvature;
            add_scaled(direction, -weight, &step.bent);
            weights.push(weight);
        }
        // The guess is scaled to be right along the last step.
        let right = self.steps.back().map_or(1.0, |step| {
            let guessed: f64 = step.bent.iter().zip(curvature).map(|(bent, curvature)| bent * bent / curvature).sum();
            step.curvature / guessed
        });
        for (direction, curvature) in direction.iter_mut().zip(curvature) {
            *direction *= right / curvature;
        }
        for (step, weight) in self.steps.iter().zip(weights.iter().rev()) {
            let back = dot(&step.bent, direction) / step.curvature;
            add_scaled(direction, weight - back, &step.moved);
        }
        scale(direction, -1.0);
    }
}
