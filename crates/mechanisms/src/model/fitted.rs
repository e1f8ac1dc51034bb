//! The result of a method: a distribution and a number of rows.

use chacha20::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use scumble_pgm::network::{
    Coarsening, EmptyParents, Hierarchies, Network, NetworkModel, ToProbabilities, TupleSampling, Tuples,
};
use scumble_pgm::{Chunks, Factor, ModelError, ProductModel, RowTarget, Sampler, Sampling, TreeModel};
use scumble_schema::{AttributeId, Clique, CodeColumn, Domain, Recoding, cells};

use crate::learning::noisy::whole;
use crate::model::table_bound::TableBound;

/// The result of a method: a distribution built from released values, and a released number of
/// rows.
#[derive(Debug, Clone)]
pub struct Fitted {
    /// The distribution, over the columns that the vault was asked about.
    pub distribution: Distribution,
    /// Number of rows of the real table: public, or a released estimate.
    pub rows: u64,
    /// Bounds on the errors of tables of the distribution, where the method has any.
    pub bounds: Vec<TableBound>,
    /// Tables that rows are moved towards.
    pub targets: Vec<RowTarget>,
}

impl Fitted {
    /// A distribution for a number of rows, without bounds on errors.
    pub fn new(distribution: Distribution, rows: u64) -> Self {
        Self { distribution, rows, bounds: Vec::new(), targets: Vec::new() }
    }

    /// A graphical model for its own number of rows, without bounds on errors.
    pub(crate) fn of_tree(model: TreeModel) -> Self {
        let rows = whole(model.total());
        Self::new(Distribution::Tree(model), rows)
    }
}

/// A distribution built from released values, in the form that rows are drawn from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Distribution {
    /// Columns that are independent of each other.
    Product(ProductModel),
    /// A Bayesian network over tables that may contradict each other.
    Network(NetworkTables),
    /// A graphical model.
    Tree(TreeModel),
    /// Rows that were released one by one, as columns.
    Rows(Vec<CodeColumn>),
}

/// Number of rows in a chunk of released rows that are drawn again.
const CHUNK_ROWS: usize = 1 << 16;

impl Distribution {
    /// Number of numbers that the distribution holds.
    pub(crate) fn cells(&self) -> u128 {
        let cells = match self {
            Self::Product(model) => model.probabilities().iter().map(|column| column.len()).sum(),
            Self::Network(network) => network.tables.iter().map(|table| table.values().len()).sum(),
            Self::Tree(model) => model.nodes().iter().map(|node| node.conditional().len()).sum(),
            Self::Rows(rows) => rows.iter().map(CodeColumn::len).sum::<usize>(),
        };
        cells as u128
    }

    /// Number of rows in every chunk of a sample but the last.
    pub(crate) fn chunk_rows(&self, sampling: Sampling) -> u64 {
        match self {
            Self::Product(_) | Self::Tree(_) => Chunks::ROWS,
            Self::Network(network) => Tuples::chunk_tuples(network.tuples(sampling)),
            Self::Rows(_) => CHUNK_ROWS as u64,
        }
    }

    /// Draws the chunks of a sample from number `first` on, as columns of a recoding, where
    /// possible without drawing those before it. Equal seeds give equal rows.
    pub(crate) fn sample(
        &self,
        recoding: &Recoding,
        rows: u64,
        seed: u64,
        sampling: Sampling,
        first: u32,
        targets: &[RowTarget],
    ) -> Box<dyn Iterator<Item = Vec<CodeColumn>> + '_> {
        let skipped = first as usize;
        match self {
            Self::Product(model) => Box::new(model.sample(rows, seed, sampling).skip(skipped)),
            Self::Network(network) => {
                Box::new(network.model.sample(rows, seed, network.tuples(sampling)).starting_at(first))
            }
            Self::Tree(model) => {
                // Coarser versions follow from the finest; their tables add no information.
                let finest = recoding.domain().attributes().filter(|&column| recoding.finer(column).is_none());
                let sampler = Sampler::new(model).comparing(&finest.collect::<Vec<_>>());
                let sampler = sampler.towards(targets).expect("the targets of a model are small enough");
                Box::new((skipped..).map_while(move |chunk| sampler.sample(rows, seed, sampling).nth(chunk)))
            }
            // Rows depend on those before them, so skipped chunks are drawn too. They are cheap.
            Self::Rows(released) => Box::new(repeated(released, rows, seed, sampling).skip(skipped)),
        }
    }
}

