//! Algorithm 3: the first tables.

use std::collections::BTreeSet;

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use scumble_pgm::JunctionTree;
use scumble_schema::{AttributeId, Clique, Domain};

use super::candidates::{Candidates, SetLimits, Subsets};
use crate::learning::pair_scores::PairScores;

/// Maximum number of sets that are scored for one column in one clique. If there are more, the
/// columns least related to it are left out.
const MAX_SCORED_SETS: u64 = 1 << 21;

/// Number of a column's best sets that are kept, in case the first makes the model too large.
const KEPT_SETS: usize = 32;

/// Computes `rho` of equation (8): the relations of a column with the others of a set, relative to
/// those among the others.
///
/// # Reference
/// Equation (8), with the number of columns for the size of a set, and the denominator at least
/// one: noise may make the sum under its root negative.
pub(super) fn rho(column: AttributeId, set: &Clique, scores: &PairScores) -> f64 {
    let others: Vec<AttributeId> = set.attributes().iter().copied().filter(|&other| other != column).collect();
    let among: f64 = others.iter().map(|&other| scores.with_each(other, &others)).sum();
    quotient(scores.with_each(column, &others), set.len(), among)
}

fn quotient(relations: f64, columns: usize, among: f64) -> f64 {
    relations / (columns as f64 + among).max(1.0).sqrt()
}

/// Selection of the first tables.
pub(super) struct InitialSelection<'a> {
    /// All columns of two or more values.
    pub(super) columns: &'a [AttributeId],
    /// Noisy scores in the unit of equation (8).
    pub(super) scores: &'a PairScores,
    /// Columns that rules relate.
    pub(super) ruled: &'a [Clique],
    /// Maximum number of cells of the model.
    pub(super) model_cells: u128,
}

impl InitialSelection<'_> {
    /// Takes, for every column in turn, the candidate with the largest `rho` out of the candidates.
    /// A column without any gets a table of its own.
    ///
    /// # Reference
    /// Algorithm 3.
    pub(super) fn best_of_all(&self, candidates: &mut Candidates) -> Vec<Clique> {
        let mut chosen = Vec::new();
        for &column in self.columns {
            let mut best = Best::new(column, candidates);
            for clique in candidates.cliques().iter().filter(|clique| clique.has(column)) {
                best.search(clique, self.scores, candidates);
            }
            let fitting =
                best.sets.into_iter().map(|(_, set)| set).find(|set| self.fits(candidates.domain(), &chosen, set));
            choose(fitting.unwrap_or_else(|| Clique::single(column)), candidates, &mut chosen);
        }
        chosen
    }

    /// Takes, for every column, the best of the tables that greedy networks in cliques give it,
    /// without subsets of others; then random other tables of the networks, up to the number of
    /// columns.
    pub(super) fn networks(&self, candidates: &mut Candidates, rng: &mut ChaCha8Rng) -> Vec<Clique> {
        let mut all: Vec<(f64, AttributeId, Clique)> = Vec::new();
        for clique in candidates.cliques() {
            all.extend(self.network(clique, candidates, rng));
        }
        let mut chosen: Vec<Clique> = Vec::new();
        let mut best: Vec<&(f64, AttributeId, Clique)> = Vec::new();
        for &column in self.columns {
            let of_column = all.iter().filter(|(_, child, _)| *child == column);
            best.extend(of_column.reduce(|best, next| if next.0 > best.0 { next } else { best }));
        }
        for (_, _, set) in &best {
            let is_part = best.iter().any(|(_, _, other)| other != set && other.holds(set));
            if !is_part && candidates.has(set) && self.fits(candidates.domain(), &chosen, set) {
                choose(set.clone(), candidates, &mut chosen);
            }
        }
        let covered: BTreeSet<AttributeId> = chosen.iter().flat_map(|set| set.attributes().iter().copied()).collect();
        let alone: Vec<AttributeId> = self.columns.iter().copied().filter(|column| !covered.contains(column)).collect();
        for column in alone {
            choose(Clique::single(column), candidates, &mut chosen);
        }
        all.shuffle(rng);
        for (_, _, set) in all {
            if chosen.len() >= self.columns.len() {
                break;
            }
            if candidates.has(&set) && self.fits(candidates.domain(), &chosen, &set) {
                choose(set, candidates, &mut chosen);
            }
        }
        chosen
    }

    /// Builds a network over the columns of a clique: from a random first column on, repeatedly the
    /// column that those before it explain best, with parents that are added greedily within the
    /// limits.
    fn network(
        &self,
        clique: &Clique,
        candidates: &Candidates,
        rng: &mut ChaCha8Rng,
    ) -> Vec<(f64, AttributeId, Clique)> {
        let (domain, limits) = (candidates.domain(), candidates.limits());
        let mut left: Vec<AttributeId> = clique.attributes().to_vec();
        let mut before = vec![left.swap_remove(rng.random_range(0..left.len()))];
        let mut tables = Vec::new();
        while !left.is_empty() {
            let grown = left.iter().map(|&child| self.grown(domain, limits, child, &before));
            let scored = grown.zip(&left).map(|(set, &child)| (rho(child, &set, self.scores), child, set));
            let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
            let (score, child, set) = best.expect("a column is left");
            left.retain(|&column| column != child);
            before.push(child);
            if candidates.has(&set) {
                tables.push((score, child, set));
            }
        }
        tables
    }

    /// Adds parents to a child greedily, by score, as many as fit.
    fn grown(&self, domain: &Domain, limits: SetLimits, child: AttributeId, before: &[AttributeId]) -> Clique {
        let mut set = Clique::single(child);
        loop {
            let fits = |set: &Clique| set.len() <= limits.columns && domain.cells(set) <= u128::from(limits.cells);
            let larger =
                before.iter().filter(|&&parent| !set.has(parent)).map(|&parent| set.union(&Clique::single(parent)));
            let scored = larger.filter(fits).map(|set| (rho(child, &set, self.scores), set));
            let Some((_, best)) = scored.reduce(|best, next| if next.0 > best.0 { next } else { best }) else {
                return set;
            };
            set = best;
        }
    }

    /// Returns whether the model stays within its cells with one more table.
    fn fits(&self, domain: &Domain, chosen: &[Clique], set: &Clique) -> bool {
        let with: Vec<Clique> = chosen.iter().chain(self.ruled).chain([set]).cloned().collect();
        JunctionTree::predicted_cells(domain, &with) <= self.model_cells
    }
}

