//! A tree model made ready for sampling.

use std::sync::OnceLock;

use scumble_schema::{AttributeId, CodeColumn, CodeWidth, Domain};

use super::matching::Matching;
use super::part::Part;
use super::step::Step;
use super::{CHUNK_ROWS, Sampling, Streams};
use crate::parallel;
use crate::tree::tree_model::{Node, TreeModel};

/// Chunks that are counted for what the model expects. Twice as many take half a second to three seconds more.
const COUNTED_CHUNKS: usize = 8;

/// Anyone may know it: the rows that it stands for are counted and forgotten.
const COUNTED_SEED: u64 = 2026;

/// A tree model made ready for sampling: one attribute after the other, each given those before it in its clique.
///
/// It holds cumulative probabilities, at most twice as many numbers as the model has cells. Make it once per model. Making a
/// chunk takes, besides the chunk's own rows, a number for every combination of codes that an attribute depends on. For
/// [`Sampling::Matched`] it takes up to sixteen megabytes more, and as much is kept after the first chunk.
///
/// ```
/// use scumble_pgm::{CliqueVector, Factor, Sampler, Sampling, infer};
/// use scumble_schema::{Clique, Domain};
///
/// let domain = Domain::new(vec![2, 2])?;
/// let both = Factor::new(&domain, Clique::new(domain.attributes()), vec![0.0, -700.0, -700.0, 0.0])?;
/// let model = infer(&CliqueVector::new(&domain, vec![both])?, &[], 100.0)?;
///
/// let sampler = Sampler::new(&model);
/// for chunk in sampler.sample(1_000, 7, Sampling::LowVariance) {
///     assert_eq!(chunk[0], chunk[1]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sampler {
    domain: Domain,
    steps: Vec<Step>,
    parts: Vec<Part>,
    /// The columns whose tables are compared with the model where rows are matched to it.
    compared: Vec<AttributeId>,
    /// What they are compared with; made when it is first needed, and nothing if that were too large.
    matching: OnceLock<Option<Matching>>,
}

impl Sampler {
    /// Makes a model ready.
    pub fn new(model: &TreeModel) -> Self {
        let domain = model.domain().clone();
        let steps = model.nodes().iter().flat_map(|node| steps(&domain, node)).collect();
        let compared = domain.attributes().collect();
        Self { domain, steps, parts: Part::all(model), compared, matching: OnceLock::new() }
    }

    /// The same, with rows matched to the model on the tables of these columns alone. Others follow where they must: coarser
    /// versions of columns, say, whose tables tell nothing new.
    #[must_use]
    pub fn comparing(mut self, columns: &[AttributeId]) -> Self {
        self.compared = columns.to_vec();
        self.matching = OnceLock::new();
        self
    }

    /// One chunk, column by column in the order of the domain.
    pub(super) fn chunk(&self, rows: usize, sampling: Sampling, streams: Streams) -> Vec<CodeColumn> {
        // An attribute of one code has no step; its column is this.
        let mut columns = vec![CodeColumn::U8(vec![0; rows]); self.domain.len()];
        for step in &self.steps {
            let attribute = step.attribute();
            let group_of = step.groups(&columns, rows);
            let mut rng = streams.column(attribute.index());
            columns[attribute.index()] = match CodeWidth::for_size(self.domain.size(attribute)) {
                CodeWidth::U8 => CodeColumn::U8(step.sample(&group_of, sampling, &mut rng)),
                CodeWidth::U16 => CodeColumn::U16(step.sample(&group_of, sampling, &mut rng)),
                CodeWidth::U32 => CodeColumn::U32(step.sample(&group_of, sampling, &mut rng)),
            };
        }
        if sampling == Sampling::Matched
            && let Some(matching) = self.matching()
        {
            matching.improve(&mut columns, &self.parts, &mut streams.exchanges());
        }
        columns
    }

    /// What the model expects of the columns that are compared, counted in rows of its own.
    fn matching(&self) -> Option<&Matching> {
        let counted = self.sample(COUNTED_CHUNKS as u64 * CHUNK_ROWS, COUNTED_SEED, Sampling::LowVariance);
        let chunk = |index: usize| counted.make(index as u64);
        let rows = || parallel::on_numbers(parallel::processors(), COUNTED_CHUNKS, chunk);
        self.matching.get_or_init(|| Matching::new(&self.domain, &self.compared, rows)).as_ref()
    }
}

/// The attributes that a clique adds, one by one, each given the separator and those added before it.
///
/// Their tables are the clique's with the attributes behind summed out, so each has at most half the cells of the next.
fn steps(domain: &Domain, node: &Node) -> Vec<Step> {
    let residual = node.residual().attributes();
    let mut given: Vec<AttributeId> = node.separator().attributes().to_vec();
    let mut steps = Vec::new();
    for (position, &attribute) in residual.iter().enumerate() {
        if domain.size(attribute) > 1 {
            let behind: usize = residual[position + 1..].iter().map(|&behind| domain.size(behind) as usize).product();
            let weights = node.conditional().chunks_exact(behind).map(|block| block.iter().sum()).collect();
            steps.push(Step::new(domain, &given, attribute, weights));
            given.push(attribute);
        }
    }
    steps
}
