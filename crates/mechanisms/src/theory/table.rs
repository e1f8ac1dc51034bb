//! One noisy table.

use std::f64::consts::SQRT_2;
use std::num::NonZeroU64;

use super::{Distance, Noise, real};

/// One noisy count table, before it is measured: all of it public.
///
/// Distances are between relative frequencies: counts over the number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// How many cells it has.
    pub cells: NonZeroU64,
    /// How many rows, as far as may be told.
    pub rows: NonZeroU64,
    /// The noise on every cell.
    pub noise: Noise,
}

impl Table {
    /// The mean error of the noisy table as it leaves the vault: negative counts and a sum that is off. It is no
    /// distribution, and its error has no limit.
    pub fn released(&self) -> Distance {
        let cells = real(self.cells.get());
        Distance {
            total_variation: 0.5 * cells * self.noise.mean_absolute() / self.rows(),
            l2: cells.sqrt() * self.noise.standard_deviation() / self.rows(),
        }
    }

    /// The mean error once negative counts are cut to zero and the rest is divided by its sum.
    pub fn normalised(&self) -> Distance {
        if self.cells.get() == 1 {
            return Distance { total_variation: 0.0, l2: 0.0 };
        }
        let total_variation = self.noise.mean_larger_side(self.cells.get()) / self.rows();
        Distance { total_variation, l2: SQRT_2 * total_variation }.of_distributions()
    }

    /// The mean error once the table is moved to the nearest one without negative counts whose sum is the number of rows.
    ///
    /// In L2 it is far below that of [`Table::normalised`] for large tables: few cells can be far off, because all of them
    /// sum to one.
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
