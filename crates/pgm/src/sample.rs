//! Rows out of a model, in chunks, so that any number of rows needs the memory of one chunk.
//!
//! Every column of every chunk has a random stream of its own, derived from the seed. So the rows are the same however
//! the chunks are scheduled, and a later chunk can be made without the earlier ones.

use chacha20::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use scumble_schema::CodeColumn;

use crate::product::ProductModel;

/// Rows in a chunk. Low-variance sampling rounds once per chunk, so larger chunks mean fewer roundings.
const CHUNK_ROWS: u64 = 1 << 16;

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Expected counts are rounded, each up or down at random with its mean kept, and the rows shuffled. The model's own
    /// distributions come out within one row per cell and chunk: no sampling error is added to the noise.
    #[default]
    LowVariance,
    /// Every row is an independent draw from the model.
    Independent,
}

/// Rows of a model, chunk by chunk and column by column.
#[derive(Debug)]
pub struct Chunks<'a> {
    model: &'a ProductModel,
    sampling: Sampling,
    seed: u64,
    rows_left: u64,
    next: u32,
}

impl ProductModel {
    /// `rows` rows, the same for the same seed.
    pub fn sample(&self, rows: u64, seed: u64, sampling: Sampling) -> Chunks<'_> {
        Chunks { model: self, sampling, seed, rows_left: rows, next: 0 }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Vec<CodeColumn>;

    fn next(&mut self) -> Option<Vec<CodeColumn>> {
        if self.rows_left == 0 {
            return None;
        }
        let rows = self.rows_left.min(CHUNK_ROWS);
        self.rows_left -= rows;
        let chunk = self.next;
        self.next = chunk.checked_add(1).expect("2^48 rows are more than anyone waits for");
        let columns = self.model.probabilities().iter().zip(0_u32..).map(|(probabilities, column)| {
            let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
            rng.set_stream((u64::from(chunk) << 32) | u64::from(column));
            match self.sampling {
                Sampling::LowVariance => rounded(probabilities, rows, &mut rng),
                Sampling::Independent => independent(probabilities, rows, &mut rng),
            }
        });
        Some(columns.collect())
    }
}

/// As many rows of each code as expected, rounded, in random order.
///
/// The boundaries between codes on a line of `rows` are all moved by one random offset below one row and rounded down
/// (systematic sampling), so that every count is its expectation rounded up or down, with the expectation as its mean.
fn rounded(probabilities: &[f64], rows: u64, rng: &mut ChaCha8Rng) -> CodeColumn {
    #[expect(clippy::cast_precision_loss, reason = "a chunk has at most CHUNK_ROWS rows")]
    let line = rows as f64;
    let offset: f64 = rng.random();
    let mut column = empty(probabilities, rows);
    let (mut cumulative, mut filled) = (0.0, 0);
    let last = last_possible(probabilities);
    for (code, &probability) in (0_u32..).zip(probabilities) {
        cumulative += probability;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and CHUNK_ROWS + 1")]
        let boundary = ((cumulative * line + offset).floor() as u64).min(rows);
        // Rounding of the sum must not leave the line short, nor give rows to a code that has no probability.
        let boundary = if code == last { rows } else { boundary };
        for _ in filled..boundary {
            column.push(code);
        }
        filled = filled.max(boundary);
    }
    match &mut column {
        CodeColumn::U8(codes) => codes.shuffle(rng),
        CodeColumn::U16(codes) => codes.shuffle(rng),
        CodeColumn::U32(codes) => codes.shuffle(rng),
    }
    column
}

/// Independent draws by inversion.
fn independent(probabilities: &[f64], rows: u64, rng: &mut ChaCha8Rng) -> CodeColumn {
    let mut sum = 0.0;
    let cumulative: Vec<f64> = probabilities
        .iter()
        .map(|probability| {
            sum += probability;
            sum
        })
        .collect();
    let last = last_possible(probabilities);
    let mut column = empty(probabilities, rows);
    for _ in 0..rows {
        let point = rng.random::<f64>() * sum;
        let code = cumulative.partition_point(|&edge| edge <= point);
        column.push(u32::try_from(code).map_or(last, |code| code.min(last)));
    }
    column
}

fn empty(probabilities: &[f64], rows: u64) -> CodeColumn {
    let size = u32::try_from(probabilities.len()).expect("a column has at most limits::CATEGORIES codes");
    CodeColumn::with_capacity(size, usize::try_from(rows).expect("a chunk fits memory"))
}

/// The last code with any probability.
fn last_possible(probabilities: &[f64]) -> u32 {
    let last = probabilities.iter().rposition(|&probability| probability > 0.0).unwrap_or(0);
    u32::try_from(last).expect("a column has at most limits::CATEGORIES codes")
}
