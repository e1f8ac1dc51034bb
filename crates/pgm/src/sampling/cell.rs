//! The cells that rows are in.

use scumble_schema::CodeColumn;

/// For every one of so many rows, the number of its cell in a table over these columns, each given with the distance between
/// neighbouring codes. A table has fewer cells than a `u32` can count.
pub(super) fn cells_of(
    columns: &[CodeColumn],
    rows: usize,
    strides: impl IntoIterator<Item = (usize, u32)>,
) -> Vec<u32> {
    let mut cells = vec![0; rows];
    for (column, stride) in strides {
        match &columns[column] {
            CodeColumn::U8(codes) => add_part(&mut cells, codes, stride),
            CodeColumn::U16(codes) => add_part(&mut cells, codes, stride),
            CodeColumn::U32(codes) => add_part(&mut cells, codes, stride),
        }
    }
    cells
}

/// Adds what the code of one column contributes to the number of each row's cell.
fn add_part<C: Copy + Into<u32>>(cells: &mut [u32], codes: &[C], stride: u32) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        // Stays below the number of cells. Unchecked, it runs in lanes.
        *cell = cell.wrapping_add(code.into().wrapping_mul(stride));
    }
}
