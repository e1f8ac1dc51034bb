//! Reads checkpoints, which are Parquet files, as the lines of commits.

use bytes::Bytes;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::parquet::arrow::ProjectionMask;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::schema::types::SchemaDescriptor;

use crate::source::guard::{check_footer_bytes, footer_start};

/// Rows of a batch.
const ROWS: usize = 4_096;

/// Whether a value matters: statistics of files, which are most of a checkpoint, do not.
fn is_read(path: &[String]) -> bool {
    let second = path.get(1).map(String::as_str);
    match path.first().map(String::as_str) {
        Some("add") => {
            second.is_some_and(|name| ["path", "partitionValues", "modificationTime", "deletionVector"].contains(&name))
        }
        Some("metaData") => second.is_some_and(|name| ["schemaString", "configuration"].contains(&name)),
        Some("protocol") => second.is_some_and(|name| ["minReaderVersion", "readerFeatures"].contains(&name)),
        Some("sidecar") => second == Some("path"),
        _ => false,
    }
}

fn projection(columns: &SchemaDescriptor) -> ProjectionMask {
    let read = columns.columns().iter().enumerate().filter(|(_, column)| is_read(column.path().parts()));
    ProjectionMask::leaves(columns, read.map(|(leaf, _)| leaf))
}

/// Returns the actions of a part of a checkpoint, one in a line, in pieces.
pub(super) fn lines(part: Bytes) -> Result<impl Iterator<Item = Result<Vec<u8>, ArrowError>>, ArrowError> {
    check(&part).ok_or_else(damaged)?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(part)?;
    let projection = projection(reader.parquet_schema());
    let reader = reader.with_projection(projection).with_batch_size(ROWS).build()?;
    Ok(reader.map(|batch| in_lines(&batch?)))
}

/// Checks the footer, as those of data files are checked.
fn check(part: &Bytes) -> Option<()> {
    let (rest, tail) = part.split_last_chunk()?;
    let start = footer_start(part.len() as u64, *tail).ok()?;
    check_footer_bytes(rest.get(usize::try_from(start).ok()?..)?).ok()
}

fn damaged() -> ArrowError {
    ArrowError::ParquetError("no checkpoint".into())
}

fn in_lines(batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
    let mut writer = LineDelimitedWriter::new(Vec::new());
    writer.write(batch)?;
    writer.finish()?;
    Ok(writer.into_inner())
}
