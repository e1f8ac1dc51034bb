//! The bounds as the paper states them, for the noise that its definitions need.

use std::num::{NonZeroU32, NonZeroU64};

use scumble_vault::{Adjacency, Epsilon};

use super::{Distance, FailureProbability, real};

/// A network of binary columns and its pure budget, as in the paper.
///
/// # Reference
/// X. Li, C. Wang, G. Cheng 2023, Statistical theory of differentially private marginal-based data
/// synthesis algorithms, Theorems 4.1 and 4.2, with the sensitivity of a table corrected: 2 rows if
/// one row is replaced, not 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paper {
    /// `d`, the number of columns: one table each.
    pub columns: NonZeroU32,
    /// `k`, the maximum number of parents of a column.
    pub degree: u32,
    /// `n`, the number of rows.
    pub rows: NonZeroU64,
    /// Cost of all tables together, without the cost of the structure.
    pub epsilon: Epsilon,
    /// The paper's `δ`.
    pub failure: FailureProbability,
}

impl Paper {
    /// Bounds that the error stays below except with the failure probability: total variation after
    /// normalising, L2 after projecting.
    ///
    /// Much larger than [`Network::within`](super::Network::within), which implies them.
    pub fn within<A: Adjacency>(&self) -> Distance {
        let columns = f64::from(self.columns.get());
        let degree = f64::from(self.degree);
        let sensitivity = A::table_sensitivity(NonZeroU32::MIN).l1() as f64;
        // d tables share the budget, so the noise is Lap(Δ d / epsilon) in rows.
        let noise = sensitivity * columns / (real(self.rows.get()) * self.epsilon.get());
        let l2 = 12.0 * noise * columns * degree.exp2() * (degree + 1.0) * self.failure.depth(2.0 * columns);
        Distance { total_variation: l2 * degree.exp2(), l2 }.of_distributions()
    }
}
