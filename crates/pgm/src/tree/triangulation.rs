//! Triangulation: cliques that hold the given ones and form a tree.
//!
//! Attributes are eliminated one after the other; eliminating one joins it and its remaining
//! neighbours into a clique. Any order gives the cliques of a tree, but their sizes depend on the
//! order. The best order is hard to find, so several are tried: those that add the fewest edges
//! (min-fill) and those that make the smallest tables (min-weight), with ties broken by attribute
//! and then, in a few seeded attempts, at random.
//!
//! An attribute whose neighbours are all connected is in one clique with them in any tree, so all
//! such (simplicial) attributes go first and the orders are tried on the remaining core. A chordal
//! graph, and so any set of cliques that already is a tree, leaves no core.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_cancel::checkpoint;
use scumble_schema::{Clique, Domain};

use crate::tree::attribute_graph::{AttributeGraph, insert, ones};

/// Orders tried of each kind, the first of them without random ties.
const ORDERS_PER_KIND: usize = 4;

/// Most words of bit sets that min-fill reads in one call, over all its orders: a few milliseconds.
/// Without this bound a dense core of a thousand attributes would take minutes. An order that
/// exceeds it is discarded.
const MAX_FILL_WORDS: u64 = 1 << 22;

const SEED: u64 = 5;

/// The cliques made by eliminating the attributes of a domain one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Elimination {
    /// The members of all cliques, one clique after the other. Each starts with the eliminated
    /// attribute; the last clique also eliminates all attributes that no clique starts with.
    members: Vec<usize>,
    ends: Vec<usize>,
    attributes: usize,
}

/// The criterion of an elimination order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fill,
    Weight,
}

/// The part of a graph that remains after eliminating every simplicial attribute.
struct Core {
    attributes: Vec<usize>,
    graph: AttributeGraph,
    /// The logarithm of every attribute's size, in fixed point: sums are exact, so equal weights
    /// stay equal in any order of addition, and 10,000 sizes of 2^20 do not overflow.
    logs: Vec<u64>,
}

/// Returns the first elimination found in which no clique has more than `max_cells` cells. Tries
/// the orders without random ties, and leaves each at its first larger clique.
pub(crate) fn triangulate_within(domain: &Domain, cliques: &[Clique], max_cells: u128) -> Option<Elimination> {
    checkpoint();
    let bound = max_cells.checked_add(1)?;
    let mut prefix = Elimination { members: Vec::new(), ends: Vec::new(), attributes: domain.len() };
    let core = eliminate_simplicial(domain, AttributeGraph::of_cliques(domain, cliques), &mut prefix)?;
    if prefix.cliques().any(|clique| cells(domain, clique) >= bound) {
        return None;
    }
    if core.attributes.is_empty() {
        return Some(prefix);
    }
    let mut work = MAX_FILL_WORDS;
    let mut in_order = |kind| core.eliminate(domain, &prefix, kind, None, bound, &mut work);
    in_order(Kind::Weight).or_else(|| in_order(Kind::Fill))
}

