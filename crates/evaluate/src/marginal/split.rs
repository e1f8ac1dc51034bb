//! The cell of a row as two numbers of 16 bits.
//!
//! Sixteen bits are the widest numbers that any processor multiplies eight at a time, and a table
//! that is indexed by the second number fits a cache. So the attributes of a marginal are split
//! into two groups of at most 2^16 cells each, such that the second has as many as possible.

use scumble_schema::{AttributeId, Clique, CodeColumn, Domain};

use crate::table::Columns;

/// Maximum number of cells of a group: they are numbered in 16 bits.
const MAX_GROUP_CELLS: u64 = 1 << 16;
/// Maximum number of attributes: all splits of them are tried.
const MAX_ATTRIBUTES: usize = 12;
/// Number of rows whose cells are computed together, so that they stay in the nearest cache.
const BLOCK_ROWS: usize = 2048;

/// Attributes in two groups: a cell is `high * low_cells + low`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Split {
    high: Group,
    low: Group,
}

/// Attributes, each with the stride between two of its codes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    axes: Vec<(AttributeId, u16)>,
    cells: usize,
}

impl Split {
    /// Returns the split with the fewest cells in the first group; `None` if no split is possible.
    pub(crate) fn of(domain: &Domain, clique: &Clique) -> Option<Self> {
        let attributes = clique.attributes();
        if attributes.len() > MAX_ATTRIBUTES {
            return None;
        }
        let members = |chosen: u32| {
            let places = (0..).zip(attributes).filter(move |&(place, _)| chosen >> place & 1 == 1);
            places.map(|(_, &attribute)| attribute)
        };
        let cells = |chosen| members(chosen).fold(1, |cells: u64, one| cells.saturating_mul(domain.size(one).into()));
        let all = (1 << attributes.len()) - 1;
        let possible =
            (0..=all).filter(|&chosen| cells(chosen) <= MAX_GROUP_CELLS && cells(all ^ chosen) <= MAX_GROUP_CELLS);
        let low = possible.max_by_key(|&chosen| cells(chosen))?;
        Some(Self { high: Group::of(domain, members(all ^ low)), low: Group::of(domain, members(low)) })
    }

    pub(crate) fn high_cells(&self) -> usize {
        self.high.cells
    }

    pub(crate) fn low_cells(&self) -> usize {
        self.low.cells
    }

    /// Calls `take` with both numbers of all rows, one block after the other, in row order.
    pub(crate) fn for_each_block(&self, table: &Columns, mut take: impl FnMut(&[u16], &[u16])) {
        let rows = table.rows() as usize;
        let (mut high, mut low) = ([0; BLOCK_ROWS], [0; BLOCK_ROWS]);
        for start in (0..rows).step_by(BLOCK_ROWS) {
            let length = BLOCK_ROWS.min(rows - start);
            self.high.fill(&mut high[..length], table, start);
            self.low.fill(&mut low[..length], table, start);
            take(&high[..length], &low[..length]);
        }
    }
}

impl Group {
    fn of(domain: &Domain, attributes: impl Iterator<Item = AttributeId>) -> Self {
        let mut cells = 1;
        let place = |attribute| {
            // The stride exceeds 16 bits only before attributes of one code, which add nothing.
            let stride = u16::try_from(cells).unwrap_or(0);
            cells *= domain.size(attribute) as usize;
            (attribute, stride)
        };
        let axes = attributes.map(place).collect();
        Self { axes, cells }
    }

    fn fill(&self, cells: &mut [u16], table: &Columns, start: usize) {
        cells.fill(0);
        for &(attribute, stride) in &self.axes {
            match table.codes(attribute) {
                CodeColumn::U8(codes) => add(cells, &codes[start..], stride),
                CodeColumn::U16(codes) => add(cells, &codes[start..], stride),
                // An attribute with more than 2^16 codes fits no group.
                CodeColumn::U32(_) => unreachable!("a group has at most 2^16 cells"),
            }
        }
    }
}

// Not inlined: as arguments of a function the slices are known not to overlap, so the compiler
// vectorises the loop. The sum does not wrap: it is below the number of cells of the group.
#[inline(never)]
fn add<C: Copy + Into<u16>>(cells: &mut [u16], codes: &[C], stride: u16) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        *cell = cell.wrapping_add(code.into().wrapping_mul(stride));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(sizes: &[u32]) -> Option<(usize, usize)> {
        let domain = Domain::new(sizes.to_vec()).unwrap();
        let split = Split::of(&domain, &Clique::new(domain.attributes()))?;
        Some((split.high_cells(), split.low_cells()))
    }

    #[test]
    fn the_second_group_is_as_large_as_can_be() {
        assert_eq!(split(&[]), Some((1, 1)));
        assert_eq!(split(&[2, 3]), Some((1, 6)));
        // 86 * 76 * 10 = 65,360: no other group is nearer to 2^16 from below.
        assert_eq!(split(&[54, 86, 76, 10, 29]), Some((54 * 29, 86 * 76 * 10)));
        assert_eq!(split(&[1 << 16, 1 << 16, 1]), Some((1 << 16, 1 << 16)));
        assert_eq!(split(&[1 << 17]), None);
        assert_eq!(split(&[300, 300, 300, 300]), None);
        assert_eq!(split(&[1; 13]), None);
    }

    #[test]
    fn two_rows_are_in_one_cell_if_all_their_codes_agree() {
        let domain = Domain::new(vec![300, 1, 256, 7, 5]).unwrap();
        let rows = 5000_u32;
        let columns: Vec<Vec<u32>> =
            domain.sizes().iter().map(|size| (0..rows).map(|row| row * row / 3 % size).collect()).collect();
        let table = Columns::new(domain.clone(), columns.clone()).unwrap();
        let split = Split::of(&domain, &Clique::new(domain.attributes())).unwrap();
        let mut cells = Vec::new();
        split.for_each_block(&table, |high, low| cells.extend(high.iter().copied().zip(low.iter().copied())));
        assert_eq!(cells.len(), rows as usize);
        let mut names = std::collections::BTreeMap::new();
        for (row, cell) in cells.into_iter().enumerate() {
            assert!(usize::from(cell.0) < split.high_cells() && usize::from(cell.1) < split.low_cells());
            let codes: Vec<u32> = columns.iter().map(|column| column[row]).collect();
            assert_eq!(names.entry(cell).or_insert_with(|| codes.clone()), &codes);
        }
    }
}
