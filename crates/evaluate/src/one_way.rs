//! Column by column, through the engine: also for tables that do not fit the memory.

use std::fmt;

use scumble_engine::{CodedTable, EngineError};
use scumble_schema::Schema;
use serde::Serialize;

use crate::NOT_PRIVATE;
use crate::distance::total_variation;

/// How far the one-way distributions of a synthetic table are from the real ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneWayDistances {
    stamp: &'static str,
    columns: Vec<ColumnDistance>,
}

/// How far one column's values are from the real ones, the others aside.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDistance {
    /// The column.
    pub column: String,
    /// The total variation distance, between 0 and 1: the largest difference in the share of any set of codes.
    pub total_variation: f64,
}

impl OneWayDistances {
    /// Compares two tables that were read with `schema`, column by column.
    pub fn between(real: &CodedTable, synthetic: &CodedTable, schema: &Schema) -> Result<Self, EngineError> {
        let cliques = schema.domain().one_way();
        let (real, synthetic) = (real.count_tables(&cliques)?, synthetic.count_tables(&cliques)?);
        let columns = schema.attributes().iter().zip(real.iter().zip(&synthetic)).map(|(attribute, (left, right))| {
            let rows = |counts: &[u64]| counts.iter().sum();
            let cells = left.iter().copied().zip(right.iter().copied());
            let total_variation = total_variation(cells, rows(left), rows(right));
            ColumnDistance { column: attribute.name().into(), total_variation }
        });
        Ok(Self { stamp: NOT_PRIVATE, columns: columns.collect() })
    }

    /// The distances, in schema order.
    pub fn columns(&self) -> &[ColumnDistance] {
        &self.columns
    }

    /// The largest distance of any column; zero without columns.
    pub fn worst(&self) -> f64 {
        self.columns.iter().map(|column| column.total_variation).fold(0.0, f64::max)
    }
}

impl fmt::Display for OneWayDistances {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        for column in &self.columns {
            writeln!(formatter, "{:.5}  {}", column.total_variation, column.column)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_result_is_shown_without_the_stamp() {
        let distances = OneWayDistances { stamp: NOT_PRIVATE, columns: Vec::new() };
        assert!(distances.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
    }
}
