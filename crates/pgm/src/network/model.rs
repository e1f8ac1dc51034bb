//! A network with its conditional distributions, and sampling from it.

use std::collections::VecDeque;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_schema::{CodeColumn, CodeWidth};

use super::conditional::{Conditional, EmptyParents, Place, ToProbabilities};
use super::with_replacement::Cumulative;
use super::{Network, Step, backtrack, without_replacement};
use crate::error::ModelError;
use crate::parallel;
use crate::table::factor::Factor;

/// Number of tuples in a chunk of independent draws.
const CHUNK_TUPLES: u64 = 1 << 16;
/// Number of tuples drawn without replacement from the same histograms. Larger batches mean fewer
/// roundings, but a whole batch is in memory while it is drawn.
const BATCH_TUPLES: u64 = 1 << 18;

/// How the rows of a network, which the papers call tuples, are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TupleSampling {
    /// Every tuple is an independent draw (2014, section 3; 2018, section 2.3).
    WithReplacement,
    /// From histograms, the tables times the number of tuples, without replacement (2018, section
    /// 3.3). Counts equal those of the tables, within rounding. Batches of 2^18 tuples.
    #[default]
    WithoutReplacement,
    /// From histograms that need not be consistent, going back if one is empty (2018, section
    /// 3.3.1). Batches of 2^18 tuples.
    BackTracking,
}

/// A distribution over the tuples of a domain: the product of the pairs' conditional distributions.
///
/// # Reference
/// 2014, equation (4); 2018, equation (2.3).
#[derive(Debug, Clone)]
pub struct NetworkModel {
    network: Network,
    conditionals: Box<[Conditional]>,
}

impl NetworkModel {
    /// Makes the model from one table of noisy counts per pair, over its children and parents.
    pub fn new(
        network: Network,
        tables: &[Factor],
        to: ToProbabilities,
        empty: EmptyParents,
    ) -> Result<Self, ModelError> {
        let mut conditionals = Vec::with_capacity(network.pairs.len());
        for (index, pair) in network.pairs.iter().enumerate() {
            let clique = pair.clique();
            let is_its_table = |table: &&Factor| {
                *table.clique() == clique && table.values().len() as u128 == network.domain.cells(&clique)
            };
            let Some(table) = tables.get(index).filter(is_its_table) else {
                return Err(ModelError::TableOfAnotherPair { pair: index });
            };
            conditionals.push(Conditional::new(&network.domain, pair, table, to, empty)?);
        }
        if tables.len() > network.pairs.len() {
            return Err(ModelError::TableOfAnotherPair { pair: network.pairs.len() });
        }
        Ok(Self { network, conditionals: conditionals.into() })
    }

    /// Returns the structure of the network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Returns the conditional distribution of each pair.
    pub fn conditionals(&self) -> &[Conditional] {
        &self.conditionals
    }

    /// Returns the probability of a tuple: one code per attribute of the domain. Ignores a coarser
    /// version that follows from a finer one, except as a parent.
    ///
    /// # Panics
    /// If there are fewer codes than attributes, or a code is not one of its attribute.
    pub fn probability(&self, tuple: &[u32]) -> f64 {
        let cell = |places: &[Place]| -> usize {
            places.iter().map(|place| place.offset(tuple[place.attribute.index()]) as usize).sum()
        };
        self.conditionals.iter().map(|pair| pair.row(cell(pair.parents()))[cell(pair.children())]).product()
    }

    /// Draws `tuples` tuples, chunk by chunk with one column per attribute of the domain. Equal
    /// seeds give equal tuples, whatever the number of threads.
    pub fn sample(&self, tuples: u64, seed: u64, sampling: TupleSampling) -> Tuples<'_> {
        let cumulative = match sampling {
            TupleSampling::WithReplacement | TupleSampling::BackTracking => {
                self.conditionals.iter().map(Cumulative::new).collect()
            }
            TupleSampling::WithoutReplacement => Vec::new(),
        };
        Tuples { model: self, cumulative, sampling, seed, left: tuples, next: 0, ready: VecDeque::new() }
    }
}

/// Tuples of a model, chunk by chunk and column by column.
#[derive(Debug)]
pub struct Tuples<'a> {
    model: &'a NetworkModel,
    cumulative: Vec<Cumulative>,
    sampling: TupleSampling,
    seed: u64,
    left: u64,
    next: u32,
    /// Chunks drawn ahead.
    ready: VecDeque<Vec<CodeColumn>>,
}

impl Iterator for Tuples<'_> {
    type Item = Vec<CodeColumn>;

    fn next(&mut self) -> Option<Vec<CodeColumn>> {
        if self.ready.is_empty() {
            self.draw_ahead();
        }
        self.ready.pop_front()
    }
}

