//! The tables of two or three columns on which matched rows are compared with the model.

use scumble_schema::{AttributeId, Clique, CodeColumn, Domain};

use super::cell::cells_of;
use crate::parallel;

/// Most cells of all tables together: four bytes each for the expected counts, and four more for
/// every chunk being drawn.
const MAX_JOINT_CELLS: u128 = 1 << 22;

/// Most tables, because every swap goes through most of them: enough for all triples of thirty
/// columns, or all pairs of ninety.
const MAX_JOINT_TABLES: usize = 1 << 12;

/// A table of two or three columns, at its position among all tables.
#[derive(Debug, Clone)]
pub(super) struct JointTable {
    /// Columns of the domain. A pair has its second column twice.
    pub(super) columns: [usize; 3],
    /// The stride of each column, zero for the column that a pair repeats.
    pub(super) strides: [u32; 3],
    /// The position of its first cell.
    pub(super) first: u32,
}

/// All tables of three columns, or of two if those of three are too many or too large.
#[derive(Debug, Clone)]
pub(super) struct JointTables {
    tables: Vec<JointTable>,
    cells: usize,
}

impl JointTables {
    /// Returns the tables of these columns, or `None` if there are none or even pairs are too
    /// large.
    pub(super) fn new(domain: &Domain, columns: &[AttributeId]) -> Option<Self> {
        let columns: Vec<usize> = columns.iter().filter(|&&of| domain.size(of) > 1).map(|of| of.index()).collect();
        // More columns have too many pairs.
        if columns.len() > MAX_JOINT_TABLES {
            return None;
        }
        Self::laid_out(domain, triples(&columns)).or_else(|| Self::laid_out(domain, pairs(&columns)))
    }

    /// Returns the tables of these cliques of two or three columns, or `None` if there are none,
    /// one has another number of columns, or they are too large.
    pub(super) fn of_cliques<'a>(domain: &Domain, cliques: impl Iterator<Item = &'a Clique>) -> Option<Self> {
        let columns = |clique: &Clique| match *clique.attributes() {
            [first, second] => Some([first, second, second]),
            [first, second, third] => Some([first, second, third]),
            _ => None,
        };
        let columns = cliques.map(columns).collect::<Option<Vec<_>>>()?;
        Self::laid_out(domain, columns.into_iter().map(|columns| columns.map(AttributeId::index)))
    }

    fn laid_out(domain: &Domain, all: impl Iterator<Item = [usize; 3]>) -> Option<Self> {
        let (mut tables, mut cells) = (Vec::new(), 0_u32);
        for columns in all {
            let [first, second, third] = columns.map(|column| domain.size(AttributeId::new(column)));
            let is_pair = columns[1] == columns[2];
            let third = if is_pair { 1 } else { third };
            let length = u128::from(first) * u128::from(second) * u128::from(third);
            if tables.len() == MAX_JOINT_TABLES || u128::from(cells) + length > MAX_JOINT_CELLS {
                return None;
            }
            let strides = [second * third, third, u32::from(!is_pair)];
            tables.push(JointTable { columns, strides, first: cells });
            cells += first * second * third;
        }
        (!tables.is_empty()).then_some(Self { tables, cells: cells as usize })
    }

    /// Returns the tables, each starting where the one before ends.
    pub(super) fn tables(&self) -> &[JointTable] {
        &self.tables
    }

    /// Counts the rows of these chunks in each cell.
    pub(super) fn count(&self, chunks: &[impl AsRef<[CodeColumn]> + Sync]) -> Vec<u32> {
        let count = |number: usize| {
            let table = &self.tables[number];
            let end = self.tables.get(number + 1).map_or(self.cells, |next| next.first as usize);
            let mut counts = vec![0; end - table.first as usize];
            for chunk in chunks {
                for cell in table.cells_of(chunk.as_ref()) {
                    counts[cell as usize] += 1;
                }
            }
            counts
        };
        parallel::map(0..self.tables.len(), count).concat()
    }
}

impl JointTable {
    /// Returns the cell of every row, relative to the first cell of this table.
    fn cells_of(&self, chunk: &[CodeColumn]) -> Vec<u32> {
        let strides = self.columns.into_iter().zip(self.strides).filter(|&(_, stride)| stride > 0);
        cells_of(chunk, chunk[self.columns[0]].len(), strides)
    }
}

fn triples(columns: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let last = move |first: usize, second: usize| {
        columns[second + 1..].iter().map(move |&third| [columns[first], columns[second], third])
    };
    (0..columns.len()).flat_map(move |first| (first + 1..columns.len()).flat_map(move |second| last(first, second)))
}

fn pairs(columns: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    let last = move |first: usize| columns[first + 1..].iter().map(move |&second| [columns[first], second, second]);
    (0..columns.len()).flat_map(last)
}
