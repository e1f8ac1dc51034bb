//! Tables of numbers over cliques, and the arithmetic on them.

pub(crate) mod clique_vector;
pub(crate) mod contraction;
pub(crate) mod factor;
pub(crate) mod pieces;
pub(crate) mod projection;
pub(crate) mod vector;
