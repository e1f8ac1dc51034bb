//! What a claim of differential privacy allows an attacker.

use scumble_vault::{AccountingKind, Certificate, Delta, Epsilon};
use serde::Serialize;

use super::error::ReleaseError;
use crate::statistic::normal;

/// A claim of differential privacy for one row.
///
/// # Members and control
/// The bounds are on a test of one row with everything else equal: in the table, or not. Members
/// against control rows is such a test if each row was assigned to the members or to the control by
/// its own coin. If the number of members was fixed in advance, a member that is replaced by a
/// control row is two changes under add/remove: [`Claim::of_a_swap`] is the claim that then holds
/// without any approximation. For tables of thousands of rows the difference is small, because the
/// number of rows that a coin per row would give varies by far more than one.
///
/// ```
/// use scumble_audit::release::Claim;
/// use scumble_vault::{Delta, Epsilon};
///
/// let claim = Claim::Approximate { epsilon: Epsilon::new(1.0)?, delta: Delta::ZERO };
/// assert!((claim.advantage() - 0.4621).abs() < 1e-4);
/// // A test with few false alarms detects few members.
/// assert!((claim.true_positives(0.01) - 0.0272).abs() < 1e-4);
/// # Ok::<(), scumble_vault::VaultError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Gaussian differential privacy: no easier to test than a normal number of mean 0 against one
    /// of mean `mu`, both of variance 1.
    Gaussian {
        /// The distance of the means.
        mu: f64,
    },
    /// `(epsilon, delta)`-differential privacy.
    Approximate {
        /// The `epsilon`.
        epsilon: Epsilon,
        /// The `delta`.
        delta: Delta,
    },
}

impl Claim {
    /// Returns the claim of a certificate: `mu` where its accounting is Gaussian, which is the
    /// tightest, otherwise `epsilon` and `delta`.
    pub fn of_certificate(certificate: &Certificate) -> Self {
        if certificate.accounting() == AccountingKind::Gdp && certificate.threshold_delta().quanta() == 0 {
            // The cost adds up as mu².
            Self::Gaussian { mu: certificate.total().to_f64().sqrt() }
        } else {
            Self::Approximate { epsilon: certificate.epsilon(), delta: certificate.delta() }
        }
    }

    /// Returns the claim for replacing one row by another, where this one is for adding or removing
    /// a row.
    ///
    /// # Errors
    /// If nothing can be claimed any more.
    pub fn of_a_swap(self) -> Result<Self, ReleaseError> {
        Ok(match self {
            Self::Gaussian { mu } => Self::Gaussian { mu: 2.0 * mu },
            Self::Approximate { epsilon, delta } => {
                let nothing = ReleaseError::Config { parameter: "claim", rule: "small enough to hold for two changes" };
                let delta = Delta::new((1.0 + epsilon.get().exp()) * delta.get()).map_err(|_| nothing.clone())?;
                Self::Approximate { epsilon: Epsilon::try_from(2.0 * epsilon.get()).map_err(|_| nothing)?, delta }
            }
        })
    }

    /// Checks the numbers that a caller may set freely.
    pub(super) fn check(self) -> Result<Self, ReleaseError> {
        match self {
            Self::Gaussian { mu } if !(mu.is_finite() && mu >= 0.0) => {
                Err(ReleaseError::Config { parameter: "mu", rule: "zero or a positive number" })
            }
            _ => Ok(self),
        }
    }

    /// Returns an upper bound on the true positive rate of any test with this false positive rate.
    ///
    /// # Reference
    /// Dong, Roth, Su, Gaussian differential privacy, Journal of the Royal Statistical Society
    /// B 84, 2022, for both trade-off functions.
    pub fn true_positives(self, false_positives: f64) -> f64 {
        match self {
            Self::Gaussian { mu } => normal::distribution(normal::quantile(false_positives) + mu),
            Self::Approximate { epsilon, delta } => {
                // A factor that overflows would make no number of a rate of zero.
                let (factor, delta) = (epsilon.get().exp().min(f64::MAX), delta.get());
                let straight = factor * false_positives + delta;
                // Misses are bounded by the same inequality, with the roles exchanged.
                let turned = 1.0 - (1.0 - delta - false_positives) / factor;
                straight.min(turned).clamp(0.0, 1.0)
            }
        }
    }

