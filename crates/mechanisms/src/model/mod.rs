//! A fitted model.

pub(crate) mod conditioning;
pub(crate) mod file;
pub(crate) mod fitted;
pub(crate) mod origin;
pub(crate) mod origin_file;
pub(crate) mod parity_tables;
pub(crate) mod shape;
pub(crate) mod table_bound;
pub(crate) mod targets;

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::{Factor, RowTarget, Sampling};
use scumble_schema::{AttributeId, Clique, CodeColumn, DecodedRows, Decoder, Recoding, Schema};
use scumble_vault::Certificate;

use crate::mechanism::method::Method;
use crate::model::fitted::{Distribution, Fitted};
use crate::model::origin::Origin;
use crate::model::table_bound::TableBound;
use crate::quality::{Checked, RowsChecked};

/// Number of rows sampled to estimate shares where a distribution cannot be summed: enough for the
/// digits that reports show.
const ROWS_FOR_SHARES: u64 = 1 << 17;

/// A fitted model: released values, the public schema and a certificate, and nothing else.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) schema: Schema,
    /// The columns that the vault was asked about, and that the distribution is over.
    pub(crate) recoding: Recoding,
    pub(crate) rows: u64,
    pub(crate) distribution: Distribution,
    pub(crate) bounds: Vec<TableBound>,
    pub(crate) origin: Origin,
    /// Tables across the cliques of the distribution that rows are moved towards.
    pub(crate) targets: Vec<RowTarget>,
    /// Rows that were compared with the real ones.
    pub(crate) checked: Option<RowsChecked>,
}

impl Model {
    /// Number of rows in every [block](Self::sample_block) of a sample but the last.
    pub const BLOCK_ROWS: u64 = 1 << 20;

    pub(crate) fn new(schema: Schema, recoding: Recoding, fitted: Fitted, origin: Origin) -> Self {
        let Fitted { distribution, rows, bounds, targets } = fitted;
        Self { schema, recoding, rows, distribution, bounds, origin, targets, checked: None }
    }

    /// Adds what was released about rows of the model.
    pub(crate) fn with_checked(self, checked: Option<RowsChecked>) -> Self {
        Self { checked, ..self }
    }

    /// Released figures of the quality of its rows, if the fit checked some.
    pub fn checked(&self) -> Option<Checked> {
        let Origin::Measured { released, certificate, .. } = &self.origin else { return None };
        let (checked, event, values) = (self.checked.as_ref()?, certificate.events().last()?, released.last()?);
        let unit = 1.0 / f64::from(1_u32 << event.lattice_log2());
        let values: Vec<f64> = values.iter().map(|&value| value as f64 * unit).collect();
        Some(checked.figures(&values, event.mechanism().standard_deviation()? * unit))
    }

    /// The origin of its numbers, which decides what privacy may be claimed.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The method that measured it, with its options; `None` for external tables.
    pub fn method(&self) -> Option<&Method> {
        match &self.origin {
            Origin::Measured { method, .. } => Some(method),
            Origin::External(_) => None,
        }
    }

    /// The schema it was fitted to.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Columns of the tables and the distribution: those of the schema, or functions of them.
    pub fn recoding(&self) -> &Recoding {
        &self.recoding
    }

    /// The released number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The distribution that rows are drawn from.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// Tables that rows are moved towards. The distribution itself does not have them.
    pub fn targets(&self) -> &[RowTarget] {
        &self.targets
    }

    /// Bounds on the errors of tables, where the method has any: smaller tables first.
    pub fn bounds(&self) -> &[TableBound] {
        &self.bounds
    }

