//! Sampling from inconsistent tables: without replacement, with back-tracking if a histogram is
//! empty.
//!
//! 2018, section 3.3.1, goes back to the previous pair if all possible next values are used up, and
//! further back after ten failures, "until the tuple is generated". That need not end: if the
//! head's histogram has only values left that a later table rules out, every path leads to an empty
//! histogram. So there are three stages, each bounded:
//!
//! 1. The paper's, from histograms. "The previous pair" is the nearest earlier one that draws a
//!    parent or an ancestor of the pair that failed: any other would lead to the same empty
//!    histogram. For the same reason only pairs that depend on a redrawn value are drawn again.
//!    Every tenth failure of a pair sends the tuple one ancestor further back. The stage ends if
//!    there is none, or at ten failures per pair of the network in all. That is at most `10 d`
//!    failures, each after at most `d` draws.
//! 2. As the first stage, but from probabilities instead of histograms, so nothing is used up and
//!    another attempt can succeed. A failure is a parents' cell without probability in the pair's
//!    own table. The stage ends after a thousand failures. Its tuples do not change the histograms.
//! 3. One pass that cannot fail: if a parents' cell has no probability,
//!    [`EmptyParents`](super::EmptyParents) decides the distribution. Only here can a tuple come
//!    out that some table rules out, and only if the second stage found no other.

use std::collections::BTreeSet;

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use scumble_cancel::checkpoint;

use super::conditional::{Conditional, Place};
use super::model::NetworkModel;
use super::with_replacement::Cumulative;
use super::without_replacement::round;
use super::{Network, Step};

/// Failures before a tuple goes back one pair further, and failures per pair before the first stage
/// ends.
///
/// # Reference
/// 2018, section 3.3.1.
const FAILURES_PER_STEP_BACK: usize = 10;
/// Most failures in the second stage: with an even chance at every attempt, reached once in 2^1000.
const MAX_SECOND_STAGE_FAILURES: usize = 1_000;
/// Most pairs that a tuple goes back: farther ones have little to do with the failure.
const MAX_STEPS_BACK: usize = 32;

/// A pair's histogram as an urn: one ball per count, with the balls of a parents' cell contiguous.
struct Urn {
    /// The children's cell of each ball.
    balls: Vec<u32>,
    /// The first ball of every parents' cell.
    starts: Vec<u32>,
    /// Number of remaining balls of every parents' cell; they come first.
    left: Vec<u32>,
}

impl Urn {
    /// Makes the histogram: the pair's table times the number of tuples, rounded to whole counts.
    fn new(conditional: &Conditional, tuples: u32, rng: &mut ChaCha8Rng) -> Self {
        let columns = u32::try_from(conditional.columns()).expect("a table within the limits has u32 cells");
        let mut balls = Vec::with_capacity(tuples as usize);
        let mut left = vec![0; conditional.rows()];
        round(conditional.joint(), tuples, rng, |cell, count| {
            left[(cell / columns) as usize] += count;
            balls.extend((0..count).map(|_| cell % columns));
        });
        let starts = left
            .iter()
            .scan(0, |end, count| {
                *end += count;
                Some(*end - count)
            })
            .collect();
        Self { balls, starts, left }
    }

    /// Draws the position of a random ball of the parents' cell, or `None` if none is left.
    fn draw(&self, row: u32, rng: &mut ChaCha8Rng) -> Option<u32> {
        let left = self.left[row as usize];
        (left > 0).then(|| self.starts[row as usize] + rng.random_range(0..left))
    }

    /// Removes a ball: decrements its cell by one.
    fn take(&mut self, row: u32, ball: u32) {
        self.left[row as usize] -= 1;
        let last = self.starts[row as usize] + self.left[row as usize];
        self.balls.swap(ball as usize, last as usize);
    }
}

