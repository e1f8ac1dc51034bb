//! Sampling from a tree model.

use std::sync::OnceLock;

use scumble_schema::{AttributeId, CodeColumn, CodeWidth, Domain};

use super::branch::Branch;
use super::matching::Matching;
use super::step::Step;
use super::target::RowTarget;
use super::{CHUNK_ROWS, Sampling, Streams};
use crate::error::ModelError;
use crate::parallel;
use crate::tree::tree_model::{Node, TreeModel};

/// Number of chunks in which the model's expected tables are counted. Twice as many take 0.5 to 3
/// seconds more.
const COUNTED_CHUNKS: usize = 8;

/// Seed of those chunks. It may be public: the rows are counted and discarded.
const COUNTED_SEED: u64 = 2026;

/// Draws rows from a tree model: one attribute after the other, each given those before it in its
/// clique.
///
/// It holds cumulative probabilities, at most two per cell of the model. Make it once per model.
/// Besides its rows, a chunk takes one number for every combination of codes that an attribute
/// depends on. [`Sampling::Matched`] takes up to 16 MB more per chunk, and keeps as much after the
/// first chunk.
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
    branches: Vec<Branch>,
    /// The columns whose tables matched sampling compares with the model.
    compared: Vec<AttributeId>,
    /// Their expected tables, counted on first use; `None` if they are too large.
    matching: OnceLock<Option<Matching>>,
    /// Tables that rows are moved towards.
    targets: Option<Matching>,
}

impl Sampler {
    /// Prepares a model for sampling.
    pub fn new(model: &TreeModel) -> Self {
        let domain = model.domain().clone();
        let steps = model.nodes().iter().flat_map(|node| steps(&domain, node)).collect();
        let compared = domain.attributes().collect();
        Self { domain, steps, branches: Branch::all(model), compared, matching: OnceLock::new(), targets: None }
    }

    /// Makes [`Sampling::Matched`] compare the tables of these columns alone. Leave out columns
    /// whose tables add nothing, such as coarser versions of others.
    #[must_use]
    pub fn comparing(mut self, columns: &[AttributeId]) -> Self {
        self.compared = columns.to_vec();
        self.matching = OnceLock::new();
        self
    }

    /// Makes columns be swapped between rows until the tables of the rows are near these targets.
    /// Rows that are drawn [independently](Sampling::Independent) stay as the model has them.
    ///
    /// # Errors
    /// If the targets together are too large.
    pub fn towards(mut self, targets: &[RowTarget]) -> Result<Self, ModelError> {
        RowTarget::check_size(&self.domain, targets)?;
        self.targets = Matching::towards(&self.domain, targets);
        Ok(self)
    }

    /// Draws one chunk, column by column in the order of the domain.
    pub(super) fn chunk(&self, rows: usize, sampling: Sampling, streams: Streams) -> Vec<CodeColumn> {
        // An attribute of one code has no step; its column is all zeros.
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
        let matching = match sampling {
            // Tables of the model across its cliques are those that the targets replace.
            Sampling::LowVariance | Sampling::Matched if self.targets.is_some() => self.targets.as_ref(),
            Sampling::Matched => self.matching(),
            Sampling::Independent | Sampling::LowVariance => None,
        };
        if let Some(matching) = matching {
            matching.improve(&mut columns, &self.branches, &mut streams.swaps());
        }
        columns
    }

    /// Returns the expected tables of the compared columns, counted in rows drawn from the model.
    fn matching(&self) -> Option<&Matching> {
        let counted = self.sample(COUNTED_CHUNKS as u64 * CHUNK_ROWS, COUNTED_SEED, Sampling::LowVariance);
        let chunk = |index: usize| counted.make(index as u64);
        let rows = || parallel::map(0..COUNTED_CHUNKS, chunk);
        self.matching.get_or_init(|| Matching::new(&self.domain, &self.compared, rows)).as_ref()
    }
}

/// Returns the steps of a clique: its residual's attributes one by one, each given the separator
/// and those before it.
///
/// The table of a step is the clique's with the later attributes summed out, so each has at most
/// half the cells of the next.
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
