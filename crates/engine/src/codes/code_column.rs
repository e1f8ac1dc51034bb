//! Collects codes from DataFusion batches, column by column.

use datafusion::arrow::array::types::{UInt8Type, UInt16Type, UInt32Type};
use datafusion::arrow::array::{ArrayRef, AsArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, exec_err};
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use scumble_schema::{CodeColumn, Schema};

/// Returns one empty column per attribute.
pub(crate) fn empty(schema: &Schema) -> Vec<CodeColumn> {
    schema.attributes().iter().map(|attribute| CodeColumn::with_capacity(attribute.size(), 0)).collect()
}

/// Collects the codes of all batches of one partition, in order.
pub(crate) async fn collect(
    schema: &Schema,
    mut batches: SendableRecordBatchStream,
) -> Result<Vec<CodeColumn>, DataFusionError> {
    let mut columns = empty(schema);
    while let Some(batch) = batches.next().await.transpose()? {
        for (column, more) in columns.iter_mut().zip(batch.columns()) {
            append(column, more)?;
        }
    }
    Ok(columns)
}

fn append(column: &mut CodeColumn, more: &ArrayRef) -> Result<(), DataFusionError> {
    match (column, more.data_type()) {
        _ if more.null_count() > 0 => return exec_err!("a code is missing"),
        (CodeColumn::U8(codes), DataType::UInt8) => codes.extend_from_slice(more.as_primitive::<UInt8Type>().values()),
        (CodeColumn::U16(codes), DataType::UInt16) => {
            codes.extend_from_slice(more.as_primitive::<UInt16Type>().values());
        }
        (CodeColumn::U32(codes), DataType::UInt32) => {
            codes.extend_from_slice(more.as_primitive::<UInt32Type>().values());
        }
        _ => return exec_err!("a column of codes does not fit its attribute"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use scumble_schema::Schema;

    use super::*;
    use crate::run::read_options::ReadOptions;
    use crate::table::table_scan::TableScan;

    const SCHEMA: &str = "\
fields:
  - {name: b, type: integer, constraints: {minimum: 0, maximum: 299, required: true}}
  - {name: a, type: string, constraints: {enum: [x, y]}}
";

    #[test]
    fn rows_of_several_files_keep_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let file = |name: &str, rows: &str| {
            let path = directory.path().join(name);
            std::fs::write(&path, rows).unwrap();
            path.into()
        };
        let inputs = [file("first.csv", "a,b\nx,280\n,3\n"), file("second.tsv", "b\ta\n1\ty\n")];
        let schema = Schema::parse(SCHEMA).unwrap();
        let options = ReadOptions { threads: Some(1), ..ReadOptions::default() };
        let columns = TableScan::open(&inputs, &schema, &options).unwrap().code_columns().unwrap();
        assert_eq!(columns, [CodeColumn::U16(vec![280, 3, 1]), CodeColumn::U8(vec![0, 2, 1])]);
    }

    #[test]
    fn many_rows_keep_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("rows.csv");
        let rows: Vec<String> = (0..60_000).map(|row| (row % 300).to_string()).collect();
        std::fs::write(&path, format!("b\n{}\n", rows.join("\n"))).unwrap();
        let schema = Schema::parse(SCHEMA.split_inclusive('\n').take(2).collect::<String>().as_str()).unwrap();
        let options = ReadOptions { threads: Some(1), ..ReadOptions::default() };
        let columns = TableScan::open(&[path.into()], &schema, &options).unwrap().code_columns().unwrap();
        assert_eq!(columns, [CodeColumn::U16((0..60_000).map(|row| row % 300).collect())]);
    }

    #[test]
    fn a_table_without_rows_has_all_columns() {
        let schema = Schema::parse(SCHEMA).unwrap();
        let columns = TableScan::of_batches(vec![], &schema, &ReadOptions::default()).unwrap().code_columns().unwrap();
        assert_eq!(columns, [CodeColumn::U16(vec![]), CodeColumn::U8(vec![])]);
    }
}
