//! Sampling from a model with independent columns.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::seq::SliceRandom;
use scumble_schema::CodeColumn;

use super::{Sampling, Streams};
use crate::product::ProductModel;

/// Draws one chunk, column by column.
pub(super) fn chunk(model: &ProductModel, rows: usize, sampling: Sampling, streams: Streams) -> Vec<CodeColumn> {
    let columns = model.probabilities().iter().enumerate().map(|(column, probabilities)| {
        let mut rng = streams.column(column);
        match sampling {
            Sampling::Matched | Sampling::LowVariance => rounded(probabilities, rows, &mut rng),
            Sampling::Independent => independent(probabilities, rows, &mut rng),
        }
    });
    columns.collect()
}

/// Returns the expected number of rows of each code, rounded, in random order.
///
/// Systematic sampling: the boundaries between codes on a line of length `rows` all move by one
/// random offset below one and are rounded down. So every count is its expectation rounded up or
/// down, with the expectation as its mean.
fn rounded(probabilities: &[f64], rows: usize, rng: &mut ChaCha8Rng) -> CodeColumn {
    let line = rows as f64;
    let offset: f64 = rng.random();
    let mut column = empty(probabilities, rows);
    let (mut cumulative, mut filled) = (0.0, 0);
    let last = last_possible(probabilities);
    for (code, &probability) in (0_u32..).zip(probabilities) {
        cumulative += probability;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and CHUNK_ROWS + 1")]
        let boundary = ((cumulative * line + offset).floor() as usize).min(rows);
        // Rounding errors must neither leave the line short nor give rows to an impossible code.
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

/// Draws independent codes by inversion.
fn independent(probabilities: &[f64], rows: usize, rng: &mut ChaCha8Rng) -> CodeColumn {
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

fn empty(probabilities: &[f64], rows: usize) -> CodeColumn {
    let size = u32::try_from(probabilities.len()).expect("a column has at most limits::CATEGORIES codes");
    CodeColumn::with_capacity(size, rows)
}

/// Returns the last code of positive probability.
fn last_possible(probabilities: &[f64]) -> u32 {
    let last = probabilities.iter().rposition(|&probability| probability > 0.0).unwrap_or(0);
    u32::try_from(last).expect("a column has at most limits::CATEGORIES codes")
}
