//! Refusal of weak privacy terms.

use scumble_vault::{ApproxDp, WeakTerm};

use crate::error::Error;

/// Weak privacy terms that nobody has accepted.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentences())]
pub struct WeakTerms {
    /// The weaknesses; at least one.
    pub found: Vec<WeakTerm>,
}

impl WeakTerms {
    fn sentences(&self) -> String {
        self.found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// Refuses weak privacy terms. Programs call it before they fit or create a ledger, unless the user
/// accepts weak terms.
///
/// ```
/// use scumble::{ApproxDp, Delta, Epsilon, refuse_weak_terms};
///
/// let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-5)? };
/// refuse_weak_terms(goal, None)?;
/// assert!(refuse_weak_terms(goal, Some(100_000)).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Privacy
/// `rows` must be public or released.
pub fn refuse_weak_terms(goal: ApproxDp, rows: Option<u64>) -> Result<(), Error> {
    let found = goal.weaknesses(rows);
    if found.is_empty() { Ok(()) } else { Err(WeakTerms { found }.into()) }
}
