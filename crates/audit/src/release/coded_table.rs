//! Rows as codes, column by column.

use std::fmt;

use scumble_schema::{AttributeId, Domain};

use super::error::ReleaseError;

/// Rows as codes: one column per attribute of a domain.
///
/// `Debug` prints neither the rows nor their number.
///
/// ```
/// use scumble_audit::release::CodedTable;
/// use scumble_schema::{AttributeId, Domain};
///
/// let domain = Domain::new(vec![2, 3])?;
/// let table = CodedTable::new(domain.clone(), vec![vec![0, 1], vec![2, 0]])?;
/// assert_eq!((table.rows(), table.column(AttributeId::new(1))), (2, &[2, 0][..]));
/// assert!(CodedTable::new(domain, vec![vec![0, 2], vec![2, 0]]).is_err(), "the first column has codes 0 and 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct CodedTable {
    domain: Domain,
    columns: Vec<Vec<u32>>,
    rows: usize,
}

impl CodedTable {
    /// Builds a table from one column of codes per attribute of `domain`.
    ///
    /// # Errors
    /// If there is no attribute, there are more or fewer columns than attributes, columns differ in
    /// length, or one holds a code that its attribute does not have.
    pub fn new(domain: Domain, columns: Vec<Vec<u32>>) -> Result<Self, ReleaseError> {
        let Some(rows) = columns.first().map(Vec::len) else {
            return Err(ReleaseError::columns("there is no column"));
        };
        if columns.len() != domain.len() {
            return Err(ReleaseError::columns(format!("{} columns for {} attributes", columns.len(), domain.len())));
        }
        for (position, (column, &size)) in columns.iter().zip(domain.sizes()).enumerate() {
            if column.len() != rows {
                return Err(ReleaseError::columns(format!("column {position} and the first one differ in length")));
            }
            if column.iter().any(|&code| code >= size) {
                return Err(ReleaseError::columns(format!("column {position} has a code that is not below {size}")));
            }
        }
        Ok(Self { domain, columns, rows })
    }

    /// Returns the number of codes of each attribute.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the codes of one attribute, row by row.
    ///
    /// # Panics
    /// If the domain lacks the attribute.
    pub fn column(&self, attribute: AttributeId) -> &[u32] {
        &self.columns[attribute.index()]
    }

    /// Returns all columns, in the order of the domain.
    pub(super) fn columns(&self) -> &[Vec<u32>] {
        &self.columns
    }

    /// Copies the codes of a row.
    pub(super) fn copy_row(&self, row: usize, codes: &mut [u32]) {
        for (code, column) in codes.iter_mut().zip(&self.columns) {
            *code = column[row];
        }
    }

    /// Returns a table of the given rows, in this order.
    pub(super) fn pick(&self, rows: &[usize]) -> Self {
        let pick = |column: &Vec<u32>| rows.iter().map(|&row| column[row]).collect();
        Self { domain: self.domain.clone(), columns: self.columns.iter().map(pick).collect(), rows: rows.len() }
    }

    /// Returns the rows of this table followed by those of another over the same domain.
    pub(super) fn followed_by(&self, other: &Self) -> Self {
        let pairs = self.columns.iter().zip(&other.columns);
        let columns = pairs.map(|(first, second)| [first.as_slice(), second].concat()).collect();
        Self { domain: self.domain.clone(), columns, rows: self.rows + other.rows }
    }
}

impl fmt::Debug for CodedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CodedTable").field("domain", &self.domain).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain() -> Domain {
        Domain::new(vec![2, 3]).unwrap()
    }

    #[test]
    fn columns_that_are_no_table_of_the_domain_are_refused() {
        for columns in [vec![], vec![vec![0]], vec![vec![0], vec![0, 1]], vec![vec![2], vec![0]]] {
            assert!(matches!(CodedTable::new(domain(), columns), Err(ReleaseError::Columns { .. })));
        }
        let nothing = Domain::new(vec![]).unwrap();
        assert!(matches!(CodedTable::new(nothing, vec![]), Err(ReleaseError::Columns { .. })));
    }

    #[test]
    fn rows_are_picked_and_joined_with_all_their_codes() {
        let table = CodedTable::new(domain(), vec![vec![0, 1, 1], vec![2, 0, 1]]).unwrap();
        let picked = table.pick(&[2, 0]).followed_by(&table.pick(&[1]));
        assert_eq!(picked.columns(), [vec![1, 0, 1], vec![1, 2, 0]]);
        let mut codes = [9, 9];
        picked.copy_row(1, &mut codes);
        assert_eq!(codes, [0, 2]);
    }

    #[test]
    fn debug_prints_nothing_of_the_rows() {
        let table = CodedTable::new(domain(), vec![vec![1; 77], vec![2; 77]]).unwrap();
        assert_eq!(format!("{table:?}"), "CodedTable { domain: Domain { sizes: [2, 3] }, .. }");
    }
}
