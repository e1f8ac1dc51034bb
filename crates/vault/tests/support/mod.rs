//! Chi-square test of draws against the law of their noise, shared by the tests and the example.
#![allow(dead_code, reason = "each user of this file needs a part of it")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "statistics of at most 10^9 draws, for tests"
)]

use std::thread;

use scumble_vault::account::{LaplaceScale, Sigma};
use scumble_vault::noise::{DiscreteLaplace, JobKey, RoundedGaussian, Substream};

/// Scales of the test, from far below one row to a million rows.
pub const SCALES: [f64; 12] = [0.3, 0.5, 0.8, 1.0, 1.7, 5.0, 23.0, 100.0, 1234.5, 1e4, 1e5, 1e6];
/// Number of draws per scale.
pub const DRAWS: u64 = 10_000_000;
/// Probability with which the test of one scale rejects a correct sampler.
pub const LEAST_P: f64 = 1e-9;
/// Bins with fewer expected draws are merged with the tail.
const LEAST_EXPECTED: f64 = 20.0;

/// A distribution of integer noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Law {
    RoundedGaussian,
    DiscreteLaplace,
}

impl Law {
    /// Returns the probability of `least` or more, for a positive `least`.
    fn upper_tail(self, least: i64, scale: f64) -> f64 {
        let least = least as f64;
        match self {
            Self::RoundedGaussian => upper_tail(least - 0.5, scale),
            Self::DiscreteLaplace => (-least / scale).exp() / (1.0 + (-1.0 / scale).exp()),
        }
    }

    /// Returns the probability of `from..to`, from the tails on the side where they are small.
    pub fn between(self, from: i64, to: i64, scale: f64) -> f64 {
        if to <= 0 {
            self.between(1 - to, 1 - from, scale)
        } else if from > 0 {
            self.upper_tail(from, scale) - self.upper_tail(to, scale)
        } else {
            1.0 - self.upper_tail(to, scale) - self.upper_tail(1 - from, scale)
        }
    }

    /// Draws noise of this law and scale on `threads` threads, and returns the number of draws in
    /// each bin.
    pub fn histogram(self, scale: f64, bins: &Bins, draws: u64, threads: u32) -> Vec<u64> {
        match self {
            Self::RoundedGaussian => {
                let noise = RoundedGaussian::new(Sigma::at_least(scale).unwrap());
                histogram(|substream| bins.index(noise.draw(substream)), bins.len(), draws, threads)
            }
            Self::DiscreteLaplace => {
                let noise = DiscreteLaplace::new(LaplaceScale::at_least(scale).unwrap());
                histogram(|substream| bins.index(noise.draw(substream)), bins.len(), draws, threads)
            }
        }
    }

    /// Returns the p-values of fresh noise under its own scale, one percent more and one percent
    /// less.
    pub fn p_values(self, scale: f64, draws: u64, threads: u32) -> [f64; 3] {
        let bins = Bins::new(self, scale, draws);
        let counts = self.histogram(scale, &bins, draws, threads);
        [1.0, 1.01, 0.99].map(|factor| p_value(&counts, &bins.probabilities(scale * factor)))
    }
}

/// Integers in bins of equal width, with an open bin at each end.
pub struct Bins {
    law: Law,
    /// First value of the first inner bin.
    first: i64,
    width: i64,
    inner: usize,
}

impl Bins {
    /// Creates about sixteen bins per unit of scale, or one per integer if that is coarser, as far
    /// out as draws are expected.
    pub fn new(law: Law, scale: f64, draws: u64) -> Self {
        let width = (scale / 16.0).ceil() as i64;
        let mut reach = 0;
        let beyond = |reach: i64| draws as f64 * law.upper_tail(reach * width + width / 2 + 1, scale);
        while beyond(reach + 1) >= LEAST_EXPECTED {
            reach += 1;
        }
        Self { law, first: -(reach * width) - width / 2, width, inner: (2 * reach + 1) as usize }
    }

