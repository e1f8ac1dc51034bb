//! The exact exponential mechanism. The proof is in `exponential_mechanism.md`, shown at
//! [`ExponentialMechanism`].

use std::num::NonZeroU128;

use dashu_int::UBig;
use scumble_planted::Mutant;

use super::decay;
use super::exponential::Exponentials;
use super::rng::Substream;
use super::uniform::{Digits, index_below};
use crate::account::SelectionEpsilon;

/// Selects a candidate of score `q` with probability exactly proportional to `exp(ε q / (2 Δ))`.
///
/// # Privacy
/// `ε`-differentially private and `ε²/8`-zCDP if no score moves by more than `Δ` between
/// neighbours. Integers only, from the scores and the random bits to the result.
#[doc = ""]
#[doc = include_str!("exponential_mechanism.md")]
#[derive(Debug, Clone)]
pub struct ExponentialMechanism {
    /// `ε 2^s`.
    numerator: u64,
    /// `2 Δ 2^s`.
    denominator: UBig,
    exponentials: Exponentials,
}

impl ExponentialMechanism {
    /// Creates the mechanism for scores of this sensitivity, in units of their lattice.
    pub fn new(sensitivity: NonZeroU128, epsilon: SelectionEpsilon) -> Self {
        Self::of(sensitivity, epsilon.numerator(), epsilon.denominator_log2())
    }

    /// Creates the mechanism for `ε = numerator / 2^denominator_log2`.
    fn of(sensitivity: NonZeroU128, numerator: u64, denominator_log2: u32) -> Self {
        // Twice: one step of Δ for the score of the candidate, and one for the sum over all
        // candidates.
        let twice = usize::from(!Mutant::ExponentialWithoutTwo.is_planted());
        let denominator = UBig::from(sensitivity.get()) << (twice + denominator_log2 as usize);
        Self { numerator, denominator, exponentials: Exponentials::new() }
    }

    /// Returns the index of the selected score. On average it takes at most `scores.len()`
    /// proposals.
    ///
    /// # Panics
    /// If `scores` is empty. Their number is public.
    pub fn select(&self, scores: &[i128], substream: &mut Substream) -> usize {
        self.select_with(scores, substream)
    }

    fn select_with(&self, scores: &[i128], digits: &mut impl Digits) -> usize {
        let best = *scores.iter().max().expect("there is a candidate to select");
        loop {
            let proposal = index_below(scores.len(), digits);
            let exponent = self.exponent_numerator(best, scores[proposal]);
            if decay::trial(self.exponentials, exponent, &self.denominator, digits) {
                return proposal;
            }
        }
    }

    /// Returns `a` such that a proposal of this score is accepted with probability
    /// `e^(-a / denominator)`.
    #[inline]
    fn exponent_numerator(&self, best: i128, score: i128) -> UBig {
        UBig::from(best.abs_diff(score)) * self.numerator
    }
}

#[cfg(test)]
mod tests {
    use super::super::rng::JobKey;
    use super::super::uniform::tests::Script;
    use super::*;

    fn mechanism(sensitivity: u128, numerator: u64, denominator_log2: u32) -> ExponentialMechanism {
        ExponentialMechanism::of(NonZeroU128::new(sensitivity).unwrap(), numerator, denominator_log2)
    }

    /// Returns the probability of every candidate, from the exponents that the sampler passes to
    /// its trials.
    fn probabilities(mechanism: &ExponentialMechanism, scores: &[i128]) -> Vec<f64> {
        let best = *scores.iter().max().unwrap();
        // Quotients to 2^-64, which is far below what is compared.
        let exponent = |score| (mechanism.exponent_numerator(best, score) << 64) / &mechanism.denominator;
        normalised(scores.iter().map(|&score| libm::exp(-exponent(score).to_f64().value() / 2_f64.powi(64))))
    }

    /// Returns the probability of every candidate from the formula: `exp(eps q / (2 delta))`,
    /// normalised.
    #[expect(clippy::cast_precision_loss, reason = "scores of these tests are below 2^40")]
    fn formula(epsilon: f64, delta: f64, scores: &[i128]) -> Vec<f64> {
        let shift = scores.iter().fold(f64::MIN, |shift, &score| shift.max(score as f64));
        normalised(scores.iter().map(|&score| libm::exp(epsilon * (score as f64 - shift) / (2.0 * delta))))
    }

