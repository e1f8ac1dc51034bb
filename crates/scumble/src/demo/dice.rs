//! Random numbers for the demo: a seeded generator, and the distributions that the survey needs.
//!
//! A seed must give the same survey on every machine and in every version, because documents and
//! tests quote it. So the key is defined here, and everything is computed by additions and
//! multiplications, which all machines round alike; `exp` and `ln` are not.

use chacha20::ChaCha8Rng;
use rand::{Rng, SeedableRng};

/// Random number generator that depends on its seed alone.
#[derive(Debug)]
pub(super) struct Dice(ChaCha8Rng);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        Self(ChaCha8Rng::from_seed(key))
    }

    /// Returns a number from 0 to below 1.
    pub(super) fn fraction(&mut self) -> f64 {
        // The upper 53 bits, which a float holds exactly.
        let numerator = (self.0.next_u64() >> 11) as f64;
        numerator / 9_007_199_254_740_992.0
    }

    /// Returns whether an event of this probability happens.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// Returns a number from `low` to below `high`.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.fraction()
    }

    /// Returns a whole number from 0 to below `count`.
    pub(super) fn whole(&mut self, count: u32) -> u32 {
        // 32 random bits times a 32-bit count fit 64 bits. Counts here are below 40,000: the bias
        // is below 1e-5.
        let product = (self.0.next_u64() >> 32) * u64::from(count);
        u32::try_from(product >> 32).expect("below `count`")
    }

    /// Returns the index of a weight, drawn in proportion to it.
    pub(super) fn pick(&mut self, weights: &[f64]) -> usize {
        let mut rest = self.fraction() * weights.iter().sum::<f64>();
        for (position, weight) in weights.iter().enumerate() {
            if rest < *weight {
                return position;
            }
            rest -= weight;
        }
        // Rounding may leave a small remainder.
        weights.len() - 1
    }

    /// Returns an approximately normal number with mean 0 and standard deviation 1: a sum of twelve
    /// fractions, so at most 6 in size.
    pub(super) fn bell(&mut self) -> f64 {
        (0..12).map(|_| self.fraction()).sum::<f64>() - 6.0
    }

    /// Returns a positive factor around 1 with a long upper tail: nearly `exp(scale * bell)`.
    pub(super) fn factor(&mut self, scale: f64) -> f64 {
        let quarter = scale * self.bell() / 4.0;
        let root = 1.0 + quarter + quarter * quarter / 2.0;
        (root * root) * (root * root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u32 = 100_000;
    /// In standard errors: the false-alarm rate is about 2e-9, and the seed is fixed.
    const TOLERANCE: f64 = 6.0;

    fn mean_of(mut draw: impl FnMut(&mut Dice) -> f64) -> f64 {
        let mut dice = Dice::new(1);
        (0..DRAWS).map(|_| draw(&mut dice)).sum::<f64>() / f64::from(DRAWS)
    }

    #[test]
    fn the_bell_has_mean_zero_and_variance_one() {
        let error = TOLERANCE / f64::from(DRAWS).sqrt();
        assert!(mean_of(Dice::bell).abs() < error);
        // The square of a bell has a standard deviation of about the root of two.
        let variance = mean_of(|dice| dice.bell().powi(2));
        assert!((variance - 1.0).abs() < 1.5 * error, "{variance}");
    }

    #[test]
    fn picks_follow_the_weights() {
        let weights = [1.0, 0.0, 3.0];
        let share = mean_of(|dice| if dice.pick(&weights) == 2 { 1.0 } else { 0.0 });
        assert!((share - 0.75).abs() < TOLERANCE * 0.5 / f64::from(DRAWS).sqrt(), "{share}");
        assert!(mean_of(|dice| if dice.pick(&weights) == 1 { 1.0 } else { 0.0 }) <= 0.0);
    }

    #[test]
    fn whole_numbers_stay_below_the_count_and_reach_it() {
        let mut dice = Dice::new(2);
        let mut seen = [0; 7];
        (0..7000).for_each(|_| seen[dice.whole(7) as usize] += 1);
        // About 1000 each, with a standard deviation of 29.
        assert!(seen.iter().all(|&count| (820..1180).contains(&count)), "{seen:?}");
    }

    #[test]
    fn a_seed_gives_the_same_numbers_for_ever() {
        let mut dice = Dice::new(7);
        let first: Vec<u32> = (0..4).map(|_| dice.whole(1_000_000)).collect();
        assert_eq!(first, [764_109, 465_937, 5_674, 301_373]);
    }
}
