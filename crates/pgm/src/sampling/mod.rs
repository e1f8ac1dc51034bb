//! Rows out of a model, in chunks, so that any number of rows needs the memory of one chunk.
//!
//! Every column of every chunk has a random stream of its own, derived from the seed. So the rows are the same however
//! the chunks are scheduled, and a later chunk can be made without the earlier ones.

mod arrange;
mod balance;
mod cell;
mod code;
mod joint_tables;
mod matching;
mod parallel;
mod part;
mod product;
mod sampler;
mod step;
mod systematic;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_cancel::checkpoint;
use scumble_schema::CodeColumn;

pub use sampler::Sampler;

use crate::product::ProductModel;

/// Rows in a chunk. Low-variance sampling rounds once per chunk, so larger chunks mean fewer roundings.
const CHUNK_ROWS: u64 = 1 << 16;

/// How rows are drawn from a model: how much chance is added to what the model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Expected counts are rounded, each up or down at random with its mean kept, and the rows shuffled. The model's own
    /// distributions come out within about one row per cell and chunk: hardly any sampling error is added to the noise.
    #[default]
    LowVariance,
    /// As [`Sampling::LowVariance`], and then parts of rows are exchanged. Chance decides which part of a row meets which, and
    /// that is most of what a sample adds to the error of tables across cliques. Two rows that agree on a separator of the
    /// tree exchange the columns on one side of it if that brings all tables of three columns nearer to what the model
    /// expects. No table within a clique changes, and nothing impossible comes about.
    ///
    /// It takes seconds of processor time, where the other ways take milliseconds, and is worth that for
    /// [few rows](Sampling::for_rows).
    /// Pairs are compared where triples would have more than four million cells or be more than four thousand, and
    /// where pairs would too, rows stay as they were. Models other than trees know no parts: there it is low variance.
    Matched,
    /// Every row is an independent draw from the model.
    Independent,
}

/// Most rows that are matched unless somebody asks for it: two chunks.
const MATCHED_ROWS: u64 = 2 * CHUNK_ROWS;

impl Sampling {
    /// The best way to draw so many rows: matched, unless they are so many that chance evens out by itself and the time would
    /// be missed.
    pub fn for_rows(rows: u64) -> Self {
        if rows <= MATCHED_ROWS { Self::Matched } else { Self::LowVariance }
    }
}

/// Rows of a model, chunk by chunk and column by column.
///
/// As an iterator it makes one chunk after the other; [`Iterator::nth`] makes a later one without those before it, and
/// [`Chunks::in_parallel`] makes several at once.
#[derive(Debug, Clone)]
pub struct Chunks<'a> {
    source: Source<'a>,
    sampling: Sampling,
    seed: u64,
    rows: u64,
    next: u64,
}

/// What rows are drawn from.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Product(&'a ProductModel),
    Tree(&'a Sampler),
}

impl ProductModel {
    /// `rows` rows, the same for the same seed.
    pub fn sample(&self, rows: u64, seed: u64, sampling: Sampling) -> Chunks<'_> {
        Chunks::new(Source::Product(self), rows, seed, sampling)
    }
}

impl Sampler {
    /// `rows` rows, the same for the same seed.
    pub fn sample(&self, rows: u64, seed: u64, sampling: Sampling) -> Chunks<'_> {
        Chunks::new(Source::Tree(self), rows, seed, sampling)
    }
}

impl<'a> Chunks<'a> {
    /// Rows in every chunk but the last.
    pub const ROWS: u64 = CHUNK_ROWS;

    fn new(source: Source<'a>, rows: u64, seed: u64, sampling: Sampling) -> Self {
        Self { source, sampling, seed, rows, next: 0 }
    }

    /// How many chunks there are from the first to the last.
    fn count_all(&self) -> u64 {
        self.rows.div_ceil(CHUNK_ROWS)
    }

    /// The chunk at `index`, which must be below [`Self::count_all`].
    fn make(&self, index: u64) -> Vec<CodeColumn> {
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

/// The random streams of one chunk.
#[derive(Debug, Clone, Copy)]
struct Streams {
    seed: u64,
    chunk: u64,
}

impl Streams {
    /// The stream of one column.
    fn column(self, column: usize) -> ChaCha8Rng {
        assert!(self.chunk >> 32 == 0, "2^48 rows are more than anyone waits for");
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((self.chunk << 32) | column as u64);
        rng
    }

    /// The stream of the exchanges between rows, which is no column's. Nor is that of the last number, which is for whoever
    /// turns codes into values.
    fn exchanges(self) -> ChaCha8Rng {
        self.column((u32::MAX - 1) as usize)
    }
}
