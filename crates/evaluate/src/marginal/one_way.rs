//! Distances of single columns, counted by the engine: also for tables larger than memory.

use std::fmt;

use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, EngineError};
use scumble_schema::Schema;
use serde::Serialize;

use super::distance::TotalVariation;
use crate::NOT_PRIVATE;

/// Distances of the one-way distributions of a synthetic table from the real ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneWayDistances {
    stamp: &'static str,
    columns: Vec<ColumnDistance>,
}

/// Distance of the distribution of one column from the real one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ColumnDistance {
    /// The column.
    pub column: String,
    /// Total variation distance, between 0 and 1: the largest difference in the share of any set of
    /// codes.
    pub total_variation: f64,
}

impl OneWayDistances {
    /// Compares two tables that were read with `schema`, column by column.
    pub fn between(real: &CodedTable, synthetic: &CodedTable, schema: &Schema) -> Result<Self, EngineError> {
        let cliques = schema.domain().one_way();
        let (real, synthetic) = (real.count_tables(&cliques)?, synthetic.count_tables(&cliques)?);
        let columns = schema.attributes().iter().zip(real.iter().zip(&synthetic)).map(|(attribute, (left, right))| {
            let total_variation = TotalVariation::between(left, right);
            ColumnDistance { column: attribute.name().into(), total_variation }
        });
        Ok(Self { stamp: NOT_PRIVATE, columns: columns.collect() })
    }

    /// Returns the distances, in schema order.
    pub fn columns(&self) -> &[ColumnDistance] {
        &self.columns
    }

    /// Returns the largest distance of any column, or zero without columns.
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
