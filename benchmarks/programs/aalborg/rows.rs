//! Rows of five yes-or-no attributes, as counts of their 32 cells.

use chacha20::ChaCha8Rng;
use rand::RngExt;

/// How many attributes there are: `d`.
pub(crate) const ATTRIBUTES: usize = 5;
/// How many cells they have together.
pub(crate) const CELLS: usize = 1 << ATTRIBUTES;
/// How many rows a table has, real or synthetic: `n`.
pub(crate) const ROWS: usize = 1_000;

/// The report's matrix (4.6).
pub(crate) const DEPENDENT: Correlation = [
    [1.0, 0.6, 0.5, 0.4, 0.3],
    [0.6, 1.0, 0.6, 0.5, 0.4],
    [0.5, 0.6, 1.0, 0.6, 0.5],
    [0.4, 0.5, 0.6, 1.0, 0.6],
    [0.3, 0.4, 0.5, 0.6, 1.0],
];
/// Attributes that have nothing to do with each other, where every rejection is a false one.
pub(crate) const INDEPENDENT: Correlation = [
    [1.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 1.0],
];

pub(crate) type Correlation = [[f64; ATTRIBUTES]; ATTRIBUTES];

/// How many rows are in each cell, in the order of `scumble_schema::cells`.
pub(crate) type Counts = [u64; CELLS];

/// The code of an attribute in a cell: the first attribute varies slowest.
pub(crate) fn code(cell: usize, attribute: usize) -> usize {
    cell >> (ATTRIBUTES - 1 - attribute) & 1
}

/// The codes of some attributes in a cell as one number, the first varying slowest.
pub(crate) fn codes(cell: usize, attributes: &[usize]) -> usize {
    attributes.iter().fold(0, |codes, &attribute| 2 * codes + code(cell, attribute))
}

/// The counts of the table over some attributes.
pub(crate) fn margin(counts: &Counts, attributes: &[usize]) -> Vec<u64> {
    let mut margin = vec![0; 1 << attributes.len()];
    for (cell, count) in counts.iter().enumerate() {
        margin[codes(cell, attributes)] += count;
    }
    margin
}

/// Rows of normal variables of this correlation, each cut at its median.
///
/// # Reference
/// Aalborg report 2024, section 4.1: a Gaussian copula with thresholds of one half. A uniform
/// variable is above one half where its normal one is above zero.
pub(crate) fn copula(correlation: &Correlation, rng: &mut ChaCha8Rng) -> Counts {
    let root = cholesky(correlation);
    let mut counts = [0; CELLS];
    for _ in 0..ROWS {
        let independent: [f64; ATTRIBUTES] = std::array::from_fn(|_| normal(rng));
        let positive = |row: &[f64; ATTRIBUTES]| row.iter().zip(&independent).map(|(a, b)| a * b).sum::<f64>() >= 0.0;
        counts[root.iter().fold(0, |cell, row| 2 * cell + usize::from(positive(row)))] += 1;
    }
    counts
}

/// The lower triangle whose product with its transpose is the matrix.
fn cholesky(matrix: &Correlation) -> Correlation {
    let mut root = [[0.0; ATTRIBUTES]; ATTRIBUTES];
    for row in 0..ATTRIBUTES {
        for column in 0..=row {
            let known: f64 = (0..column).map(|index| root[row][index] * root[column][index]).sum();
            let rest = matrix[row][column] - known;
            root[row][column] = if row == column { rest.sqrt() } else { rest / root[column][column] };
        }
    }
    root
}

/// A standard normal number, by Box and Muller.
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (radius, turn): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * turn).cos()
}

/// Draws independently from a distribution over cells.
pub(crate) fn sample(probabilities: &[f64; CELLS], rows: usize, rng: &mut ChaCha8Rng) -> Counts {
    let mut sum = 0.0;
    let cumulated = probabilities.map(|probability| {
        sum += probability;
        sum
    });
    let mut counts = [0; CELLS];
    for _ in 0..rows {
        let at: f64 = rng.random::<f64>() * sum;
        counts[cumulated.partition_point(|&below| below <= at).min(CELLS - 1)] += 1;
    }
    counts
}
