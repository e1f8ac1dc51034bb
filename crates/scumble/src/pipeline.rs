//! The whole way: files to a model, a model to files.

use std::path::Path;

use scumble_engine::{Input, ReadOptions, TableScan, TableWriter};
use scumble_mechanisms::{Method, Model};
use scumble_pgm::Sampling;
use scumble_schema::{AdjacencyKind, Decoder, Schema};
use scumble_vault::{ApproxDp, MarginalSource};

use crate::error::Error;

/// Reads a table and fits a model to it.
///
/// # Privacy
/// The model, and whatever is made from it, is `(epsilon, delta)`-differentially private as `goal` says, for neighbours
/// as the schema declares them. Budgets of repeated fits of the same table add up.
pub fn fit(
    inputs: &[Input],
    schema: &Schema,
    method: Method,
    goal: ApproxDp,
    options: &ReadOptions,
) -> Result<Model, Error> {
    let scan = TableScan::open(inputs, schema, options)?;
    // Where the number of rows is public it is a question of its own, and both answers must be about the same rows: a
    // file or a database may change in between.
    let asks_once = method.asks_once() && schema.privacy().adjacency == AdjacencyKind::AddRemove;
    let source: Box<dyn MarginalSource> = if asks_once { Box::new(scan) } else { Box::new(scan.code()?) };
    Ok(scumble_mechanisms::fit(schema, source, method, goal)?)
}

/// Draws rows from a model and writes them to a file, whose name says the format.
///
/// `go_on` is told the number of rows written so far, and stops the work by answering `false`. The file is whole or not there.
///
/// # Privacy
/// Post-processing of the model.
pub fn sample(
    model: &Model,
    rows: u64,
    seed: u64,
    sampling: Sampling,
    path: &Path,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    let mut writer = TableWriter::create(path, Decoder::new(model.schema()).arrow_schema().clone())?;
    let mut written = 0;
    for batch in model.sample(rows, seed, sampling) {
        writer.write(&batch)?;
        written += batch.num_rows() as u64;
        if !go_on(written) {
            return Err(Error::Interrupted);
        }
    }
    Ok(writer.finish()?)
}

/// A seed from the operating system, for rows that nobody needs to draw again.
pub fn fresh_seed() -> Result<u64, Error> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|_| Error::Entropy)?;
    Ok(u64::from_le_bytes(bytes))
}
