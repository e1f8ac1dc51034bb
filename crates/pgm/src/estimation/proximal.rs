//! The proximal method: a sequence of stages, each better conditioned than the whole problem.
//!
//! A stage minimises the loss plus the relative entropy to the distribution at its centre, divided
//! by a step. The potentials of its solution minimise
//!
//! ```text
//! N log Z(θ) - <θ, aim> + 1/2 Σ_C r_C |θ_C - centre_C|²,     r_C = σ_C² / step
//! ```
//!
//! where `aim` are the measured tables made consistent. That is smooth, strictly convex and
//! unconstrained, its gradient costs one pass, and a quasi-Newton method solves it quickly. The end
//! of a stage is the centre of the next, and the stages converge to the least loss.
//!
//! Three things make it work.
//! - The distance from a model to the measured tables is the distance to the nearest consistent
//!   ones, plus a constant. Without consistency, contradictions between tables, which change no
//!   distribution, would make potentials diverge.
//! - The initial guess of a cell's curvature is its count, or its aim if that is larger: curvatures
//!   differ by orders of magnitude between cells.
//! - A stage moves from its centre by the gradient of the loss at its end, times the step. That
//!   gradient hardly changes from stage to stage, so each stage starts as far from its centre as
//!   the last one ended from its own. Started at the centre, it would repeat that move.

use scumble_cancel::checkpoint;

use super::Stopped;
use super::lbfgs::StepHistory;
use super::objective::Objective;
use super::problem::{Point, Problem};
use super::scaling;
use crate::network::{Hierarchies, make_consistent};
use crate::table::clique_vector::CliqueVector;
use crate::table::vector::{self, dot};

/// Share of the predicted descent that a step must reach to be accepted.
const SUFFICIENT: f64 = 1e-4;
/// Most shortenings of a step before a stage ends: rounding hides any further progress.
const MAX_SHORTENINGS: usize = 30;
/// Most steps of a stage.
const MAX_STEPS_PER_STAGE: usize = 40;
/// Steps in the L-BFGS history. Twenty need fewer passes but more time: on tables as large as the
/// tree, reading the history takes longer than the pass.
const HISTORY_STEPS: usize = 10;
/// Residual at which the first stages end, as a share of the loss. At this accuracy the loss may
/// rise from stage to stage.
const FIRST_RESIDUAL: f64 = 0.1;
/// Factor on the residual when stages no longer make progress.
const RESIDUAL_SHRINKAGE: f64 = 0.1;

/// The aim of a stage, and the stiffness of each cell: the weight of its squared move.
#[derive(Debug)]
pub(crate) struct Pull {
    aim: CliqueVector,
    stiffness: CliqueVector,
}

impl Pull {
    /// Makes the aim consistent, with one stiffness per table.
    pub(crate) fn new(objective: &Objective, total: f64) -> Self {
        let domain = objective.measured().domain();
        let mut tables = objective.merged();
        make_consistent(domain, &Hierarchies::none(domain), &mut tables)
            .expect("tables of this domain, without levels");
        let mut aim = objective.measured().zeros_like();
        for (place, table) in tables.iter().enumerate() {
            aim.table_mut(place).copy_from_slice(table.values());
        }
        // Potentials move by about one where a count is one standard deviation off its aim.
        let tables = objective.precisions().len().max(1) as f64;
        let log_precision = objective.precisions().iter().map(|precision| precision.ln()).sum::<f64>() / tables;
        let typical = (-0.5 * log_precision).exp();
        let mut stiffness = aim.zeros_like();
        for (place, precision) in objective.precisions().iter().enumerate() {
            stiffness.table_mut(place).fill(1.0 / (precision * typical));
        }
        let mut pull = Self { aim, stiffness };
        pull.set_total(total);
        pull
    }

    /// Shifts every table of the aim to sum to `total`, as the tables of any distribution do.
    pub(crate) fn set_total(&mut self, total: f64) {
        for place in 0..self.aim.cliques().len() {
            let table = self.aim.table_mut(place);
            let shift = (total - vector::sum(table)) / table.len() as f64;
            for cell in table {
                *cell += shift;
            }
        }
    }

    /// Returns the counts to reach.
    pub(crate) fn aim(&self) -> &CliqueVector {
        &self.aim
    }

    /// Returns the stiffness of each cell of the table at `place`.
    pub(crate) fn stiffness(&self, place: usize) -> &[f64] {
        self.stiffness.table(place)
    }

    /// Sets the stiffness of every cell to `stiffness(place, count, aim)`.
    pub(crate) fn set_stiffness(&mut self, counts: &CliqueVector, stiffness: impl Fn(usize, f64, f64) -> f64) {
        for place in 0..self.aim.cliques().len() {
            let cells = counts.table(place).iter().zip(self.aim.table(place));
            for (cell, (&count, &aim)) in self.stiffness.table_mut(place).iter_mut().zip(cells) {
                *cell = stiffness(place, count, aim);
            }
        }
    }
}

/// Runs the search.
pub(crate) fn run(problem: &mut Problem, mut point: Point) -> Stopped {
    let mut pull = Pull::new(&problem.objective, point.total);
    scaling::run(problem, &mut point, &pull);
    let mut history = StepHistory::new(HISTORY_STEPS);
    let mut residual_share = FIRST_RESIDUAL;
    let mut ended = problem.reached(&point);
    loop {
        if let Some(reason) = ended {
            return reason;
        }
        pull.set_total(point.total);
        let solved = |point: &Point, residual: f64| residual <= residual_share * point.loss;
        if let Some(reason) = stage(problem, &mut point, &pull, MAX_STEPS_PER_STAGE, solved, &mut history) {
            return reason;
        }
        problem.fit_total(&mut point);
        ended = problem.reached(&point);
        if problem.stands_still() {
            if residual_share * point.loss <= problem.negligible() || residual_share < f64::EPSILON {
                return Stopped::Settled;
            }
            residual_share *= RESIDUAL_SHRINKAGE;
        }
        for (centre, potential) in point.centre.values_mut().iter_mut().zip(point.potentials.values_mut()) {
            let moved = *potential - *centre;
            *centre = *potential;
            *potential += moved;
        }
    }
}