    /// Returns an upper bound on the advantage, the true positive rate minus the false positive
    /// rate: `2 Phi(mu / 2) - 1`, or `(e^epsilon - 1 + 2 delta) / (e^epsilon + 1)`.
    pub fn advantage(self) -> f64 {
        match self {
            Self::Gaussian { mu } => 2.0 * normal::distribution(mu / 2.0) - 1.0,
            // 1 - 2 (1 - delta) / (1 + e^epsilon), which does not overflow.
            Self::Approximate { epsilon, delta } => 1.0 - 2.0 * (1.0 - delta.get()) / (1.0 + epsilon.get().exp()),
        }
    }

    /// Returns an upper bound on the area under the curve: `Phi(mu / sqrt 2)`, or
    /// `1 - (1 - delta)² / (1 + e^epsilon)`, the area under [`Claim::true_positives`].
    pub fn auc(self) -> f64 {
        match self {
            Self::Gaussian { mu } => normal::distribution(mu / std::f64::consts::SQRT_2),
            Self::Approximate { epsilon, delta } => 1.0 - (1.0 - delta.get()).powi(2) / (1.0 + epsilon.get().exp()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approximate(epsilon: f64, delta: f64) -> Claim {
        Claim::Approximate { epsilon: Epsilon::try_from(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
    }

    #[test]
    fn advantage_and_area_are_those_of_the_curve() {
        const STEPS: u32 = 20_000;
        let claims = [0.1, 1.0, 3.0].map(|mu| Claim::Gaussian { mu });
        for claim in claims.into_iter().chain([approximate(0.0, 0.0), approximate(1.0, 0.01), approximate(4.0, 1e-6)]) {
            let rates = (0..STEPS).map(|step| (f64::from(step) + 0.5) / f64::from(STEPS));
            let (mut best, mut area) = (0.0_f64, 0.0);
            for rate in rates {
                best = best.max(claim.true_positives(rate) - rate);
                area += claim.true_positives(rate) / f64::from(STEPS);
            }
            assert!((best - claim.advantage()).abs() < 2e-3, "{claim:?}: {best} {}", claim.advantage());
            assert!((area - claim.auc()).abs() < 1e-4, "{claim:?}: {area} {}", claim.auc());
        }
    }

    #[test]
    fn a_claim_of_nothing_allows_nothing() {
        for claim in [Claim::Gaussian { mu: 0.0 }, approximate(0.0, 0.0)] {
            assert!(claim.advantage().abs() < 1e-12 && (claim.auc() - 0.5).abs() < 1e-12);
            assert!((claim.true_positives(0.25) - 0.25).abs() < 1e-9);
        }
        // A claim so weak that the exponential overflows allows everything.
        assert!((approximate(1e6, 0.0).advantage() - 1.0).abs() < 1e-12);
        assert!((approximate(1e6, 0.0).true_positives(0.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_swap_is_two_changes() {
        assert_eq!(Claim::Gaussian { mu: 0.5 }.of_a_swap(), Ok(Claim::Gaussian { mu: 1.0 }));
        let Ok(Claim::Approximate { epsilon, delta }) = approximate(1.0, 1e-6).of_a_swap() else { panic!("it holds") };
        assert!((epsilon.get() - 2.0).abs() < 1e-12 && (delta.get() - 3.718_281_828e-6).abs() < 1e-12);
        assert!(approximate(20.0, 1e-6).of_a_swap().is_err());
        assert!(Claim::Gaussian { mu: f64::NAN }.check().is_err() && Claim::Gaussian { mu: -1.0 }.check().is_err());
    }
}
