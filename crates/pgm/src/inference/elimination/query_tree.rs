//! The subtree that a query needs.

use scumble_schema::{AttributeId, Clique};

use super::plan::{Edge, Incoming, Step};
use crate::error::ModelError;
use crate::table::factor::checked_cells;
use crate::tree::tree_model::{Node, TreeModel};

/// A connected subset of a tree's cliques, numbered with parents before children.
pub(super) struct QueryTree<'a> {
    model: &'a TreeModel,
    query: &'a [AttributeId],
    nodes: Vec<usize>,
    parents: Vec<Option<usize>>,
    neighbours: Vec<Vec<usize>>,
    /// For every clique, the attributes of the query that it holds: bits by position in the query.
    queried: Vec<u32>,
}

impl<'a> QueryTree<'a> {
    /// Makes the subtree of these nodes of the model, ascending.
    pub(super) fn new(model: &'a TreeModel, query: &'a [AttributeId], nodes: Vec<usize>) -> Self {
        let parent = |node: &usize| nodes.binary_search(&model.nodes[*node].parent?).ok();
        let parents: Vec<Option<usize>> = nodes.iter().map(parent).collect();
        let mut neighbours = vec![Vec::new(); nodes.len()];
        for (index, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                neighbours[index].push(parent);
                neighbours[parent].push(index);
            }
        }
        let has = |node: &Node, attribute: AttributeId| node.residual.has(attribute) || node.separator.has(attribute);
        let queried_of = |&node: &usize| {
            let bits = (0..query.len()).filter(|&bit| has(&model.nodes[node], query[bit]));
            bits.fold(0, |set, bit| set | 1_u32 << bit)
        };
        let queried = nodes.iter().map(queried_of).collect();
        Self { model, query, nodes, parents, neighbours, queried }
    }

    /// Removes leaves whose queried attributes their neighbour holds too, until none is left.
    pub(super) fn pruned(self) -> Self {
        let mut degrees: Vec<usize> = self.neighbours.iter().map(Vec::len).collect();
        let mut alive = vec![true; self.nodes.len()];
        let mut leaves: Vec<usize> = (0..self.nodes.len()).filter(|&index| degrees[index] == 1).collect();
        while let Some(leaf) = leaves.pop() {
            let Some(&next) = self.neighbours[leaf].iter().find(|&&next| alive[next]) else { continue };
            if self.queried[leaf] & !self.queried[next] == 0 {
                alive[leaf] = false;
                degrees[next] -= 1;
                if degrees[next] == 1 {
                    leaves.push(next);
                }
            }
        }
        let nodes = (0..self.nodes.len()).filter(|&index| alive[index]).map(|index| self.nodes[index]).collect();
        Self::new(self.model, self.query, nodes)
    }

    /// Returns the steps towards the clique where answering costs least, each after those it needs.
    pub(super) fn steps(&self) -> Result<Vec<Step>, ModelError> {
        let kept: Vec<Clique> = (0..self.nodes.len()).map(|index| self.kept(index)).collect();
        let mut place = vec![0; self.nodes.len()];
        let mut steps: Vec<Step> = Vec::with_capacity(self.nodes.len());
        for (index, next) in self.towards(self.root(&kept)) {
            let others = self.neighbours[index].iter().copied().filter(|&other| Some(other) != next);
            let sent = others.map(|other| (other, place[other])).collect();
            place[index] = steps.len();
            let step = self.step(index, next, kept[index].clone(), sent, &steps)?;
            steps.push(step);
        }
        Ok(steps)
    }

    /// Returns the step of a clique. `sent` lists the neighbours that send to it and the places of
    /// their steps.
    fn step(
        &self,
        index: usize,
        next: Option<usize>,
        kept: Clique,
        mut sent: Vec<(usize, usize)>,
        steps: &[Step],
    ) -> Result<Step, ModelError> {
        let domain = &self.model.domain;
        checked_cells(domain, &kept)?;
        let mut work = self.model.nodes[self.nodes[index]].conditional.len() as u128;
        let mut table = kept.clone();
        let mut factors = Vec::new();
        while !sent.is_empty() {
            // The attributes left after the product with a neighbour: the queried ones, and those
            // shared with a neighbour still to come.
            let left_by = |position: usize| {
                let others = sent.iter().enumerate().filter(|(other, _)| *other != position).map(|(_, sent)| sent.0);
                let needed = others.chain(next).flat_map(|other| self.separator(index, other).attributes());
                let needed: Vec<&AttributeId> = needed.chain(self.query).collect();
                let both = table.attributes().iter().chain(steps[sent[position].1].result.attributes());
                Clique::new(both.filter(|attribute| needed.contains(attribute)).copied())
            };
            let products = (0..sent.len()).map(|position| (left_by(position), position));
            let smallest = products.min_by_key(|(left, _)| domain.cells(left));
            let (left, position) = smallest.expect("something was sent");
            checked_cells(domain, &left)?;
            let (other, from) = sent.swap_remove(position);
            let both = table.attributes().iter().chain(steps[from].result.attributes());
            work = work.saturating_add(domain.cells(&Clique::new(both.copied())));
            table = left.clone();
            factors.push(Incoming { from, along: self.nodes[index.max(other)], left });
        }
        let towards = next.map(|next| {
            let is_above = self.parents[index] == Some(next);
            if is_above { Edge::Up(self.nodes[index]) } else { Edge::Down(self.nodes[next]) }
        });
        Ok(Step { node: self.nodes[index], kept, factors, towards, result: table, message: None, work })
    }

    /// Returns the attributes of a clique that are queried or shared with a neighbour.
    fn kept(&self, index: usize) -> Clique {
        let shared = self.neighbours[index].iter().flat_map(|&other| self.separator(index, other).attributes());
        Clique::new(shared.copied().chain(self.queried_attributes(self.queried[index])))
    }

    fn queried_attributes(&self, set: u32) -> impl Iterator<Item = AttributeId> {
        (0..self.query.len()).filter(move |bit| set >> bit & 1 == 1).map(|bit| self.query[bit])
    }

    /// Returns the separator between two neighbours.
    fn separator(&self, left: usize, right: usize) -> &Clique {
        // Parents come before children.
        &self.model.nodes[self.nodes[left.max(right)]].separator
    }

    /// Returns the queried attributes of each clique and its descendants.
    fn below(&self) -> Vec<u32> {
        let mut below = self.queried.clone();
        for (index, parent) in self.parents.iter().enumerate().rev() {
            if let Some(parent) = *parent {
                below[parent] |= below[index];
            }
        }
        below
    }

    /// Returns the queried attributes outside each clique and its descendants.
    fn above(&self, below: &[u32]) -> Vec<u32> {
        let mut above = vec![0; below.len()];
        for index in 0..below.len() {
            // From above, from the clique itself and from the children on either side.
            let children: Vec<usize> = self.neighbours[index].iter().copied().filter(|&child| child > index).collect();
            let mut set = above[index] | self.queried[index];
            for &child in &children {
                above[child] |= set;
                set |= below[child];
            }
            set = 0;
            for &child in children.iter().rev() {
                above[child] |= set;
                set |= below[child];
            }
        }
        above
    }

    /// Returns the clique with the least cost as the root: the cells of all products on the way to
    /// it.
    fn root(&self, kept: &[Clique]) -> usize {
        let below = self.below();
        let above = self.above(&below);
        // The cells of a clique's product with the queried attributes behind it.
        let cells = |index: usize, behind: u32| {
            let more = self.queried_attributes(behind & !self.queried[index]);
            let sizes = kept[index].attributes().iter().copied().chain(more);
            sizes.map(|attribute| f64::from(self.model.domain.size(attribute))).product::<f64>()
        };
        let up = |index: usize| cells(index, below[index]);
        let down = |index: usize, parent: usize| cells(parent, above[index]);
        let mut sending = vec![0.0; self.nodes.len()];
        sending[0] = (1..self.nodes.len()).map(&up).sum();
        for index in 1..self.nodes.len() {
            let parent = self.parents[index].expect("a connected subtree has one top");
            sending[index] = sending[parent] - up(index) + down(index, parent);
        }
        let cost = |index: usize| sending[index] + cells(index, below[0]);
        (0..self.nodes.len())
            .min_by(|&left, &right| cost(left).total_cmp(&cost(right)))
            .expect("a query needs a clique")
    }

    /// Returns every clique with its neighbour towards the root, those farther from the root first.
    fn towards(&self, root: usize) -> Vec<(usize, Option<usize>)> {
        let mut order = vec![(root, None)];
        let mut position = 0;
        while let Some(&(index, next)) = order.get(position) {
            let farther = self.neighbours[index].iter().filter(|&&other| Some(other) != next);
            order.extend(farther.map(|&other| (other, Some(index))));
            position += 1;
        }
        order.reverse();
        order
    }
}