/// Returns the best elimination found and the cells of its maximal cliques, or `None` if their
/// number overflows a `u128`.
pub(crate) fn triangulate(domain: &Domain, cliques: &[Clique]) -> Option<(Elimination, u128)> {
    if cliques.iter().any(|clique| domain.cells(clique) == u128::MAX) {
        return None;
    }
    let graph = AttributeGraph::of_cliques(domain, cliques);
    let mut prefix = Elimination { members: Vec::new(), ends: Vec::new(), attributes: domain.len() };
    let core = eliminate_simplicial(domain, graph, &mut prefix)?;
    if core.attributes.is_empty() {
        let cells = prefix.cells(domain);
        return (cells < u128::MAX).then_some((prefix, cells));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut best = None;
    let mut bound = u128::MAX;
    let mut work = MAX_FILL_WORDS;
    for attempt in 0..ORDERS_PER_KIND {
        checkpoint();
        let ties: Option<Vec<u32>> = (attempt > 0).then(|| core.attributes.iter().map(|_| rng.random()).collect());
        for kind in [Kind::Weight, Kind::Fill] {
            let Some(elimination) = core.eliminate(domain, &prefix, kind, ties.as_deref(), bound, &mut work) else {
                continue;
            };
            let cells = elimination.cells(domain);
            if cells < bound {
                bound = cells;
                best = Some(elimination);
            }
        }
    }
    best.map(|elimination| (elimination, bound))
}

/// Eliminates simplicial attributes until none is left. Returns the remaining core, or `None` if
/// the cells of a clique overflow a `u128`.
fn eliminate_simplicial(domain: &Domain, mut graph: AttributeGraph, prefix: &mut Elimination) -> Option<Core> {
    let mut alive = vec![true; domain.len()];
    let mut left = domain.len();
    let mut waiting: Vec<usize> = (0..domain.len()).rev().collect();
    let mut is_waiting = vec![true; domain.len()];
    while let Some(attribute) = waiting.pop() {
        is_waiting[attribute] = false;
        if !alive[attribute] || !graph.is_simplicial(attribute) {
            continue;
        }
        if prefix.push(domain, attribute, ones(graph.row(attribute))) == u128::MAX {
            return None;
        }
        if graph.degree(attribute) + 1 == left {
            alive.fill(false);
            break;
        }
        alive[attribute] = false;
        left -= 1;
        graph.detach(attribute);
        for neighbour in ones(graph.row(attribute)) {
            if !std::mem::replace(&mut is_waiting[neighbour], true) {
                waiting.push(neighbour);
            }
        }
    }
    let attributes: Vec<usize> = (0..domain.len()).filter(|&attribute| alive[attribute]).collect();
    let logs = attributes.iter().map(|&attribute| fixed_log(domain.sizes()[attribute])).collect();
    Some(Core { graph: graph.restricted(&attributes), attributes, logs })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size is at least 1 and at most 2^20")]
fn fixed_log(size: u32) -> u64 {
    (f64::from(size).log2() * f64::from(1_u32 << 31)).round() as u64
}

impl Core {
    /// Eliminates the whole core in an order of this kind. Returns `None` if one clique has `bound`
    /// cells or more, or if `work` is used up.
    fn eliminate(
        &self,
        domain: &Domain,
        prefix: &Elimination,
        kind: Kind,
        ties: Option<&[u32]>,
        bound: u128,
        work: &mut u64,
    ) -> Option<Elimination> {
        let mut graph = self.graph.clone();
        let mut elimination = prefix.clone();
        let mut left: Vec<usize> = (0..self.attributes.len()).collect();
        let mut weights: Vec<u64> = left
            .iter()
            .map(|&vertex| self.logs[vertex] + ones(graph.row(vertex)).map(|other| self.logs[other]).sum::<u64>())
            .collect();
        let mut fills = vec![0; left.len()];
        // The vertices whose missing edges must be counted again.
        let mut stale = vec![if kind == Kind::Fill { u64::MAX } else { 0 }; graph.words()];
        loop {
            for &vertex in &left {
                if stale[vertex / 64] >> (vertex % 64) & 1 == 1 {
                    *work = work.checked_sub((graph.degree(vertex) * graph.words()) as u64)?;
                    fills[vertex] = graph.fill(vertex);
                }
            }
            stale.fill(0);
            let key = |vertex: usize| match ties {
                None => (fills[vertex], weights[vertex], 0),
                Some(ties) if kind == Kind::Fill => (fills[vertex], 0, ties[vertex]),
                Some(ties) => (0, weights[vertex], ties[vertex]),
            };
            let Some(next) = (0..left.len()).min_by_key(|&position| (key(left[position]), left[position])) else {
                return Some(elimination);
            };
            let vertex = left.swap_remove(next);
            debug_assert!(kind == Kind::Weight || fills[vertex] == graph.fill(vertex), "counts are kept up to date");
            let neighbours = ones(graph.row(vertex)).map(|other| self.attributes[other]);
            if elimination.push(domain, self.attributes[vertex], neighbours) >= bound {
                return None;
            }
            if graph.degree(vertex) == left.len() {
                return Some(elimination);
            }
            let mut edges = 0;
            graph.saturate(vertex, |graph, other, new| {
                weights[other] += ones(new).map(|neighbour| self.logs[neighbour]).sum::<u64>();
                if kind == Kind::Fill {
                    for neighbour in ones(new).filter(|&neighbour| neighbour < other) {
                        graph.for_common(other, neighbour, vertex, |common| fills[common] -= 1);
                        edges += 1;
                    }
                }
            });
            *work = work.checked_sub(edges * graph.words() as u64)?;
            graph.detach(vertex);
            for neighbour in ones(graph.row(vertex)) {
                weights[neighbour] -= self.logs[vertex];
                if kind == Kind::Fill {
                    insert(&mut stale, neighbour);
                }
            }
        }
    }
}

impl Elimination {
    /// Returns every clique, in the order of elimination.
    pub(crate) fn cliques(&self) -> impl Iterator<Item = &[usize]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start..end])
    }

    /// Returns the parent of every clique: the clique in which the first of its neighbours is
    /// eliminated. The last clique of a connected component has none.
    pub(crate) fn parents(&self) -> Vec<Option<usize>> {
        let mut position = vec![self.ends.len().saturating_sub(1); self.attributes];
        for (index, clique) in self.cliques().enumerate() {
            position[clique[0]] = index;
        }
        let last = self.ends.len().saturating_sub(1);
        let parent = |(index, clique): (usize, &[usize])| {
            let first = clique[1..].iter().map(|&attribute| position[attribute]).min();
            // The last clique may eliminate several attributes.
            first.filter(|_| index < last)
        };
        self.cliques().enumerate().map(parent).collect()
    }

    /// Returns for every clique an earlier clique that holds it, if any. A clique passes all but
    /// its eliminated attribute on to its parent, so only a child can hold a clique.
    pub(crate) fn absorbed(&self, parents: &[Option<usize>]) -> Vec<Option<usize>> {
        let mut absorbed = vec![None; parents.len()];
        let lengths: Vec<usize> = self.cliques().map(<[usize]>::len).collect();
        for (index, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent
                && lengths[index] == lengths[parent] + 1
            {
                absorbed[parent] = Some(index);
            }
        }
        absorbed
    }

    /// Returns the cliques that no other clique holds.
    pub(crate) fn maximal(&self) -> impl Iterator<Item = &[usize]> {
        let absorbed = self.absorbed(&self.parents());
        self.cliques().zip(absorbed).filter(|(_, absorbed)| absorbed.is_none()).map(|(clique, _)| clique)
    }

    /// Returns the number of cells of all maximal cliques; saturates.
    fn cells(&self, domain: &Domain) -> u128 {
        self.maximal().fold(0, |sum: u128, clique| sum.saturating_add(cells(domain, clique)))
    }

    /// Adds a clique and returns its number of cells.
    fn push(&mut self, domain: &Domain, attribute: usize, neighbours: impl Iterator<Item = usize>) -> u128 {
        let start = self.members.len();
        self.members.push(attribute);
        self.members.extend(neighbours);
        self.ends.push(self.members.len());
        cells(domain, &self.members[start..])
    }
}