    pub fn len(&self) -> usize {
        self.inner + 2
    }

    pub fn index(&self, value: i64) -> usize {
        if value < self.first { 0 } else { (1 + ((value - self.first) / self.width) as usize).min(self.inner + 1) }
    }

    /// Returns the first value of an inner bin, or of the bin after the last inner bin.
    pub fn edge(&self, index: usize) -> i64 {
        self.first + self.width * index as i64
    }

    /// Returns the probability of each bin under noise of this scale.
    pub fn probabilities(&self, scale: f64) -> Vec<f64> {
        let inner = (0..self.inner).map(|index| self.law.between(self.edge(index), self.edge(index + 1), scale));
        let tails = [1 - self.edge(0), self.edge(self.inner)].map(|least| self.law.upper_tail(least, scale));
        [tails[0]].into_iter().chain(inner).chain([tails[1]]).collect()
    }
}

/// Returns the p-value of `counts` under `probabilities`, by Pearson's chi-square test.
pub fn p_value(counts: &[u64], probabilities: &[f64]) -> f64 {
    let draws = counts.iter().sum::<u64>() as f64;
    let pairs = counts.iter().zip(probabilities);
    let statistic: f64 = pairs.map(|(&count, p)| (count as f64 - draws * p).powi(2) / (draws * p)).sum();
    upper_gamma((counts.len() - 1) as f64 / 2.0, statistic / 2.0)
}

/// Returns the p-value of two samples under one common distribution.
pub fn p_value_of_two(one: &[u64], other: &[u64]) -> f64 {
    let [n, m] = [one, other].map(|counts| counts.iter().sum::<u64>() as f64);
    let pairs = one.iter().zip(other).filter(|(a, b)| **a + **b > 0);
    let term = |a: u64, b: u64| ((m / n).sqrt() * a as f64 - (n / m).sqrt() * b as f64).powi(2) / (a + b) as f64;
    let terms: Vec<f64> = pairs.map(|(&a, &b)| term(a, b)).collect();
    upper_gamma((terms.len() - 1) as f64 / 2.0, terms.iter().sum::<f64>() / 2.0)
}

/// Draws numbers below `len` on `threads` threads with a sub-stream each, and counts each number.
pub fn histogram(draw: impl Fn(&mut Substream) -> usize + Sync, len: usize, draws: u64, threads: u32) -> Vec<u64> {
    let key = JobKey::from_os().unwrap();
    let count = |thread: u32| {
        let mut counts = vec![0_u64; len];
        let mut substream = key.substream(0, thread).unwrap();
        let share = draws / u64::from(threads) + u64::from(u64::from(thread) < draws % u64::from(threads));
        for _ in 0..share {
            counts[draw(&mut substream)] += 1;
        }
        counts
    };
    let parts: Vec<Vec<u64>> = thread::scope(|scope| {
        let count = &count;
        let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || count(thread))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    (0..len).map(|bin| parts.iter().map(|part| part[bin]).sum()).collect()
}

/// Returns the probability that `sigma N` is above `x`.
pub fn upper_tail(x: f64, sigma: f64) -> f64 {
    libm::erfc(x / sigma / std::f64::consts::SQRT_2) / 2.0
}

/// Computes the regularised upper incomplete gamma function, by its series below the mean and its
/// continued fraction above.
pub fn upper_gamma(shape: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let front = (shape * x.ln() - x - libm::lgamma(shape)).exp();
    if x < shape + 1.0 {
        let (mut term, mut sum) = (1.0 / shape, 1.0 / shape);
        for n in 1..10_000 {
            term *= x / (shape + f64::from(n));
            sum += term;
        }
        return 1.0 - front * sum;
    }
    // From the innermost fraction outwards.
    let inner = (1..2_000).rev().fold(x + 3_999.0 - shape, |below, n| {
        let n = f64::from(n);
        x + 2.0 * n - 1.0 - shape - n * (n - shape) / below
    });
    front / inner
}
