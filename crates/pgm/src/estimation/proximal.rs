//! The proximal method: stages, each a problem that is better natured than the whole.
//!
//! A stage minimises the loss plus the relative entropy to the distribution it began with, divided by a step. The
//! distribution that does so has potentials that minimise
//!
//! ```text
//! N log Z(θ) - <θ, aim> + 1/2 Σ_C r_C |θ_C - centre_C|²,     r_C = σ_C² / step
//! ```
//!
//! where `aim` are the measured tables made consistent. That is smooth, strictly convex and without constraints, its slope
//! costs one pass, and a quasi-Newton method makes short work of it. Where a stage ends the next has its centre, and the
//! limit of the stages is the least loss itself.
//!
//! Three things make it work.
//! - The distance from a model to the measured tables is that to the nearest consistent ones, plus a constant. Without
//!   consistency the contradictions between tables, which change no distribution, would pull potentials apart for ever.
//! - The curvature of a cell is first guessed by its count, or by its aim if that is more: cells differ in it by orders
//!   of magnitude.
//! - How far a stage moves from its centre is the slope of the loss where it ends, times the step. The slope hardly
//!   changes from stage to stage, so each stage starts as far from its centre as the last one ended from its own. Started
//!   at the centre, it would have to find all of that again.

use scumble_cancel::checkpoint;

use super::Stopped;
use super::memory::Memory;
use super::objective::Objective;
use super::problem::{Point, Problem};
use super::scaling;
use crate::network::{Hierarchies, make_consistent};
use crate::table::clique_vector::CliqueVector;
use crate::table::vector::{self, dot};

/// Least share of the promised descent that a step must bring.
const SUFFICIENT: f64 = 1e-4;
/// Shortenings of a step before a stage is given up: rounding hides what is left to gain.
const SHORTENINGS: usize = 30;
/// Stages end after so many steps in any case.
const STEPS_PER_STAGE: usize = 40;
/// Steps that are remembered. Twenty need somewhat fewer passes, but more time: on tables as large as the tree, reading them
/// takes longer than the pass.
const REMEMBERED_STEPS: usize = 10;
/// What the first stages may leave unsolved, as a share of the loss; while that is so, the loss of later ones may rise.
const UNSOLVED: f64 = 0.1;
/// What becomes of that when stages no longer bring progress.
const STRICTER: f64 = 0.1;

/// What pulls potentials in a stage: the aim, and how strongly each cell is held back.
#[derive(Debug)]
pub(crate) struct Pull {
    aim: CliqueVector,
    stiffness: CliqueVector,
}

impl Pull {
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
        #[expect(clippy::cast_precision_loss, reason = "a model has few tables")]
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

    /// Makes every table of the aim sum to `total`: no distribution of that many rows can do otherwise.
    pub(crate) fn set_total(&mut self, total: f64) {
        for place in 0..self.aim.cliques().len() {
            let table = self.aim.table_mut(place);
            #[expect(clippy::cast_precision_loss, reason = "at most limits::CELLS_PER_MODEL cells a table")]
            let shift = (total - vector::sum(table)) / table.len() as f64;
            for cell in table {
                *cell += shift;
            }
        }
    }

    /// The counts to be reached.
    pub(crate) fn aim(&self) -> &CliqueVector {
        &self.aim
    }

    /// The weights of the squares of moves of the cells of the table at `place`.
    pub(crate) fn stiffness(&self, place: usize) -> &[f64] {
        self.stiffness.table(place)
    }

    /// Weighs moves anew: `weight` of what a table has in a cell and of what it aims at, for the table at a place.
    pub(crate) fn stiffen(&mut self, counts: &CliqueVector, weight: impl Fn(usize, f64, f64) -> f64) {
        for place in 0..self.aim.cliques().len() {
            let cells = counts.table(place).iter().zip(self.aim.table(place));
            for (stiffness, (&count, &aim)) in self.stiffness.table_mut(place).iter_mut().zip(cells) {
                *stiffness = weight(place, count, aim);
            }
        }
    }
}