/// Draws `tuples` tuples by back-tracking, as one column per attribute.
pub(super) fn draw(
    model: &NetworkModel,
    cumulative: &[Cumulative],
    tuples: u32,
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<u32>> {
    let conditionals = model.conditionals();
    let mut urns: Vec<Urn> = conditionals.iter().map(|conditional| Urn::new(conditional, tuples, rng)).collect();
    let mut walk = Walk::new(model);
    let mut tuple = vec![0; model.network().domain().len()];
    let mut picked = vec![(0, 0); urns.len()];
    let mut columns = vec![vec![0; tuples as usize]; tuple.len()];
    // The first tuples come from full histograms, the last from nearly empty ones. The place of a
    // row must not show that.
    let mut places: Vec<usize> = (0..tuples as usize).collect();
    places.shuffle(rng);
    for place in places {
        let from_histograms = walk.fill(&mut tuple, GiveUp::WithoutAncestors, |pair, row| {
            let ball = urns[pair].draw(row, rng)?;
            picked[pair] = (row, ball);
            Some(urns[pair].balls[ball as usize])
        });
        if from_histograms {
            urns.iter_mut().zip(&picked).for_each(|(urn, &(row, ball))| urn.take(row, ball));
        } else {
            let from_probabilities = walk.fill(&mut tuple, GiveUp::AtLimit, |pair, row| {
                conditionals[pair].is_possible(row).then(|| cumulative[pair].draw(row, rng))
            });
            if !from_probabilities {
                walk.fill(&mut tuple, GiveUp::AtLimit, |pair, row| Some(cumulative[pair].draw(row, rng)));
            }
        }
        columns.iter_mut().zip(&tuple).for_each(|(column, &code)| column[place] = code);
    }
    columns
}

/// When a stage ends without a tuple.
#[derive(Debug, Clone, Copy)]
enum GiveUp {
    /// After ten failures of a pair for each of its ancestors, or ten per pair of the network in
    /// all.
    WithoutAncestors,
    /// At [`MAX_SECOND_STAGE_FAILURES`]; a pair without further ancestors goes back to the farthest
    /// again.
    AtLimit,
}

/// A walk through the pairs of a network, forwards and back.
struct Walk<'a> {
    network: &'a Network,
    conditionals: &'a [Conditional],
    /// For each pair, its nearest ancestors, nearest first.
    ancestors: Vec<Vec<usize>>,
    /// For each pair, the later pairs that have a version of one of its children as a parent.
    dependents: Vec<Vec<usize>>,
    /// Number of failures of each pair within the tuple.
    failures: Vec<usize>,
    /// Whether a pair must be drawn, for the first time or because its parents changed.
    stale: Vec<bool>,
}

impl<'a> Walk<'a> {
    fn new(model: &'a NetworkModel) -> Self {
        let (network, conditionals) = (model.network(), model.conditionals());
        let sources = sources(network);
        let pairs = conditionals.len();
        let mut dependents = vec![Vec::new(); pairs];
        for pair in 0..pairs {
            for source in parents(network, &sources, pair) {
                dependents[source].push(pair);
            }
        }
        let ancestors = (0..pairs).map(|pair| ancestors(network, &sources, pair)).collect();
        Self { network, conditionals, ancestors, dependents, failures: vec![0; pairs], stale: vec![true; pairs] }
    }

