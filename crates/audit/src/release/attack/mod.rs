//! The attacks.

pub(super) mod attribute;
pub(super) mod exact_match;
pub(super) mod mama_mia;
pub(super) mod nearest_row;
pub(super) mod neighbours;
pub(super) mod noisy_counts;
pub(super) mod tamis;
