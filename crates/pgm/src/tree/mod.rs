//! Cliques arranged in a tree: how they are found, and the distribution that stands in them.

mod attribute_graph;
pub(crate) mod junction_tree;
pub(crate) mod tree_model;
mod triangulation;
