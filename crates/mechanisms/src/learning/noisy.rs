//! Conversions of released tables to the numbers that models are fitted to.

use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_pgm::total::{self, Evidence};
use scumble_pgm::{Measurement, ModelError};
use scumble_schema::Domain;
use scumble_vault::NoisyTable;
use sha2::{Digest, Sha256};

/// Minimum standard deviation, in rows. That of Laplace noise falls exponentially with epsilon, and
/// its square would underflow in a division.
const MIN_DEVIATION: f64 = 1e-6;

/// Returns the standard deviation of a table's noise.
fn deviation(table: &NoisyTable) -> f64 {
    table.standard_deviation().max(MIN_DEVIATION)
}

/// Returns the noisy counts.
pub(crate) fn counts(table: &NoisyTable) -> Vec<f64> {
    table.values().iter().map(|&count| count as f64).collect()
}

/// Returns the noisy counts of tables with their standard deviations.
pub(crate) fn measurements(domain: &Domain, tables: &[NoisyTable]) -> Result<Vec<Measurement>, ModelError> {
    let measurement =
        |table| Measurement::new(domain, NoisyTable::clique(table).clone(), counts(table), deviation(table));
    tables.iter().map(measurement).collect()
}

/// Estimates the number of rows from the sums of tables.
pub(crate) fn estimated_rows<'a>(tables: impl IntoIterator<Item = &'a NoisyTable>) -> f64 {
    let evidence = |table: &NoisyTable| {
        let counts = counts(table);
        let variance = counts.len() as f64 * deviation(table).powi(2);
        Evidence { sum: counts.iter().sum(), variance }
    };
    total::estimate(&tables.into_iter().map(evidence).collect::<Vec<_>>())
}

/// Rounds a number of rows to a count.
pub(crate) fn whole(rows: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates at both ends")]
    let rows = rows.round() as u64;
    rows
}

/// Returns a random generator for draws that are not noise.
///
/// It is seeded by released values, so that a resumed fit draws the same, and other fits draw
/// others.
pub(crate) fn generator(tables: &[NoisyTable]) -> ChaCha8Rng {
    let mut digest = Sha256::new();
    for value in tables.iter().flat_map(NoisyTable::values) {
        digest.update(value.to_le_bytes());
    }
    ChaCha8Rng::from_seed(digest.finalize().into())
}
