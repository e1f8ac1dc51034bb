//! A table of codes in memory, column by column.

use std::fmt;
use std::sync::Arc;

use scumble_schema::{AttributeId, Clique, CodeColumn, CodeWidth, Domain, SchemaError, cells};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::error::EvaluateError;

/// Maximum number of cells of a marginal, so that numbers of cells and their sums fit a `u64`.
const MAX_MARGINAL_CELLS: u128 = 1 << 62;
/// Number of rows whose cells are computed together, so that the sums stay in the nearest cache.
const BLOCK_ROWS: usize = 1024;

/// A table of codes: one column per attribute of a domain, each in the narrowest integer that holds
/// its codes. Clones share the codes.
///
/// It is also a source of exact counts for a vault.
///
/// `Debug` prints neither the rows nor their number.
#[derive(Clone)]
pub struct Columns {
    domain: Domain,
    codes: Arc<[CodeColumn]>,
    rows: u32,
}

impl Columns {
    /// Builds a table from one column of codes per attribute of `domain`.
    ///
    /// # Errors
    /// The errors of [`Columns::of_codes`].
    pub fn new(domain: Domain, codes: Vec<Vec<u32>>) -> Result<Self, EvaluateError> {
        check_count(&domain, codes.len())?;
        let narrow = |(column, &size): (Vec<u32>, &u32)| {
            let mut narrow = CodeColumn::with_capacity(size, column.len());
            // An invalid code may not fit, so the column stays wide and is refused below.
            if column.iter().all(|&code| code < size) {
                for code in column {
                    narrow.push(code);
                }
            } else {
                narrow = CodeColumn::U32(column);
            }
            narrow
        };
        let codes = codes.into_iter().zip(domain.sizes()).map(narrow).collect();
        Self::of_codes(domain, codes)
    }

    /// Builds a table from columns that have the narrowest width already.
    ///
    /// # Errors
    /// If there are more or fewer columns than attributes, columns differ in length, have 2^32 rows
    /// or more, or hold a code that their attribute does not have.
    pub fn of_codes(domain: Domain, codes: Vec<CodeColumn>) -> Result<Self, EvaluateError> {
        check_count(&domain, codes.len())?;
        let rows = codes.first().map_or(0, CodeColumn::len);
        for (position, (column, &size)) in codes.iter().zip(domain.sizes()).enumerate() {
            if column.len() != rows {
                return Err(EvaluateError::columns(format!("column {position} and the first one differ in length")));
            }
            if largest(column).is_some_and(|code| code >= size) {
                return Err(EvaluateError::columns(format!("column {position} has a code that is not below {size}")));
            }
            if column.width() != CodeWidth::for_size(size) {
                return Err(EvaluateError::columns(format!("column {position} is not as wide as its codes need")));
            }
        }
        let rows = u32::try_from(rows).map_err(|_| EvaluateError::columns("2^32 rows or more"))?;
        Ok(Self { domain, codes: codes.into(), rows })
    }

    /// Builds a table from chunks of rows, as samplers yield them.
    ///
    /// # Errors
    /// The errors of [`Columns::of_codes`].
    pub fn from_chunks(
        domain: Domain,
        chunks: impl IntoIterator<Item = Vec<CodeColumn>>,
    ) -> Result<Self, EvaluateError> {
        let mut codes: Vec<CodeColumn> =
            domain.sizes().iter().map(|&size| CodeColumn::with_capacity(size, 0)).collect();
        for chunk in chunks {
            check_count(&domain, chunk.len())?;
            for ((position, column), more) in codes.iter_mut().enumerate().zip(&chunk) {
                if more.width() != column.width() {
                    return Err(EvaluateError::columns(format!("column {position} is not as wide as its codes need")));
                }
                column.append(more);
            }
        }
        Self::of_codes(domain, codes)
    }

