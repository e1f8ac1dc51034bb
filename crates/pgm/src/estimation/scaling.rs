//! Sweeps of iterative scaling: the fast way from nowhere to the neighbourhood of the optimum.
//!
//! Each table in turn is brought to the values it should have, the others following through the tree. Tables that are
//! consistent, positive and on a tree are fitted in one sweep. Noise makes them negative here and there, where no scaling
//! fits; so each move is held back by the square of its size, as in a stage of [`super::proximal`].

use scumble_cancel::checkpoint;

use super::problem::{Point, Problem};
use super::proximal::Pull;

/// A sweep is worth keeping, and worth another, when it divides the loss by at least this.
const WORTHWHILE: f64 = 1.25;
/// Newton's method from the right side of a convex function gains digits fast; this bounds it in any case.
const NEWTON_STEPS: usize = 30;
/// No cell grows by more than the exponential of this in one sweep: what it is multiplied with must stay finite.
const LARGEST_MOVE: f64 = 600.0;

/// Sweeps as long as it pays.
pub(crate) fn run(problem: &mut Problem, point: &mut Point, pull: &Pull) {
    loop {
        checkpoint();
        let mut next = point.clone();
        sweep(problem, &mut next, pull);
        problem.oracle.counts(&next.potentials, next.total, &mut next.counts);
        next.loss = problem.objective.evaluate(&next.counts, &mut next.gradient);
        problem.fit_total(&mut next);
        // Factors of many tables may overflow together; such a sweep is as good as none.
        if next.loss.is_nan() || next.loss * WORTHWHILE > point.loss {
            return;
        }
        *point = next;
        if problem.reached(point).is_some() {
            return;
        }
    }
}

/// One sweep over the tables that are new. What an earlier search found for the others is worth more than a sweep.
fn sweep(problem: &mut Problem, point: &mut Point, pull: &Pull) {
    let (potentials, centre, is_new) = (&mut point.potentials, &mut point.centre, &problem.is_new);
    problem.oracle.sweep(|place, counts| {
        if !is_new[place] {
            counts.fill(1.0);
            return;
        }
        let stiffness = pull.stiffness(place);
        centre.table_mut(place).copy_from_slice(potentials.table(place));
        let cells = potentials.table_mut(place).iter_mut().zip(pull.aim().table(place));
        for ((count, (potential, &aim)), &stiffness) in counts.iter_mut().zip(cells).zip(stiffness) {
            let moved = balance(*count, stiffness, aim);
            *potential += moved;
            *count = moved.exp();
        }
    });
}

/// The `x` with `count * exp(x) + stiffness * x = aim`: where scaling a cell towards its aim balances holding it back.
fn balance(count: f64, stiffness: f64, aim: f64) -> f64 {
    if count <= 0.0 {
        // What cannot be cannot be scaled.
        return 0.0;
    }
    // The left side is convex and rises with x. Started where it is not below the aim, Newton's method never overshoots.
    let mut x = if aim < 0.0 {
        aim / stiffness
    } else if aim > count {
        (aim / stiffness).min((aim / count).ln())
    } else {
        0.0
    };
    if x > LARGEST_MOVE {
        return LARGEST_MOVE;
    }
    for _ in 0..NEWTON_STEPS {
        let scaled = count * x.exp();
        let step = (scaled + stiffness * x - aim) / (scaled + stiffness);
        x -= step;
        if step.abs() <= 1e-12 * (1.0 + x.abs()) {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_balance_scaling_against_holding_back() {
        for count in [1e-200, 1e-3, 1.0, 500.0, 1e9] {
            for stiffness in [1e-3, 1.0, 100.0] {
                for aim in [-1e6, -30.0, 0.0, 1e-9, 0.5, 400.0, 1e9] {
                    let x = balance(count, stiffness, aim);
                    let reached = count * x.exp() + stiffness * x;
                    let scale = (count * x.exp()).max(stiffness * x.abs()).max(1.0);
                    assert!((reached - aim).abs() <= 1e-9 * scale, "{count} {stiffness} {aim}: {reached}");
                }
            }
        }
    }

    #[test]
    fn what_is_all_but_impossible_grows_by_finite_factors() {
        assert!(balance(1e-300, 1.0, 1e9).exp().is_finite());
    }

    #[test]
    fn what_cannot_be_is_left_alone() {
        assert!(balance(0.0, 1.0, 50.0).abs() < f64::EPSILON);
    }
}
