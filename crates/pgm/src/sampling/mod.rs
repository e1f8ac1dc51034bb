//! Rows drawn from a model in chunks, so that any number of rows needs the memory of one chunk.
//!
//! Every column of every chunk has its own random stream, derived from the seed. So the rows do not
//! depend on the schedule, and a later chunk can be drawn without the earlier ones.

mod arrange;
mod balance;
mod branch;
mod cell;
mod chunks;
mod code;
mod joint_tables;
mod matching;
mod name;
mod product;
mod sampler;
mod step;
mod systematic;
mod target;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;

pub use chunks::Chunks;
pub use name::UnknownSampling;
pub use sampler::Sampler;
pub use target::RowTarget;

/// Number of rows in a chunk. Low-variance sampling rounds once per chunk, so larger chunks mean
/// fewer roundings.
const CHUNK_ROWS: u64 = 1 << 16;

/// How rows are drawn from a model. The methods differ in the sampling error that they add.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sampling {
    /// Rounds expected counts up or down at random, keeping their means, and shuffles the rows.
    /// Counts within cliques are off by at most about one row per cell and chunk, so this adds
    /// hardly any sampling error to the noise.
    #[default]
    LowVariance,
    /// Draws like [`Sampling::LowVariance`], then swaps columns between rows. Two rows that agree
    /// on a separator of the tree swap the columns on one side of it if that brings the tables of
    /// three columns nearer to the model. This removes most of the sampling error of tables across
    /// cliques. It changes no table within a clique, and makes no impossible row.
    ///
    /// It takes seconds of processor time where the other methods take milliseconds, which is worth
    /// it for [few rows](Sampling::for_rows). It compares tables of two columns if those of three
    /// have more than four million cells or are more than four thousand; if those of two exceed
    /// that too, it swaps nothing. Models other than trees are drawn with low variance.
    Matched,
    /// Every row is an independent draw from the model.
    Independent,
}

/// Most rows for which [`Sampling::for_rows`] chooses matched sampling: two chunks.
const MAX_MATCHED_ROWS: u64 = 2 * CHUNK_ROWS;

impl Sampling {
    /// Returns the best method for this number of rows: matched up to 131,072 rows, low variance
    /// above, where the sampling error is small anyway.
    pub fn for_rows(rows: u64) -> Self {
        if rows <= MAX_MATCHED_ROWS { Self::Matched } else { Self::LowVariance }
    }
}

/// The random streams of one chunk.
#[derive(Debug, Clone, Copy)]
struct Streams {
    seed: u64,
    chunk: u64,
}

impl Streams {
    /// Returns the stream of one column.
    fn column(self, column: usize) -> ChaCha8Rng {
        assert!(self.chunk >> 32 == 0, "at most 2^48 rows can be drawn");
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((self.chunk << 32) | column as u64);
        rng
    }

    /// Returns the stream of the swaps between rows, which no column uses. The stream of the last
    /// number is reserved for decoding codes into values.
    fn swaps(self) -> ChaCha8Rng {
        self.column((u32::MAX - 1) as usize)
    }
}
