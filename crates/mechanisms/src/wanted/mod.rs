//! A part of a model: rows that meet conditions, or that have given shares of the values of a column.
//!
//! # Privacy
//! Everything here is computed from the model, which is released already: post-processing, and free.

mod condition;
mod interleave;
mod part;
mod rejection;
mod shares;

pub use condition::Wanted;
pub use part::Part;
pub use shares::Shares;

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

use crate::error::MechanismError;

/// A request that the model cannot serve.
fn refused(problem: impl Into<String>, hint: impl Into<String>) -> MechanismError {
    MechanismError::Part { problem: problem.into(), hint: hint.into() }
}

/// The seed of one of several samples that are drawn for the same seed.
fn seed_of(seed: u64, number: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Samplers count their streams from zero up; these are far from all of them.
    rng.set_stream(u64::MAX - number);
    rng.next_u64()
}
