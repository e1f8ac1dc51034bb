//! The report's study of the smoothed histogram: Spearman's rank test on a grid of ten by ten
//! cells.
//!
//! # Reference
//! Aalborg report 2024, section 3.2 and figure 3.2.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::private;
use super::rows::normal;
use scumble_benchmarks::Result;

const SEED: u64 = 20_241_219;
/// Cells along a side.
const SIDE: u32 = 10;
/// How many rows the table has, and how many are drawn.
const ROWS: u32 = 10_000;
const DRAWN: u32 = 1_000;
/// The standard deviation of what is added to the first attribute to make the second: it gives the
/// report's rank correlation of 0.94.
const DEVIATION: f64 = 0.1;
/// Tables per setting.
const REPETITIONS: u32 = 200;

/// How often no correlation is rejected, at five percent: with smoothing that costs what it says,
/// and with the `m` of the report's section 3.2.
pub(crate) struct Power {
    pub(crate) private: f64,
    pub(crate) published: f64,
}

pub(crate) fn power(epsilon: f64) -> Result<Power> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let (mut private, mut published) = (0, 0);
    for _ in 0..REPETITIONS {
        let counts = table(&mut rng);
        let drawn = private::smoothed_rows(vec![SIDE; 2], counts.clone(), epsilon, Some(DRAWN.into()))?;
        let cells: Vec<[u32; 2]> = drawn.columns[0].iter().zip(&drawn.columns[1]).map(|(&x, &y)| [x, y]).collect();
        private += u32::from(rejects(&cells, &mut rng));
        published += u32::from(rejects(&published_rows(&counts, epsilon, &mut rng), &mut rng));
    }
    let share = |count: u32| f64::from(count) / f64::from(REPETITIONS);
    Ok(Power { private: share(private), published: share(published) })
}

/// How many rows of `(X, X + noise)` are in each cell of the unit square; noise that leads out of
/// it is drawn again.
fn table(rng: &mut ChaCha8Rng) -> Vec<u64> {
    let mut counts = vec![0; (SIDE * SIDE) as usize];
    for _ in 0..ROWS {
        let x: f64 = rng.random();
        let y = std::iter::repeat_with(|| x + DEVIATION * normal(rng)).find(|y| (0.0..1.0).contains(y));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below ten")]
        let bin = |value: f64| (value * f64::from(SIDE)) as usize;
        counts[bin(x) * SIDE as usize + bin(y.expect("a find in an endless sequence"))] += 1;
    }
    counts
}

/// NOT PRIVATE: rows with the smoothing that follows from an `m` of 1/100.
fn published_rows(counts: &[u64], alpha: f64, rng: &mut ChaCha8Rng) -> Vec<[u32; 2]> {
    let (n, k, m) = (f64::from(ROWS), f64::from(DRAWN), 1.0 / f64::from(SIDE * SIDE));
    let smoothing = m / (n * (alpha / k).exp_m1() + m);
    let cumulated: Vec<u64> = counts
        .iter()
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect();
    let draw = |_| {
        if rng.random::<f64>() < smoothing {
            return [rng.random_range(0..SIDE), rng.random_range(0..SIDE)];
        }
        let row = rng.random_range(0..u64::from(ROWS));
        let cell = u32::try_from(cumulated.partition_point(|&rows| rows <= row)).expect("a hundred cells");
        [cell / SIDE, cell % SIDE]
    };
    (0..DRAWN).map(draw).collect()
}

/// Whether Spearman's test rejects, with a value drawn evenly from every cell, so that no two are
/// equal.
fn rejects(cells: &[[u32; 2]], rng: &mut ChaCha8Rng) -> bool {
    let [x, y] = [0, 1].map(|axis| {
        let values: Vec<f64> = cells.iter().map(|cell| f64::from(cell[axis]) + rng.random::<f64>()).collect();
        ranks(&values)
    });
    let n = cells.len() as f64;
    let squares: f64 = x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum();
    let correlation = 1.0 - 6.0 * squares / (n * (n * n - 1.0));
    // The 97.5th percentile of Student's distribution with 998 degrees of freedom.
    correlation.abs() * ((n - 2.0) / (1.0 - correlation.powi(2))).sqrt() > 1.962_344
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    let mut ranks = vec![0.0; values.len()];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank as f64;
    }
    ranks
}