    /// Fills a tuple pair by pair, going back if `next` returns nothing for the parents' cell.
    /// Returns whether the tuple is complete.
    fn fill(&mut self, tuple: &mut [u32], give_up: GiveUp, mut next: impl FnMut(usize, u32) -> Option<u32>) -> bool {
        checkpoint();
        self.failures.fill(0);
        self.stale.fill(true);
        let mut left = match give_up {
            GiveUp::WithoutAncestors => FAILURES_PER_STEP_BACK * self.conditionals.len(),
            GiveUp::AtLimit => MAX_SECOND_STAGE_FAILURES,
        };
        let mut pair = 0;
        while pair < self.conditionals.len() {
            if !self.stale[pair] {
                pair += 1;
                continue;
            }
            let conditional = &self.conditionals[pair];
            let offset = |parent: &Place| parent.offset(tuple[parent.attribute.index()]);
            if let Some(cell) = next(pair, conditional.parents().iter().map(offset).sum()) {
                for child in conditional.children() {
                    self.network.set(tuple, child.attribute, child.code(cell));
                }
                self.stale[pair] = false;
                self.dependents[pair].iter().for_each(|&dependent| self.stale[dependent] = true);
                pair += 1;
            } else {
                self.failures[pair] += 1;
                left -= 1;
                let ancestors = &self.ancestors[pair];
                let further = match give_up {
                    GiveUp::WithoutAncestors => ancestors.get(self.failures[pair] / FAILURES_PER_STEP_BACK),
                    GiveUp::AtLimit => ancestors.get(self.failures[pair] / FAILURES_PER_STEP_BACK).or(ancestors.last()),
                };
                match further {
                    Some(&back) if left > 0 => pair = back,
                    _ => return false,
                }
                self.stale[pair] = true;
            }
        }
        true
    }
}

/// Returns the pair that each attribute comes from: the one that draws it or a finer version of it.
fn sources(network: &Network) -> Vec<usize> {
    let mut sources = vec![0; network.domain.len()];
    let mut last = 0;
    for step in &network.steps {
        match *step {
            Step::Draw { pair } => {
                last = pair;
                network.pairs[pair].children.attributes().iter().for_each(|child| sources[child.index()] = pair);
            }
            // These steps come right after the pair that draws the finest version.
            Step::Coarsen { fine } => {
                let (coarse, _) = network.hierarchies.coarser(fine).expect("the step was made from it");
                sources[coarse.index()] = last;
            }
        }
    }
    sources
}

/// Returns the pairs that a pair's parents come from, ascending.
fn parents(network: &Network, sources: &[usize], pair: usize) -> BTreeSet<usize> {
    network.pairs[pair].parents.attributes().iter().map(|parent| sources[parent.index()]).collect()
}

