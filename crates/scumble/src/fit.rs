//! Fitting of a model to a table.

use std::path::{Path, PathBuf};

use scumble_engine::{DatabaseTable, Input, ReadOptions, TableScan, pinned};
use scumble_mechanisms::columns::{self, LearnShare};
use scumble_mechanisms::marginals::{self, Marginals};
use scumble_mechanisms::quality::Check;
use scumble_mechanisms::{Method, Model, plan, request_with};
use scumble_schema::learn::PartialSchema;
use scumble_schema::{AdjacencyKind, Schema};
use scumble_vault::ledger::{Job, JobPlan, Ledger};
use scumble_vault::{ApproxDp, Certificate, MarginalSource};

use crate::error::Error;
use crate::raw_table::ReadTable;
use crate::weak_terms::refuse_weak_terms;

/// A fit of a model to a table, with its options.
///
/// Only a schema and a privacy goal are required. By default the method is [`Method::recommended`],
/// no ledger is charged, and weak goals are refused.
///
/// ```
/// use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, Schema, demo};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("people.model");
///
/// let people = demo::people(1_000, 1);
/// let table = Input::of_batches(people.arrow_schema().clone(), people.collect());
/// let schema = Schema::parse(demo::PEOPLE_SCHEMA)?;
/// let goal = ApproxDp { epsilon: Epsilon::new(1.0)?, delta: Delta::new(1e-9)? };
/// let model = Fit::new(&schema, goal).method(Method::named("mst")?).save_to(&path).run(&[table])?;
/// assert_eq!(model.schema(), &schema);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Privacy
/// The model, and whatever is computed from it, is `(epsilon, delta)`-differentially private as the
/// goal states, for neighbouring tables as the schema declares them. The budgets of repeated fits
/// of one table add up. With a [ledger](Fit::ledger), everything released on it satisfies, in
/// total, the cap of the ledger.
#[derive(Clone)]
#[must_use = "a fit does nothing until it is run"]
pub struct Fit<'a> {
    columns: Columns<'a>,
    goal: ApproxDp,
    method: Method,
    ledger: Option<&'a Ledger>,
    start: Start,
    command: Option<String>,
    save_to: Option<PathBuf>,
    accept_weak_privacy: bool,
    public_rows: Option<u64>,
    read_options: ReadOptions,
    push_down: bool,
    check: Option<Check>,
}

