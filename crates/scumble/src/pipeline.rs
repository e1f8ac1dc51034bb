//! The whole way: files to a model, and a model to files.

use std::io;
use std::path::Path;

use scumble_engine::{Format, Input, ReadOptions, TableScan, TableWriter};
use scumble_mechanisms::marginals::{self, Marginals};
use scumble_mechanisms::{MechanismError, Method, Model, Part};
use scumble_pgm::Sampling;
use scumble_schema::{AdjacencyKind, DecodedRows, Decoder, Schema};
use scumble_vault::ledger::Job;
use scumble_vault::{ApproxDp, MarginalSource};

use crate::error::Error;

/// Reads a table and fits a model to it.
///
/// # Privacy
/// The model, and whatever is made from it, is `(epsilon, delta)`-differentially private as `goal` says, for neighbours
/// as the schema declares them. Budgets of repeated fits of the same table add up; [`fit_on`](crate::fit_on) keeps count.
pub fn fit(
    inputs: &[Input],
    schema: &Schema,
    method: &Method,
    goal: ApproxDp,
    options: &ReadOptions,
) -> Result<Model, Error> {
    fit_scan(TableScan::open(inputs, schema, options)?, schema, method, goal, None)
}

pub(crate) fn fit_scan(
    scan: TableScan,
    schema: &Schema,
    method: &Method,
    goal: ApproxDp,
    job: Option<&Job>,
) -> Result<Model, Error> {
    // Where the number of rows is public it is a question of its own, and both answers must be about the same rows: a
    // file or a database may change in between.
    let asks_once = method.asks_once() && schema.privacy().adjacency == AdjacencyKind::AddRemove;
    // On a cluster every question is a scan of its own, and it is the engine that sees to the files being the same.
    // Caught here and not by whoever cancels it: a job that released nothing has still to be ended.
    let fitted = scumble_cancel::until_cancelled(|| {
        let source: Box<dyn MarginalSource> =
            if asks_once || scan.is_remote() { Box::new(scan) } else { Box::new(scan.code()?) };
        Ok(scumble_mechanisms::fit(schema, source, method, goal, job)?)
    });
    fitted.unwrap_or(Err(Error::Interrupted))
}

/// Fits a model to a file of noisy tables that were made elsewhere.
///
/// # Privacy
/// Post-processing of the tables: no row is read and nothing is spent. The model has no certificate; it repeats what the maker
/// of the tables declares.
pub fn fit_marginals(path: &Path, schema: &Schema) -> Result<Model, Error> {
    Ok(marginals::fit(schema, Marginals::read(path, schema)?)?)
}

/// Where synthetic rows go.
#[derive(Debug, Clone, Copy)]
pub enum RowTarget<'a> {
    /// A file, whose name says the format. It is whole or not there.
    File(&'a Path),
    /// Standard output, as CSV.
    Stdout,
}

impl<'a, P: AsRef<Path> + ?Sized> From<&'a P> for RowTarget<'a> {
    fn from(path: &'a P) -> Self {
        Self::File(path.as_ref())
    }
}

/// Draws rows from a model and writes them.
///
/// `go_on` is called with the number of rows written so far, and stops the work by answering `false`.
///
/// # Privacy
/// Post-processing of the model.
pub fn sample<'a>(
    model: &Model,
    rows: u64,
    seed: u64,
    sampling: Sampling,
    target: impl Into<RowTarget<'a>>,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    check_rows(model, rows)?;
    write(model, model.sample_rows(rows, seed, sampling).map(Ok), target.into(), &mut go_on)
}

/// Draws rows from a part of a model and writes them, as [`sample`] does from the whole model.
///
/// # Privacy
/// Post-processing of the model.
pub fn sample_part<'a>(
    part: &Part<'_>,
    rows: u64,
    seed: u64,
    sampling: Sampling,
    target: impl Into<RowTarget<'a>>,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    check_rows(part.model(), rows)?;
    write(part.model(), part.sample(rows, seed, sampling)?, target.into(), &mut go_on)
}

/// Refuses more rows than a column that is made up has different values.
pub(crate) fn check_rows(model: &Model, rows: u64) -> Result<(), Error> {
    Ok(model.schema().check_rows(rows).map_err(MechanismError::Rows)?)
}

fn write(
    model: &Model,
    batches: impl Iterator<Item = Result<DecodedRows, MechanismError>>,
    target: RowTarget<'_>,
    go_on: &mut impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    let columns = Decoder::new(model.schema()).arrow_schema().clone();
    match target {
        RowTarget::File(path) => {
            let mut writer = TableWriter::create(path, columns)?;
            write_batches(&mut writer, batches, go_on)?;
            Ok(writer.finish()?)
        }
        RowTarget::Stdout => {
            let mut writer = TableWriter::into_sink(io::stdout(), "standard output", Format::Csv, columns)?;
            write_batches(&mut writer, batches, go_on)?;
            writer.into_inner()?;
            Ok(())
        }
    }
}

fn write_batches<W: io::Write + Send>(
    writer: &mut TableWriter<W>,
    batches: impl Iterator<Item = Result<DecodedRows, MechanismError>>,
    go_on: &mut impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    let mut written = 0;
    for rows in batches {
        let rows = rows?;
        writer.write_rows(&rows)?;
        written += rows.batch.num_rows() as u64;
        if !go_on(written) {
            return Err(Error::Interrupted);
        }
    }
    Ok(())
}

/// A seed from the operating system, for rows that nobody needs to draw again.
pub fn fresh_seed() -> Result<u64, Error> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|_| Error::Entropy)?;
    Ok(u64::from_le_bytes(bytes))
}
