//! What is weak about the promise of a model.

use scumble_mechanisms::marginals::Loss;
use scumble_mechanisms::{Model, Origin};
use scumble_vault::{ApproxDp, WeakTerm};

/// What is weak about the promise of a model, held against the number of rows that it has released.
///
/// # Privacy
/// Post-processing: both are in the model.
pub fn weak_terms(model: &Model) -> Vec<WeakTerm> {
    let promise = match model.origin() {
        Origin::Measured { certificate, .. } => ApproxDp { epsilon: certificate.epsilon(), delta: certificate.delta() },
        Origin::External(marginals) => match marginals.statement().loss() {
            Loss::Approximate(goal) => goal,
            // Stated without the two numbers that are judged here.
            Loss::Concentrated { .. } => return Vec::new(),
        },
    };
    promise.weaknesses(Some(model.rows()))
}