/// The columns of a fit.
#[derive(Debug, Clone, Copy)]
enum Columns<'a> {
    /// All of them are declared.
    Declared(&'a Schema),
    /// Some are learned, for a share of the budget.
    Learned(&'a PartialSchema, LearnShare),
    /// Some are learned, for all of it, and no model is fitted.
    LearnedAlone(&'a PartialSchema),
}

/// How a fit starts on its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Start {
    /// Reserves budget for a new job. Refused if a job with the same schema, method and goal is
    /// open: it is most likely this fit, interrupted earlier.
    #[default]
    New,
    /// Continues the open job with the same schema, method and goal. Values it released are reused,
    /// so nothing is drawn twice and nothing more is spent.
    Resume,
    /// Reserves budget for a new job even if the same one is open. The open job's reservation stays
    /// spent.
    Anew,
}

impl Start {
    /// Begins or continues a job.
    pub(crate) fn begin(self, ledger: &Ledger, plan: JobPlan) -> Result<Job, Error> {
        Ok(match self {
            Self::New => ledger.begin(plan)?,
            Self::Anew => ledger.begin_anew(plan)?,
            Self::Resume => ledger.resume_job(plan)?.ok_or(Error::NothingToResume)?,
        })
    }
}

impl<'a> Fit<'a> {
    /// Returns a fit within `goal`, by the method recommended for it.
    pub fn new(schema: &'a Schema, goal: ApproxDp) -> Self {
        Self::of(Columns::Declared(schema), goal)
    }

    /// Returns a fit that first learns what `partial` lacks, for a share of the budget of `goal`.
    ///
    /// # Privacy
    /// Learned bounds and categories are released values: one certificate covers them and the
    /// model. Categories are texts that enough rows share, and public from then on.
    pub fn undeclared(partial: &'a PartialSchema, share: LearnShare, goal: ApproxDp) -> Self {
        Self::of(Columns::Learned(partial, share), goal)
    }

    fn of(columns: Columns<'a>, goal: ApproxDp) -> Self {
        Self {
            columns,
            goal,
            method: Method::recommended(goal),
            ledger: None,
            start: Start::New,
            command: None,
            save_to: None,
            accept_weak_privacy: false,
            public_rows: None,
            read_options: ReadOptions::default(),
            push_down: false,
            check: None,
        }
    }

    /// Sets the method and its options.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Charges the fit to the ledger of the table, which refuses it over its cap.
    pub fn ledger(self, ledger: impl Into<Option<&'a Ledger>>) -> Self {
        Self { ledger: ledger.into(), ..self }
    }

    /// Sets whether the ledger begins a new job or resumes an open one.
    pub fn start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Records in the ledger the command that runs this fit, so that it can be repeated.
    pub fn command(self, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..self }
    }

    /// Writes the model to this file, before the ledger's job ends.
    pub fn save_to(self, path: impl AsRef<Path>) -> Self {
        Self { save_to: Some(path.as_ref().to_owned()), ..self }
    }

    /// Accepts weak goals, such as an epsilon above 10.
    pub fn accept_weak_privacy(self, accept: bool) -> Self {
        Self { accept_weak_privacy: accept, ..self }
    }

    /// Sets the number of rows, if it is public. The delta is then checked against it.
    pub fn public_rows(self, rows: impl Into<Option<u64>>) -> Self {
        Self { public_rows: rows.into(), ..self }
    }

    /// Sets how the table is read: format, memory, threads, progress, cluster.
    pub fn read_options(self, options: ReadOptions) -> Self {
        Self { read_options: options, ..self }
    }

    /// Sets whether the databases of the tables count their rows themselves, and send counts only.
    /// The counts are the same. The schema must declare all columns.
    pub fn push_down(self, push_down: bool) -> Self {
        Self { push_down, ..self }
    }

    /// Spends a share of the budget on comparing rows of the model with the real ones. The model
    /// has the result: [`Model::checked`].
    pub fn check_rows(self, check: impl Into<Option<Check>>) -> Self {
        Self { check: check.into(), ..self }
    }

    /// Refuses weak goals, unless they are accepted. All other steps check this first; callers that
    /// prepare inputs at a cost can ask before.
    pub fn check_goal(&self) -> Result<(), Error> {
        if self.accept_weak_privacy { Ok(()) } else { refuse_weak_terms(self.goal, self.public_rows) }
    }

    /// Checks all that can be checked without reading a row or reserving budget: the goal, the
    /// columns of the table, and the room on the ledger.
    pub fn check(&self, inputs: &[Input]) -> Result<(), Error> {
        let inputs = self.pinned(inputs)?;
        self.open(&inputs)?;
        let Some(ledger) = self.ledger else { return Ok(()) };
        let plan = self.plan(&inputs)?;
        match self.start {
            Start::Resume if ledger.has_open(&plan)? => Ok(()),
            Start::Resume => Err(Error::NothingToResume),
            start => Ok(ledger.check(&plan, start == Start::Anew)?),
        }
    }

    /// Reads the table, fits the model, saves it, and ends the ledger's job.
    pub fn run(self, inputs: &[Input]) -> Result<Model, Error> {
        let (model, job) = self.reserve(inputs)?.run()?;
        if let Some(job) = job {
            job.commit()?;
        }
        Ok(model)
    }

    /// Opens the table and reserves the budget on the ledger, if there is one.
    ///
    /// For callers that act between the reservation and the end of the job: to report an
    /// interrupted fit, or to write more than the model before the job ends.
    ///
    /// # Errors
    /// If the goal is refused or the table cannot be opened, before anything is reserved; or as
    /// [`Ledger::begin`].
    pub fn reserve(self, inputs: &[Input]) -> Result<ReservedFit<'a>, Error> {
        let inputs = self.pinned(inputs)?;
        let table = self.open(&inputs)?;
        let begin = |ledger: &Ledger| self.start.begin(ledger, self.plan(&inputs)?);
        let job = self.ledger.map(begin).transpose()?;
        Ok(ReservedFit { fit: self, table, job })
    }

    /// Checks the goal, then returns the inputs with the newest version of each Delta table that is
    /// named without one. [`Fit::reserve`] does so itself; this is for callers that show the
    /// versions.
    ///
    /// # Errors
    /// If the goal is refused or the log of a table cannot be read.
    pub fn pinned(&self, inputs: &[Input]) -> Result<Vec<Input>, Error> {
        self.check_goal()?;
        Ok(pinned(inputs, &self.options())?)
    }

    fn options(&self) -> ReadOptions {
        #[cfg_attr(not(feature = "object-store"), expect(unused_mut, reason = "only stores are filled in"))]
        let mut options = self.read_options.clone();
        #[cfg(feature = "object-store")]
        options.stores.get_or_insert_with(|| std::sync::Arc::new(scumble_engine::Stores::default()));
        options
    }

    fn open(&self, inputs: &[Input]) -> Result<OpenTable, Error> {
        let options = self.options();
        if self.push_down {
            let Columns::Declared(schema) = self.columns else { return Err(Error::NotLearnedInside) };
            return Ok(OpenTable::Counted(DatabaseTable::open(inputs, schema, &options)?));
        }
        Ok(match self.columns {
            Columns::Declared(schema) => OpenTable::Coded(TableScan::open(inputs, schema, &options)?),
            Columns::Learned(partial, _) | Columns::LearnedAlone(partial) => {
                let table = ReadTable::new(inputs, options, self.method.asks_once());
                table.check(partial)?;
                OpenTable::Raw(table)
            }
        })
    }

    /// Reserves the budget for learning alone: what the schema of [`Fit::undeclared`] lacks is
    /// learned for all of it, and no model is fitted.
    ///
    /// # Errors
    /// If the schema lacks nothing; otherwise those of [`Fit::reserve`].
    pub fn reserve_learning(mut self, inputs: &[Input]) -> Result<ReservedLearning<'a>, Error> {
        let partial = match self.columns {
            Columns::Learned(partial, _) | Columns::LearnedAlone(partial) if !partial.missing().is_empty() => partial,
            _ => return Err(Error::NothingToLearn),
        };
        self.columns = Columns::LearnedAlone(partial);
        Ok(ReservedLearning { partial, reserved: self.reserve(inputs)? })
    }

    fn plan(&self, inputs: &[Input]) -> Result<JobPlan, Error> {
        let plan = match self.columns {
            Columns::Declared(schema) => plan(schema, &self.method, self.goal),
            Columns::Learned(partial, share) => columns::plan(partial, &self.method, Some(share), self.goal)?,
            Columns::LearnedAlone(partial) => columns::plan(partial, &self.method, None, self.goal)?,
        };
        let plan = match &self.check {
            Some(check) => check.in_plan(plan),
            None => plan,
        };
        let plan = JobPlan { command: self.command.clone(), ..plan };
        let versions: Vec<u64> = inputs.iter().filter_map(Input::version).collect();
        if versions.is_empty() {
            return Ok(plan);
        }
        // A fit that goes on must read the rows that it began with.
        let shown = versions.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let description = format!("{}, table version {shown}", plan.description);
        Ok(JobPlan { description, request: request_with(&plan.request, "versions", versions.into()), ..plan })
    }
}