/// Draws released rows again: each independently, or all of them equally often up to one.
fn repeated(
    released: &[CodeColumn],
    rows: u64,
    seed: u64,
    sampling: Sampling,
) -> impl Iterator<Item = Vec<CodeColumn>> + '_ {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let held = released.first().map_or(0, CodeColumn::len);
    let (mut left, mut turn) = (if held == 0 { 0 } else { rows }, Vec::new());
    std::iter::from_fn(move || {
        let chunk = usize::try_from(left).map_or(CHUNK_ROWS, |left| left.min(CHUNK_ROWS));
        left -= chunk as u64;
        let mut next = || match sampling {
            Sampling::Independent => rng.random_range(0..held),
            Sampling::Matched | Sampling::LowVariance => {
                if turn.is_empty() {
                    turn = (0..held).collect();
                    turn.shuffle(&mut rng);
                }
                turn.pop().expect("there is a row")
            }
        };
        let picked: Vec<usize> = (0..chunk).map(|_| next()).collect();
        (chunk > 0).then(|| released.iter().map(|column| column.pick(&picked)).collect())
    })
}

/// A Bayesian network with the tables that its conditionals come from.
#[derive(Debug, Clone)]
pub struct NetworkTables {
    pub(crate) model: NetworkModel,
    pub(crate) tables: Vec<Factor>,
    pub(crate) to: ToProbabilities,
    pub(crate) empty: EmptyParents,
    pub(crate) consistency: Consistency,
}

/// Whether tables agree on the columns they share. Decides how tuples are drawn from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consistency {
    /// Tables were made to agree: tuples are drawn without replacement.
    Enforced,
    /// Tables are as released and may contradict each other: drawing may have to backtrack.
    None,
}

impl NetworkTables {
    /// Builds a network from noisy counts, one table per pair.
    ///
    /// # Errors
    /// If the tables are not those of the pairs.
    pub fn new(
        network: Network,
        tables: Vec<Factor>,
        to: ToProbabilities,
        empty: EmptyParents,
        consistency: Consistency,
    ) -> Result<Self, ModelError> {
        let model = NetworkModel::new(network, &tables, to, empty)?;
        Ok(Self { model, tables, to, empty, consistency })
    }

    /// Returns the papers' way to draw tuples that corresponds to a way to draw rows.
    fn tuples(&self, sampling: Sampling) -> TupleSampling {
        match (sampling, self.consistency) {
            (Sampling::Independent, _) => TupleSampling::WithReplacement,
            (Sampling::Matched | Sampling::LowVariance, Consistency::Enforced) => TupleSampling::WithoutReplacement,
            (Sampling::Matched | Sampling::LowVariance, Consistency::None) => TupleSampling::BackTracking,
        }
    }

    /// The network with its conditional distributions.
    pub fn model(&self) -> &NetworkModel {
        &self.model
    }

    /// The noisy counts, one table per pair.
    pub fn tables(&self) -> &[Factor] {
        &self.tables
    }

    /// Whether the tables agree with each other.
    pub fn consistency(&self) -> Consistency {
        self.consistency
    }
}

/// Decodes cells of the table over all columns into rows, as columns; `None` if a cell is out of
/// range.
pub(crate) fn rows_of_cells(domain: &Domain, drawn: impl Iterator<Item = u64>) -> Option<Vec<CodeColumn>> {
    let all = Clique::new(domain.attributes());
    let cells = u64::try_from(domain.table_len(&all).ok()?).ok()?;
    let places: Vec<(u64, u32)> = cells::strides(domain, &all)
        .into_iter()
        .map(|stride| stride as u64)
        .zip(domain.sizes().iter().copied())
        .collect();
    let mut columns: Vec<CodeColumn> = places.iter().map(|&(_, size)| CodeColumn::with_capacity(size, 0)).collect();
    for cell in drawn {
        if cell >= cells {
            return None;
        }
        for (column, &(stride, size)) in columns.iter_mut().zip(&places) {
            column.push(u32::try_from(cell / stride % u64::from(size)).expect("below the size of its attribute"));
        }
    }
    Some(columns)
}

/// Lists the columns of a recoding that are coarser versions of others.
///
/// # Errors
/// If a column has two coarser versions, which no recoding makes.
pub fn hierarchies(recoding: &Recoding) -> Result<Hierarchies, ModelError> {
    let domain = recoding.domain();
    let step = |coarse: AttributeId| {
        let fine = recoding.finer(coarse)?;
        Some(Coarsening::new(fine, coarse, recoding.groups(fine, coarse)))
    };
    Hierarchies::new(domain, domain.attributes().filter_map(step).collect())
}
