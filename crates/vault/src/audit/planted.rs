//! A source with a few rows more.

use std::num::NonZeroU32;

use scumble_schema::{AttributeId, Clique, Domain, Recoding, cells};

use crate::error::VaultError;
use crate::private::Private;
use crate::source::{CountTable, MarginalSource, SourceError};

/// Returns `source` with `rows` added, one code per column each: a neighbour of it under
/// add/remove, if the rows are those of one unit.
///
/// # Errors
/// If a row does not fit the domain of the source.
pub fn with_rows(source: Box<dyn MarginalSource>, rows: Vec<Vec<u32>>) -> Result<Box<dyn MarginalSource>, VaultError> {
    let sizes = source.domain().sizes();
    let fits = |row: &Vec<u32>| row.len() == sizes.len() && row.iter().zip(sizes).all(|(code, size)| code < size);
    if !rows.iter().all(fits) {
        return Err(VaultError::config("planted row", &"not of these columns", "one code of every column"));
    }
    Ok(Box::new(Planted { source, rows }))
}

struct Planted {
    source: Box<dyn MarginalSource>,
    rows: Vec<Vec<u32>>,
}

impl Planted {
    /// Adds the rows to a table over the columns of `domain`, where `code` is the code of a row in
    /// a column.
    fn add(&self, domain: &Domain, table: CountTable, code: impl Fn(&[u32], usize) -> u32) -> CountTable {
        let clique = table.clique().clone();
        let strides = cells::strides(domain, &clique);
        let mut counts = table.into_counts();
        for row in &self.rows {
            let places = clique.attributes().iter().zip(&strides);
            let cell: usize = places.map(|(column, stride)| code(row, column.index()) as usize * stride).sum();
            counts[cell] += 1;
        }
        CountTable::new(clique, counts)
    }
}

impl MarginalSource for Planted {
    fn domain(&self) -> &Domain {
        self.source.domain()
    }

    fn bound(&self) -> Option<(&str, NonZeroU32)> {
        self.source.bound()
    }

    fn count(&self, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = self.source.count(cliques)?.open();
        let domain = self.source.domain();
        Ok(Private::new(tables.into_iter().map(|table| self.add(domain, table, |row, column| row[column])).collect()))
    }

    fn count_recoded(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Private<Vec<CountTable>>, SourceError> {
        let tables = self.source.count_recoded(recoding, cliques)?.open();
        let code = |row: &[u32], column: usize| {
            let column = AttributeId::new(column);
            recoding.codes(column)[row[recoding.of(column).index()] as usize]
        };
        Ok(Private::new(tables.into_iter().map(|table| self.add(recoding.domain(), table, code)).collect()))
    }
}
