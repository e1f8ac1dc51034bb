//! Fits on the ledger of their table.

use std::path::Path;

use scumble_engine::{Input, ReadOptions, TableScan};
use scumble_mechanisms::{Method, Model, plan};
use scumble_schema::Schema;
use scumble_vault::ledger::{Job, Ledger, Terms};
use scumble_vault::{AccountingKind, ApproxDp, Delta};

use crate::error::Error;
use crate::pipeline::fit_scan;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Budget is reserved for a new job. Refused if one of the same schema, method and goal never ended: it is most likely the same fit,
    /// started again.
    #[default]
    New,
    /// A job of the same schema, method and goal that was cut off is taken up: what it released is used again, nothing
    /// is drawn twice, and nothing more is spent.
    Resume,
    /// Budget is reserved for a new job, whatever became of others. What those reserved stays spent.
    Anew,
}

/// A fit whose budget is reserved, and which has not looked at a row yet.
#[must_use = "what was reserved stays spent until the fit has run"]
pub struct ReservedFit<'a> {
    scan: TableScan,
    schema: &'a Schema,
    method: &'a Method,
    goal: ApproxDp,
    job: Job,
}

impl<'a> ReservedFit<'a> {
    /// Opens the table and reserves the budget of a fit of it. `command` is what the ledger calls the job by, if it was a command.
    ///
    /// # Errors
    /// If the table cannot be opened, before anything is reserved; or as those of [`Ledger::begin`].
    pub fn new(
        ledger: &Ledger,
        (start, command): (Start, Option<String>),
        inputs: &[Input],
        schema: &'a Schema,
        method: &'a Method,
        goal: ApproxDp,
        options: &ReadOptions,
    ) -> Result<Self, Error> {
        let scan = TableScan::open(inputs, schema, options)?;
        let plan = scumble_vault::ledger::Plan { command, ..plan(schema, method, goal) };
        let job = match start {
            Start::New => ledger.begin(plan)?,
            Start::Anew => ledger.begin_anew(plan)?,
            Start::Resume => ledger.resume_job(plan)?.ok_or(Error::NothingToResume)?,
        };
        Ok(Self { scan, schema, method, goal, job })
    }

    /// The job on the ledger: what it has reserved, and how much it has released.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Fits the model. Its job is to be [committed](Job::commit) as soon as the model is durable; until then all that was reserved counts
    /// as spent.
    ///
    /// # Privacy
    /// As that of [`fit`](crate::fit); and everything that is ever released on the ledger is, together, differentially private as the
    /// ledger says.
    pub fn run(self) -> Result<(Model, Job), Error> {
        let Self { scan, schema, method, goal, job } = self;
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
}

/// Reads a table and fits a model to it, on the budget of the table's ledger: a [`ReservedFit`] that is run at once.
///
/// # Privacy
/// As that of [`ReservedFit::run`].
pub fn fit_on(
    ledger: &Ledger,
    start: Start,
    inputs: &[Input],
    schema: &Schema,
    method: &Method,
    goal: ApproxDp,
    options: &ReadOptions,
) -> Result<(Model, Job), Error> {
    ReservedFit::new(ledger, (start, None), inputs, schema, method, goal, options)?.run()
}
