//! A distribution that factorises over a junction tree.

use scumble_schema::{Clique, Domain};

/// One clique of a tree: some attributes, given those it shares with the clique above it.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub(crate) parent: Option<usize>,
    pub(crate) separator: Clique,
    pub(crate) residual: Clique,
    pub(crate) conditional: Vec<f64>,
}

/// A distribution over all attributes of a domain, and the number of rows it stands for.
///
/// It is a tree of cliques. Each holds the distribution of its own attributes (the residual) given those it shares with
/// its parent (the separator), and the product over all cliques is the distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct TreeModel {
    pub(crate) domain: Domain,
    pub(crate) total: f64,
    pub(crate) nodes: Vec<Node>,
}

impl Node {
    /// The position of the clique above, unless this is a root.
    pub fn parent(&self) -> Option<usize> {
        self.parent
    }

    /// The attributes shared with the parent.
    pub fn separator(&self) -> &Clique {
        &self.separator
    }

    /// The attributes that this clique adds.
    pub fn residual(&self) -> &Clique {
        &self.residual
    }

    /// The probability of every cell of the residual for every cell of the separator: one row per cell of the
    /// separator, one column per cell of the residual. A row for what cannot happen is zero throughout.
    pub fn conditional(&self) -> &[f64] {
        &self.conditional
    }
}

impl TreeModel {
    /// The attributes' sizes.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The number of rows the model stands for.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The cliques, parents before children. Every attribute is in the residual of exactly one.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}
