//! A chi-square test of draws against the exactly rounded Gaussian, shared by the tests and the example.
#![allow(dead_code, reason = "each user of this file needs a part of it")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::disallowed_methods,
    missing_docs,
    unreachable_pub,
    reason = "statistics of at most 10^9 draws, for tests"
)]

use std::thread;

use scumble_vault::Sigma;
use scumble_vault::noise::{JobKey, RoundedGaussian};

/// The twelve scales of the test, from far below one row to a million rows.
pub const SCALES: [f64; 12] = [0.3, 0.5, 0.8, 1.0, 1.7, 5.0, 23.0, 100.0, 1234.5, 1e4, 1e5, 1e6];
/// How many draws each scale gets.
pub const DRAWS: u64 = 10_000_000;
/// A true sampler is rejected once in this many runs of one scale.
pub const LEAST_P: f64 = 1e-9;
/// Bins in which fewer draws are expected are joined with the tail.
const LEAST_EXPECTED: f64 = 20.0;

/// Consecutive integers cut into bins of equal width, with an open bin at each end.
pub struct Bins {
    /// The first value of the first inner bin.
    first: i64,
    width: i64,
    inner: usize,
}

impl Bins {
    /// About sixteen bins per standard deviation, or one per integer if that is coarser, as far out as draws are expected.
    pub fn new(sigma: f64, draws: u64) -> Self {
        let width = (sigma / 16.0).ceil() as i64;
        let mut reach = 0;
        let beyond = |reach: i64| draws as f64 * upper_tail((reach * width + width / 2) as f64 + 0.5, sigma);
        while beyond(reach + 1) >= LEAST_EXPECTED {
            reach += 1;
        }
        Self { first: -(reach * width) - width / 2, width, inner: (2 * reach + 1) as usize }
    }

    pub fn len(&self) -> usize {
        self.inner + 2
    }

    pub fn index(&self, value: i64) -> usize {
        if value < self.first { 0 } else { (1 + ((value - self.first) / self.width) as usize).min(self.inner + 1) }
    }

    /// The probability of each bin under noise of scale `sigma`.
    pub fn probabilities(&self, sigma: f64) -> Vec<f64> {
        let edge = |index: usize| (self.first + self.width * index as i64) as f64 - 0.5;
        let inner = (0..self.inner).map(|index| between(edge(index), edge(index + 1), sigma));
        let tails = [upper_tail(-edge(0), sigma), upper_tail(edge(self.inner), sigma)];
        [tails[0]].into_iter().chain(inner).chain([tails[1]]).collect()
    }
}

/// The p-value of `counts` under `probabilities`, by Pearson's chi-square.
pub fn p_value(counts: &[u64], probabilities: &[f64]) -> f64 {
    let draws = counts.iter().sum::<u64>() as f64;
    let pairs = counts.iter().zip(probabilities);
    let statistic: f64 = pairs.map(|(&count, p)| (count as f64 - draws * p).powi(2) / (draws * p)).sum();
    upper_gamma((counts.len() - 1) as f64 / 2.0, statistic / 2.0)
}

/// The p-value of two samples coming from one distribution.
pub fn p_value_of_two(one: &[u64], other: &[u64]) -> f64 {
    let [n, m] = [one, other].map(|counts| counts.iter().sum::<u64>() as f64);
    let pairs = one.iter().zip(other).filter(|(a, b)| **a + **b > 0);
    let term = |a: u64, b: u64| ((m / n).sqrt() * a as f64 - (n / m).sqrt() * b as f64).powi(2) / (a + b) as f64;
    let terms: Vec<f64> = pairs.map(|(&a, &b)| term(a, b)).collect();
    upper_gamma((terms.len() - 1) as f64 / 2.0, terms.iter().sum::<f64>() / 2.0)
}

/// How often fresh noise of scale `sigma` falls in each bin, drawn by `threads` threads.
pub fn histogram(sigma: Sigma, bins: &Bins, draws: u64, threads: u32) -> Vec<u64> {
    let key = JobKey::from_os().unwrap();
    let noise = RoundedGaussian::new(sigma);
    let count = |thread: u32| {
        let mut counts = vec![0_u64; bins.len()];
        let mut substream = key.substream(0, thread).unwrap();
        let share = draws / u64::from(threads) + u64::from(u64::from(thread) < draws % u64::from(threads));
        for _ in 0..share {
            counts[bins.index(noise.draw(&mut substream))] += 1;
        }
        counts
    };
    let parts: Vec<Vec<u64>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|thread| scope.spawn(move || count(thread))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    (0..bins.len()).map(|bin| parts.iter().map(|part| part[bin]).sum()).collect()
}

/// The probability that `sigma N` is above `x`.
pub fn upper_tail(x: f64, sigma: f64) -> f64 {
    libm::erfc(x / sigma / std::f64::consts::SQRT_2) / 2.0
}

/// The probability that `sigma N` is between `a` and `b`, from the tails on the side where they are small.
pub fn between(a: f64, b: f64, sigma: f64) -> f64 {
    if b <= 0.0 {
        between(-b, -a, sigma)
    } else if a >= 0.0 {
        upper_tail(a, sigma) - upper_tail(b, sigma)
    } else {
        1.0 - upper_tail(b, sigma) - upper_tail(-a, sigma)
    }
}

/// The regularised upper incomplete gamma function, by its series below the mean and its continued fraction above.
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
