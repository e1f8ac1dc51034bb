//! Quality of rows that were released before, and criteria in files.

use std::path::Path;

use scumble_engine::{Input, ReadOptions, TableScan};
use scumble_mechanisms::quality::{self, Checked, Criteria, Figure};
use scumble_mechanisms::{MechanismError, Model, Workload};
use scumble_pgm::Sampling;
use scumble_schema::{CodeColumn, Schema};
use scumble_vault::ledger::{Job, JobPlan, Ledger};
use scumble_vault::{ApproxDp, Certificate};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::fit::{Start, for_method, with_job};
use crate::settings_file;
use crate::weak_terms::refuse_weak_terms;

/// Reads criteria from a YAML or JSON file.
///
/// # Errors
/// If the file cannot be read, or has no valid criteria.
pub fn read_criteria(path: &Path) -> Result<Criteria, Error> {
    let text = settings_file::read(path)
        .map_err(|problem| MechanismError::File { path: path.display().to_string(), problem })?;
    parse_criteria(&text)
}

/// Parses criteria, in YAML or JSON.
///
/// # Errors
/// If the text has no valid criteria.
pub fn parse_criteria(text: &str) -> Result<Criteria, Error> {
    let criteria: Criteria = settings_file::parse(text).map_err(|problem| MechanismError::Criteria { problem })?;
    criteria.check()?;
    Ok(criteria)
}

/// A comparison of rows that were released before with the real ones, for a budget of its own.
///
/// # Privacy
/// The figures are `(epsilon, delta)`-differentially private as the goal states, whatever the
/// released rows are. The budgets of repeated checks add up, and so do those of the fit.
#[must_use = "a check does nothing until it is run"]
pub struct RowCheck<'a> {
    schema: &'a Schema,
    goal: ApproxDp,
    figures: Vec<Figure>,
    workload: Workload,
    ledger: Option<&'a Ledger>,
    start: Start,
    command: Option<String>,
    accept_weak_privacy: bool,
    read_options: ReadOptions,
}

impl<'a> RowCheck<'a> {
    /// Returns a check of the usual figures within `goal`.
    pub fn new(schema: &'a Schema, goal: ApproxDp) -> Self {
        let read_options = ReadOptions::default();
        let (figures, workload) = (Vec::new(), Workload::EMPTY);
        let (ledger, start, command) = (None, Start::New, None);
        Self { schema, goal, figures, workload, ledger, start, command, accept_weak_privacy: false, read_options }
    }

    /// Sets the figures; the usual ones if there are none.
    pub fn figures(self, figures: Vec<Figure>) -> Self {
        Self { figures, ..self }
    }

    /// Adds the tables of a workload to the usual figures.
    pub fn workload(self, workload: Workload) -> Self {
        Self { workload, ..self }
    }

    /// Charges the check to the ledger of the table.
    pub fn ledger(self, ledger: impl Into<Option<&'a Ledger>>) -> Self {
        Self { ledger: ledger.into(), ..self }
    }

    /// Records in the ledger the command that runs this check.
    pub fn command(self, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..self }
    }

    /// Accepts weak goals, such as an epsilon above 10.
    pub fn accept_weak_privacy(self, accept: bool) -> Self {
        Self { accept_weak_privacy: accept, ..self }
    }

    /// Sets whether the ledger begins a new job or resumes an open one.
    pub fn start(self, start: Start) -> Self {
        Self { start, ..self }
    }

    /// Sets how the real table is read.
    pub fn read_options(self, options: ReadOptions) -> Self {
        Self { read_options: options, ..self }
    }

    /// Compares released rows, as columns of codes of the schema, with the real ones, and ends the
    /// ledger's job.
    ///
    /// # Errors
    /// If the goal or a figure is refused, the table cannot be read, or the ledger refuses.
    pub fn run(self, real: &[Input], released: Vec<CodeColumn>) -> Result<(Checked, Certificate), Error> {
        if !self.accept_weak_privacy {
            refuse_weak_terms(self.goal, None)?;
        }
        let scan = TableScan::open(real, self.schema, &self.read_options)?;
        let job = self.ledger.map(|ledger| self.begin(ledger, &digest(&released))).transpose()?;
        let checked = scumble_cancel::until_cancelled(|| {
            let source = for_method(scan, self.schema, false)?;
            let released = std::iter::once(released);
            let (figures, workload) = (&self.figures, &self.workload);
            Ok(quality::check_rows(self.schema, source, released, figures, workload, self.goal, job.as_ref())?)
        });
        let (checked, job) = with_job(checked.unwrap_or(Err(Error::Interrupted)), job)?;
        if let Some(job) = job {
            job.commit()?;
        }
        Ok(checked)
    }

    /// Draws rows of a model and compares them with the real ones as [`RowCheck::run`] does. By
    /// default, their number is that of the model.
    ///
    /// # Errors
    /// Those of [`RowCheck::run`].
    pub fn run_on_model(
        self,
        real: &[Input],
        model: &Model,
        rows: impl Into<Option<u64>>,
        seed: u64,
        sampling: impl Into<Option<Sampling>>,
    ) -> Result<(Checked, Certificate), Error> {
        let rows = rows.into().unwrap_or(model.rows());
        let sampling = sampling.into().unwrap_or_else(|| Sampling::for_rows(rows));
        let drawn = scumble_cancel::until_cancelled(|| {
            let sizes = model.schema().domain().sizes();
            let mut drawn: Vec<CodeColumn> = sizes.iter().map(|&size| CodeColumn::with_capacity(size, 0)).collect();
            for chunk in model.sample_codes(rows, seed, sampling) {
                drawn.iter_mut().zip(&chunk).for_each(|(column, more)| column.append(more));
            }
            drawn
        });
        let (checked, certificate) = self.run(real, drawn.map_err(|_| Error::Interrupted)?)?;
        Ok((Checked { seed, sampling: sampling.name().into(), ..checked }, certificate))
    }

    fn begin(&self, ledger: &Ledger, digest: &str) -> Result<Job, Error> {
        let plan = quality::plan(self.schema, &self.figures, &self.workload, digest, self.goal);
        self.start.begin(ledger, JobPlan { command: self.command.clone(), ..plan })
    }
}

/// Returns the SHA-256 of rows, which tells them apart on a ledger.
fn digest(released: &[CodeColumn]) -> String {
    let mut digest = Sha256::new();
    for column in released {
        digest.update((column.len() as u64).to_le_bytes());
        column.iter().for_each(|code| digest.update(code.to_le_bytes()));
    }
    scumble_vault::hex(&digest.finalize())
}
