//! A planted bug: a score that is charged for half of its sensitivity.

use std::num::NonZeroU32;

use scumble_schema::{Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::{Score, ScoreKind, Statistic};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

/// A score with half its sensitivity, such as 1 instead of 2, which the replay test must catch. Not
/// private.
#[derive(Debug, Clone)]
pub struct Undercharged<S>(pub S);

impl<S: Statistic> Value for Undercharged<S> {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        self.0.value(domain, counts)
    }
}

impl<S: Statistic> Statistic for Undercharged<S> {
    const KIND: ScoreKind = S::KIND;

    fn clique(&self) -> &Clique {
        self.0.clique()
    }

    fn weight(&self) -> NonZeroU32 {
        self.0.weight()
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        self.0.check(domain)
    }

    fn question(&self, digest: &mut Sha256) {
        self.0.question(digest);
    }
}

impl<A: Adjacency, S: Score<A>> Score<A> for Undercharged<S> {
    fn sensitivity(&self, domain: &Domain, rows: A::Rows) -> ScoreUnits {
        ScoreUnits::from_units(self.0.sensitivity(domain, rows).get() / 2)
    }
}
