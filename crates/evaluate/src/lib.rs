//! Quality measured against the real table. **NOT DIFFERENTIALLY PRIVATE.**
//!
//! What this room computes reads rows and costs no budget, so nothing of it may be published. Every result carries the
//! stamp [`NOT_PRIVATE`] and every [`Display`](std::fmt::Display) prints it. No room but the programs at the edge may
//! depend on it.

use std::fmt;

use scumble_engine::{CodedTable, EngineError};
use scumble_schema::Schema;
use serde::Serialize;

/// The stamp on every result.
pub const NOT_PRIVATE: &str = "NOT DIFFERENTIALLY PRIVATE: computed from the real rows, for their steward only";

/// How far the one-way distributions of a synthetic table are from the real ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OneWayDistances {
    stamp: &'static str,
    columns: Vec<ColumnDistance>,
}

/// One column's distance.
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
            ColumnDistance { column: attribute.name().into(), total_variation: total_variation(left, right) }
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

/// Half the sum of the differences of shares. A table without rows is at distance one from any with rows.
fn total_variation(left: &[u64], right: &[u64]) -> f64 {
    let (rows_left, rows_right) = (left.iter().sum::<u64>(), right.iter().sum::<u64>());
    match (rows_left, rows_right) {
        (0, 0) => 0.0,
        (0, _) | (_, 0) => 1.0,
        #[expect(clippy::cast_precision_loss, reason = "shares need no more digits than a float has")]
        _ => {
            let differences = left.iter().zip(right).map(|(&count_left, &count_right)| {
                (count_left as f64 / rows_left as f64 - count_right as f64 / rows_right as f64).abs()
            });
            differences.sum::<f64>() / 2.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared_and_not_counts() {
        assert!(total_variation(&[1, 3], &[2, 6]).abs() < 1e-15);
        assert!((total_variation(&[1, 0], &[0, 5]) - 1.0).abs() < 1e-15);
        assert!((total_variation(&[3, 1], &[2, 2]) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn a_table_without_rows_is_as_far_as_can_be() {
        assert!((total_variation(&[0, 0], &[1, 0]) - 1.0).abs() < 1e-15);
        assert!(total_variation(&[0], &[0]).abs() < 1e-15);
    }

    #[test]
    fn no_result_is_shown_without_the_stamp() {
        let distances = OneWayDistances { stamp: NOT_PRIVATE, columns: Vec::new() };
        assert!(distances.to_string().starts_with("NOT DIFFERENTIALLY PRIVATE"));
    }
}
