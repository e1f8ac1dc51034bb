//! The whole way: files to a model, on a ledger or not, and a model to files.

use std::path::Path;

use scumble_engine::{Input, ReadOptions, TableScan, TableWriter};
use scumble_mechanisms::marginals::{self, Marginals};
use scumble_mechanisms::{MechanismError, Method, Model, Part, plan};
use scumble_pgm::Sampling;
use scumble_schema::{AdjacencyKind, DecodedRows, Decoder, Schema};
use scumble_vault::ledger::{Job, Ledger, Terms};
use scumble_vault::{AccountingKind, ApproxDp, Delta, MarginalSource};

use crate::error::Error;

/// Reads a table and fits a model to it.
///
/// # Privacy
/// The model, and whatever is made from it, is `(epsilon, delta)`-differentially private as `goal` says, for neighbours
/// as the schema declares them. Budgets of repeated fits of the same table add up; [`fit_on`] keeps count.
pub fn fit(
    inputs: &[Input],
    schema: &Schema,
    method: &Method,
    goal: ApproxDp,
    options: &ReadOptions,
) -> Result<Model, Error> {
    fit_scan(TableScan::open(inputs, schema, options)?, schema, method, goal, None)
}

/// Makes the ledger of a table, durably: all fits on it, together, will cost at most `cap`.
///
/// The schema says whose privacy that protects, and only fits whose schema says the same can be on it. Unless an accounting is named,
/// costs add up as those of Gaussian noise, or, where the cap has no delta, of Laplace noise.
///
/// ```
/// use scumble::{ApproxDp, Delta, Epsilon, Schema, create_ledger, demo};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("people.ledger");
///
/// let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
/// let cap = ApproxDp { epsilon: Epsilon::new(3.0)?, delta: Delta::new(1e-9)? };
/// let ledger = create_ledger(&path, "people", &schema, cap, None)?;
/// assert_eq!(ledger.verify()?.spent, 0);
/// // What was spent is never forgotten by making it again.
/// assert!(create_ledger(&path, "people", &schema, cap, None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If nothing can be spent under such a cap, or the file exists or cannot be written.
pub fn create_ledger(
    path: &Path,
    dataset: &str,
    schema: &Schema,
    cap: ApproxDp,
    accounting: Option<AccountingKind>,
) -> Result<Ledger, Error> {
    let privacy = schema.privacy();
    // Without a delta there is nothing but Laplace noise, and that is added up as it is.
    let by_delta = if cap.delta == Delta::ZERO { AccountingKind::Pure } else { AccountingKind::Gdp };
    let terms = Terms::new(
        dataset.into(),
        privacy.adjacency,
        privacy.unit.to_string(),
        privacy.max_contributions,
        accounting.unwrap_or(by_delta),
        cap,
    )?;
    Ok(Ledger::create(path, &terms)?)
}

/// Whether a fit begins a job of a ledger, or goes on with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Budget is reserved for a new job.
    New,
    /// A job of the same schema, method and goal that was cut off is taken up: what it released is used again, nothing
    /// is drawn twice, and nothing more is spent.
    Resume,
}

/// Reads a table and fits a model to it, on the budget of the table's ledger.
///
/// The model comes with its job, which is to be [committed](Job::commit) as soon as the model is durable. Until then all that
/// was reserved counts as spent.
///
/// # Privacy
/// As that of [`fit`]; and everything that is ever released on the ledger is, together, differentially private as the ledger
/// says.
pub fn fit_on(
    ledger: &Ledger,
    start: Start,
    inputs: &[Input],
    schema: &Schema,
    method: &Method,
    goal: ApproxDp,
    options: &ReadOptions,
) -> Result<(Model, Job), Error> {
    let scan = TableScan::open(inputs, schema, options)?;
    let plan = plan(schema, method, goal);
    let job = match start {
        Start::New => ledger.begin(plan)?,
        Start::Resume => ledger.take_up(plan)?.ok_or(Error::NothingToResume)?,
    };
    match fit_scan(scan, schema, method, goal, Some(&job)) {
        Ok(model) => Ok((model, job)),
        Err(error) => {
            if job.releases() == 0 {
                // Nothing was released, so nothing is spent. The first error is the one to report.
                let _ = job.commit();
            }
            Err(error)
        }
    }
}

fn fit_scan(
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
    // Caught here and not by whoever stops it: a job that released nothing has still to be ended.
    let fitted = scumble_stop::until_stopped(|| {
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
    check_rows(model, rows)?;
    write(model, model.sample_rows(rows, seed, sampling).map(Ok), path, &mut go_on)
}

/// Draws rows from a part of a model and writes them to a file, as [`sample`] does from the whole model.
///
/// # Privacy
/// Post-processing of the model.
pub fn sample_part(
    part: &Part<'_>,
    rows: u64,
    seed: u64,
    sampling: Sampling,
    path: &Path,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    check_rows(part.model(), rows)?;
    write(part.model(), part.sample(rows, seed, sampling)?, path, &mut go_on)
}

/// Refuses more rows than a column that is made up has different values.
pub(crate) fn check_rows(model: &Model, rows: u64) -> Result<(), Error> {
    Ok(model.schema().check_rows(rows).map_err(MechanismError::Rows)?)
}

fn write(
    model: &Model,
    batches: impl Iterator<Item = Result<DecodedRows, MechanismError>>,
    path: &Path,
    go_on: &mut impl FnMut(u64) -> bool,
) -> Result<(), Error> {
    let mut writer = TableWriter::create(path, Decoder::new(model.schema()).arrow_schema().clone())?;
    let mut written = 0;
    for rows in batches {
        let rows = rows?;
        writer.write_rows(&rows)?;
        written += rows.batch.num_rows() as u64;
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