    /// Returns a table of the given rows, in this order. Rows may repeat.
    ///
    /// # Panics
    /// If a row does not exist, or there are 2^32 rows or more.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        let codes = self.codes.iter().map(|column| column.pick(rows)).collect();
        let rows = u32::try_from(rows.len()).expect("fewer than 2^32 rows are picked");
        Self { domain: self.domain.clone(), codes, rows }
    }

    /// Returns the domain: the number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the codes of one attribute, row by row.
    ///
    /// # Panics
    /// If the domain lacks the attribute.
    pub fn codes(&self, attribute: AttributeId) -> &CodeColumn {
        &self.codes[attribute.index()]
    }

    /// Returns the exact counts over the cells of `clique`, in the order of
    /// [`scumble_schema::cells`].
    ///
    /// # Errors
    /// If the domain lacks an attribute of the clique, or the table is too large to hold.
    pub fn counts(&self, clique: &Clique) -> Result<Vec<u64>, EvaluateError> {
        self.check(clique)?;
        Ok(self.dense(clique)?)
    }

    fn dense(&self, clique: &Clique) -> Result<Vec<u64>, SchemaError> {
        let mut counts = vec![0; self.domain.table_len(clique)?];
        self.for_each_cell(clique, |cell| counts[index(cell)] += 1);
        Ok(counts)
    }

    /// Checks a clique and returns the number of cells of its marginal.
    ///
    /// # Errors
    /// If the domain lacks one of its attributes, or the marginal has more than 2^62 cells.
    pub(crate) fn check(&self, clique: &Clique) -> Result<u64, EvaluateError> {
        if clique.attributes().iter().any(|attribute| attribute.index() >= self.domain.len()) {
            return Err(EvaluateError::OtherDomain { what: "the sets" });
        }
        match self.domain.cells(clique) {
            cells if cells > MAX_MARGINAL_CELLS => Err(EvaluateError::TooManyCells { columns: clique.len(), cells }),
            cells => Ok(u64::try_from(cells).expect("the limit fits a u64")),
        }
    }

    /// Calls `take` with the cell of every row, in row order. The clique must have passed
    /// [`Columns::check`].
    pub(crate) fn for_each_cell(&self, clique: &Clique, mut take: impl FnMut(u64)) {
        let strides = cells::strides(&self.domain, clique);
        let rows = self.rows as usize;
        let mut block = [0_u64; BLOCK_ROWS];
        for start in (0..rows).step_by(BLOCK_ROWS) {
            let block = &mut block[..BLOCK_ROWS.min(rows - start)];
            block.fill(0);
            for (&attribute, &stride) in clique.attributes().iter().zip(&strides) {
                match self.codes(attribute) {
                    CodeColumn::U8(codes) => add(block, &codes[start..], stride as u64),
                    CodeColumn::U16(codes) => add(block, &codes[start..], stride as u64),
                    CodeColumn::U32(codes) => add(block, &codes[start..], stride as u64),
                }
            }
            block.iter().copied().for_each(&mut take);
        }
    }
}

/// Adds an axis to the cells of a block of rows.
fn add<C: Copy + Into<u64>>(cells: &mut [u64], codes: &[C], stride: u64) {
    for (cell, &code) in cells.iter_mut().zip(codes) {
        // The sum is below the number of cells, at most 2^62. Without another check of overflow the
        // loop is vectorised.
        *cell = cell.wrapping_add(code.into().wrapping_mul(stride));
    }
}

fn check_count(domain: &Domain, columns: usize) -> Result<(), EvaluateError> {
    if columns == domain.len() {
        Ok(())
    } else {
        Err(EvaluateError::columns(format!("{columns} columns for {} attributes", domain.len())))
    }
}

fn largest(column: &CodeColumn) -> Option<u32> {
    match column {
        CodeColumn::U8(codes) => codes.iter().max().map(|&code| code.into()),
        CodeColumn::U16(codes) => codes.iter().max().map(|&code| code.into()),
        CodeColumn::U32(codes) => codes.iter().max().copied(),
    }
}

/// Converts the number of a cell of a table in memory to an index.
fn index(cell: u64) -> usize {
    usize::try_from(cell).expect("a table in memory has usize cells")
}

impl fmt::Debug for Columns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Columns").field("domain", &self.domain).finish_non_exhaustive()
    }
}

