//! What was measured.

use scumble_schema::{Clique, Domain};

use crate::error::ModelError;
use crate::table::factor::Factor;
use crate::table::vector;
use crate::total::Evidence;

/// A noisy table: the counts of a clique's cells, each with noise of the same standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    pub(crate) counts: Factor,
    standard_deviation: f64,
}

impl Measurement {
    /// The table over `clique` with these values.
    pub fn new(domain: &Domain, clique: Clique, values: Vec<f64>, standard_deviation: f64) -> Result<Self, ModelError> {
        Self::of(Factor::new(domain, clique, values)?, standard_deviation)
    }

    /// These counts, with noise of this standard deviation.
    pub fn of(counts: Factor, standard_deviation: f64) -> Result<Self, ModelError> {
        if !counts.values().iter().all(|value| value.is_finite()) {
            return Err(ModelError::NotFinite { what: "a measured value", positive: false });
        }
        if !(standard_deviation.is_finite() && standard_deviation > 0.0) {
            return Err(ModelError::NotFinite { what: "a standard deviation", positive: true });
        }
        Ok(Self { counts, standard_deviation })
    }

    /// The attributes it ranges over.
    pub fn clique(&self) -> &Clique {
        self.counts.clique()
    }

    /// The noisy counts.
    pub fn values(&self) -> &[f64] {
        self.counts.values()
    }

    /// The noisy counts, with their clique.
    pub fn counts(&self) -> &Factor {
        &self.counts
    }

    /// The noisy counts alone.
    pub fn into_counts(self) -> Factor {
        self.counts
    }

    /// The standard deviation of the noise on each cell.
    pub fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    /// The variance of the noise on each cell.
    pub(crate) fn variance(&self) -> f64 {
        self.standard_deviation * self.standard_deviation
    }

    /// What the table says of the number of rows.
    #[expect(clippy::cast_precision_loss, reason = "at most limits::CELLS_PER_MODEL cells a table")]
    pub fn evidence(&self) -> Evidence {
        Evidence { sum: vector::sum(self.values()), variance: self.values().len() as f64 * self.variance() }
    }
}
