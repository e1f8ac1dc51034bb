//! Estimation, inference and sampling against brute force and against each other.
//!
//! One program: a program for each file would be linked eleven times.

mod estimation;
mod forest;
mod given;
mod inference;
mod junction_tree;
mod matched_rows;
mod network;
mod row_targets;
mod sampling;
mod shrunk;
mod tree_sampling;

// Shared with the programs of `benchmarks/`.
#[path = "../brute_force/mod.rs"]
mod brute_force;
#[path = "../brute_force/shapes.rs"]
mod shapes;
