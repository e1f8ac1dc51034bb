//! Conditioned models: rows that meet conditions, or that have given shares of the values of a
//! column.
//!
//! # Privacy
//! Post-processing: everything here is computed from the released model, and costs nothing.

mod conditioned;
mod conditions;
mod interleave;
mod rejection;
mod shares;

pub use conditioned::ConditionedModel;
pub use conditions::Conditions;
pub use shares::Shares;

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use scumble_schema::printable;

use crate::error::MechanismError;

/// Returns the error of a condition that the model cannot meet. Both texts may quote the schema of
/// a model from anybody.
fn refused(problem: impl AsRef<str>, hint: impl AsRef<str>) -> MechanismError {
    let [problem, hint] = [problem.as_ref(), hint.as_ref()].map(|text| printable(text).into_owned());
    MechanismError::Condition { problem, hint }
}

/// Derives the seed of one of several samples from a common seed.
fn seed_of(seed: u64, number: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Samplers number their streams from zero up. These are numbered from the top down.
    rng.set_stream(u64::MAX - number);
    rng.next_u64()
}
