//! Algorithms 2 and 3: a network from noisy scores. Reads no rows.

use scumble_pgm::network::Pair;
use scumble_schema::{AttributeId, Clique};

use super::versions::Versions;
use crate::learning::pair_scores::PairScores;

/// Score of a pair that was not scored.
pub(super) const UNSCORED: f64 = f64::NEG_INFINITY;

/// A pair of the network, and the table that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drawn {
    pub(super) pair: Pair,
    /// The columns of its table: children and parents. A column that is drawn given its own coarser
    /// version is measured alone.
    pub(super) table: Clique,
}

/// Learns a network from scores.
#[derive(Debug)]
pub(super) struct Learner<'a> {
    versions: &'a Versions,
    scores: &'a PairScores,
    /// Maximum number of cells of a table of more than one column.
    tau: u128,
    /// For each column, all others with a positive score, best first.
    order: Vec<Vec<AttributeId>>,
}

impl<'a> Learner<'a> {
    pub(super) fn new(versions: &'a Versions, scores: &'a PairScores, tau: u128) -> Self {
        let order = |child: AttributeId| {
            let score = |other: &AttributeId| scores.between(child, *other);
            let mut others: Vec<AttributeId> =
                versions.domain().attributes().filter(|other| score(other) > 0.0).collect();
            // Stable: of equal scores, the first column comes first.
            others.sort_by(|left, right| score(right).total_cmp(&score(left)));
            others
        };
        let order = versions.domain().attributes().map(order).collect();
        Self { versions, scores, tau, order }
    }

    /// Learns the network: Algorithm 2 once, then Algorithm 3 until no column is left.
    pub(super) fn network(&self) -> Vec<Drawn> {
        let mut network = Vec::new();
        let mut known = vec![false; self.versions.base_columns()];
        // Columns of one code make no table larger, so they need none of their own.
        let constant = self.versions.finest().filter(|&column| self.versions.cells(column) == 1);
        let head: Vec<AttributeId> = self.first_pair().into_iter().chain(constant).collect();
        if !head.is_empty() {
            for &column in &head {
                known[self.versions.of(column)] = true;
            }
            self.draw(Pair::head(head), &mut network);
        }
        while let Some(pair) = self.subsequent_pair(&known) {
            known[self.versions.of(pair.children().attributes()[0])] = true;
            self.draw(pair, &mut network);
        }
        network
    }

    /// Adds a pair, and the finest version of a child that is a coarser one, drawn given that one.
    fn draw(&self, pair: Pair, network: &mut Vec<Drawn>) {
        let children = pair.children().clone();
        network.push(Drawn { table: pair.clique(), pair });
        for &child in children.attributes() {
            let finest = self.versions.finest_of(child);
            if finest != child {
                network.push(Drawn { pair: Pair::new(finest, [child]), table: Clique::single(finest) });
            }
        }
    }

    /// Returns columns with large normalised scores among each other, for one table of at most tau
    /// cells; empty if no two fit.
    ///
    /// # Reference
    /// Algorithm 2: the first attribute-parent pair, which is drawn together.
    pub(super) fn first_pair(&self) -> Vec<AttributeId> {
        let (versions, tau) = (self.versions, self.tau);
        let normalised = |left: AttributeId, right: AttributeId| {
            let cells = f64::from(versions.domain().size(left)) * f64::from(versions.domain().size(right));
            self.scores.between(left, right) / cells
        };
        let columns = || versions.finest();
        let pairs =
            columns().flat_map(|left| columns().filter(move |&right| left < right).map(move |right| [left, right]));
        let best = pairs
            .filter(|&[left, right]| versions.cells(left) * versions.cells(right) <= tau)
            .map(|[left, right]| (normalised(left, right), [left, right]))
            .filter(|(score, _)| *score > 0.0)
            .reduce(larger);
        let Some((_, [left, right])) = best else { return Vec::new() };
        let mut head = vec![left, right];
        let mut cells = versions.cells(left) * versions.cells(right);
        // A pair that was not scored is too large for any table; its sum stays at negative
        // infinity.
        let mut sums: Vec<(f64, AttributeId)> = columns()
            .filter(|column| !head.contains(column))
            .map(|column| (normalised(left, column) + normalised(right, column), column))
            .collect();
        loop {
            // Columns that are too large stay so; unrelated ones may be related to a later member.
            sums.retain(|(_, column)| cells * versions.cells(*column) <= tau);
            let related = sums.iter().copied().reduce(larger).filter(|(sum, _)| *sum > 0.0);
            let Some((_, column)) = related else { return head };
            head.push(column);
            cells *= versions.cells(column);
            sums.retain(|(_, other)| *other != column);
            for (sum, other) in &mut sums {
                *sum += normalised(column, *other);
            }
        }
    }

    /// Returns the next child with its parents; `None` if every column is known.
    ///
    /// # Reference
    /// Algorithm 3. The best pair is that with the largest sum of scores.
    pub(super) fn subsequent_pair(&self, known: &[bool]) -> Option<Pair> {
        let left = self.versions.finest().filter(|&column| !known[self.versions.of(column)]);
        let (_, pair) = left.map(|column| self.candidate(column, known)).reduce(larger)?;
        Some(pair)
    }

    /// Returns the finest version of a column that can have a parent, with its parents and the sum
    /// of their scores.
    fn candidate(&self, column: AttributeId, known: &[bool]) -> (f64, Pair) {
        let with_parents = |&version: &AttributeId| {
            let (sum, parents) = self.parents(version, known);
            (!parents.is_empty()).then(|| (sum, Pair::new(version, parents)))
        };
        let found = self.versions.drawable(column).iter().find_map(with_parents);
        found.unwrap_or_else(|| (0.0, Pair::head([column])))
    }

    /// Adds known columns as parents of a child greedily, by score, as long as the table stays
    /// within tau. Returns the sum of their scores, and the parents.
    fn parents(&self, child: AttributeId, known: &[bool]) -> (f64, Vec<AttributeId>) {
        let versions = self.versions;
        let (mut sum, mut cells, mut parents) = (0.0, versions.cells(child), Vec::new());
        let mut taken = vec![false; known.len()];
        for &parent in &self.order[child.index()] {
            let of = versions.of(parent);
            if known[of] && !taken[of] && cells * versions.cells(parent) <= self.tau {
                sum += self.scores.between(child, parent);
                cells *= versions.cells(parent);
                taken[of] = true;
                parents.push(parent);
            }
        }
        (sum, parents)
    }
}

/// Returns the item with the larger score; the first of two equal ones.
fn larger<T>(best: (f64, T), next: (f64, T)) -> (f64, T) {
    if next.0 > best.0 { next } else { best }
}

#[cfg(test)]
mod tests;
