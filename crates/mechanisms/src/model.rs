//! What a fit leaves behind.

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::{Factor, Sampling};
use scumble_schema::{AttributeId, Clique, CodeColumn, Decoder, Recoding, Schema};
use scumble_vault::Certificate;

use crate::fitted::{Distribution, Fitted};
use crate::method::Method;

/// Rows that shares are counted on where a distribution cannot be summed: enough for the digits that are shown.
const ROWS_FOR_SHARES: u64 = 1 << 17;

/// A fitted model: released values, the public schema and the certificate, and nothing else.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) method: Method,
    pub(crate) schema: Schema,
    /// The columns that the vault was asked about, and that the distribution is over.
    pub(crate) recoding: Recoding,
    pub(crate) rows: u64,
    /// The released numbers of every event of the certificate, in their order.
    pub(crate) released: Vec<Vec<i64>>,
    pub(crate) distribution: Distribution,
    pub(crate) certificate: Certificate,
}

impl Model {
    pub(crate) fn new(
        method: Method,
        schema: Schema,
        recoding: Recoding,
        fitted: Fitted,
        released: Vec<Vec<i64>>,
        certificate: Certificate,
    ) -> Self {
        let Fitted { distribution, rows } = fitted;
        Self { method, schema, recoding, rows, released, distribution, certificate }
    }

    /// The method that fitted it, with its options.
    pub fn method(&self) -> &Method {
        &self.method
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

    /// The released numbers of every event of the certificate: counts of tables, scores, and positions of what was
    /// chosen.
    pub fn released(&self) -> &[Vec<i64>] {
        &self.released
    }

    /// The distribution that rows are drawn from.
    pub fn distribution(&self) -> &Distribution {
        &self.distribution
    }

    /// What was spent, and what may be claimed for it.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
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
        for chunk in self.distribution.sample(ROWS_FOR_SHARES, 0, Sampling::LowVariance) {
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
        let decoder = Decoder::new(&self.schema);
        self.sample_codes(rows, seed, sampling).zip(0_u64..).map(move |(columns, chunk)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // The sampler's streams hold a column number in their low half; this one is no column's.
            rng.set_stream((chunk << 32) | u64::from(u32::MAX));
            decoder.decode(&columns, &mut rng)
        })
    }

    /// The same rows as codes of the schema's columns, for programs that compare tables of codes.
    pub fn sample_codes(
        &self,
        rows: u64,
        seed: u64,
        sampling: Sampling,
    ) -> impl Iterator<Item = Vec<CodeColumn>> + use<'_> {
        let chunks = self.distribution.sample(rows, seed, sampling);
        chunks.map(|chunk| if self.recoding.is_identity() { chunk } else { self.recoding.restore(&chunk) })
    }
}

/// Models are equal if their files are.
impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.to_bytes() == other.to_bytes()
    }
}
