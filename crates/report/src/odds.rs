#![doc = include_str!("odds.md")]

use scumble_mechanisms::marginals::Loss;
use scumble_mechanisms::{Model, Origin};
use scumble_vault::account::ThresholdDelta;
use scumble_vault::{AccountingKind, ApproxDp, Certificate};
use serde::Serialize;

use crate::group::{self, Group};
use crate::tail::probability_beyond;

/// False-alarm rate of the tests that are shown.
pub(crate) const FALSE_ALARMS: f64 = 0.05;
/// `Phi^-1(0.05)`.
const QUANTILE: f64 = -1.644_853_626_951_472_7;
/// Prior odds that are shown, as 1 in N.
const PRIORS: [u32; 2] = [2, 1_000];

/// Bounds on what an attacker can learn about one unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Odds {
    /// Upper bound on the factor that multiplies the odds: `e^epsilon`.
    pub factor: f64,
    /// How often the factor may be exceeded.
    pub exception: Exception,
    /// Suspicions before and after the release.
    pub suspicions: Vec<Suspicion>,
    /// Bound from which the figures about tests follow.
    pub curve: Curve,
    /// False-alarm rate of the test.
    pub false_alarms: f64,
    /// Upper bound on the rate of true alarms of the test.
    pub noticed: f64,
    /// Upper bound on the rate at which the best guess is right, from even odds.
    pub right_guesses: f64,
    /// Guarantees for groups of units.
    pub groups: Vec<Group>,
}

/// How often evidence may be stronger than the factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exception {
    /// Never.
    Never,
    /// With a bounded probability, which is larger than `delta`.
    Beyond {
        /// Upper bound on the probability.
        at_most: f64,
    },
    /// Unknown, because only `epsilon` and `delta` are known. The attacker does no better than
    /// somebody who learns the truth in some runs, and in all others sees evidence within the
    /// factor.
    Outright {
        /// Probability of the runs in which the truth is learned: `delta`.
        probability: f64,
    },
}

/// Suspicion of an attacker that somebody is in the table, before and after the release.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Suspicion {
    /// Suspicion before the release, as 1 in N.
    pub one_in: u32,
    /// Upper bound on the suspicion after the release, apart from the exception.
    pub at_most: f64,
    /// Upper bound on the suspicion after an alarm of the test.
    pub after_alarm: f64,
}

/// Bound on how well any test distinguishes two neighbouring tables.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curve {
    /// The bound of two normal distributions whose means are `mu` standard deviations apart.
    Gaussian {
        /// Distance of the means.
        mu: f64,
    },
    /// The bound of `(epsilon, delta)`-differential privacy.
    Pair {
        /// The `epsilon`.
        epsilon: f64,
        /// The `delta`.
        delta: f64,
    },
}

impl Odds {
    /// Computes the odds from the guarantee of a model, certified or declared; `None` if no epsilon
    /// is declared.
    pub fn new(model: &Model) -> Option<Self> {
        match model.origin() {
            Origin::Measured { certificate, .. } => Some(Self::certified(certificate)),
            Origin::External(marginals) => match marginals.statement().loss() {
                Loss::Approximate(goal) => {
                    let (epsilon, delta) = (goal.epsilon.get(), goal.delta.get());
                    let exception =
                        if delta > 0.0 { Exception::Outright { probability: delta } } else { Exception::Never };
                    Some(Self::of(epsilon, Curve::Pair { epsilon, delta }, exception, group::of_pair(goal)))
                }
                Loss::Concentrated { .. } => None,
            },
        }
    }

    fn certified(certificate: &Certificate) -> Self {
        let (epsilon, delta) = (certificate.epsilon().get(), certificate.delta().get());
        let thresholds = certificate.threshold_delta();
        let curve = match certificate.accounting() {
            AccountingKind::Gdp if thresholds == ThresholdDelta::ZERO => {
                Curve::Gaussian { mu: certificate.total().to_f64().sqrt() }
            }
            _ => Curve::Pair { epsilon, delta },
        };
        // A value that one unit alone holds is evidence beyond any factor. All other evidence is
        // that of the noise, up to a factor of 1 - delta.
        let noise = probability_beyond(certificate.total(), certificate.epsilon());
        let at_most =
            if thresholds == ThresholdDelta::ZERO { noise } else { noise * (1.0 + 1e-6) + thresholds.to_f64() };
        let exception = if at_most > 0.0 { Exception::Beyond { at_most } } else { Exception::Never };
        let groups = if thresholds == ThresholdDelta::ZERO {
            group::of_total(certificate.total(), certificate.delta())
        } else {
            group::of_pair(ApproxDp { epsilon: certificate.epsilon(), delta: certificate.delta() })
        };
        Self::of(epsilon, curve, exception, groups)
    }

