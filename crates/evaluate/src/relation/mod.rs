//! Relations between pairs of columns.

pub mod chi_square;
pub mod correlation;