impl Tuples<'_> {
    /// Returns the number of tuples in every chunk but the last.
    pub fn chunk_tuples(sampling: TupleSampling) -> u64 {
        match sampling {
            TupleSampling::WithReplacement => CHUNK_TUPLES,
            TupleSampling::WithoutReplacement | TupleSampling::BackTracking => BATCH_TUPLES,
        }
    }

    /// Skips the first `chunks` chunks without drawing them.
    ///
    /// # Panics
    /// If a chunk was drawn already.
    #[must_use]
    pub fn starting_at(mut self, chunks: u32) -> Self {
        assert!(self.next == 0, "chunks are skipped before any is drawn");
        self.left = self.left.saturating_sub(u64::from(chunks) * Self::chunk_tuples(self.sampling));
        self.next = chunks;
        self
    }

    /// Draws one chunk per processor. Each has its own random stream, so threads do not change the
    /// rows.
    fn draw_ahead(&mut self) {
        let jobs: Vec<(u32, u32)> = std::iter::from_fn(|| self.job()).take(parallel::processors()).collect();
        let chunks = parallel::map(jobs, |(chunk, tuples)| self.chunk(chunk, tuples));
        self.ready.extend(chunks);
    }

    /// Returns the next chunk to draw, and its number of tuples.
    fn job(&mut self) -> Option<(u32, u32)> {
        let tuples = self.left.min(Self::chunk_tuples(self.sampling));
        if tuples == 0 {
            return None;
        }
        self.left -= tuples;
        let chunk = self.next;
        self.next = chunk.checked_add(1).expect("at most 2^48 tuples can be drawn");
        Some((chunk, u32::try_from(tuples).expect("a chunk has u32 tuples")))
    }

    fn chunk(&self, chunk: u32, tuples: u32) -> Vec<CodeColumn> {
        let codes = match self.sampling {
            TupleSampling::BackTracking => {
                backtrack::draw(self.model, &self.cumulative, tuples, &mut self.stream(chunk, 0))
            }
            TupleSampling::WithReplacement => self.pair_by_pair(chunk, tuples, |pair, parents, rng| {
                let cumulative = &self.cumulative[pair];
                parents.iter().map(|&row| cumulative.draw(row, rng)).collect()
            }),
            TupleSampling::WithoutReplacement => self.pair_by_pair(chunk, tuples, |pair, parents, rng| {
                without_replacement::draw(&self.model.conditionals[pair], parents, rng)
            }),
        };
        let sizes = self.model.network.domain.sizes();
        codes.into_iter().zip(sizes).map(|(codes, &size)| narrow(codes, size)).collect()
    }

    /// Returns the random stream of a pair in a chunk.
    fn stream(&self, chunk: u32, pair: usize) -> ChaCha8Rng {
        let pair = u32::try_from(pair).expect("a network has at most limits::COLUMNS pairs");
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream((u64::from(chunk) << 32) | u64::from(pair));
        rng
    }

    /// Returns the codes of every attribute. `draw` gets the parents' cells of all tuples and
    /// returns the children's.
    fn pair_by_pair(
        &self,
        chunk: u32,
        tuples: u32,
        draw: impl Fn(usize, &[u32], &mut ChaCha8Rng) -> Vec<u32>,
    ) -> Vec<Vec<u32>> {
        let network = &self.model.network;
        let mut codes: Vec<Vec<u32>> = vec![Vec::new(); network.domain.len()];
        let mut rows = vec![0; tuples as usize];
        for step in &network.steps {
            match *step {
                Step::Draw { pair } => {
                    let conditional = &self.model.conditionals[pair];
                    rows.fill(0);
                    for place in conditional.parents() {
                        let parent = &codes[place.attribute.index()];
                        rows.iter_mut().zip(parent).for_each(|(row, &code)| *row += place.offset(code));
                    }
                    let cells = draw(pair, &rows, &mut self.stream(chunk, pair));
                    for child in conditional.children() {
                        codes[child.attribute.index()] = cells.iter().map(|&cell| child.code(cell)).collect();
                    }
                }
                Step::Coarsen { fine } => {
                    let (coarse, groups) = network.hierarchies.coarser(fine).expect("the step was made from it");
                    codes[coarse.index()] = codes[fine.index()].iter().map(|&code| groups[code as usize]).collect();
                }
            }
        }
        codes
    }
}

/// Converts codes to the width of their attribute.
#[expect(clippy::cast_possible_truncation, reason = "a code is below its attribute's size")]
fn narrow(codes: Vec<u32>, size: u32) -> CodeColumn {
    match CodeWidth::for_size(size) {
        CodeWidth::U8 => CodeColumn::U8(codes.into_iter().map(|code| code as u8).collect()),
        CodeWidth::U16 => CodeColumn::U16(codes.into_iter().map(|code| code as u16).collect()),
        CodeWidth::U32 => CodeColumn::U32(codes),
    }
}