fn cells(domain: &Domain, attributes: &[usize]) -> u128 {
    attributes.iter().fold(1, |product: u128, &attribute| product.saturating_mul(domain.sizes()[attribute].into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use scumble_schema::AttributeId;

    /// Returns the number of cells that one order without random ties gives.
    fn one_order(domain: &Domain, pairs: &[Clique], kind: Kind) -> u128 {
        let mut prefix = Elimination { members: Vec::new(), ends: Vec::new(), attributes: domain.len() };
        let core = eliminate_simplicial(domain, AttributeGraph::of_cliques(domain, pairs), &mut prefix).unwrap();
        if core.attributes.is_empty() {
            return prefix.cells(domain);
        }
        core.eliminate(domain, &prefix, kind, None, u128::MAX, &mut MAX_FILL_WORDS.clone()).unwrap().cells(domain)
    }

    fn pairs(of: &[(usize, usize)], attributes: usize) -> Vec<Clique> {
        of.iter().map(|&(a, b)| Clique::new([a % attributes, b % attributes].map(AttributeId::new))).collect()
    }

    proptest! {
        #[test]
        fn the_best_of_several_orders_is_no_worse_than_the_first_of_each_kind(
            sizes in prop::collection::vec(2..20_u32, 2..12),
            edges in prop::collection::vec((0..12_usize, 0..12_usize), 0..30),
        ) {
            let domain = Domain::new(sizes).unwrap();
            let pairs = pairs(&edges, domain.len());
            let (_, best) = triangulate(&domain, &pairs).unwrap();
            prop_assert!(best <= one_order(&domain, &pairs, Kind::Fill));
            prop_assert!(best <= one_order(&domain, &pairs, Kind::Weight));
        }

        #[test]
        fn eliminating_adds_the_edges_that_were_counted_as_missing(
            edges in prop::collection::vec((0..12_usize, 0..12_usize), 0..40),
            order in Just((0..12).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let domain = Domain::new(vec![2; 12]).unwrap();
            let mut graph = AttributeGraph::of_cliques(&domain, &pairs(&edges, 12));
            for (done, &vertex) in order.iter().enumerate() {
                for &other in &order[done..] {
                    prop_assert_eq!(graph.is_simplicial(other), graph.fill(other) == 0);
                }
                let missing = graph.fill(vertex);
                let mut added = 0;
                graph.saturate(vertex, |_, _, new| added += crate::tree::attribute_graph::count(new) as u64);
                prop_assert_eq!(added, 2 * missing);
                prop_assert!(graph.is_simplicial(vertex));
                graph.detach(vertex);
            }
        }
    }

    #[test]
    fn random_ties_find_smaller_trees_than_the_first_orders() {
        // On these graphs some seeded order beats both plain ones; otherwise they would be useless.
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let domain = Domain::new(vec![3; 16]).unwrap();
        let mut better = 0;
        for _ in 0..100 {
            let edges: Vec<(usize, usize)> =
                (0..36).map(|_| (rng.random_range(0..16), rng.random_range(0..16))).collect();
            let pairs = pairs(&edges, 16);
            let plain = one_order(&domain, &pairs, Kind::Fill).min(one_order(&domain, &pairs, Kind::Weight));
            better += usize::from(triangulate(&domain, &pairs).unwrap().1 < plain);
        }
        assert!(better > 0);
    }
}
