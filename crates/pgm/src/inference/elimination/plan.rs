//! Query plans: the steps of a query and their order, computed before any table is made.

use std::collections::{BTreeMap, BTreeSet};

use scumble_schema::{AttributeId, Clique, Domain};

use super::query_tree::QueryTree;
use crate::error::ModelError;
use crate::table::factor::checked_cells;
use crate::tree::tree_model::TreeModel;

/// An edge of the tree, with a direction.
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
    /// The message along an edge, with its attributes: those of the separator, and the queried ones
    /// behind the edge.
    Message(Edge, Clique),
}

/// The result of an earlier step that a step multiplies in.
#[derive(Debug)]
pub(super) struct Incoming {
    /// The earlier step.
    pub(super) from: usize,
    /// The clique whose separator is between the two.
    pub(super) along: usize,
    /// The attributes left after multiplying it in.
    pub(super) left: Clique,
}

/// What one clique computes for a query.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) node: usize,
    /// The clique's attributes that are queried or shared with a neighbour in use.
    pub(super) kept: Clique,
    /// The results that it multiplies in, in this order.
    pub(super) factors: Vec<Incoming>,
    /// The edge it sends the result along; `None` for the last step, whose result is the answer.
    pub(super) towards: Option<Edge>,
    /// The attributes of the result.
    pub(super) result: Clique,
    /// The number of its message, if queries share it.
    pub(super) message: Option<usize>,
    /// About the number of cells gone through.
    pub(super) work: u128,
}

/// The steps for a query: one list per tree that has some of its attributes, each step after those
/// it needs.
#[derive(Debug)]
pub(super) struct QueryPlan {
    pub(super) trees: Vec<Vec<Step>>,
}

/// The clique and tree of every attribute of a model.
pub(super) struct Layout<'a> {
    model: &'a TreeModel,
    /// For every attribute, the clique that has it in its residual.
    homes: Vec<usize>,
    /// For every clique, the root of its tree.
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
    /// Returns the key of its message, or `None` for the last step. The edge and the attributes
    /// identify a message.
    pub(super) fn message_key(&self) -> Option<Key> {
        Some(Key::Message(self.towards?, self.result.clone()))
    }
}

impl QueryPlan {
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.trees.iter().flatten()
    }

    pub(super) fn steps_mut(&mut self) -> impl Iterator<Item = &mut Step> {
        self.trees.iter_mut().flatten()
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

    /// Plans a query.
    ///
    /// # Errors
    /// If the query names an unknown attribute, or it or an intermediate table would be too large.
    pub(super) fn plan(&self, clique: &Clique) -> Result<QueryPlan, ModelError> {
        let domain = &self.model.domain;
        checked_cells(domain, clique)?;
        // Attributes of one code add nothing. Of the others a table within the limit has at most
        // 25, so sets of them are the bits of a number.
        let queried: Vec<AttributeId> =
            clique.attributes().iter().copied().filter(|&attribute| domain.size(attribute) > 1).collect();
        let mut tips: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for attribute in &queried {
            let home = self.homes[attribute.index()];
            tips.entry(self.roots[home]).or_default().insert(home);
        }
        let trees = tips.into_values().map(|tips| self.query_tree(tips, &queried).steps());
        Ok(QueryPlan { trees: trees.collect::<Result<_, _>>()? })
    }

    /// Returns the smallest subtree that holds all queried attributes.
    fn query_tree<'b>(&'b self, mut tips: BTreeSet<usize>, queried: &'b [AttributeId]) -> QueryTree<'b> {
        // The clique with the largest number is no ancestor of the others, so paths to the root are
        // followed from there until they meet.
        let mut nodes = BTreeSet::new();
        while let Some(tip) = tips.pop_last() {
            nodes.insert(tip);
            if !tips.is_empty() {
                tips.insert(self.model.nodes[tip].parent.expect("one tree has one root"));
            }
        }
        QueryTree::new(self.model, queried, nodes.into_iter().collect()).pruned()
    }
}