pub(crate) fn run(problem: &mut Problem, mut point: Point) -> Stopped {
    let mut pull = Pull::new(&problem.objective, point.total);
    scaling::run(problem, &mut point, &pull);
    let mut memory = Memory::new(REMEMBERED_STEPS);
    let mut unsolved_share = UNSOLVED;
    let mut ended = problem.reached(&point);
    loop {
        if let Some(reason) = ended {
            return reason;
        }
        pull.set_total(point.total);
        let solved = |point: &Point, unsolved: f64| unsolved <= unsolved_share * point.loss;
        if let Some(reason) = stage(problem, &mut point, &pull, STEPS_PER_STAGE, solved, &mut memory) {
            return reason;
        }
        problem.fit_total(&mut point);
        ended = problem.reached(&point);
        if problem.stands_still() {
            if unsolved_share * point.loss <= problem.negligible() || unsolved_share < f64::EPSILON {
                return Stopped::Settled;
            }
            unsolved_share *= STRICTER;
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
    slope: Vec<f64>,
}

/// One stage about the point's centre, from the point, until what is unsolved is little enough or so many steps are taken.
pub(crate) fn stage(
    problem: &mut Problem,
    point: &mut Point,
    pull: &Pull,
    steps: usize,
    is_solved: impl Fn(&Point, f64) -> bool,
    memory: &mut Memory,
) -> Option<Stopped> {
    let cells = point.potentials.values().len();
    let (mut curvature, mut direction) = (vec![0.0; cells], vec![0.0; cells]);
    let mut trial = point.clone();
    let log_partition = problem.oracle.counts(&point.potentials, point.total, &mut point.counts);
    point.loss = problem.objective.evaluate(&point.counts, &mut point.gradient);
    let mut here = dual(point, log_partition, pull);
    for _ in 0..steps {
        checkpoint();
        guess_curvature(point, pull, &mut curvature);
        memory.direction(&here.slope, &curvature, &mut direction);
        let mut promised = dot(&direction, &here.slope);
        if promised.is_nan() || promised >= 0.0 {
            // Rounding has spoilt the memory; the guess alone always leads down.
            memory.clear();
            memory.direction(&here.slope, &curvature, &mut direction);
            promised = dot(&direction, &here.slope);
        }
        let Some(there) = search(problem, point, &mut trial, pull, (&here, &direction, promised)) else {
            memory.clear();
            break;
        };
        let moved = trial.potentials.values().iter().zip(point.potentials.values()).map(|(to, from)| to - from);
        let bent = there.slope.iter().zip(&here.slope).map(|(to, from)| to - from);
        memory.note(moved.collect(), bent.collect());
        std::mem::swap(point, &mut trial);
        here = there;
        point.loss = problem.objective.evaluate(&point.counts, &mut point.gradient);
        if let Some(reason) = problem.reached(point) {
            return Some(reason);
        }
        if is_solved(point, unsolved(problem, &here.slope)) {
            break;
        }
    }
    None
}

/// Goes along `direction` until the dual objective falls enough, and leaves the point reached in `trial`.
fn search(
    problem: &mut Problem,
    point: &Point,
    trial: &mut Point,
    pull: &Pull,
    (here, direction, promised): (&Dual, &[f64], f64),
) -> Option<Dual> {
    let mut step = 1.0;
    trial.total = point.total;
    for _ in 0..SHORTENINGS {
        let cells = point.potentials.values().iter().zip(direction);
        for (trial, (potential, direction)) in trial.potentials.values_mut().iter_mut().zip(cells) {
            *trial = potential + step * direction;
        }
        let log_partition = problem.oracle.counts(&trial.potentials, trial.total, &mut trial.counts);
        let there = dual(trial, log_partition, pull);
        // The value is a difference of large numbers, known to about this.
        let rounding = f64::EPSILON * 64.0 * (here.value.abs() + (trial.total * log_partition).abs());
        if there.value <= here.value + SUFFICIENT * step * promised + rounding {
            return Some(there);
        }
        // The minimum of the parabola through both values with the slope here.
        let parabola = -0.5 * promised * step * step / (there.value - here.value - step * promised);
        step = if parabola.is_finite() { parabola.clamp(0.1 * step, 0.5 * step) } else { 0.1 * step };
        if problem.oracle.passes() >= problem.stop.passes {
            return None;
        }
    }
    None
}

fn dual(point: &Point, log_partition: f64, pull: &Pull) -> Dual {
    let mut value = point.total * log_partition;
    let mut slope = Vec::with_capacity(point.potentials.values().len());
    for place in 0..pull.aim.cliques().len() {
        let potentials = point.potentials.table(place).iter().zip(point.centre.table(place));
        let counts = point.counts.table(place).iter().zip(pull.aim.table(place));
        for (((potential, centre), (count, aim)), stiffness) in potentials.zip(counts).zip(pull.stiffness(place)) {
            let away = potential - centre;
            slope.push(count - aim + stiffness * away);
            value += 0.5 * stiffness * away * away - potential * aim;
        }
    }
    Dual { value, slope }
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

/// What the slope that is left adds to the loss.
fn unsolved(problem: &Problem, slope: &[f64]) -> f64 {
    let mut rest = slope;
    let mut sum = 0.0;
    for (place, precision) in problem.objective.precisions().iter().enumerate() {
        let (table, behind) = rest.split_at(problem.objective.measured().table(place).len());
        sum += 0.5 * precision * dot(table, table);
        rest = behind;
    }
    sum
}
