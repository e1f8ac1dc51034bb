//! Noisy tables, and what follows from their counts alone.

pub mod simplex;
pub mod total;

use scumble_schema::{Clique, Domain};

use crate::error::ModelError;
use crate::table::factor::Factor;
use crate::table::vector;
use total::Evidence;

/// A noisy table: the counts of a clique's cells, each with noise of the same standard deviation.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    pub(crate) counts: Factor,
    standard_deviation: f64,
}

impl Measurement {
    /// Makes a measurement of `clique` from its noisy counts.
    pub fn new(domain: &Domain, clique: Clique, values: Vec<f64>, standard_deviation: f64) -> Result<Self, ModelError> {
        Self::of(Factor::new(domain, clique, values)?, standard_deviation)
    }

    /// Makes a measurement from noisy counts and the standard deviation of their noise.
    pub fn of(counts: Factor, standard_deviation: f64) -> Result<Self, ModelError> {
        if !counts.values().iter().all(|value| value.is_finite()) {
            return Err(ModelError::NotFinite { what: "a measured value", positive: false });
        }
        if !(standard_deviation.is_finite() && standard_deviation > 0.0) {
            return Err(ModelError::NotFinite { what: "a standard deviation", positive: true });
        }
        Ok(Self { counts, standard_deviation })
    }

    /// Returns the attributes of the table.
    pub fn clique(&self) -> &Clique {
        self.counts.clique()
    }

    /// Returns the noisy counts.
    pub fn values(&self) -> &[f64] {
        self.counts.values()
    }

    /// Returns the noisy counts with their clique.
    pub fn counts(&self) -> &Factor {
        &self.counts
    }

    /// Returns the noisy counts with their clique, by value.
    pub fn into_counts(self) -> Factor {
        self.counts
    }

    /// Returns the standard deviation of the noise on each cell.
    pub fn standard_deviation(&self) -> f64 {
        self.standard_deviation
    }

    /// Returns the variance of the noise on each cell.
    pub(crate) fn variance(&self) -> f64 {
        self.standard_deviation * self.standard_deviation
    }

    /// Returns the sum of the table, as evidence of the number of rows.
    pub fn evidence(&self) -> Evidence {
        Evidence { sum: vector::sum(self.values()), variance: self.values().len() as f64 * self.variance() }
    }
}
