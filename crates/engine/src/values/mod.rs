//! Exact counts of the values present in columns that no schema describes.
//!
//! One scan for all columns: the texts of a row are packed into one value, rows beyond the bound of
//! their unit are dropped, and what is left is split into the texts again, each with the number of
//! its column, and grouped. DataFusion groups on all threads and spills what exceeds the memory.
//!
//! # Privacy
//! Which rows of a unit are kept is decided by a hash of the unit and of the texts themselves, so
//! it does not depend on other units, on the order of rows or on threads. The counts go straight
//! into the [sink](scumble_vault::ValueSink) of a vault.

mod pack;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::common::{Column, Result};
use datafusion::dataframe::DataFrame;
use datafusion::functions_aggregate::count::count;
use datafusion::logical_expr::{Expr, ScalarUDF, lit};

use self::pack::read_tag;
pub(crate) use self::pack::{PackTexts, SplitTexts};

const VALUES: &str = "values";
const ROWS: &str = "rows";

/// Returns the expression that packs the texts of columns.
pub(crate) fn packed(columns: &[&str]) -> Expr {
    let columns = columns.iter().map(|name| Expr::Column(Column::new_unqualified(*name))).collect();
    ScalarUDF::new_from_impl(PackTexts::default()).call(columns)
}

/// Groups the packed texts in the column `row` by column and text, and counts them.
pub(crate) fn grouped(rows: DataFrame, row: &str) -> Result<DataFrame> {
    let row = Expr::Column(Column::new_unqualified(row));
    let values = ScalarUDF::new_from_impl(SplitTexts::default()).call(vec![row]).alias(VALUES);
    let value = Expr::Column(Column::new_unqualified(VALUES));
    rows.select(vec![values])?.unnest_columns(&[VALUES])?.aggregate(vec![value], vec![count(lit(1_i64)).alias(ROWS)])
}

/// Calls `add` with the number of the column, the text and the number of rows of every group.
pub(crate) fn each_group(batch: &RecordBatch, add: &mut impl FnMut(usize, &[u8], u64)) {
    let (values, rows) = (batch.column(0).as_binary::<i32>(), batch.column(1).as_primitive::<Int64Type>());
    for (value, &rows) in values.iter().zip(rows.values()) {
        if let (Some((column, text)), Ok(rows)) = (value.and_then(read_tag), u64::try_from(rows)) {
            add(column, text, rows);
        }
    }
}
