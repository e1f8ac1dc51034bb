//! The cells that rows fall in.

use scumble_schema::CodeColumn;

/// Returns the cell of each of `rows` rows in a table. `strides` lists the columns of the table,
/// each with its stride. A table has fewer cells than a `u32` counts.
pub(super) fn cells_of(
    columns: &[CodeColumn],
    rows: usize,
    strides: impl IntoIterator<Item = (usize, u32)>,
) -> Vec<u32> {
    let mut cells = vec![0; rows];
    for (column, stride) in strides {
        match &columns[column] {
            CodeColumn::U8(codes) => add_column(&mut cells, codes, stride),
            CodeColumn::U16(codes) => add_column(&mut cells, codes, stride),
            CodeColumn::U32(codes) => add_column(&mut cells, codes, stride),
        }
    }
    cells
}

/// Adds what the codes of one column contribute to the rows' cells.
fn add_column<C: Copy + Into<u32>>(cells: &mut [u32], codes: &[C], stride: u32) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        // Stays below the number of cells. Unchecked, so that it vectorises.
        *cell = cell.wrapping_add(code.into().wrapping_mul(stride));
    }
}
