//! Tables of counts over a few columns.

use std::collections::HashMap;

use scumble_schema::{AttributeId, Recoding};

use super::coded_table::CodedTable;

/// Maximum number of cells of a table that is held in full. Larger ones hold the cells with rows.
const MAX_DENSE_CELLS: u64 = 1 << 20;

/// The cells of a table over some columns of a recoding, for rows of base codes.
///
/// The last column varies fastest. Columns in the order of a clique give the order of
/// [`scumble_schema::cells`].
#[derive(Debug)]
pub(super) struct Cells {
    axes: Vec<Axis>,
    len: u64,
}

#[derive(Debug)]
struct Axis {
    /// Position of the base column.
    column: usize,
    /// Contribution of every base code to the number of the cell.
    offsets: Vec<u64>,
}

impl Cells {
    pub(super) fn new(recoding: &Recoding, columns: &[AttributeId]) -> Self {
        let mut len = 1;
        let mut axes: Vec<Axis> = Vec::with_capacity(columns.len());
        for &column in columns.iter().rev() {
            let offsets = recoding.codes(column).iter().map(|&code| u64::from(code) * len).collect();
            axes.push(Axis { column: recoding.of(column).index(), offsets });
            len *= u64::from(recoding.domain().size(column));
        }
        Self { axes, len }
    }

    /// Returns the number of cells.
    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the cell of a row depends on this base column.
    pub(super) fn reads(&self, column: usize) -> bool {
        self.axes.iter().any(|axis| axis.column == column)
    }

    /// Returns the cell of a row of base codes.
    pub(super) fn of(&self, codes: &[u32]) -> u64 {
        self.axes.iter().map(|axis| axis.offsets[codes[axis.column] as usize]).sum()
    }

    /// Returns the cell of every row.
    pub(super) fn of_rows(&self, table: &CodedTable) -> Vec<u64> {
        let mut cells = vec![0; table.rows()];
        for axis in &self.axes {
            for (cell, &code) in cells.iter_mut().zip(&table.columns()[axis.column]) {
                *cell += axis.offsets[code as usize];
            }
        }
        cells
    }

    /// Counts the rows of each cell.
    pub(super) fn count(&self, table: &CodedTable) -> Counts {
        Counts::new(&self.of_rows(table), self.len)
    }
}

/// Number of rows of each cell.
#[derive(Debug)]
pub(super) enum Counts {
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

impl Counts {
    /// Counts cells below `len`.
    pub(super) fn new(cells: &[u64], len: u64) -> Self {
        if len > MAX_DENSE_CELLS {
            let mut counts = HashMap::new();
            for &cell in cells {
                *counts.entry(cell).or_insert(0) += 1;
            }
            return Self::Sparse(counts);
        }
        let mut counts = vec![0; index(len)];
        for &cell in cells {
            counts[index(cell)] += 1;
        }
        Self::Dense(counts)
    }

    /// Returns the number of rows of a cell.
    pub(super) fn get(&self, cell: u64) -> u32 {
        match self {
            Self::Dense(counts) => counts[index(cell)],
            Self::Sparse(counts) => counts.get(&cell).copied().unwrap_or(0),
        }
    }
}

/// Converts the number of a cell of a table in memory to an index.
pub(super) fn index(cell: u64) -> usize {
    usize::try_from(cell).expect("a table in memory has usize cells")
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    #[test]
    fn cells_of_derived_columns_follow_from_base_codes() {
        let domain = Domain::new(vec![2, 5]).unwrap();
        let table = CodedTable::new(domain.clone(), vec![vec![0, 1, 1], vec![4, 0, 3]]).unwrap();
        // The binary digits of the columns: one and three.
        let recoding = Recoding::binary(&domain).unwrap();
        let digits = [0, 1, 3].map(AttributeId::new);
        let cells = Cells::new(&recoding, &digits);
        assert_eq!((cells.len(), cells.of_rows(&table)), (8, vec![2, 4, 5]));
        assert_eq!([[0, 4], [1, 0], [1, 3]].map(|codes| cells.of(&codes)), [2, 4, 5]);
        assert!(cells.reads(1) && !Cells::new(&recoding, &digits[..1]).reads(1));
        let counts = cells.count(&table);
        assert_eq!([2, 4, 6].map(|cell| counts.get(cell)), [1, 1, 0]);
    }

    #[test]
    fn large_tables_hold_the_cells_with_rows() {
        let cells = [3, 1 << 40, 3];
        let counts = Counts::new(&cells, 1 << 41);
        assert_eq!([3, 1 << 40, 4].map(|cell| counts.get(cell)), [2, 1, 0]);
        let dense = Counts::new(&[3, 4, 3], 5);
        assert_eq!([3, 4, 0].map(|cell| dense.get(cell)), [2, 1, 0]);
    }

    #[test]
    fn a_table_over_no_column_counts_all_rows() {
        let domain = Domain::new(vec![3]).unwrap();
        let table = CodedTable::new(domain.clone(), vec![vec![0, 2]]).unwrap();
        let cells = Cells::new(&Recoding::identity(&domain), &[]);
        assert_eq!((cells.len(), cells.count(&table).get(0)), (1, 2));
    }
}
