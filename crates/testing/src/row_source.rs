//! A source of counts over rows in memory.

use scumble_schema::{Clique, Domain, cells};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::tables::{Row, Table};

/// A source of counts that holds unprotected rows in memory, for tests.
#[derive(Debug, Clone)]
pub struct RowSource {
    domain: Domain,
    codes: Table,
}

impl RowSource {
    /// Makes a source of these rows over this domain. Counting panics if a row does not fit the
    /// domain.
    pub fn new(domain: Domain, rows: Table) -> Self {
        Self { domain, codes: rows }
    }

    /// Returns the rows.
    pub fn rows(&self) -> &[Row] {
        &self.codes
    }

    /// Returns the exact counts of a table.
    pub fn counts(&self, clique: &Clique) -> Vec<u64> {
        let strides = cells::strides(&self.domain, clique);
        let mut counts = vec![0; self.domain.table_len(clique).expect("tables of tests are small")];
        for row in &self.codes {
            let codes = clique.attributes().iter().map(|attribute| row[attribute.index()] as usize);
            counts[codes.zip(&strides).map(|(code, stride)| code * stride).sum::<usize>()] += 1;
        }
        counts
    }
}

impl MarginalSource for RowSource {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = cliques.iter().map(|clique| CountTable::new(clique.clone(), self.counts(clique)));
        Ok(Private::new(tables.collect()))
    }
}
