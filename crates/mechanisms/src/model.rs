//! What a fit leaves behind.

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::{Factor, Sampling};
use scumble_schema::{AttributeId, Clique, CodeColumn, DecodedRows, Decoder, Recoding, Schema};
use scumble_vault::Certificate;

use crate::fitted::{Distribution, Fitted};
use crate::method::Method;
use crate::origin::Origin;
use crate::table_bound::TableBound;

/// Rows that shares are counted on where a distribution cannot be summed: enough for the digits that are shown.
const ROWS_FOR_SHARES: u64 = 1 << 17;

/// A fitted model: released values, the public schema and what may be claimed for them, and nothing else.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) schema: Schema,
    /// The columns that the vault was asked about, and that the distribution is over.
    pub(crate) recoding: Recoding,
    pub(crate) rows: u64,
    pub(crate) distribution: Distribution,
    pub(crate) bounds: Vec<TableBound>,
    pub(crate) origin: Origin,
}

impl Model {
    /// Rows in every [part](Self::sample_part_rows) of a sample but the last.
    pub const PART_ROWS: u64 = 1 << 20;

    pub(crate) fn new(schema: Schema, recoding: Recoding, fitted: Fitted, origin: Origin) -> Self {
        let Fitted { distribution, rows, bounds } = fitted;
        Self { schema, recoding, rows, distribution, bounds, origin }
    }

    /// Where its numbers come from, and with them what may be claimed.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The method that measured it, with its options; `None` if its tables were made elsewhere.
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

    /// The columns that tables and distribution are over: those of the schema, or functions of them.
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

    /// How far tables of the distribution may be from the real ones, as far as the method could tell: smaller tables first.
    pub fn bounds(&self) -> &[TableBound] {
        &self.bounds
    }

    /// What was spent, and what may be claimed for it; `None` if its tables were made elsewhere, where only their maker knows.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.origin {
            Origin::Measured { certificate, .. } => Some(certificate),
            Origin::External(_) => None,
        }
    }

    /// The probability of every code of a column of the schema, as far as the model goes. A distribution that cannot be
    /// summed is sampled.
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
        for chunk in self.distribution.sample(&self.recoding, ROWS_FOR_SHARES, 0, Sampling::LowVariance) {
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

    /// What the columns that the vault was asked about are called.
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

    /// Draws `rows` synthetic rows, in batches; the same for the same seed.
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

    /// The same rows, with what stands for missing values in a text file.
    pub fn sample_rows(&self, rows: u64, seed: u64, sampling: Sampling) -> impl Iterator<Item = DecodedRows> + use<'_> {
        self.sample_codes(rows, seed, sampling).map(self.decoding(seed))
    }

    /// One part of the rows of [`Self::sample_rows`], so that several machines can draw one sample together: part `part` of all
    /// parts of [`Self::PART_ROWS`] rows each, the last of which may have fewer.
    pub fn sample_part_rows(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
        part: u32,
    ) -> impl Iterator<Item = DecodedRows> + use<'_> {
        let chunk_rows = self.distribution.chunk_rows(sampling);
        debug_assert!(Self::PART_ROWS.is_multiple_of(chunk_rows), "a part is made of whole chunks");
        let chunks = u32::try_from(Self::PART_ROWS / chunk_rows).expect("a part has few chunks");
        let first = part.checked_mul(chunks).expect("2^48 rows are more than anyone waits for");
        let codes = self.codes_from(rows, seed, sampling, first).take(chunks as usize);
        codes.map(self.decoding_from(seed, first, chunk_rows))
    }

    /// How the chunks of a sample become values, one after the other.
    pub(crate) fn decoding(&self, seed: u64) -> impl FnMut(Vec<CodeColumn>) -> DecodedRows + use<> {
        self.decoding_from(seed, 0, 0)
    }

    /// The same from chunk number `first` on, where each has so many rows.
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
            // The sampler's streams hold a column number in their low half; this one is no column's.
            rng.set_stream((chunk << 32) | u64::from(u32::MAX));
            let rows = decoder.decode_rows(before, &columns, &mut rng);
            chunk += 1;
            before += rows.batch.num_rows() as u64;
            rows
        }
    }

    /// The same rows as codes of the schema's columns, for programs that compare tables of codes.
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
        let chunks = self.distribution.sample_from(&self.recoding, rows, seed, sampling, first);
        chunks.map(|chunk| if self.recoding.is_identity() { chunk } else { self.recoding.restore(&chunk) })
    }
}

/// Models are equal if their files are.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