/// The dual objective of a stage at some potentials.
struct Dual {
    value: f64,
    gradient: Vec<f64>,
}

/// Runs one stage around the point's centre, from the point, until `is_solved` or for `max_steps`
/// steps. Returns the reason to stop the search, if any.
pub(crate) fn stage(
    problem: &mut Problem,
    point: &mut Point,
    pull: &Pull,
    max_steps: usize,
    is_solved: impl Fn(&Point, f64) -> bool,
    history: &mut StepHistory,
) -> Option<Stopped> {
    let cells = point.potentials.values().len();
    let (mut curvature, mut direction) = (vec![0.0; cells], vec![0.0; cells]);
    let mut trial = point.clone();
    let log_partition = problem.oracle.counts(&point.potentials, point.total, &mut point.counts);
    point.loss = problem.objective.evaluate(&point.counts, &mut point.gradient);
    let mut here = dual(point, log_partition, pull);
    for _ in 0..max_steps {
        checkpoint();
        guess_curvature(point, pull, &mut curvature);
        history.direction(&here.gradient, &curvature, &mut direction);
        let mut predicted = dot(&direction, &here.gradient);
        if predicted.is_nan() || predicted >= 0.0 {
            // Rounding spoilt the history; the guess alone is always a descent direction.
            history.clear();
            history.direction(&here.gradient, &curvature, &mut direction);
            predicted = dot(&direction, &here.gradient);
        }
        let Some(there) = line_search(problem, point, &mut trial, pull, (&here, &direction, predicted)) else {
            history.clear();
            break;
        };
        let moved = trial.potentials.values().iter().zip(point.potentials.values()).map(|(to, from)| to - from);
        let gradient_change = there.gradient.iter().zip(&here.gradient).map(|(to, from)| to - from);
        history.record(moved.collect(), gradient_change.collect());
        std::mem::swap(point, &mut trial);
        here = there;
        point.loss = problem.objective.evaluate(&point.counts, &mut point.gradient);
        if let Some(reason) = problem.reached(point) {
            return Some(reason);
        }
        if is_solved(point, residual(problem, &here.gradient)) {
            break;
        }
    }
    None
}

/// Line search: goes along `direction` until the dual objective falls enough, and writes the point
/// reached to `trial`.
fn line_search(
    problem: &mut Problem,
    point: &Point,
    trial: &mut Point,
    pull: &Pull,
    (here, direction, predicted): (&Dual, &[f64], f64),
) -> Option<Dual> {
    let mut step = 1.0;
    trial.total = point.total;
    for _ in 0..MAX_SHORTENINGS {
        let cells = point.potentials.values().iter().zip(direction);
        for (trial, (potential, direction)) in trial.potentials.values_mut().iter_mut().zip(cells) {
            *trial = potential + step * direction;
        }
        let log_partition = problem.oracle.counts(&trial.potentials, trial.total, &mut trial.counts);
        let there = dual(trial, log_partition, pull);
        // The value is a difference of large numbers, with about this rounding error.
        let rounding = f64::EPSILON * 64.0 * (here.value.abs() + (trial.total * log_partition).abs());
        if there.value <= here.value + SUFFICIENT * step * predicted + rounding {
            return Some(there);
        }
        // The minimum of the parabola through both values with the gradient here.
        let parabola = -0.5 * predicted * step * step / (there.value - here.value - step * predicted);
        step = if parabola.is_finite() { parabola.clamp(0.1 * step, 0.5 * step) } else { 0.1 * step };
        if problem.oracle.passes() >= problem.stop.passes {
            return None;
        }
    }
    None
}

fn dual(point: &Point, log_partition: f64, pull: &Pull) -> Dual {
    let mut value = point.total * log_partition;
    let mut gradient = Vec::with_capacity(point.potentials.values().len());
    for place in 0..pull.aim.cliques().len() {
        let potentials = point.potentials.table(place).iter().zip(point.centre.table(place));
        let counts = point.counts.table(place).iter().zip(pull.aim.table(place));
        for (((potential, centre), (count, aim)), stiffness) in potentials.zip(counts).zip(pull.stiffness(place)) {
            let away = potential - centre;
            gradient.push(count - aim + stiffness * away);
            value += 0.5 * stiffness * away * away - potential * aim;
        }
    }
    Dual { value, gradient }
}

fn guess_curvature(point: &Point, pull: &Pull, curvature: &mut [f64]) {
    let mut guesses = curvature.iter_mut();
    for place in 0..pull.aim.cliques().len() {
        let cells = point.counts.table(place).iter().zip(pull.aim.table(place)).zip(pull.stiffness(place));
        for (((count, aim), stiffness), guess) in cells.zip(&mut guesses) {
            *guess = count.max(*aim) + stiffness;
        }
    }
}

/// Returns the residual of a stage: what its remaining gradient adds to the loss.
fn residual(problem: &Problem, gradient: &[f64]) -> f64 {
    let mut rest = gradient;
    let mut sum = 0.0;
    for (place, precision) in problem.objective.precisions().iter().enumerate() {
        let (table, behind) = rest.split_at(problem.objective.measured().table(place).len());
        sum += 0.5 * precision * dot(table, table);
        rest = behind;
    }
    sum
}