    fn of(epsilon: f64, curve: Curve, exception: Exception, groups: Vec<Group>) -> Self {
        let noticed = curve.noticed();
        let suspicion = |one_in: u32| Suspicion {
            one_in,
            at_most: after_evidence(1.0 / f64::from(one_in), epsilon.exp()),
            after_alarm: after_evidence(1.0 / f64::from(one_in), noticed / FALSE_ALARMS),
        };
        Self {
            factor: epsilon.exp(),
            exception,
            suspicions: PRIORS.map(suspicion).to_vec(),
            curve,
            false_alarms: FALSE_ALARMS,
            noticed,
            right_guesses: curve.right_guesses(),
            groups,
        }
    }
}

/// Returns a suspicion after evidence that multiplies its odds by `factor`.
fn after_evidence(suspicion: f64, factor: f64) -> f64 {
    1.0 / (1.0 + (1.0 - suspicion) / suspicion / factor)
}

impl Curve {
    /// Returns an upper bound on the rate of true alarms of a test with [`FALSE_ALARMS`].
    fn noticed(self) -> f64 {
        match self {
            Self::Gaussian { mu } => below(QUANTILE + mu),
            Self::Pair { epsilon, delta } => {
                let by_alarms = epsilon.exp() * FALSE_ALARMS + delta;
                let by_silence = 1.0 - (-epsilon).exp() * (1.0 - delta - FALSE_ALARMS);
                by_alarms.min(by_silence).min(1.0)
            }
        }
    }

    /// Returns an upper bound on the rate at which the best guess is right, from even odds.
    fn right_guesses(self) -> f64 {
        match self {
            Self::Gaussian { mu } => below(mu / 2.0),
            // `e^epsilon` may overflow; `e^-epsilon` does not.
            Self::Pair { epsilon, delta } => (1.0 + delta * (-epsilon).exp()) / (1.0 + (-epsilon).exp()),
        }
    }
}

