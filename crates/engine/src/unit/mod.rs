#![doc = include_str!("unit.md")]

mod key;
mod row;
mod text;

use std::num::NonZeroU32;
use std::sync::Arc;

use datafusion::common::{Column, Result};
use datafusion::dataframe::DataFrame;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{Expr, ExprFunctionExt, ScalarUDF, lit};
use scumble_planted::Mutant;
use scumble_schema::{Attribute, Schema};

pub(crate) use self::key::UnitKey;
pub(crate) use self::row::{PackRow, RankRow, UnpackCode};
use crate::codes::encode::code_type;
use crate::codes::udf::EncodeColumn;

// Columns between the scan and the codes. No column of the schema is beside them, so their names
// cannot collide.
pub(crate) const ROW: &str = "row";
const UNIT: &str = "unit";
const RANK: &str = "rank";
const NUMBER: &str = "number";

/// The plan that keeps at most `max_contributions` rows of each unit.
#[derive(Debug)]
pub(crate) struct UnitBound<'a> {
    schema: &'a Arc<Schema>,
    column: &'a str,
    max_rows: NonZeroU32,
}

impl<'a> UnitBound<'a> {
    /// Returns the bound that the schema declares, if it names a unit column.
    pub(crate) fn of(schema: &'a Arc<Schema>) -> Option<Self> {
        schema.privacy().bound().map(|(column, max_rows)| Self { schema, column, max_rows })
    }

    /// Returns the columns to select from a scan: the row, and the key of its unit.
    pub(crate) fn columns(&self) -> Vec<Expr> {
        let codes = self.schema.domain().attributes();
        let codes = codes.map(|attribute| EncodeColumn::of_column(self.schema, attribute)).collect();
        self.columns_of(ScalarUDF::new_from_impl(PackRow::default()).call(codes))
    }

    /// Returns the columns to select from a scan for rows that are packed by `row`.
    pub(crate) fn columns_of(&self, row: Expr) -> Vec<Expr> {
        let unit = Expr::Column(Column::new_unqualified(self.column));
        let key = UnitKey::new(self.schema.missing_texts(self.column));
        vec![row.alias(ROW), ScalarUDF::new_from_impl(key).call(vec![unit]).alias(UNIT)]
    }

    /// Returns the codes of the kept rows, one column per attribute, from the columns selected by
    /// [`Self::columns`].
    ///
    /// Rows without a unit are dropped first: as a single unit, the people behind them would have
    /// to share its bound.
    ///
    /// Uses operators that DataFusion distributes over threads and machines and that spill: rows go
    /// to the partition of their unit, are sorted there, and the first rows of each unit are kept.
    pub(crate) fn keep(&self, rows: DataFrame) -> Result<DataFrame> {
        self.keep_rows(rows)?.select(self.codes())
    }

    /// Returns the kept rows as they were packed, in the column [`ROW`].
    pub(crate) fn keep_rows(&self, rows: DataFrame) -> Result<DataFrame> {
        let rank = ScalarUDF::new_from_impl(RankRow::default()).call(vec![column(UNIT), column(ROW)]);
        let number = row_number()
            .partition_by(vec![column(UNIT)])
            .order_by(vec![column(RANK).sort(true, false)])
            .build()?
            .alias(NUMBER);
        // The session has no type coercion: the number of a row is a u64.
        let max_rows = u64::from(self.max_rows.get()) + u64::from(Mutant::UnitKeepsOneMore.is_planted());
        let is_kept = column(NUMBER).lt_eq(lit(max_rows));
        rows.filter(column(UNIT).is_not_null())?
            .select(vec![column(ROW), column(UNIT), rank.alias(RANK)])?
            .window(vec![number])?
            .filter(is_kept)?
            .select(vec![column(ROW)])
    }

    fn codes(&self) -> Vec<Expr> {
        let mut offset = 0;
        let code = |attribute: &Attribute| {
            let code = UnpackCode::new(offset, code_type(attribute.size()));
            offset = code.end();
            ScalarUDF::new_from_impl(code).call(vec![column(ROW)]).alias(attribute.name())
        };
        self.schema.attributes().iter().map(code).collect()
    }
}

fn column(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

#[cfg(test)]
mod tests;
