//! Chunks of rows.

use scumble_cancel::checkpoint;
use scumble_schema::CodeColumn;

use super::{CHUNK_ROWS, Sampler, Sampling, Streams, product};
use crate::product::ProductModel;

/// Rows of a model, chunk by chunk and column by column.
///
/// The iterator draws one chunk after the other. [`Iterator::nth`] draws a later chunk without
/// those before it, so several threads can draw chunks of their own.
#[derive(Debug, Clone)]
pub struct Chunks<'a> {
    source: Source<'a>,
    sampling: Sampling,
    seed: u64,
    rows: u64,
    next: u64,
}

/// The model that rows are drawn from.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Product(&'a ProductModel),
    Tree(&'a Sampler),
}

impl ProductModel {
    /// Draws `rows` rows. Equal seeds give equal rows.
    pub fn sample(&self, rows: u64, seed: u64, sampling: Sampling) -> Chunks<'_> {
        Chunks::new(Source::Product(self), rows, seed, sampling)
    }
}

impl Sampler {
    /// Draws `rows` rows. Equal seeds give equal rows.
    pub fn sample(&self, rows: u64, seed: u64, sampling: Sampling) -> Chunks<'_> {
        Chunks::new(Source::Tree(self), rows, seed, sampling)
    }
}

impl<'a> Chunks<'a> {
    /// Number of rows in every chunk but the last.
    pub const ROWS: u64 = CHUNK_ROWS;

    fn new(source: Source<'a>, rows: u64, seed: u64, sampling: Sampling) -> Self {
        Self { source, sampling, seed, rows, next: 0 }
    }

    /// Returns the number of all chunks, including those already drawn.
    fn count_all(&self) -> u64 {
        self.rows.div_ceil(CHUNK_ROWS)
    }

    /// Draws the chunk at `index`, which must be below [`Self::count_all`].
    pub(super) fn make(&self, index: u64) -> Vec<CodeColumn> {
        checkpoint();
        let rows = usize::try_from((self.rows - index * CHUNK_ROWS).min(CHUNK_ROWS)).expect("a chunk fits memory");
        let streams = Streams { seed: self.seed, chunk: index };
        match self.source {
            Source::Product(model) => product::chunk(model, rows, self.sampling, streams),
            Source::Tree(sampler) => sampler.chunk(rows, self.sampling, streams),
        }
    }
}

impl Iterator for Chunks<'_> {
    type Item = Vec<CodeColumn>;

    fn next(&mut self) -> Option<Vec<CodeColumn>> {
        self.nth(0)
    }

    fn nth(&mut self, skipped: usize) -> Option<Vec<CodeColumn>> {
        let index = self.next.saturating_add(skipped as u64).min(self.count_all());
        self.next = index;
        (index < self.count_all()).then(|| {
            self.next += 1;
            self.make(index)
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::try_from(self.count_all() - self.next).ok();
        (left.unwrap_or(usize::MAX), left)
    }
}
