//! What a query needs of a tree, and in which order, known before any table is made.

use std::collections::{BTreeMap, BTreeSet};

use scumble_schema::{AttributeId, Clique, Domain, limits};

use super::part::Part;
use crate::error::ModelError;
use crate::tree::tree_model::TreeModel;

/// A direction along the edge above a clique.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Edge {
    /// From this clique to its parent.
    Up(usize),
    /// To this clique from its parent.
    Down(usize),
}

/// A table that more than one query may need.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    /// The marginal of some of a clique's attributes.
    Restricted(usize, Clique),
    /// What is sent along an edge when these attributes are asked behind it, and the attributes of the table.
    Message(Edge, Clique),
}

/// What a step takes from an earlier one.
#[derive(Debug)]
pub(super) struct Taken {
    /// The earlier step.
    pub(super) from: usize,
    /// The clique whose separator is between the two.
    pub(super) along: usize,
    /// The attributes left when it was multiplied in.
    pub(super) left: Clique,
}

/// What one clique does for a query.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) node: usize,
    /// The clique's attributes that are asked for or shared with a neighbour in use.
    pub(super) kept: Clique,
    /// What it multiplies in, in this order.
    pub(super) factors: Vec<Taken>,
    /// Where it sends the result; nothing for the last step, whose result is the answer.
    pub(super) towards: Option<Edge>,
    /// The attributes of the result.
    pub(super) result: Clique,
    /// The number of what it sends, when that is shared.
    pub(super) message: Option<usize>,
    /// The cells gone through, roughly.
    pub(super) work: u128,
}

/// The steps for a query: a list for every tree that has some of its attributes, each step after those it needs.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) parts: Vec<Vec<Step>>,
}

/// Where the attributes of a model are.
pub(super) struct Layout<'a> {
    model: &'a TreeModel,
    /// For every attribute the clique that has it in its residual.
    homes: Vec<usize>,
    /// For every clique the root of its tree.
    roots: Vec<usize>,
}

impl Key {
    pub(super) fn cells(&self, domain: &Domain) -> u128 {
        match self {
            Self::Restricted(_, clique) | Self::Message(_, clique) => domain.cells(clique),
        }
    }
}

impl Step {
    /// What it sends, if it does. A message is known by its attributes: those of the separator, and those asked behind.
    pub(super) fn message_key(&self) -> Option<Key> {
        Some(Key::Message(self.towards?, self.result.clone()))
    }
}

impl Plan {
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.parts.iter().flatten()
    }

    pub(super) fn steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.parts.iter_mut().flatten()
    }
}

impl<'a> Layout<'a> {
    pub(super) fn new(model: &'a TreeModel) -> Self {
        let mut homes = vec![0; model.domain.len()];
        let mut roots = vec![0; model.nodes.len()];
        for (index, node) in model.nodes.iter().enumerate() {
            roots[index] = node.parent.map_or(index, |parent| roots[parent]);
            for attribute in node.residual.attributes() {
                homes[attribute.index()] = index;
            }
        }
        Self { model, homes, roots }
    }

    /// How to answer a query; refused when a table on the way would be too large.
    pub(super) fn plan(&self, clique: &Clique) -> Result<Plan, ModelError> {
        let domain = &self.model.domain;
        let unknown = |attribute: &&AttributeId| attribute.index() >= domain.len();
        if let Some(&attribute) = clique.attributes().iter().find(unknown) {
            return Err(ModelError::UnknownAttribute { attribute });
        }
        within_limit(domain, clique)?;
        // An attribute of one code is always that code. Without them at most 25 attributes are left, or the table would
        // be too large: sets of them are the bits of a number.
        let asked: Vec<AttributeId> =
            clique.attributes().iter().copied().filter(|&attribute| domain.size(attribute) > 1).collect();
        let mut tips: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for attribute in &asked {
            let home = self.homes[attribute.index()];
            tips.entry(self.roots[home]).or_default().insert(home);
        }
        let parts = tips.into_values().map(|tips| self.part(tips, &asked).steps());
        Ok(Plan { parts: parts.collect::<Result<_, _>>()? })
    }

    /// The smallest part of a tree that has all asked attributes.
    fn part<'b>(&'b self, mut tips: BTreeSet<usize>, asked: &'b [AttributeId]) -> Part<'b> {
        // The clique with the largest number is above none of the others, so the ways up are followed from there until
        // they have met.
        let mut nodes = BTreeSet::new();
        while let Some(tip) = tips.pop_last() {
            nodes.insert(tip);
            if !tips.is_empty() {
                tips.insert(self.model.nodes[tip].parent.expect("one tree has one root"));
            }
        }
        Part::new(self.model, asked, nodes.into_iter().collect()).pruned()
    }
}

/// Refuses a table that is too large to hold.
pub(super) fn within_limit(domain: &Domain, clique: &Clique) -> Result<(), ModelError> {
    match domain.cells(clique) {
        cells if cells > limits::CELLS_PER_MODEL => Err(ModelError::too_large(cells)),
        _ => Ok(()),
    }
}
