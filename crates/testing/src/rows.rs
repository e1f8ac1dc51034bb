//! A source of counts that holds its rows in the open.

use scumble_schema::{Clique, Domain, cells};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use crate::tables::{Row, Table};

/// A source of counts that holds its rows in the open: for tests, where nobody is protected.
#[derive(Debug, Clone)]
pub struct Rows {
    domain: Domain,
    codes: Table,
}

impl Rows {
    /// These rows over this domain.
    ///
    /// # Panics
    /// When they are counted, if a row does not belong to the domain.
    pub fn new(domain: Domain, rows: Table) -> Self {
        Self { domain, codes: rows }
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.codes
    }

    /// The exact counts of a table.
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

impl MarginalSource for Rows {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = cliques.iter().map(|clique| CountTable::new(clique.clone(), self.counts(clique)));
        Ok(Private::new(tables.collect()))
    }
}
