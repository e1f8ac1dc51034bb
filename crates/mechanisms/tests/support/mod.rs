//! A source of counts that holds its rows in the open, for tests.

use scumble_schema::{Clique, Domain, cells};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

/// Coded rows.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) domain: Domain,
    pub(crate) rows: Vec<Vec<u32>>,
}

impl MarginalSource for Rows {
    fn domain(&self) -> &Domain {
        &self.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = cliques.iter().map(|clique| {
            let strides = cells::strides(&self.domain, clique);
            let mut counts = vec![0; self.domain.table_len(clique).unwrap()];
            for row in &self.rows {
                let codes = clique.attributes().iter().map(|attribute| row[attribute.index()] as usize);
                counts[codes.zip(&strides).map(|(code, stride)| code * stride).sum::<usize>()] += 1;
            }
            CountTable::new(clique.clone(), counts)
        });
        Ok(Private::new(tables.collect()))
    }
}
