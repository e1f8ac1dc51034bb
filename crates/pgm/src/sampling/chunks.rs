//! Chunks of rows, drawn one after the other or several at once.

use std::num::NonZeroUsize;
use std::sync::mpsc::sync_channel;
use std::thread;

use scumble_cancel::checkpoint;
use scumble_schema::CodeColumn;

use super::{CHUNK_ROWS, Sampler, Sampling, Streams, product};
use crate::product::ProductModel;

/// Rows of a model, chunk by chunk and column by column.
///
/// The iterator draws one chunk after the other. [`Iterator::nth`] draws a later chunk without
/// those before it, and [`Chunks::in_parallel`] draws several at once.
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

impl Chunks<'_> {
    /// Draws the remaining chunks on `threads` threads and applies `work` to each. Passes the
    /// results to `take` in order, on the calling thread. The rows do not depend on the number of
    /// threads.
    ///
    /// `work` gets the position of the chunk among all chunks. A slow `take` makes the threads
    /// wait: at most two chunks per thread are in memory, besides the one in `take`.
    ///
    /// # Errors
    /// The first error of `take`, which ends the sampling.
    pub fn in_parallel<T: Send, E>(
        self,
        threads: NonZeroUsize,
        work: impl Fn(u64, Vec<CodeColumn>) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        let make = |index| work(index, self.make(index));
        if threads.get() == 1 {
            return (self.next..self.count_all()).try_for_each(|index| take(make(index)));
        }
        thread::scope(|scope| {
            let mut results = Vec::new();
            // Threads get chunks in turn, so reading their queues in turn gives the chunks in
            // order.
            for first in (self.next..self.count_all()).take(threads.get()) {
                let (send, receive) = sync_channel(1);
                results.push(receive);
                let (make, all) = (&make, self.count_all());
                scope.spawn(move || {
                    // Sending fails after an error of `take`.
                    (first..all).step_by(threads.get()).try_for_each(|index| send.send(make(index)))
                });
            }
            // The first queue to end is that of the next chunk after the last one. If a queue ends
            // because of a panic, the scope panics too.
            let chunks = (0..).map_while(|turn: usize| results.get(turn % results.len().max(1))?.recv().ok());
            chunks.inspect(|_| checkpoint()).try_for_each(&mut take)
        })
    }
}
