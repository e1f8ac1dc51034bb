//! Iterative scaling: the fastest way from a cold start to the neighbourhood of the optimum.
//!
//! Each table in turn is scaled to its aim, and the others follow through the tree. One sweep fits
//! tables that are consistent, positive and on a tree. Noise makes some cells negative, which no
//! scaling fits; so each move is penalised by its square, as in a stage of [`super::proximal`].

use scumble_cancel::checkpoint;

use super::problem::{Point, Problem};
use super::proximal::Pull;

/// Factor by which a sweep must reduce the loss to be kept and followed by another.
const MIN_REDUCTION: f64 = 1.25;
/// Most steps of Newton's method, which usually converges in far fewer.
const MAX_NEWTON_STEPS: usize = 30;
/// Most that a potential grows in one sweep: its exponential must stay finite.
const MAX_MOVE: f64 = 600.0;

/// Sweeps as long as each sweep reduces the loss enough.
pub(crate) fn run(problem: &mut Problem, point: &mut Point, pull: &Pull) {
    loop {
        checkpoint();
        let mut next = point.clone();
        sweep(problem, &mut next, pull);
        problem.oracle.counts(&next.potentials, next.total, &mut next.counts);
        next.loss = problem.objective.evaluate(&next.counts, &mut next.gradient);
        problem.fit_total(&mut next);
        // Factors of many tables may overflow together; such a sweep is discarded.
        if next.loss.is_nan() || next.loss * MIN_REDUCTION > point.loss {
            return;
        }
        *point = next;
        if problem.reached(point).is_some() {
            return;
        }
    }
}

/// Sweeps once over the new tables. The others keep the better potentials of the earlier search.
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

/// Returns the `x` with `count * exp(x) + stiffness * x = aim`: the penalised move of a cell.
fn balance(count: f64, stiffness: f64, aim: f64) -> f64 {
    if count <= 0.0 {
        // An impossible cell cannot be scaled.
        return 0.0;
    }
    // The left side is convex and rises with x. From a start where it is not below the aim,
    // Newton's method never overshoots.
    let mut x = if aim < 0.0 {
        aim / stiffness
    } else if aim > count {
        (aim / stiffness).min((aim / count).ln())
    } else {
        0.0
    };
    if x > MAX_MOVE {
        return MAX_MOVE;
    }
    for _ in 0..MAX_NEWTON_STEPS {
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
    fn moves_solve_the_penalised_equation() {
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
    fn nearly_impossible_cells_grow_by_finite_factors() {
        assert!(balance(1e-300, 1.0, 1e9).exp().is_finite());
    }

    #[test]
    fn impossible_cells_do_not_move() {
        assert!(balance(0.0, 1.0, 50.0).abs() < f64::EPSILON);
    }
}