    /// The certificate of what was spent; `None` for external tables, whose cost is only stated.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.origin {
            Origin::Measured { certificate, .. } => Some(certificate),
            Origin::External(_) => None,
        }
    }

    /// Computes the probability of every code of every column of the schema. A distribution that
    /// cannot be summed is sampled.
    pub fn shares(&self) -> Vec<Vec<f64>> {
        match &self.distribution {
            Distribution::Product(model) => model.probabilities().iter().map(|column| column.to_vec()).collect(),
            Distribution::Tree(model) if self.recoding.is_identity() => {
                let cliques: Vec<Clique> = self.schema.domain().attributes().map(Clique::single).collect();
                let marginals = model.marginals(&cliques).expect("every column is in the model");
                marginals.into_iter().map(Factor::into_values).collect()
            }
            _ => self.counted_shares(),
        }
    }

    fn counted_shares(&self) -> Vec<Vec<f64>> {
        let domain = self.schema.domain();
        let mut counts: Vec<Vec<f64>> = domain.sizes().iter().map(|&size| vec![0.0; size as usize]).collect();
        for chunk in self.distribution.sample(&self.recoding, ROWS_FOR_SHARES, 0, Sampling::LowVariance, 0, &[]) {
            let chunk = self.recoding.restore(&chunk);
            for (counts, column) in counts.iter_mut().zip(&chunk) {
                for code in column.iter() {
                    counts[code as usize] += 1.0;
                }
            }
        }
        for counts in &mut counts {
            let rows: f64 = counts.iter().sum();
            for count in counts {
                *count /= rows.max(1.0);
            }
        }
        counts
    }

    /// Returns a name for a column of [`Self::recoding`].
    pub fn column_name(&self, column: AttributeId) -> String {
        let of = self.recoding.of(column);
        let name = self.schema.attributes()[of.index()].name();
        let (codes, size) = (self.recoding.domain().size(column), self.schema.domain().size(of));
        if self.recoding.is_identity() || column == of && codes == size {
            return name.into();
        }
        if self.recoding.finer(column).is_some() {
            return format!("{name} in {codes} groups");
        }
        let before = (0..column.index()).filter(|&other| self.recoding.of(AttributeId::new(other)) == of);
        format!("{name}, binary digit {}", before.count() + 1)
    }

    /// Draws `rows` synthetic rows, in batches. Equal seeds give equal rows.
    ///
    /// # Privacy
    /// Post-processing: a model may be sampled any number of times, with any seed.
    pub fn sample(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
    ) -> impl Iterator<Item = arrow_array::RecordBatch> + use<'_> {
        self.sample_rows(rows, seed, sampling).map(|rows| rows.batch)
    }

    /// Draws the rows of [`Self::sample`], with the text that stands for missing values in a text
    /// file.
    pub fn sample_rows(&self, rows: u64, seed: u64, sampling: Sampling) -> impl Iterator<Item = DecodedRows> + use<'_> {
        self.sample_codes(rows, seed, sampling).map(self.decoding(seed))
    }

    /// Draws one block of the rows of [`Self::sample_rows`], so that several machines can share a
    /// sample. Every block has [`Self::BLOCK_ROWS`] rows; the last may have fewer.
    pub fn sample_block(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
        block: u32,
    ) -> impl Iterator<Item = DecodedRows> + use<'_> {
        let chunk_rows = self.distribution.chunk_rows(sampling);
        debug_assert!(Self::BLOCK_ROWS.is_multiple_of(chunk_rows), "a block consists of whole chunks");
        let chunks = u32::try_from(Self::BLOCK_ROWS / chunk_rows).expect("a block has few chunks");
        let first = block.checked_mul(chunks).expect("a sample has fewer than 2^48 rows");
        let codes = self.codes_from(rows, seed, sampling, first).take(chunks as usize);
        codes.map(self.decoding_from(seed, first, chunk_rows))
    }

    /// Returns a function that decodes the chunks of a sample, in order.
    pub(crate) fn decoding(&self, seed: u64) -> impl FnMut(Vec<CodeColumn>) -> DecodedRows + use<> {
        self.decoding_from(seed, 0, 0)
    }

    /// Returns a function that decodes the chunks of a sample from number `first` on.
    fn decoding_from(
        &self,
        seed: u64,
        first: u32,
        chunk_rows: u64,
    ) -> impl FnMut(Vec<CodeColumn>) -> DecodedRows + use<> {
        let decoder = Decoder::new(&self.schema).with_seed(seed);
        let (mut chunk, mut before) = (u64::from(first), u64::from(first) * chunk_rows);
        move |columns| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // The sampler's streams have a column number in their low half. This one is not a
            // column's.
            rng.set_stream((chunk << 32) | u64::from(u32::MAX));
            let rows = decoder.decode_rows(before, &columns, &mut rng);
            chunk += 1;
            before += rows.batch.num_rows() as u64;
            rows
        }
    }

    /// Draws the rows of [`Self::sample`] as codes of the schema's columns.
    pub fn sample_codes(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
    ) -> impl Iterator<Item = Vec<CodeColumn>> + use<'_> {
        self.codes_from(rows, seed, sampling, 0)
    }

    fn codes_from(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
        first: u32,
    ) -> impl Iterator<Item = Vec<CodeColumn>> + use<'_> {
        let chunks = self.distribution.sample(&self.recoding, rows, seed, sampling, first, &self.targets);
        chunks.map(|chunk| self.restored(chunk))
    }

    /// Converts columns of the recoding to columns of the schema.
    pub(crate) fn restored(&self, chunk: Vec<CodeColumn>) -> Vec<CodeColumn> {
        if self.recoding.is_identity() { chunk } else { self.recoding.restore(&chunk) }
    }
}

/// Models are equal if their files are.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
