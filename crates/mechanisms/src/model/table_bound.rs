//! Bounds on the errors of a model's tables.

use scumble_schema::{Clique, Domain};
use serde::{Deserialize, Serialize};

/// Probability that a bound fails.
pub(crate) const FAILURE: f64 = 0.05;

/// A bound on the distance of a model's table from the real one.
///
/// Each bound holds with a probability of at least 95 % over the noise of the fit. A joint
/// statement about several of them needs a union bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableBound {
    /// Columns of the table, among those that the vault was asked about.
    pub table: Clique,
    /// Bound on the L1 distance, in rows.
    pub rows: f64,
    /// Reason for the bound.
    pub basis: Basis,
}

/// Reason for a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The table is a marginal of a measured one.
    Measured,
    /// The table was a candidate, and another one was selected: with high probability its error was
    /// not much larger than that of the selected one.
    NotChosen,
}

impl TableBound {
    /// Maximum number of bounds of a model.
    pub(crate) const MAX_PER_MODEL: usize = 5_000;
    /// Probability with which a bound holds, at least.
    pub const LEVEL: f64 = 1.0 - FAILURE;

    /// Returns whether the columns are in this domain and the bound is a valid number.
    pub(crate) fn is_sound(&self, domain: &Domain) -> bool {
        let known = self.table.attributes().iter().all(|column| column.index() < domain.len());
        known && self.rows.is_finite() && self.rows >= 0.0
    }
}
