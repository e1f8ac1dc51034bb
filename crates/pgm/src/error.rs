//! Errors of this crate.

use scumble_schema::{AttributeId, limits};

/// Invalid numbers, or a model that is too large.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A column's numbers are negative, not finite, or do not sum to one.
    #[error("column {column} of the model is no distribution")]
    NotADistribution {
        /// The column's position.
        column: usize,
    },
    /// The model has more cells than the limit.
    #[error("the model has {cells} cells, at most {limit} are possible")]
    TooLarge {
        /// Number of cells, counted before anything was allocated; saturates at `u128::MAX`.
        cells: u128,
        /// The caller's limit or [`limits::CELLS_PER_MODEL`], whichever is less.
        limit: u128,
    },
    /// A table does not have one value for every cell of its clique.
    #[error("a table over {attributes} attributes has {found} values, its clique has {expected} cells")]
    WrongLength {
        /// Number of attributes of the clique.
        attributes: usize,
        /// Number of cells of the clique.
        expected: u128,
        /// Number of values given.
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
        /// Name of the number.
        what: &'static str,
        /// Whether it must also be positive.
        positive: bool,
    },
    /// A condition names a code that its attribute does not have.
    #[error("attribute {} has {size} codes, the condition names code {code}", attribute.index())]
    UnknownCode {
        /// The attribute.
        attribute: AttributeId,
        /// The code named.
        code: u32,
        /// Number of codes of the attribute.
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
        /// Number of pairs that draw it.
        found: usize,
    },
    /// A pair of a Bayesian network has a parent that no earlier pair draws, or has no child.
    #[error("pair {pair} of the network has no child, or a parent that no earlier pair draws")]
    PairOutOfOrder {
        /// The position of the pair.
        pair: usize,
    },
    /// A pair of a Bayesian network lacks a table over its children and parents, or a table is left
    /// over.
    #[error("the network needs a table over the children and parents of pair {pair}")]
    TableOfAnotherPair {
        /// The position of the pair.
        pair: usize,
    },
    /// An attribute is declared a coarser version of another, but is not one.
    #[error("attribute {} is no coarser version of attribute {}: {why}", coarse.index(), fine.index())]
    NotACoarsening {
        /// The attribute with more codes.
        fine: AttributeId,
        /// The attribute with fewer codes.
        coarse: AttributeId,
        /// The reason.
        why: &'static str,
    },
    /// A table has two versions of the same attribute.
    #[error("a table has two versions of attribute {}, it may have one", attribute.index())]
    TwoVersions {
        /// The finest version.
        attribute: AttributeId,
    },
    /// The cliques of a model are no tree, or an attribute is not in exactly one residual.
    #[error("the cliques of the model are no tree over its attributes: clique {clique} does not fit in")]
    NotATree {
        /// The position of the clique; the number of cliques if no single clique is wrong.
        clique: usize,
    },
    /// The earlier estimate to start from is over another domain.
    #[error("the earlier estimate is over another domain")]
    AnotherDomain,
    /// No row is possible: structural zeros or conditions rule out every combination of values.
    #[error("no row is possible: the conditions rule out every combination of values")]
    Impossible,
    /// The replicates are too few for the level of error bars, or the level is not between zero and
    /// one.
    #[error("{replicates} replicates are too few for error bars at this level")]
    TooFewReplicates {
        /// Number of replicates.
        replicates: usize,
    },
}

impl ModelError {
    /// Returns the error for a model of more than [`limits::CELLS_PER_MODEL`] cells.
    pub(crate) fn too_large(cells: u128) -> Self {
        Self::TooLarge { cells, limit: limits::CELLS_PER_MODEL }
    }
}
