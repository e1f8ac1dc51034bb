//! Minimisation of a smooth convex function by L-BFGS.

use std::collections::VecDeque;

/// Number of past steps that approximate the curvature.
const MEMORY: usize = 10;
/// Armijo constant: a step must decrease the value by this share of the linear prediction.
const SUFFICIENT: f64 = 1e-4;
/// Maximum number of halvings of a step. A step of 10⁻⁹ of the full length gains nothing.
const MAX_HALVINGS: usize = 30;

/// Stopping rule.
pub(super) struct Stop {
    /// Stop if no entry of the gradient is larger in absolute value.
    pub(super) slope: f64,
    /// Stop after this number of steps.
    pub(super) max_steps: usize,
}

/// A past step, and the change of the gradient over it.
struct Curvature {
    step: Vec<f64>,
    change: Vec<f64>,
    product: f64,
}

/// Minimises by limited-memory BFGS with backtracking. `function` writes the gradient and returns
/// the value. `inverse_curvature` estimates the diagonal of the inverse Hessian, to precondition
/// variables of different scales.
///
/// # Reference
/// J. Nocedal, S. Wright, Numerical optimization, 2nd edition, algorithms 7.4 and 3.1.
pub(super) fn minimise(
    mut function: impl FnMut(&[f64], &mut [f64]) -> f64,
    start: Vec<f64>,
    inverse_curvature: &[f64],
    stop: &Stop,
) -> Vec<f64> {
    let mut point = start;
    let mut gradient = vec![0.0; point.len()];
    let mut value = function(&point, &mut gradient);
    let mut memory: VecDeque<Curvature> = VecDeque::with_capacity(MEMORY);
    let (mut trial, mut slope) = (point.clone(), gradient.clone());
    for _ in 0..stop.max_steps {
        if gradient.iter().all(|entry| entry.abs() <= stop.slope) {
            break;
        }
        let direction = descent(&gradient, &memory, inverse_curvature);
        let promise = dot(&direction, &gradient);
        let mut length = 1.0;
        let mut found = None;
        for _ in 0..MAX_HALVINGS {
            for ((trial, from), towards) in trial.iter_mut().zip(&point).zip(&direction) {
                *trial = from + length * towards;
            }
            let reached = function(&trial, &mut slope);
            if reached <= value + SUFFICIENT * length * promise {
                found = Some(reached);
                break;
            }
            length /= 2.0;
        }
        // Further progress is below the rounding error.
        let Some(reached) = found else { break };
        let moved: Vec<f64> = trial.iter().zip(&point).map(|(to, from)| to - from).collect();
        let change: Vec<f64> = slope.iter().zip(&gradient).map(|(to, from)| to - from).collect();
        let product = dot(&moved, &change);
        if product > f64::EPSILON * dot(&change, &change) {
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(Curvature { step: moved, change, product });
        }
        std::mem::swap(&mut point, &mut trial);
        std::mem::swap(&mut gradient, &mut slope);
        value = reached;
    }
    point
}

/// Returns the descent direction: minus the gradient, times the approximate inverse Hessian.
fn descent(gradient: &[f64], memory: &VecDeque<Curvature>, inverse_curvature: &[f64]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|entry| -entry).collect();
    let mut shares = Vec::with_capacity(memory.len());
    for past in memory.iter().rev() {
        let share = dot(&past.step, &direction) / past.product;
        add(&mut direction, -share, &past.change);
        shares.push(share);
    }
    // The diagonal is estimated up to a factor, which the latest step gives.
    let factor = memory.back().map_or(1.0, |past| {
        past.product
            / past.change.iter().zip(inverse_curvature).map(|(change, guess)| change * change * guess).sum::<f64>()
    });
    direction.iter_mut().zip(inverse_curvature).for_each(|(entry, guess)| *entry *= factor * guess);
    for (past, share) in memory.iter().zip(shares.iter().rev()) {
        let back = dot(&past.change, &direction) / past.product;
        add(&mut direction, share - back, &past.step);
    }
    direction
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

fn add(to: &mut [f64], factor: f64, what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(entry, more)| *entry += factor * more);
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Stop = Stop { slope: 1e-10, max_steps: 1000 };

    #[test]
    fn a_quadratic_with_unlike_scales_is_minimised() {
        // Half of sum c_i (x_i - i)^2, with curvatures over eight orders of magnitude.
        let curvatures = [1e-4, 1e-2, 1.0, 1e2, 1e4];
        let function = |point: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for (i, (x, c)) in (0_u8..).zip(point.iter().zip(curvatures)) {
                let apart = x - f64::from(i);
                gradient[usize::from(i)] = c * apart;
                value += c * apart * apart / 2.0;
            }
            value
        };
        let found = minimise(function, vec![7.0; 5], &[1.0; 5], &EXACT);
        for (i, x) in (0_u8..).zip(found) {
            assert!((x - f64::from(i)).abs() < 1e-5, "{i}: {x}");
        }
    }

    #[test]
    fn a_curved_valley_is_followed() {
        // Rosenbrock's function is convex near its minimum only; steps are still downhill
        // everywhere.
        let function = |point: &[f64], gradient: &mut [f64]| {
            let (x, y) = (point[0], point[1]);
            gradient[0] = -400.0 * x * (y - x * x) - 2.0 * (1.0 - x);
            gradient[1] = 200.0 * (y - x * x);
            100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)
        };
        let found = minimise(function, vec![-1.2, 1.0], &[1.0; 2], &EXACT);
        assert!((found[0] - 1.0).abs() < 1e-7 && (found[1] - 1.0).abs() < 1e-7, "{found:?}");
    }

    #[test]
    fn steps_are_limited() {
        let mut calls = 0;
        let slow = |point: &[f64], gradient: &mut [f64]| {
            calls += 1;
            gradient[0] = point[0].signum() * point[0].abs().sqrt();
            point[0].abs().powf(1.5) / 1.5
        };
        let found = minimise(slow, vec![100.0], &[1e-3], &Stop { slope: 1e-10, max_steps: 3 });
        assert!(found[0] > 0.0 && found[0] < 100.0 && calls < 3 * MAX_HALVINGS);
    }
}