    fn normalised(weights: impl Iterator<Item = f64>) -> Vec<f64> {
        let weights: Vec<f64> = weights.collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / total).collect()
    }

    fn distance(one: &[f64], other: &[f64]) -> f64 {
        one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// T4: the probabilities of each invocation are those of the formula, and a missing factor 2 or
    /// another delta is rejected.
    #[test]
    fn a_thousand_invocations_have_the_probabilities_of_the_formula() {
        const CLOSE: f64 = 1e-12;
        // The second best candidate weighs e^(-2.5) or more and moves by e^(1/4) or more if the
        // exponents are off by two.
        const APART: f64 = 1e-3;
        let mut substream = JobKey::from_os().unwrap().substream(0, 0).unwrap();
        let mut below = |bound: usize| index_below(bound, &mut substream);
        for _ in 0..1000 {
            let largest = [3, 1 << 30][below(2)];
            let sensitivity = 1 + below(largest);
            let (numerator, places) = ((1 << 20) + below(1 << 22) as u64, 20);
            let epsilon = f64::from(u32::try_from(numerator).unwrap()) / 2_f64.powi(20);
            let delta = f64::from(u32::try_from(sensitivity).unwrap());
            let step = |count: usize| (count * sensitivity) as i128;
            // The best two are one sensitivity apart, the others anywhere below the best.
            let origin = step(below(200)) - step(100);
            let mut scores: Vec<i128> = (0..below(30)).map(|_| origin - below(20 * sensitivity) as i128).collect();
            scores.extend([origin, origin - step(1)]);

            let drawn = probabilities(&mechanism(sensitivity as u128, numerator, places), &scores);
            assert!(distance(&drawn, &formula(epsilon, delta, &scores)) < CLOSE);
            for (epsilon, delta) in [(2.0 * epsilon, delta), (epsilon, 2.0 * delta), (epsilon, delta / 2.0)] {
                assert!(distance(&drawn, &formula(epsilon, delta, &scores)) > APART, "the test rejects a factor of 2");
            }
        }
    }

    #[test]
    fn the_best_candidate_is_accepted_without_a_trial() {
        let extremes = [i128::MIN, i128::MAX, 0];
        // The first digit proposes; the middle of three is the middle of the digits.
        assert_eq!(mechanism(1, 1, 0).select_with(&extremes, &mut Script::new([1 << 31])), 1);
    }

    #[test]
    fn a_rejected_proposal_is_followed_by_another() {
        // The exponent is 1 * 1 / (2 * 1). A digit above e^(-1/2) rejects the first proposal, one
        // below accepts the second.
        let mut digits = Script::new([0, u32::MAX, 0, 1]);
        assert_eq!(mechanism(1, 1, 0).select_with(&[6, 7], &mut digits), 0);
        assert_eq!(digits.left(), 0);
    }

    #[test]
    fn the_largest_numbers_work() {
        let widest = mechanism(u128::MAX, u64::MAX, 64);
        // Epsilon is just below one and the scores are just below one sensitivity apart: the
        // exponent is just below 1/2.
        let exponent = widest.exponent_numerator(i128::MAX, i128::MIN);
        assert!(exponent.clone() * 2_u8 < widest.denominator && exponent * 3_u8 > widest.denominator);
        assert_eq!(widest.select_with(&[i128::MIN, i128::MAX], &mut Script::new([0, u32::MAX])), 0);
    }

    #[test]
    fn at_epsilon_zero_all_candidates_are_equally_likely() {
        for (digit, index) in [(0, 0), (1 << 30, 1), (1 << 31, 2), (u32::MAX, 3)] {
            assert_eq!(mechanism(1, 0, 0).select_with(&[5, -5, 500, i128::MAX], &mut Script::new([digit])), index);
        }
    }

    #[test]
    #[should_panic(expected = "there is a candidate to select")]
    fn selecting_from_no_candidates_panics() {
        mechanism(1, 1, 0).select_with(&[], &mut Script::new([]));
    }
}
