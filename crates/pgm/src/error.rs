//! What can be wrong with numbers given to this room.

use scumble_schema::{AttributeId, limits};

/// Numbers that make no model, or a model that would not fit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A column's numbers are negative, not finite, or do not sum to one.
    #[error("column {column} of the model is no distribution")]
    NotADistribution {
        /// The column's position.
        column: usize,
    },
    /// The model has more cells than we hold.
    #[error("the model has {cells} cells, at most {limit} are possible")]
    TooLarge {
        /// How many cells, counted before anything was allocated; `u128::MAX` when they are more than that.
        cells: u128,
        /// How many are possible: the caller's limit or [`limits::CELLS_PER_MODEL`], whichever is less.
        limit: u128,
    },
    /// A table has another number of values than its clique has cells.
    #[error("a table over {attributes} attributes has {found} values, its clique has {expected} cells")]
    WrongLength {
        /// How many attributes the clique has.
        attributes: usize,
        /// The cells of the clique.
        expected: u128,
        /// The values given.
        found: usize,
    },
    /// A table names an attribute that the domain does not have.
    #[error("the domain has no attribute {}", attribute.index())]
    UnknownAttribute {
        /// The attribute.
        attribute: AttributeId,
    },
    /// A number that must be finite, or positive, is not.
    #[error("{what} must be finite{}", if *positive { " and positive" } else { "" })]
    NotFinite {
        /// Which number.
        what: &'static str,
        /// Whether zero and less are refused too.
        positive: bool,
    },
    /// A condition names a code that its attribute does not have.
    #[error("attribute {} has {size} codes, the condition names code {code}", attribute.index())]
    UnknownCode {
        /// The attribute.
        attribute: AttributeId,
        /// The code named.
        code: u32,
        /// The number of codes it has.
        size: u32,
    },
    /// A Bayesian network draws an attribute twice, or never.
    #[error(
        "attribute {} is the child of {found} pairs of the network, it must be the child of exactly one",
        attribute.index()
    )]
    ChildCount {
        /// The attribute.
        attribute: AttributeId,
        /// How many pairs draw it.
        found: usize,
    },
    /// A pair of a Bayesian network has a parent that no earlier pair draws, or has no child.
    #[error("pair {pair} of the network has no child, or a parent that no earlier pair draws")]
    PairOutOfOrder {
        /// The position of the pair.
        pair: usize,
    },
    /// The tables given to a Bayesian network are not one per pair, over its children and parents.
    #[error("the network needs a table over the children and parents of pair {pair}")]
    TableOfAnotherPair {
        /// The position of the pair.
        pair: usize,
    },
    /// An attribute is declared a coarser version of another, but is not, or in two ways.
    #[error("attribute {} is no coarser version of attribute {}: {why}", coarse.index(), fine.index())]
    NotACoarsening {
        /// The attribute with more codes.
        fine: AttributeId,
        /// The attribute with fewer codes.
        coarse: AttributeId,
        /// What is wrong.
        why: &'static str,
    },
    /// A table has two versions of the same attribute.
    #[error("a table has two versions of attribute {}, it may have one", attribute.index())]
    TwoVersions {
        /// The finest version.
        attribute: AttributeId,
    },
    /// The cliques of a model are no tree, or do not hold every attribute once.
    #[error("the cliques of the model are no tree over its attributes: clique {clique} does not fit in")]
    NotATree {
        /// The position of the clique; that after the last if none is wrong by itself.
        clique: usize,
    },
    /// An estimate cannot start from one over other attributes.
    #[error("the earlier estimate is over another domain")]
    AnotherDomain,
    /// No row is possible: structural zeros or conditions rule out every combination of values.
    #[error("no row is possible: the conditions rule out every combination of values")]
    Impossible,
    /// Error bars at a level that so few replicates cannot reach, or that is not between zero and one.
    #[error("{replicates} replicates are too few for error bars at this level")]
    TooFewReplicates {
        /// How many were asked for.
        replicates: usize,
    },
}

impl ModelError {
    /// A model of `cells` cells, refused by the limit that holds for every model.
    pub(crate) fn too_large(cells: u128) -> Self {
        Self::TooLarge { cells, limit: limits::CELLS_PER_MODEL }
    }
}