impl MarginalSource for Columns {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let table = |clique: &Clique| Ok(CountTable::new(clique.clone(), self.dense(clique)?));
        let tables: Result<Vec<_>, SchemaError> = cliques.iter().map(table).collect();
        tables.map(Private::new).map_err(SourceError::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain() -> Domain {
        Domain::new(vec![2, 3]).unwrap()
    }

    #[test]
    fn cells_are_those_of_the_schema() {
        let columns = Columns::new(domain(), vec![vec![0, 1, 1], vec![2, 0, 2]]).unwrap();
        let counts = |attributes: &[usize]| {
            columns.counts(&Clique::new(attributes.iter().copied().map(AttributeId::new))).unwrap()
        };
        assert_eq!(counts(&[0, 1]), [0, 0, 1, 1, 0, 1]);
        assert_eq!(counts(&[1]), [1, 0, 2]);
        assert_eq!(counts(&[]), [3]);
    }

    #[test]
    fn rows_beyond_one_block_are_counted_too() {
        let codes: Vec<u32> = (0..5000).map(|row| row % 3).collect();
        let columns = Columns::new(Domain::new(vec![3]).unwrap(), vec![codes]).unwrap();
        assert_eq!(columns.counts(&Clique::single(AttributeId::new(0))).unwrap(), [1667, 1667, 1666]);
    }

    #[test]
    fn chunks_follow_one_another() {
        let chunk = |codes: [u8; 2]| codes.map(|code| CodeColumn::U8(vec![code])).to_vec();
        let columns = Columns::from_chunks(domain(), [chunk([0, 2]), chunk([1, 1])]).unwrap();
        assert_eq!(
            (columns.codes(AttributeId::new(0)), columns.codes(AttributeId::new(1))),
            (&CodeColumn::U8(vec![0, 1]), &CodeColumn::U8(vec![2, 1]))
        );
    }

    #[test]
    fn rows_are_picked_with_all_their_codes() {
        let columns = Columns::new(domain(), vec![vec![0, 1, 1], vec![2, 0, 1]]).unwrap().pick(&[2, 0, 2]);
        assert_eq!(columns.rows(), 3);
        assert_eq!(columns.codes(AttributeId::new(1)), &CodeColumn::U8(vec![1, 2, 1]));
    }

    #[test]
    fn codes_that_are_wider_than_needed_are_refused() {
        let codes = vec![CodeColumn::U8(vec![0]), CodeColumn::U16(vec![0])];
        assert!(matches!(Columns::of_codes(domain(), codes.clone()), Err(EvaluateError::Columns { .. })));
        assert!(matches!(Columns::from_chunks(domain(), [codes]), Err(EvaluateError::Columns { .. })));
    }

    #[test]
    fn columns_that_do_not_match_the_domain_are_refused() {
        for codes in [vec![vec![0]], vec![vec![0], vec![0, 1]], vec![vec![2], vec![0]]] {
            assert!(matches!(Columns::new(domain(), codes), Err(EvaluateError::Columns { .. })));
        }
        let columns = Columns::new(domain(), vec![vec![], vec![]]).unwrap();
        let foreign = Clique::single(AttributeId::new(2));
        assert!(matches!(columns.counts(&foreign), Err(EvaluateError::OtherDomain { .. })));
    }

    #[test]
    fn marginals_with_too_many_cells_are_refused() {
        let domain = Domain::new(vec![1 << 20; 4]).unwrap();
        let all = Clique::new(domain.attributes());
        let columns = Columns::new(domain, vec![vec![0]; 4]).unwrap();
        assert!(matches!(columns.check(&all), Err(EvaluateError::TooManyCells { columns: 4, .. })));
    }

    #[test]
    fn debug_prints_nothing_of_the_rows() {
        let columns = Columns::new(domain(), vec![vec![1; 77], vec![2; 77]]).unwrap();
        assert_eq!(format!("{columns:?}"), "Columns { domain: Domain { sizes: [2, 3] }, .. }");
    }
}
