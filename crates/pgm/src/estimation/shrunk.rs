//! Potentials that are held back where noise hides what they should be.
//!
//! The least loss fits noise as well as it fits rows: a cell of one row under noise of fifty gets the potential of a
//! cell of eighty. Here potentials have a prior instead. Before anything is measured they are expected to be about zero,
//! give or take `spread`: a table changes what the other tables say by factors near one. The likeliest potentials `θ` then
//! minimise
//!
//! ```text
//! 1/2 Σ_C |μ_C(θ) - y_C|² / σ_C²  +  1/2 Σ_C |θ_C|² / spread²
//! ```
//!
//! In a cell of `μ` rows, a potential moves the count by about `μ` times as much. So where the slope of this is zero,
//!
//! ```text
//! y - μ = r θ,     r = σ² / (spread² μ)
//! ```
//!
//! which is where a proximal stage ends that has its centre at zero and the weight `r` on the square of each potential. A
//! cell of many rows is hardly held back, and a cell of few needs to be off by far more than its noise to count. The
//! weights are those of the model that the search begins with, and again of those that it finds.
//!
//! A cell that a model believes to be empty would be held back for ever. One that was measured to hold more than
//! its noise explains is weighed by what it surely holds: its value less a standard deviation.

use scumble_schema::{Clique, Domain};

use super::Stopped;
use super::memory::Memory;
use super::problem::{Point, Problem};
use super::proximal::{Pull, stage};

/// Times that potentials are weighed. More would change little, but for cells that were measured to hold less than nothing.
const WEIGHINGS: usize = 3;
/// Steps that are remembered. Tables are few beside the cells of the tree here, and passes are what takes time.
const REMEMBERED_STEPS: usize = 30;
/// Standard deviations by which a measured value is taken to be too large.
const UNSURE: f64 = 1.0;
/// The least that a cell is taken to hold, in standard deviations: so much the most that it is held back.
const LEAST: f64 = 1e-3;

/// How large the potentials of a table are expected to be. Nothing else says what a column on its own is like, and values are seldom
/// about as frequent as each other: one of `k` may well hold most rows, which takes a potential of about `ln k`.
fn spread_of(domain: &Domain, clique: &Clique, spread: f64) -> f64 {
    match clique.attributes() {
        &[column] => spread.max(f64::from(domain.size(column)).ln()),
        _ => spread,
    }
}

pub(crate) fn run(problem: &mut Problem, mut point: Point, spread: f64) -> Stopped {
    let mut pull = Pull::new(&problem.objective, point.total);
    let deviations: Vec<f64> =
        problem.objective.precisions().iter().map(|precision| precision.sqrt().recip()).collect();
    let measured = problem.objective.measured();
    let spread_of = |clique| spread_of(measured.domain(), clique, spread);
    let spreads: Vec<f64> = measured.cliques().iter().map(spread_of).collect();
    let weight = |place: usize, count: f64, aim: f64| {
        let (deviation, spread) = (deviations[place], spreads[place]);
        let held = count.max(aim - UNSURE * deviation).max(LEAST * deviation);
        deviation * deviation / (spread * spread * held)
    };
    point.centre.values_mut().fill(0.0);
    let negligible = problem.negligible();
    let steps = problem.stop.passes;
    let mut stopped = Stopped::Settled;
    for _ in 0..WEIGHINGS {
        let weighed = point.clone();
        pull.stiffen(&point.counts, weight);
        let before = problem.oracle.passes();
        // What is remembered of the slope is of other weights.
        let mut memory = Memory::new(REMEMBERED_STEPS);
        let ended = stage(problem, &mut point, &pull, steps, |_, unsolved| unsolved <= negligible, &mut memory);
        problem.fit_total(&mut point);
        pull.set_total(point.total);
        // A search for a step may be what used up the passes.
        let ended = ended.or((problem.oracle.passes() >= problem.stop.passes).then_some(Stopped::OutOfPasses));
        if let Some(reason) = ended {
            stopped = reason;
            if problem.has_met_far_better_than(&point) {
                // Where noise is small, cells that were measured to be empty ask for potentials without end, and the way to them leads
                // over models that fit nothing. A search that is cut short there has met a better one.
                return stopped;
            }
            if point.loss > weighed.loss {
                // New weights may ask for potentials far from those that there were. One that is cut short on the way to them is worse
                // than what it began with.
                point = weighed;
            }
            break;
        }
        if problem.oracle.passes() <= before + 2 {
            break;
        }
    }
    problem.take(&point);
    stopped
}
