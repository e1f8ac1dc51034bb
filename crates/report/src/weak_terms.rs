//! Weak terms of the guarantee of a model.

use scumble_mechanisms::marginals::Loss;
use scumble_mechanisms::{Model, Origin};
use scumble_vault::{ApproxDp, WeakTerm};

/// Returns the weak terms of the guarantee of a model, given its released number of rows.
///
/// # Privacy
/// Post-processing: both are in the model.
pub fn weak_terms(model: &Model) -> Vec<WeakTerm> {
    let promise = match model.origin() {
        Origin::Measured { certificate, .. } => ApproxDp { epsilon: certificate.epsilon(), delta: certificate.delta() },
        Origin::External(marginals) => match marginals.statement().loss() {
            Loss::Approximate(goal) => goal,
            // Without epsilon and delta there is nothing to check.
            Loss::Concentrated { .. } => return Vec::new(),
        },
    };
    promise.weaknesses(Some(model.rows()))
}
