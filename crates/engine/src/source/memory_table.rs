//! Rows in memory as a table.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Field, Schema as ArrowSchema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use scumble_schema::Schema;

use crate::codes::encode::{supports, unknown_type, unknown_values};
use crate::error::{ColumnProblem, EngineError};
use crate::source::input::IN_MEMORY;

/// Returns rows in memory as a DataFusion table with the columns of `schema` checked.
pub(crate) fn memory_table(
    columns: &SchemaRef,
    partitions: Vec<Vec<RecordBatch>>,
    schema: &Schema,
) -> Result<Arc<dyn TableProvider>, EngineError> {
    check_columns(columns, schema)?;
    if partitions.iter().flatten().any(|batch| batch.schema().fields() != columns.fields()) {
        return Err(EngineError::config(
            "the record batches have different columns or types",
            "cast them to one Arrow schema first",
        ));
    }
    let unknown =
        |field: &Field| !supports(field.data_type()) && schema.columns_read().any(|name| name == field.name());
    // Metadata that a library attached, such as an index of rows, is dropped. All columns are
    // declared nullable: some libraries declare no nulls and have some, and one null must not
    // decide whether the table is read.
    let fields = columns.fields().iter().map(|field| {
        let data_type = if unknown(field) { unknown_type() } else { field.data_type().clone() };
        Field::new(field.name(), data_type, true)
    });
    let shown = Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()));
    let without_metadata = |batch: RecordBatch| {
        let rows = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let arrays = batch.columns().iter().zip(columns.fields());
        let arrays =
            arrays.map(|(array, field)| if unknown(field) { unknown_values(array) } else { Arc::clone(array) });
        RecordBatch::try_new_with_options(Arc::clone(&shown), arrays.collect(), &rows)
    };
    let bug = EngineError::Bug { what: "no table of record batches" };
    let partitions = partitions.into_iter().map(|batches| batches.into_iter().map(without_metadata).collect());
    let partitions = partitions.collect::<Result<_, _>>().map_err(|_| bug.clone())?;
    Ok(Arc::new(MemTable::try_new(shown, partitions).map_err(|_| bug)?))
}

/// Checks that the table has every column once, and a unit column whose values can be compared.
///
/// A column of an unsupported type is read as unknown values: data-frame libraries choose a type by
/// the values, so one value may make a column nested.
fn check_columns(columns: &SchemaRef, schema: &Schema) -> Result<(), EngineError> {
    let unit = schema.privacy().bound().map(|(unit, _)| unit);
    for name in schema.columns_read() {
        let found = columns.fields().iter().filter(|field| field.name() == name);
        let names = columns.fields().iter().map(|field| field.name().as_str());
        let problem = match ColumnProblem::find_unique(found, name, names) {
            Ok(field) if supports(field.data_type()) || unit != Some(name) => continue,
            Ok(field) => ColumnProblem::Type(field.data_type().to_string()),
            Err(problem) => problem,
        };
        return Err(EngineError::Schema { path: IN_MEMORY.into(), column: name.to_owned(), problem });
    }
    Ok(())
}
