//! The part of a tree that a query needs.

use scumble_schema::{AttributeId, Clique};

use super::plan::{Edge, Step, Taken, within_limit};
use crate::error::ModelError;
use crate::tree::tree_model::{Node, TreeModel};

/// Cliques of one tree that hang together, numbered from the top, parents before children.
pub(super) struct Part<'a> {
    model: &'a TreeModel,
    query: &'a [AttributeId],
    nodes: Vec<usize>,
    parents: Vec<Option<usize>>,
    neighbours: Vec<Vec<usize>>,
    /// For every clique the attributes of the query it has, as bits by their position in the query.
    asked: Vec<u32>,
}

impl<'a> Part<'a> {
    /// These nodes of the model, ascending.
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
        let asked_of = |&node: &usize| {
            let bits = (0..query.len()).filter(|&bit| has(&model.nodes[node], query[bit]));
            bits.fold(0, |set, bit| set | 1_u32 << bit)
        };
        let asked = nodes.iter().map(asked_of).collect();
        Self { model, query, nodes, parents, neighbours, asked }
    }

    /// Without the cliques at the rim all whose asked attributes the next one has too.
    pub(super) fn pruned(self) -> Self {
        let mut degrees: Vec<usize> = self.neighbours.iter().map(Vec::len).collect();
        let mut alive = vec![true; self.nodes.len()];
        let mut rim: Vec<usize> = (0..self.nodes.len()).filter(|&index| degrees[index] == 1).collect();
        while let Some(leaf) = rim.pop() {
            let Some(&next) = self.neighbours[leaf].iter().find(|&&next| alive[next]) else { continue };
            if self.asked[leaf] & !self.asked[next] == 0 {
                alive[leaf] = false;
                degrees[next] -= 1;
                if degrees[next] == 1 {
                    rim.push(next);
                }
            }
        }
        let nodes = (0..self.nodes.len()).filter(|&index| alive[index]).map(|index| self.nodes[index]).collect();
        Self::new(self.model, self.query, nodes)
    }

    /// The steps that lead to the clique where answering costs least, each after those it needs.
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

    /// What a clique does with what was `sent` to it, by its neighbours and the places of their steps.
    fn step(
        &self,
        index: usize,
        next: Option<usize>,
        kept: Clique,
        mut sent: Vec<(usize, usize)>,
        steps: &[Step],
    ) -> Result<Step, ModelError> {
        let domain = &self.model.domain;
        within_limit(domain, &kept)?;
        let mut work = self.model.nodes[self.nodes[index]].conditional.len() as u128;
        let mut table = kept.clone();
        let mut factors = Vec::new();
        while !sent.is_empty() {
            // What is left of the product with each of the neighbours: what is asked, or shared with one to come.
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
            within_limit(domain, &left)?;
            let (other, from) = sent.swap_remove(position);
            let both = table.attributes().iter().chain(steps[from].result.attributes());
            work = work.saturating_add(domain.cells(&Clique::new(both.copied())));
            table = left.clone();
            factors.push(Taken { from, along: self.nodes[index.max(other)], left });
        }
        let towards = next.map(|next| {
            let is_above = self.parents[index] == Some(next);
            if is_above { Edge::Up(self.nodes[index]) } else { Edge::Down(self.nodes[next]) }
        });
        Ok(Step { node: self.nodes[index], kept, factors, towards, result: table, message: None, work })
    }

    /// The attributes of a clique that are asked for or shared with a neighbour.
    fn kept(&self, index: usize) -> Clique {
        let shared = self.neighbours[index].iter().flat_map(|&other| self.separator(index, other).attributes());
        Clique::new(shared.copied().chain(self.asked_attributes(self.asked[index])))
    }

    fn asked_attributes(&self, set: u32) -> impl Iterator<Item = AttributeId> {
        (0..self.query.len()).filter(move |bit| set >> bit & 1 == 1).map(|bit| self.query[bit])
    }

    /// The separator between two neighbours.
    fn separator(&self, left: usize, right: usize) -> &Clique {
        // Parents come before children.
        &self.model.nodes[self.nodes[left.max(right)]].separator
    }

    /// What is asked of each clique and those below it.
    fn below(&self) -> Vec<u32> {
        let mut below = self.asked.clone();
        for (index, parent) in self.parents.iter().enumerate().rev() {
            if let Some(parent) = *parent {
                below[parent] |= below[index];
            }
        }
        below
    }

    /// What is asked outside the part at and below each clique, given what is asked below.
    fn above(&self, below: &[u32]) -> Vec<u32> {
        let mut above = vec![0; below.len()];
        for index in 0..below.len() {
            // What comes from above, from the clique itself and from the children on either side.
            let children: Vec<usize> = self.neighbours[index].iter().copied().filter(|&child| child > index).collect();
            let mut set = above[index] | self.asked[index];
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

    /// The clique to which everything is sent at the least cost: the cells of all products on the way.
    fn root(&self, kept: &[Clique]) -> usize {
        let below = self.below();
        let above = self.above(&below);
        // A clique's product with all that is asked behind it, in one direction or another.
        let cells = |index: usize, behind: u32| {
            let more = self.asked_attributes(behind & !self.asked[index]);
            let sizes = kept[index].attributes().iter().copied().chain(more);
            sizes.map(|attribute| f64::from(self.model.domain.size(attribute))).product::<f64>()
        };
        let up = |index: usize| cells(index, below[index]);
        let down = |index: usize, parent: usize| cells(parent, above[index]);
        let mut sending = vec![0.0; self.nodes.len()];
        sending[0] = (1..self.nodes.len()).map(&up).sum();
        for index in 1..self.nodes.len() {
            let parent = self.parents[index].expect("a part has one top");
            sending[index] = sending[parent] - up(index) + down(index, parent);
        }
        let cost = |index: usize| sending[index] + cells(index, below[0]);
        (0..self.nodes.len()).min_by(|&left, &right| cost(left).total_cmp(&cost(right))).expect("a part has a clique")
    }

    /// Every clique with the neighbour that is nearer to the root, those farther away first.
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
