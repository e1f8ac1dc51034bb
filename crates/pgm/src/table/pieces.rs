//! Large tables processed in pieces, on all processors.
//!
//! The size of a table alone decides where it is cut, and results come back in the order of the
//! pieces. So sums over pieces do not depend on the number of threads.

use crate::parallel;

/// Fewest cells in a piece: below this, starting a thread costs more than it saves.
const MIN_PIECE_CELLS: usize = 1 << 17;

/// Returns the length of a table's pieces: the least multiple of `grain` that is worth a thread.
pub(crate) fn piece_cells(grain: usize) -> usize {
    MIN_PIECE_CELLS.div_ceil(grain) * grain
}

/// Applies `work` to every piece of `length` cells and the position of its first cell.
pub(crate) fn map_pieces<T: Send>(
    cells: &mut [f64],
    length: usize,
    work: impl Fn(usize, &mut [f64]) -> T + Sync,
) -> Vec<T> {
    if cells.len() <= length {
        return vec![work(0, cells)];
    }
    parallel::map(cells.chunks_mut(length).enumerate(), |(index, piece)| work(index * length, piece))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_piece() {
        let mut cells = vec![0.0; 1000];
        let firsts = map_pieces(&mut cells, 300, |first, piece| {
            for cell in piece {
                *cell += 1.0;
            }
            first
        });
        assert_eq!(firsts, [0, 300, 600, 900]);
        assert!(cells.iter().all(|cell| (cell - 1.0).abs() < f64::EPSILON));
    }
}
