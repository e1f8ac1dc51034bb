//! How far tables of a model may be from the real ones.

use scumble_schema::{Clique, Domain};
use serde::{Deserialize, Serialize};

/// How often a bound may fail: one in twenty.
pub(crate) const MISSES: f64 = 0.05;

/// How far the table of a model over some columns may be from the real one.
///
/// Each holds with a probability of at least 95 %, over the noise of the fit. A statement about many at once needs more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableBound {
    /// Its columns, among those that the vault was asked about.
    pub table: Clique,
    /// The sum over all cells of how many rows they are off, at most.
    pub rows: f64,
    /// Why.
    pub basis: Basis,
}

/// Where a bound comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The table is part of one that was measured.
    Measured,
    /// It was a candidate, and another one was chosen: its error was hardly larger than that of the chosen one.
    NotChosen,
}

impl TableBound {
    /// Most bounds that a model carries.
    pub(crate) const MOST: usize = 5_000;
    /// How often a bound holds, at least.
    pub const LEVEL: f64 = 1.0 - MISSES;

    /// Whether it is about columns of this domain, and a bound.
    pub(crate) fn is_sound(&self, domain: &Domain) -> bool {
        let known = self.table.attributes().iter().all(|column| column.index() < domain.len());
        known && self.rows.is_finite() && self.rows >= 0.0
    }
}