/// The table of a fit.
enum OpenTable {
    /// Read by its schema.
    Coded(TableScan),
    /// Counted where it is.
    Counted(DatabaseTable),
    /// Read by several schemas, one after another.
    Raw(ReadTable),
}

/// A fit with an open table and a reserved budget. No row has been read yet.
#[must_use = "the reserved budget stays spent until the fit has run"]
pub struct ReservedFit<'a> {
    fit: Fit<'a>,
    table: OpenTable,
    job: Option<Job>,
}

impl ReservedFit<'_> {
    /// Returns the job on the ledger: its reservation and the number of its releases.
    pub fn job(&self) -> Option<&Job> {
        self.job.as_ref()
    }

    /// Fits the model and saves it.
    ///
    /// The caller [commits](Job::commit) the job once all results are durable. Until then the whole
    /// reservation counts as spent.
    pub fn run(self) -> Result<(Model, Option<Job>), Error> {
        let Self { fit, table, job } = self;
        let fitted = fit.measure(table, job.as_ref());
        let (model, job) = with_job(fitted, job)?;
        if let Some(path) = &fit.save_to {
            model.write(path)?;
        }
        Ok((model, job))
    }
}

/// The learning of a schema, with an open table and a reserved budget. No row has been read yet.
#[must_use = "the reserved budget stays spent until the schema is learned"]
pub struct ReservedLearning<'a> {
    partial: &'a PartialSchema,
    reserved: ReservedFit<'a>,
}