fn choose(set: Clique, candidates: &mut Candidates, chosen: &mut Vec<Clique>) {
    candidates.take(set.clone());
    chosen.push(set);
}

/// The best sets of a column so far, best first.
struct Best {
    column: AttributeId,
    sets: Vec<(f64, Clique)>,
}

impl Best {
    fn new(column: AttributeId, candidates: &Candidates) -> Self {
        let alone = Clique::single(column);
        let sets = if candidates.has(&alone) { vec![(0.0, alone)] } else { Vec::new() };
        Self { column, sets }
    }

    /// Scores the sets of one clique.
    fn search(&mut self, clique: &Clique, scores: &PairScores, candidates: &Candidates) {
        let (domain, column) = (candidates.domain(), self.column);
        let SetLimits { cells, columns } = candidates.limits();
        let limits = SetLimits { cells: cells / u64::from(domain.size(column)), columns: columns.saturating_sub(1) };
        let mut others: Vec<AttributeId> =
            clique.attributes().iter().copied().filter(|&other| other != column).collect();
        others.sort_by(|&left, &right| scores.between(column, right).total_cmp(&scores.between(column, left)));
        while Subsets::new(domain, &others).count(0, limits) > MAX_SCORED_SETS {
            others.pop();
        }
        let mut walk = Walk { best: self, scores, candidates, set: vec![column] };
        walk.extend(&others, limits, 0.0, 0.0);
    }

    /// Keeps a set if it is among the best.
    fn offer(&mut self, score: f64, set: &[AttributeId], candidates: &Candidates) {
        if self.sets.len() == KEPT_SETS && self.sets.last().is_some_and(|(worst, _)| score <= *worst) {
            return;
        }
        let set = Clique::new(set.iter().copied());
        if self.sets.iter().any(|(_, other)| *other == set) || !candidates.has(&set) {
            return;
        }
        let place = self.sets.partition_point(|(better, _)| *better >= score);
        self.sets.insert(place, (score, set));
        self.sets.truncate(KEPT_SETS);
    }
}

/// A depth-first walk through all sets with one column.
struct Walk<'a, 'b> {
    best: &'a mut Best,
    scores: &'a PairScores,
    candidates: &'a Candidates<'b>,
    set: Vec<AttributeId>,
}

impl Walk<'_, '_> {
    /// Visits all sets that extend this one by some of these columns. `relations` and `among` are
    /// the two sums of equation (8).
    fn extend(&mut self, columns: &[AttributeId], limits: SetLimits, relations: f64, among: f64) {
        let domain = self.candidates.domain();
        for (place, &next) in columns.iter().enumerate() {
            let cells = limits.cells / u64::from(domain.size(next));
            if cells == 0 || limits.columns == 0 {
                continue;
            }
            let relations = relations + self.scores.between(self.set[0], next);
            // The sum has each pair twice.
            let among = among + 2.0 * self.scores.with_each(next, &self.set[1..]);
            self.set.push(next);
            self.best.offer(quotient(relations, self.set.len(), among), &self.set, self.candidates);
            self.extend(&columns[place + 1..], SetLimits { cells, columns: limits.columns - 1 }, relations, among);
            self.set.pop();
        }
    }
}

#[cfg(test)]
mod tests;
