//! Rows in memory, as a source of counts.

use std::num::NonZeroU32;
use std::sync::Arc;

use scumble_schema::{AttributeId, Clique, Domain, Recoding, cells};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

/// Rows of codes in memory, one code per column. Clones share the rows.
#[derive(Debug, Clone)]
pub(super) struct CodedRows {
    domain: Domain,
    /// Column that identifies units, and the number of rows kept of each.
    bound: Option<(String, NonZeroU32)>,
    rows: Arc<Vec<Vec<u32>>>,
}

impl CodedRows {
    /// Creates a source of `rows`. Every row has a code of every column of `domain`.
    pub(super) fn new(domain: Domain, bound: Option<(String, NonZeroU32)>, rows: Vec<Vec<u32>>) -> Self {
        Self { domain, bound, rows: Arc::new(rows) }
    }

    /// Counts a table over columns of `domain`, where `code` is the code of a row in a column.
    fn table(&self, domain: &Domain, clique: &Clique, code: impl Fn(&[u32], usize) -> u32) -> CountTable {
        let strides = cells::strides(domain, clique);
        // The vault has checked the size.
        let mut counts = vec![0; clique.attributes().iter().map(|&column| domain.size(column) as usize).product()];
        for row in self.rows.iter() {
            let places = clique.attributes().iter().zip(&strides);
            counts[places.map(|(column, stride)| code(row, column.index()) as usize * stride).sum::<usize>()] += 1;
        }
        CountTable::new(clique.clone(), counts)
    }
}

impl MarginalSource for CodedRows {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.bound.as_ref().map(|(column, rows)| (column.as_str(), *rows))
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = cliques.iter().map(|clique| self.table(&self.domain, clique, |row, column| row[column]));
        Ok(Private::new(tables.collect()))
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let code = |row: &[u32], column: usize| {
            let column = AttributeId::new(column);
            recoding.codes(column)[row[recoding.of(column).index()] as usize]
        };
        let tables = cliques.iter().map(|clique| self.table(recoding.domain(), clique, code));
        Ok(Private::new(tables.collect()))
    }
}