/// A schema learned from rows, with the certificate of what was released for it.
#[derive(Debug)]
pub struct LearnedSchema {
    /// The complete schema.
    pub schema: Schema,
    /// What was released, and what it cost.
    pub certificate: Certificate,
}

impl ReservedLearning<'_> {
    /// Returns the job on the ledger.
    pub fn job(&self) -> Option<&Job> {
        self.reserved.job()
    }

    /// Learns the schema. The caller commits the job, as after [`ReservedFit::run`].
    ///
    /// # Privacy
    /// The schema is only as private as the certificate says: both belong together. A fit with the
    /// schema costs its own budget and none for learning.
    ///
    /// # Errors
    /// Those of the table and of the vault.
    pub fn run(self) -> Result<(LearnedSchema, Option<Job>), Error> {
        let ReservedFit { fit, table, job } = self.reserved;
        let OpenTable::Raw(table) = table else { unreachable!("a table is opened by its columns") };
        let learned = scumble_cancel::until_cancelled(|| {
            let (schema, certificate) = columns::learn(self.partial, &table, &fit.method, fit.goal, job.as_ref())?;
            Ok(LearnedSchema { schema, certificate })
        });
        with_job(learned.unwrap_or(Err(Error::Interrupted)), job)
    }
}

/// Returns a result with its job. If the work failed before its first release, nothing is spent,
/// and the job ends.
pub(crate) fn with_job<T>(result: Result<T, Error>, job: Option<Job>) -> Result<(T, Option<Job>), Error> {
    match result {
        Ok(result) => Ok((result, job)),
        Err(error) => {
            if let Some(job) = job.filter(|job| job.releases() == 0) {
                // The first error is the one to report.
                let _ = job.commit();
            }
            Err(error)
        }
    }
}

impl Fit<'_> {
    fn measure(&self, table: OpenTable, job: Option<&Job>) -> Result<Model, Error> {
        // Cancellation unwinds to here, so that a job without releases can still be ended.
        let fitted = scumble_cancel::until_cancelled(|| match (self.columns, table) {
            (Columns::Declared(schema), OpenTable::Coded(scan)) => {
                self.measure_declared(schema, for_method(scan, schema, self.method.asks_once())?, job)
            }
            (Columns::Declared(schema), OpenTable::Counted(table)) => {
                self.measure_declared(schema, Box::new(table), job)
            }
            (Columns::Learned(partial, share), OpenTable::Raw(table)) => {
                let check = self.check.as_ref();
                Ok(columns::fit_undeclared(partial, &table, &self.method, self.goal, share, check, job)?)
            }
            _ => unreachable!("a table is opened by its columns"),
        });
        fitted.unwrap_or(Err(Error::Interrupted))
    }

    fn measure_declared(
        &self,
        schema: &Schema,
        source: Box<dyn MarginalSource>,
        job: Option<&Job>,
    ) -> Result<Model, Error> {
        let check = self.check.as_ref();
        Ok(scumble_mechanisms::fit_and_check(schema, source, &self.method, self.goal, check, job)?)
    }
}

/// Returns the counts of a table for a method: by scans if it asks once, otherwise of all codes,
/// read once.
pub(crate) fn for_method(
    scan: TableScan,
    schema: &Schema,
    asks_once: bool,
) -> Result<Box<dyn MarginalSource>, scumble_engine::EngineError> {
    // A public number of rows is a query of its own, and a file or a database may change between
    // two scans.
    let asks_once = asks_once && schema.privacy().adjacency == AdjacencyKind::AddRemove;
    Ok(if asks_once { Box::new(scan) } else { Box::new(scan.code()?) })
}

/// Fits a model to a file of noisy tables that another party released.
///
/// # Privacy
/// Post-processing of the tables: no row is read and no budget is spent. The model has no
/// certificate; it repeats the declaration of the party that released the tables.
pub fn fit_marginals(path: &Path, schema: &Schema) -> Result<Model, Error> {
    Ok(marginals::fit(schema, Marginals::read(path, schema)?)?)
}
