//! Drawing of the rows, once for both of their files.

use std::io::Write;

use scumble_engine::{Format, TableWriter};
use scumble_mechanisms::Model;
use scumble_schema::Decoder;

use super::contents::{CSV, PARQUET};
use super::release::Release;
use crate::draw::Draw;
use crate::error::Error;

/// Draws the rows of a release, writes them to two sinks, Parquet and CSV, and returns the sinks.
///
/// Calls `go_on` with the number of rows written so far, and stops once it returns `false`.
///
/// # Privacy
/// Post-processing of the model.
pub(super) fn draw<W: Write + Send>(
    model: &Model,
    release: &Release,
    sinks: [W; 2],
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<[W; 2], Error> {
    let columns = Decoder::new(model.schema()).arrow_schema().clone();
    let [parquet, csv] = sinks;
    let mut parquet = TableWriter::into_sink(parquet, PARQUET, Format::Parquet, columns.clone())?;
    let mut csv = TableWriter::into_sink(csv, CSV, Format::Csv, columns)?;
    let draw = Draw::from(model).rows(release.rows).seed(release.seed).sampling(release.sampling);
    draw.progress(|drawn, _| go_on(drawn)).for_each_batch(|rows| {
        parquet.write_rows(&rows)?;
        Ok(csv.write_rows(&rows)?)
    })?;
    Ok([parquet.into_inner()?, csv.into_inner()?])
}
