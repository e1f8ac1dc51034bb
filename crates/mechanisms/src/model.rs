//! What a fit leaves behind.

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::{ProductModel, Sampling};
use scumble_schema::{Decoder, Schema};
use scumble_vault::Certificate;

use crate::independent::Fitted;
use crate::method::Method;

/// A fitted model: released values, the public schema and the certificate, and nothing else.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(crate) method: Method,
    pub(crate) schema: Schema,
    pub(crate) rows: u64,
    /// The released numbers of every event of the certificate, in their order.
    pub(crate) tables: Vec<Vec<i64>>,
    pub(crate) distribution: ProductModel,
    pub(crate) certificate: Certificate,
}

impl Model {
    pub(crate) fn new(method: Method, schema: Schema, fitted: Fitted, certificate: Certificate) -> Self {
        let tables = fitted.tables.into_iter().map(|table| table.values().to_vec()).collect();
        Self { method, schema, rows: fitted.rows, tables, distribution: fitted.distribution, certificate }
    }

    /// The method that fitted it.
    pub fn method(&self) -> Method {
        self.method
    }

    /// The schema it was fitted to.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The released number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The released tables, one per event of the certificate.
    pub fn tables(&self) -> &[Vec<i64>] {
        &self.tables
    }

    /// The distribution that rows are drawn from.
    pub fn distribution(&self) -> &ProductModel {
        &self.distribution
    }

    /// What was spent, and what may be claimed for it.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
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
        let chunks = self.distribution.sample(rows, seed, sampling);
        chunks.zip(0_u64..).map(move |(columns, chunk)| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            // The sampler's streams hold a column number in their low half; this one is no column's.
            rng.set_stream((chunk << 32) | u64::from(u32::MAX));
            decoder.decode(&columns, &mut rng)
        })
    }
}
