//! Distribution of every column, in the real and the synthetic table.

use scumble_report::grouping::{Group, Shown};
use scumble_schema::{AttributeId, Clique, Schema};
use serde::Serialize;

use crate::error::EvaluateError;
use crate::table::Columns;

/// Distribution of one column in both tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Distribution {
    /// The column.
    pub column: String,
    /// Values, or groups of neighbouring values, in the order in which they are drawn.
    pub values: Vec<ValueShares>,
    /// Values outside that order: missing values, or the remaining categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub besides: Vec<ValueShares>,
    /// How the page draws them.
    #[serde(skip)]
    pub(crate) shown: Shown,
}

/// Share of a value, or of a group of neighbouring values, in each table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ValueShares {
    /// The value, or the first and the last value of a group.
    pub value: String,
    /// Share of real rows.
    pub real: f64,
    /// Share of synthetic rows.
    pub synthetic: f64,
}

impl Distribution {
    /// Returns the distributions of all columns, in the order of the schema.
    pub(super) fn of_columns(real: &Columns, synthetic: &Columns, schema: &Schema) -> Result<Vec<Self>, EvaluateError> {
        schema.domain().attributes().map(|column| Self::of_column(real, synthetic, schema, column)).collect()
    }

    fn of_column(
        real: &Columns,
        synthetic: &Columns,
        schema: &Schema,
        column: AttributeId,
    ) -> Result<Self, EvaluateError> {
        let attribute = schema.attribute(column);
        let (real, synthetic) = (shares(real, column)?, shares(synthetic, column)?);
        let shown = Shown::new(attribute, &real);
        let both = |group: &Group| ValueShares {
            value: group.label(),
            real: group.share,
            synthetic: group.codes.iter().map(|&code| synthetic[code as usize]).sum(),
        };
        let (Shown::Bars { bars: drawn, .. } | Shown::Columns { columns: drawn, .. }) = &shown;
        Ok(Self {
            column: attribute.name().into(),
            values: drawn.iter().map(both).collect(),
            besides: shown.aside().iter().map(both).collect(),
            shown,
        })
    }
}

/// Returns the share of each code of a column.
fn shares(table: &Columns, column: AttributeId) -> Result<Vec<f64>, EvaluateError> {
    let counts = table.counts(&Clique::single(column))?;
    let rows = f64::from(table.rows());
    Ok(counts.into_iter().map(|count| count as f64 / rows).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_are_grouped_alike() {
        let schema = Schema::parse(
            "fields:\n  - {name: a, type: integer, constraints: {minimum: 0, maximum: 119}}\n  \
             - {name: b, type: string, constraints: {enum: [x, y, z, w], required: true}}\n",
        )
        .unwrap();
        let table = |ages: Vec<u32>, b: Vec<u32>| Columns::new(schema.domain().clone(), vec![ages, b]).unwrap();
        let real = table(vec![0, 1, 119, 120], vec![3, 3, 3, 1]);
        let synthetic = table(vec![0, 118], vec![1, 3]);
        let columns = Distribution::of_columns(&real, &synthetic, &schema).unwrap();
        let [ages, letters] = &columns[..] else { panic!("two columns") };
        // Neighbours are grouped in both tables, and missing values stand outside the order.
        assert_eq!((ages.values.len(), ages.values[0].value.as_str()), (60, "0 to 1"));
        assert_eq!((ages.values[0].real, ages.values[0].synthetic), (0.5, 0.5));
        assert_eq!((ages.besides[0].real, ages.besides[0].synthetic), (0.25, 0.0));
        // The most frequent real value comes first.
        assert_eq!((letters.values[0].value.as_str(), letters.values[0].synthetic), ("w", 0.5));
    }
}
