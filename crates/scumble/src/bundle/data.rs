//! The rows, drawn once for both of their files.

use std::io::Write;

use scumble_engine::{Format, TableWriter};
use scumble_mechanisms::Model;
use scumble_schema::Decoder;

use super::contents::{CSV, PARQUET};
use super::release::Release;
use crate::error::Error;
use crate::pipeline::check_rows;

/// Draws the rows of a release and writes them to two sinks, Parquet and CSV, which are handed back.
///
/// `go_on` is told the number of rows written so far, and stops the work by answering `false`.
///
/// # Privacy
/// Post-processing of the model.
pub(super) fn draw<W: Write + Send>(
    model: &Model,
    release: &Release,
    sinks: [W; 2],
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<[W; 2], Error> {
    check_rows(model, release.rows)?;
    let columns = Decoder::new(model.schema()).arrow_schema().clone();
    let [parquet, csv] = sinks;
    let mut parquet = TableWriter::into_sink(parquet, PARQUET, Format::Parquet, columns.clone())?;
    let mut csv = TableWriter::into_sink(csv, CSV, Format::Csv, columns)?;
    let mut written = 0;
    for rows in model.sample_rows(release.rows, release.seed, release.sampling) {
        parquet.write_rows(&rows)?;
        csv.write_rows(&rows)?;
        written += rows.batch.num_rows() as u64;
        if !go_on(written) {
            return Err(Error::Interrupted);
        }
    }
    Ok([parquet.into_inner()?, csv.into_inner()?])
}
