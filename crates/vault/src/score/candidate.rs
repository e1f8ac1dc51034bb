//! Scores with a weight and a penalty.

use std::num::NonZeroU32;

use scumble_schema::{Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::{Score, ScoreKind, Statistic, on_lattice, put_number};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

/// The score `weight * (score - penalty)`, with a public weight and a public penalty.
///
/// # Privacy
/// The penalty moves the scores of neighbours equally, and the weight multiplies their distance, so
/// the sensitivity is `weight * Δ`. Numbers beyond 128 bits saturate, which increases no distance.
///
/// # Reference
/// AIM 2022, arXiv:2201.12677, the quality score of Algorithm 2: the weight is that of the
/// workload, the penalty is the expected error of noise alone.
///
/// ```
/// # use std::num::NonZeroU32;
/// # use scumble_schema::{AttributeId, Clique, Domain};
/// # use scumble_vault::score::{Candidate, L1Error, Score};
/// # use scumble_vault::{AddRemove, account::ScoreUnits};
/// let error = L1Error::against(Clique::single(AttributeId::new(0)), &[10.5, 3.25])?;
/// let candidate = Candidate::new(error).with_weight(NonZeroU32::new(3).unwrap()).with_penalty(1.6)?;
/// assert_eq!(Score::<AddRemove>::sensitivity(&candidate, &Domain::new(vec![2])?, ()), ScoreUnits::from_rows(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate<S> {
    score: S,
    weight: NonZeroU32,
    /// In lattice units.
    penalty: i64,
}

impl<S: Statistic> Candidate<S> {
    /// Creates a candidate of weight one without a penalty.
    pub fn new(score: S) -> Self {
        Self { score, weight: NonZeroU32::MIN, penalty: 0 }
    }

    /// Sets the weight.
    #[must_use]
    pub fn with_weight(self, weight: NonZeroU32) -> Self {
        Self { weight, ..self }
    }

    /// Sets the penalty, which is subtracted before the weight is applied.
    ///
    /// # Errors
    /// If it is not a number, or is 2^48 or more in magnitude.
    pub fn with_penalty(self, penalty: f64) -> Result<Self, VaultError> {
        Ok(Self { penalty: on_lattice(S::KIND, penalty)?, ..self })
    }
}

impl<S: Statistic> Value for Candidate<S> {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        let net = self.score.value(domain, counts).saturating_sub(self.penalty.into());
        net.saturating_mul(self.weight.get().into())
    }
}

impl<S: Statistic> Statistic for Candidate<S> {
    const KIND: ScoreKind = S::KIND;

    fn clique(&self) -> &Clique {
        self.score.clique()
    }

    fn weight(&self) -> NonZeroU32 {
        // The weights of nested candidates multiply.
        self.weight.saturating_mul(self.score.weight())
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        self.score.check(domain)
    }

    fn question(&self, digest: &mut Sha256) {
        self.score.question(digest);
        put_number(digest, self.weight.get().into());
        put_number(digest, self.penalty.cast_unsigned());
    }
}

impl<A: Adjacency, S: Score<A>> Score<A> for Candidate<S> {
    fn sensitivity(&self, domain: &Domain, rows: A::Rows) -> ScoreUnits {
        self.score.sensitivity(domain, rows).times(self.weight)
    }
}
