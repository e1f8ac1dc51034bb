//! Confidence bounds of audits.

pub mod binomial;
mod bound;
pub mod normal;

pub use bound::{Bound, Errors, LEVEL, Outcomes, Point, expected_mu, provable};
