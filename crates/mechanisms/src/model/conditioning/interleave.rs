//! Interleaves the rows of several samples in random order.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{CodeColumn, Domain};

use super::conditioned::Codes;
use crate::error::MechanismError;

/// Number of rows in a chunk.
const CHUNK_ROWS: u64 = 1 << 16;

/// Several samples as one, with every interleaving equally likely.
pub(super) struct Interleaved<'a> {
    sizes: Vec<u32>,
    samples: Vec<Sample<'a>>,
    left: u64,
    rng: ChaCha8Rng,
}

struct Sample<'a> {
    chunks: Codes<'a>,
    /// Number of rows not yet taken.
    left: u64,
    chunk: Vec<CodeColumn>,
    /// Position of the next row in the chunk.
    next: usize,
}

impl<'a> Interleaved<'a> {
    /// Interleaves samples, each given with its number of rows.
    pub(super) fn new(domain: &Domain, samples: Vec<(u64, Codes<'a>)>, seed: u64) -> Self {
        let left = samples.iter().map(|(rows, _)| rows).sum();
        let samples = samples.into_iter().map(|(left, chunks)| Sample { chunks, left, chunk: Vec::new(), next: 0 });
        Self { sizes: domain.sizes().to_vec(), samples: samples.collect(), left, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn chunk(&mut self) -> Result<Vec<CodeColumn>, MechanismError> {
        let rows = self.left.min(CHUNK_ROWS);
        let capacity = usize::try_from(rows).expect("a chunk fits memory");
        let mut columns: Vec<CodeColumn> =
            self.sizes.iter().map(|&size| CodeColumn::with_capacity(size, capacity)).collect();
        for _ in 0..rows {
            // A uniform draw among all rows that are left.
            let mut drawn = self.rng.random_range(0..self.left);
            let sample = self
                .samples
                .iter_mut()
                .find(|sample| match drawn.checked_sub(sample.left) {
                    Some(beyond) => {
                        drawn = beyond;
                        false
                    }
                    None => true,
                })
                .expect("the samples have all rows that are left");
            sample.push_next(&mut columns)?;
            self.left -= 1;
        }
        Ok(columns)
    }
}

impl Sample<'_> {
    fn push_next(&mut self, columns: &mut [CodeColumn]) -> Result<(), MechanismError> {
        while self.next >= self.chunk.first().map_or(0, CodeColumn::len) {
            self.chunk = self.chunks.next().expect("a sample has the rows that it was asked for")?;
            self.next = 0;
        }
        for (column, codes) in columns.iter_mut().zip(&self.chunk) {
            column.push(codes.get(self.next));
        }
        self.next += 1;
        self.left -= 1;
        Ok(())
    }
}

impl Iterator for Interleaved<'_> {
    type Item = Result<Vec<CodeColumn>, MechanismError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let chunk = self.chunk();
        if chunk.is_err() {
            // Nothing comes after an error.
            self.left = 0;
        }
        Some(chunk)
    }
}