/// Returns the nearest ancestors of a pair, nearest first.
fn ancestors(network: &Network, sources: &[usize], pair: usize) -> Vec<usize> {
    let mut ancestors = Vec::new();
    let mut waiting = parents(network, sources, pair);
    while let Some(nearest) = waiting.pop_last().filter(|_| ancestors.len() < MAX_STEPS_BACK) {
        ancestors.push(nearest);
        waiting.extend(parents(network, sources, nearest));
    }
    ancestors
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use scumble_schema::{AttributeId, Domain};

    use super::super::{Coarsening, EmptyParents, Hierarchies, Pair, ToProbabilities};
    use super::*;
    use crate::table::factor::Factor;

    /// Tables 4, 5 and 6 of the paper; the ages that it does not show are the third row.
    #[test]
    fn a_tuple_decrements_each_of_its_cells() {
        let domain = Domain::new(vec![4, 2]).unwrap();
        let [age, grade] = [0, 1].map(AttributeId::new);
        let pairs = [Pair::head([age]), Pair::new(grade, [age])];
        let probabilities =
            [vec![0.05, 0.0, 0.883, 0.067], vec![0.025, 0.025, 0.0, 0.0, 0.4415, 0.4415, 0.0335, 0.0335]];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut urns = Vec::new();
        for (pair, values) in pairs.iter().zip(probabilities) {
            let table = Factor::new(&domain, pair.clique(), values).unwrap();
            let (to, empty) = (ToProbabilities::ClipAndNormalise, EmptyParents::Uniform);
            urns.push(Urn::new(&Conditional::new(&domain, pair, &table, to, empty).unwrap(), 10_000, &mut rng));
        }
        let histogram = |urn: &Urn, row: usize, cells: u32| -> Vec<usize> {
            let left = &urn.balls[urn.starts[row] as usize..][..urn.left[row] as usize];
            (0..cells).map(|cell| left.iter().filter(|&&ball| ball == cell).count()).collect()
        };
        assert_eq!(histogram(&urns[0], 0, 4), [500, 0, 8_830, 670]);
        assert_eq!([0, 1, 3].map(|age| histogram(&urns[1], age, 2)), [[250, 250], [0, 0], [335, 335]]);
        // The tuple: the last age, the first grade.
        let ball = urns[0].balls.iter().position(|&ball| ball == 3).unwrap();
        urns[0].take(0, u32::try_from(ball).unwrap());
        let ball = urns[1].starts[3];
        urns[1].take(3, ball);
        assert_eq!(histogram(&urns[0], 0, 4), [500, 0, 8_830, 669]);
        assert_eq!([0, 1, 3].map(|age| histogram(&urns[1], age, 2)), [[250, 250], [0, 0], [334, 335]].map(Vec::from));
        assert_eq!(urns[1].draw(1, &mut rng), None);
    }

    /// Returns a chain of four attributes, except that the third is independent.
    fn chain() -> NetworkModel {
        let domain = Domain::new(vec![2; 4]).unwrap();
        let ids: Vec<AttributeId> = domain.attributes().collect();
        let pairs =
            vec![Pair::head([ids[0]]), Pair::new(ids[1], [ids[0]]), Pair::head([ids[2]]), Pair::new(ids[3], [ids[1]])];
        let tables: Vec<Factor> =
            pairs.iter().map(|pair| Factor::filled(&domain, pair.clique(), 1.0).unwrap()).collect();
        let network = Network::new(domain, pairs).unwrap();
        NetworkModel::new(network, &tables, ToProbabilities::ClipAndNormalise, EmptyParents::Uniform).unwrap()
    }

    #[test]
    fn every_tenth_failure_goes_back_one_ancestor_further_until_none_is_left() {
        let model = chain();
        let mut walk = Walk::new(&model);
        assert_eq!(walk.ancestors, [vec![], vec![0], vec![], vec![1, 0]]);
        // The last pair always fails.
        let mut draws = [0; 4];
        let completed = walk.fill(&mut [0; 4], GiveUp::WithoutAncestors, |pair, _| {
            draws[pair] += 1;
            (pair < 3).then_some(0)
        });
        assert!(!completed);
        // Nine failures lead to the parent, ten to the parent's parent; at the twentieth no
        // ancestor is left. The third pair is independent of the failure and keeps its value.
        assert_eq!(draws, [1 + 10, 1 + 19, 1, 20]);
    }

    #[test]
    fn alternating_failures_end_too() {
        // Each failure of either pair is followed by a success, so neither soon reaches its last
        // ancestor.
        let model = chain();
        let mut walk = Walk::new(&model);
        let (mut calls, mut failures) = ([0; 4], 0);
        let completed = walk.fill(&mut [0; 4], GiveUp::WithoutAncestors, |pair, _| {
            calls[pair] += 1;
            let fails = pair == 3 || (pair == 1 && calls[1] % 2 == 0);
            failures += usize::from(fails);
            (!fails).then_some(0)
        });
        assert!(!completed && failures <= FAILURES_PER_STEP_BACK * 4, "{failures}");
    }

    #[test]
    fn a_coarser_parent_leads_back_to_the_finer_version() {
        let domain = Domain::new(vec![4, 2, 2, 2]).unwrap();
        let [fine, coarse, other, child] = [0, 1, 2, 3].map(AttributeId::new);
        let hierarchies = Hierarchies::new(&domain, vec![Coarsening::every(2, &domain, fine, coarse)]).unwrap();
        let pairs = vec![Pair::head([fine]), Pair::head([other]), Pair::new(child, [coarse])];
        let network = Network::with_hierarchies(domain, hierarchies, pairs).unwrap();
        assert_eq!(ancestors(&network, &sources(&network), 2), [0]);
    }
}
