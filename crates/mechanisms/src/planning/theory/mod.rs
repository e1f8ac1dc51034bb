#![doc = include_str!("theory.md")]

mod lower;
mod network;
mod noise;
mod paper;
mod table;

pub use lower::Generator;
pub use network::{Conditional, Network};
pub use noise::Noise;
pub use paper::Paper;
pub use table::Table;

/// A bound on the distance of two distributions, in two metrics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// Half the sum of absolute differences: the most that the probability of any event differs.
    pub total_variation: f64,
    /// The root of the sum of squared differences.
    pub l2: f64,
}

impl Distance {
    /// Limits the bound to the largest distance of two distributions: 1 in total variation, and √2
    /// times the total variation in L2.
    ///
    /// A bound of 1 is trivial: every pair of distributions meets it.
    fn of_distributions(self) -> Self {
        let total_variation = self.total_variation.min(1.0);
        Self { total_variation, l2: self.l2.min(std::f64::consts::SQRT_2 * total_variation) }
    }
}

/// Probability over the noise that a bound fails. Not a `delta` of privacy.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct FailureProbability(f64);

impl FailureProbability {
    /// `None` unless `0 < probability < 1`.
    pub fn new(probability: f64) -> Option<Self> {
        (probability > 0.0 && probability < 1.0).then_some(Self(probability))
    }

    /// The probability as a number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// `ln(events / probability)`: depth of the exponential tail that a union bound over `events`
    /// needs.
    fn depth(self, events: f64) -> f64 {
        (events / self.0).ln()
    }
}

/// Converts a number of cells or rows to a float.
fn real(count: u64) -> f64 {
    count as f64
}
