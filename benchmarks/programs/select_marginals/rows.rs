//! A benchmark table as a source of counts.

use scumble_schema::{Clique, Domain};
use scumble_vault::{CountTable, MarginalSource, Private, SourceError};

use scumble_benchmarks::codes::Table;

/// Rows that only the vault gets counts of.
pub(crate) struct Rows(pub(crate) Table);

impl MarginalSource for Rows {
    fn domain(&self) -> &Domain {
        &self.0.domain
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = cliques.iter().map(|clique| CountTable::new(clique.clone(), self.0.count(clique)));
        Ok(Private::new(tables.collect()))
    }
}
