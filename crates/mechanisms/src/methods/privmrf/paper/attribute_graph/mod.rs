//! Algorithm 1: the graph of columns that may share a table.
//!
//! Pairs become edges, the most related first, for as long as the graph can be triangulated without
//! a clique of more than `tau_c` cells. An edge between two columns that share a clique already
//! changes no clique, so it costs nothing to insert.
//!
//! The paper tries all pairs again after each insertion. A triangulation of a graph triangulates
//! its subgraphs too, so a refused pair would stay refused if every triangulation were tried. They
//! are not, and with one more edge a triangulation may be found that was missed before. So refused
//! pairs are tried again, but only after all others: after each insertion, a search over 100
//! columns would take a hundred times longer.

use scumble_pgm::JunctionTree;
use scumble_schema::{AttributeId, Clique, Domain};

use super::options::Edges;
use crate::learning::pair_scores::{PairScores, pairs};

/// Maximum number of pairs whose triangulations are compared for one edge, under
/// [`Edges::RelatedWithFill`].
const MAX_COMPARED_PAIRS: usize = 32;

/// Returns the maximal cliques of the triangulated graph.
///
/// # Reference
/// Algorithm 1, lines 3 to 14.
pub(super) fn attribute_graph(
    domain: &Domain,
    columns: &[AttributeId],
    scores: &PairScores,
    max_cells: u128,
    edges: Edges,
) -> Vec<Clique> {
    Graph::of_related(domain, columns, scores, max_cells, edges).cliques
}

/// The graph, with the cliques of its triangulation.
struct Graph<'a> {
    columns: &'a [AttributeId],
    /// Columns too large for any clique have one code here, so that they do not affect others.
    domain: Domain,
    max_cells: u128,
    edges: Vec<Clique>,
    cliques: Vec<Clique>,
}

impl<'a> Graph<'a> {
    fn new(domain: &Domain, columns: &'a [AttributeId], max_cells: u128) -> Self {
        let size = |&size: &u32| if u128::from(size) > max_cells { 1 } else { size };
        let domain = Domain::new(domain.sizes().iter().map(size).collect()).expect("no column got larger");
        let cliques = columns.iter().map(|&column| Clique::single(column)).collect();
        Self { columns, domain, max_cells, edges: Vec::new(), cliques }
    }

    fn of_related(
        domain: &Domain,
        columns: &'a [AttributeId],
        scores: &PairScores,
        max_cells: u128,
        edges: Edges,
    ) -> Self {
        let mut graph = Self::new(domain, columns, max_cells);
        let mut waiting = pairs(columns);
        waiting.retain(|&pair| domain.cells(&Clique::new(pair)) <= max_cells);
        // Stable: of equal scores, the first columns come first.
        waiting.sort_by(|&[a, b], &[c, d]| scores.between(c, d).total_cmp(&scores.between(a, b)));
        match edges {
            Edges::Related => graph.insert_in_order(waiting),
            Edges::RelatedWithFill => graph.insert_by_sums(waiting, scores),
        }
        graph
    }

    fn is_within_a_clique(&self, pair: [AttributeId; 2]) -> bool {
        self.cliques.iter().any(|clique| pair.iter().all(|&column| clique.has(column)))
    }

    /// Returns the cliques with one more edge; `None` if one of them would be too large.
    fn with(&mut self, pair: [AttributeId; 2]) -> Option<Vec<Clique>> {
        self.edges.push(Clique::new(pair));
        let cliques = JunctionTree::cliques_within(&self.domain, &self.edges, self.max_cells);
        self.edges.pop();
        let mut cliques = cliques?;
        // Columns of one code are in no edge.
        cliques.retain(|clique| clique.len() > 1 || self.columns.contains(&clique.attributes()[0]));
        Some(cliques)
    }

    fn insert(&mut self, pair: [AttributeId; 2], cliques: Vec<Clique>) {
        self.edges.push(Clique::new(pair));
        self.cliques = cliques;
    }

    /// Inserts every pair that fits, in order, until no more pair fits.
    fn insert_in_order(&mut self, mut waiting: Vec<[AttributeId; 2]>) {
        let mut before = usize::MAX;
        while waiting.len() < before {
            before = waiting.len();
            waiting.retain(|&pair| !self.insert_if_it_fits(pair));
        }
    }

    fn insert_if_it_fits(&mut self, pair: [AttributeId; 2]) -> bool {
        if self.is_within_a_clique(pair) {
            self.edges.push(Clique::new(pair));
            return true;
        }
        let cliques = self.with(pair);
        let fits = cliques.is_some();
        if let Some(cliques) = cliques {
            self.insert(pair, cliques);
        }
        fits
    }

    /// Repeatedly inserts the pair with the largest sum of scores of all edges of the
    /// triangulation, among the most related pairs that fit.
    fn insert_by_sums(&mut self, mut waiting: Vec<[AttributeId; 2]>, scores: &PairScores) {
        loop {
            waiting.retain(|&pair| {
                let within = self.is_within_a_clique(pair);
                if within {
                    self.edges.push(Clique::new(pair));
                }
                !within
            });
            let mut best: Option<(f64, [AttributeId; 2], Vec<Clique>)> = None;
            let mut compared = 0;
            waiting.retain(|&pair| {
                if compared == MAX_COMPARED_PAIRS {
                    return true;
                }
                let Some(cliques) = self.with(pair) else { return false };
                compared += 1;
                let sum = sum_of_edges(&cliques, scores);
                if best.as_ref().is_none_or(|(largest, ..)| sum > *largest) {
                    best = Some((sum, pair, cliques));
                }
                true
            });
            let Some((_, pair, cliques)) = best else { return };
            self.insert(pair, cliques);
        }
    }
}

/// Returns the sum of the scores of all pairs that share a clique.
fn sum_of_edges(cliques: &[Clique], scores: &PairScores) -> f64 {
    let mut edges: Vec<[AttributeId; 2]> = cliques.iter().flat_map(|clique| pairs(clique.attributes())).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|[left, right]| scores.between(left, right)).sum()
}

#[cfg(test)]
mod tests;
