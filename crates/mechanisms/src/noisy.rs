//! Released tables as the numbers that models are made of.

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::total::{self, Evidence};
use scumble_pgm::{Measurement, ModelError};
use scumble_schema::Domain;
use scumble_vault::NoisyTable;
use sha2::{Digest, Sha256};

/// The least standard deviation that is computed with, in rows. That of Laplace noise falls off exponentially with epsilon, and its square
/// would be nothing to divide by.
const LEAST_DEVIATION: f64 = 1e-6;

/// The standard deviation of a table's noise.
fn deviation(table: &NoisyTable) -> f64 {
    table.standard_deviation().max(LEAST_DEVIATION)
}

/// The noisy counts.
pub(crate) fn counts(table: &NoisyTable) -> Vec<f64> {
    #[expect(clippy::cast_precision_loss, reason = "noise is far above the last bit of a count beyond 2^53")]
    table.values().iter().map(|&count| count as f64).collect()
}

/// The noisy counts with their noise.
pub(crate) fn measurement(domain: &Domain, table: &NoisyTable) -> Result<Measurement, ModelError> {
    Measurement::new(domain, table.clique().clone(), counts(table), deviation(table))
}

/// The number of rows, as far as the sums of tables tell it.
pub(crate) fn estimated_rows<'a>(tables: impl IntoIterator<Item = &'a NoisyTable>) -> f64 {
    let evidence = |table: &NoisyTable| {
        let counts = counts(table);
        #[expect(clippy::cast_precision_loss, reason = "tables have at most ten million cells")]
        let variance = counts.len() as f64 * deviation(table).powi(2);
        Evidence { sum: counts.iter().sum(), variance }
    };
    total::estimate(&tables.into_iter().map(evidence).collect::<Vec<_>>())
}

/// A number of rows as a count.
pub(crate) fn whole(rows: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates at both ends")]
    let rows = rows.round() as u64;
    rows
}

/// A source of random choices that are no noise. It follows from released values, so that a fit that is taken up again chooses the
/// same, and differs from fit to fit.
pub(crate) fn generator(tables: &[NoisyTable]) -> ChaCha8Rng {
    let mut digest = Sha256::new();
    for value in tables.iter().flat_map(NoisyTable::values) {
        digest.update(value.to_le_bytes());
    }
    ChaCha8Rng::from_seed(digest.finalize().into())
}
