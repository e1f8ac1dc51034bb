//! Table sizes that carry signal at a given noise.

use std::num::NonZeroU64;

use serde::Serialize;

use super::PlannedTable;
use crate::planning::theory::Noise;

/// Maximum share of rows that noise alone puts into wrong cells of a reliable table.
pub const RELIABLE: f64 = 0.1;
/// Minimum share of rows that noise alone puts into wrong cells of a table that is mostly noise.
pub const MOSTLY_NOISE: f64 = 0.5;

/// Table sizes that carry signal at the planned noise of a method.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Signal {
    /// Standard deviation of the noise on each count, in rows: the median over tables of several
    /// columns, or over tables of single columns where there are no others.
    pub noise: f64,
    /// Largest number of cells at which noise alone moves at most a tenth of the rows.
    pub reliable_cells: u64,
    /// Largest number of cells at which noise alone moves at most half of the rows.
    pub mostly_noise_cells: u64,
    /// Smallest count that is at least twice the standard deviation of its noise.
    pub smallest_count: u64,
}

impl Signal {
    /// Computes the sizes for planned tables; `None` if there are none.
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

/// Returns the number of cells of the largest table whose noise moves at most a share of the rows,
/// by [`Table::released`](crate::theory::Table::released): half of cells times `E|Z|` over rows.
pub(super) fn cells_at(noise: Noise, rows: NonZeroU64, share: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates; a fraction of a cell is none"
    )]
    let cells = (2.0 * share * rows.get() as f64 / noise.mean_absolute()) as u64;
    cells
}

#[cfg(test)]
mod tests {
    use scumble_vault::Sigma;

    use super::*;
    use crate::planning::theory::Table;

    #[test]
    fn one_more_cell_than_the_largest_table_exceeds_the_share() {
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