/// The normal distribution function, `Phi`.
fn below(number: f64) -> f64 {
    libm::erfc(-number / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outcomes with their probabilities under `P` and `Q`.
    type Pair = Vec<(f64, f64)>;

    /// Returns the largest power of a test with the given false-alarm rate: outcomes in the order
    /// of their likelihood ratio, the last one in part.
    fn best_test(pair: &Pair, false_alarms: f64) -> f64 {
        let (mut left, mut power) = (false_alarms, 0.0);
        for (there, not_there) in by_likelihood(pair) {
            let part = if not_there > left { left / not_there } else { 1.0 };
            power += part * there;
            left -= part * not_there;
        }
        power
    }

    /// Returns how often the best of all tests is right from even odds.
    fn best_guess(pair: &Pair) -> f64 {
        let mut alarms = (0.0, 0.0);
        let right = by_likelihood(pair).into_iter().map(|(there, not_there)| {
            alarms = (alarms.0 + there, alarms.1 + not_there);
            f64::midpoint(1.0 - alarms.1, alarms.0)
        });
        right.fold(0.5, f64::max)
    }

    fn by_likelihood(pair: &Pair) -> Pair {
        let mut sorted = pair.clone();
        // Products instead of quotients: a probability may be zero.
        sorted.sort_by(|(p, q), (r, s)| (r * q).total_cmp(&(p * s)));
        sorted
    }

    /// Reveals the truth with probability `delta`, and else throws a coin of odds `e^epsilon` to 1.
    fn coin(epsilon: f64, delta: f64) -> Pair {
        let heads = (1.0 - delta) / (1.0 + (-epsilon).exp());
        let tails = 1.0 - delta - heads;
        vec![(delta, 0.0), (heads, tails), (tails, heads), (0.0, delta)]
    }

    /// Returns the `delta` of a pair at `epsilon`, the larger of both directions.
    fn delta_of(pair: &Pair, epsilon: f64) -> f64 {
        let one_way = |(there, not_there): (f64, f64)| (there - epsilon.exp() * not_there).max(0.0);
        let forth: f64 = pair.iter().copied().map(one_way).sum();
        let back: f64 = pair.iter().map(|&(there, not_there)| one_way((not_there, there))).sum();
        forth.max(back)
    }

    #[test]
    fn the_coin_reaches_the_bounds_of_a_pair_and_passes_none() {
        for epsilon in [0.1, 0.8, 1.0, 2.9, 3.1, 6.0] {
            for delta in [0.0, 1e-9, 1e-3, 0.04] {
                let (coin, curve) = (coin(epsilon, delta), Curve::Pair { epsilon, delta });
                assert!((best_test(&coin, FALSE_ALARMS) - curve.noticed()).abs() < 1e-12, "{epsilon} {delta}");
                assert!((best_guess(&coin) - curve.right_guesses()).abs() < 1e-12, "{epsilon} {delta}");
                let odds = Odds::of(epsilon, curve, Exception::Outright { probability: delta }, vec![]);
                for Suspicion { one_in, at_most, .. } in odds.suspicions {
                    let prior = 1.0 / f64::from(one_in);
                    let (there, not_there) = coin[1];
                    let posterior = prior * there / (prior * there + (1.0 - prior) * not_there);
                    assert!((posterior - at_most).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn thresholds_on_normal_numbers_reach_the_gaussian_bounds() {
        for mu in [0.01, 0.182, 0.8, 2.5] {
            let cut = |place: i32| f64::from(place) / 1_000.0;
            let pieces = (-8_000..12_000).map(|place| {
                let mass = |mean: f64| below(cut(place + 1) - mean) - below(cut(place) - mean);
                (mass(mu), mass(0.0))
            });
            let (pair, curve) = (pieces.collect(), Curve::Gaussian { mu });
            assert!((best_test(&pair, FALSE_ALARMS) - curve.noticed()).abs() < 1e-6, "{mu}");
            assert!((best_guess(&pair) - curve.right_guesses()).abs() < 1e-6, "{mu}");
        }
        assert!((below(QUANTILE) - FALSE_ALARMS).abs() < 1e-15);
    }

    #[test]
    fn no_test_on_any_pair_of_distributions_passes_the_bounds() {
        // Every distribution over three outcomes in steps of a tenth, against every other. Where
        // likelihoods differ by a factor e^epsilon, the bound is reached.
        let steps = || (0..=10_u32).flat_map(|one| (0..=10 - one).map(move |two| [one, two, 10 - one - two]));
        let mut tight = 0;
        for first in steps() {
            for second in steps() {
                let pair: Pair =
                    first.into_iter().zip(second).map(|(a, b)| (f64::from(a) / 10.0, f64::from(b) / 10.0)).collect();
                for epsilon in [2.0, 3.0, 4.0].map(f64::ln) {
                    let delta = delta_of(&pair, epsilon);
                    let curve = Curve::Pair { epsilon, delta };
                    let [power, bound] = [best_test(&pair, FALSE_ALARMS), curve.noticed()];
                    assert!(power <= bound + 1e-12, "{pair:?} {epsilon}");
                    assert!(best_guess(&pair) <= curve.right_guesses() + 1e-12, "{pair:?} {epsilon}");
                    tight += u32::from(delta < 1.0 && power > bound - 1e-12);
                }
            }
        }
        assert!(tight > 100, "the bounds could be far off: {tight}");
    }

    #[test]
    fn the_gaussian_bound_is_never_above_that_of_a_pair_it_implies() {
        use scumble_vault::account::{MuSquared, gdp};
        use scumble_vault::{Delta, Epsilon};
        for mu in [0.05_f64, 0.2, 1.0, 3.0] {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a positive number of quanta")]
            let total = MuSquared::from_quanta((mu * mu * 2_f64.powi(96)) as u128);
            for delta in [1e-9, 1e-5, 1e-2] {
                let epsilon = gdp::epsilon(total, Delta::new(delta).unwrap()).map_or(0.0, Epsilon::get);
                let (gaussian, pair) = (Curve::Gaussian { mu }, Curve::Pair { epsilon, delta });
                assert!(gaussian.noticed() <= pair.noticed() && gaussian.right_guesses() <= pair.right_guesses());
            }
        }
    }

    #[test]
    fn odds_of_a_known_budget() {
        // Epsilon 1 at delta 1e-9 is mu 0.18197.
        let odds = Odds::of(1.0, Curve::Gaussian { mu: 0.18197 }, Exception::Beyond { at_most: 8.6e-8 }, vec![]);
        let near = |number: f64, expected: f64| assert!((number - expected).abs() < 5e-4, "{number}");
        near(odds.factor, std::f64::consts::E);
        near(odds.noticed, 0.0718);
        near(odds.right_guesses, 0.5362);
        near(odds.suspicions[0].at_most, 0.7311);
        near(odds.suspicions[0].after_alarm, 0.5893);
        near(odds.suspicions[1].at_most, 0.002_714);
        // A loss whose exponential overflows protects from nothing.
        let none = Odds::of(1e6, Curve::Pair { epsilon: 1e6, delta: 0.0 }, Exception::Never, vec![]);
        near(none.suspicions[1].at_most, 1.0);
        near(none.noticed, 1.0);
    }
}
