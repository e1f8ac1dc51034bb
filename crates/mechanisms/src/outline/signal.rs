//! How large a table may be before its noise drowns it.

use std::num::NonZeroU64;

use serde::Serialize;

use super::PlannedTable;
use crate::theory::Noise;

/// The share of rows that noise alone puts into wrong cells of a table that is still reliable.
pub const RELIABLE: f64 = 0.1;
/// The same of a table that is mostly noise.
pub const MOSTLY_NOISE: f64 = 0.5;

/// Which table sizes carry signal, at the noise that the method is planned to use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Signal {
    /// The standard deviation of the noise on each count, in rows: that of the middling table over several columns, or of columns where
    /// there is none.
    pub noise: f64,
    /// Up to so many cells, noise alone moves at most a tenth of the rows.
    pub reliable_cells: u64,
    /// Above so many cells, noise alone moves more than half of the rows.
    pub mostly_noise_cells: u64,
    /// From this count on, a cell is larger than twice its noise.
    pub smallest_count: u64,
}

impl Signal {
    /// Of the tables that are planned; `None` if there are none.
    pub(crate) fn of(tables: &[PlannedTable], rows: NonZeroU64) -> Option<Self> {
        let several = tables.iter().filter(|table| table.clique.len() > 1);
        let mut noise: Vec<Noise> = several.map(|table| table.noise).collect();
        if noise.is_empty() {
            noise = tables.iter().filter(|table| !table.clique.is_empty()).map(|table| table.noise).collect();
        }
        noise.sort_by(|one, other| one.standard_deviation().total_cmp(&other.standard_deviation()));
        let noise = *noise.get(noise.len() / 2)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a scale is below 2^40")]
        let smallest_count = (2.0 * noise.standard_deviation()).ceil() as u64;
        Some(Self {
            noise: noise.standard_deviation(),
            reliable_cells: cells_at(noise, rows, RELIABLE),
            mostly_noise_cells: cells_at(noise, rows, MOSTLY_NOISE),
            smallest_count,
        })
    }
}

/// The cells of the largest table whose noise moves at most this share of the rows, as [`Table::released`](crate::theory::Table::released)
/// has it: half of cells times `E|Z|` over rows.
pub(crate) fn cells_at(noise: Noise, rows: NonZeroU64, share: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "saturates; a fraction of a cell is none"
    )]
    let cells = (2.0 * share * rows.get() as f64 / noise.mean_absolute()) as u64;
    cells
}

#[cfg(test)]
mod tests {
    use scumble_vault::Sigma;

    use super::*;
    use crate::theory::Table;

    #[test]
    fn the_largest_table_has_that_error_and_one_of_a_cell_more_has_more() {
        let noise = Noise::Gaussian(Sigma::at_least(40.0).unwrap());
        let rows = NonZeroU64::new(20_000).unwrap();
        for share in [RELIABLE, MOSTLY_NOISE] {
            let cells = cells_at(noise, rows, share);
            let error = |cells: u64| {
                let cells = NonZeroU64::new(cells).unwrap();
                Table { cells, rows, noise }.released().total_variation
            };
            assert!(error(cells) <= share && error(cells + 1) > share, "{cells}");
        }
    }
}
