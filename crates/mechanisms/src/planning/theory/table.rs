//! Error bounds for one noisy table.

use std::f64::consts::SQRT_2;
use std::num::NonZeroU64;

use super::{Distance, Noise, real};

/// One noisy count table, before it is measured: all of it public.
///
/// Distances are between relative frequencies: counts over the number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Number of cells.
    pub cells: NonZeroU64,
    /// Number of rows: public, or an estimate.
    pub rows: NonZeroU64,
    /// The noise on every cell.
    pub noise: Noise,
}

impl Table {
    /// Mean error of the released table, which may have negative counts and a wrong sum. It is not
    /// a distribution, and its error is unbounded.
    pub fn released(&self) -> Distance {
        let cells = real(self.cells.get());
        Distance {
            total_variation: 0.5 * cells * self.noise.mean_absolute() / self.rows(),
            l2: cells.sqrt() * self.noise.standard_deviation() / self.rows(),
        }
    }

    /// Mean error after negative counts are cut to zero and the rest is divided by its sum.
    pub fn normalised(&self) -> Distance {
        if self.cells.get() == 1 {
            return Distance { total_variation: 0.0, l2: 0.0 };
        }
        let total_variation = self.noise.mean_larger_side(self.cells.get()) / self.rows();
        Distance { total_variation, l2: SQRT_2 * total_variation }.of_distributions()
    }

    /// Mean error after projection onto the tables without negative counts whose sum is the number
    /// of rows.
    ///
    /// In L2 it is far below that of [`Table::normalised`] for large tables: few cells can have a
    /// large error, because all of them sum to one.
    pub fn projected(&self) -> Distance {
        let cells = self.cells.get();
        let many_rows = real(cells - 1).sqrt() * self.noise.standard_deviation() / self.rows();
        let many_cells = (self.noise.mean_range(cells) / self.rows()).sqrt();
        let total_variation = self.normalised().total_variation;
        Distance { total_variation, l2: many_rows.min(many_cells) }.of_distributions()
    }

    fn rows(&self) -> f64 {
        real(self.rows.get())
    }
}
