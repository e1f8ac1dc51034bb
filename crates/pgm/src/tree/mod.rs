//! Junction trees: how their cliques are found, and the distribution over them.

mod attribute_graph;
pub(crate) mod junction_tree;
pub(crate) mod parity_potentials;
pub(crate) mod tree_model;
mod triangulation;
pub(crate) mod walsh;
