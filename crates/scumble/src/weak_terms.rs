//! Terms that protect hardly anybody are not accepted in silence.

use scumble_vault::{ApproxDp, WeakTerm};

use crate::error::Error;

/// Terms that promise little, and that nobody has accepted.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentences())]
pub struct WeakTerms {
    /// What is weak about them; at least one thing.
    pub found: Vec<WeakTerm>,
}

impl WeakTerms {
    fn sentences(&self) -> String {
        self.found.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }
}

/// Refuses terms that promise little. Programs ask this before they fit or make a ledger, unless somebody has accepted such terms.
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
/// `rows` has to be public or released.
pub fn refuse_weak_terms(goal: ApproxDp, rows: Option<u64>) -> Result<(), Error> {
    let found = goal.weaknesses(rows);
    if found.is_empty() { Ok(()) } else { Err(WeakTerms { found }.into()) }
}
