//! Summary of a ledger.

use std::fmt;

use chrono::DateTime;
use scumble_schema::Unit;
use scumble_vault::ledger::{JobRecord, Outcome, Statement};
use scumble_vault::{AccountingKind, ApproxDp, Cost, Epsilon};
use serde::Serialize;

use crate::guarantee::{claim, neighbours, pair};

/// Number of characters of the id of a job that are shown.
const SHOWN_ID: usize = 12;

/// What was spent on a table, and what is left.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerSummary {
    /// The name of the table.
    pub dataset: String,
    /// Description of neighbouring tables.
    pub neighbours: String,
    /// Accounting that adds up the fits.
    pub accounting: AccountingKind,
    /// Cap: the guarantee for all releases together.
    pub cap: ApproxDp,
    /// Share of the cap that is spent, between 0 and 1.
    pub spent_share: f64,
    /// Epsilon of what is spent, at the delta of the cap.
    pub spent_epsilon: Option<f64>,
    /// Epsilon of one more fit with Gaussian noise (Laplace noise on a pure ledger) that uses up
    /// the rest, at the delta of the cap.
    pub left_epsilon: Option<f64>,
    /// The jobs, oldest first.
    pub jobs: Vec<JobSummary>,
    /// Number of records of the ledger.
    pub records: usize,
    /// Hash of the last record.
    pub head: String,
    /// Whether storage failed while the ledger was written.
    pub suspect: bool,
}

/// One fit on a ledger: its goal, and its share of the cap.
#[derive(Debug, Clone, Serialize)]
pub struct JobSummary {
    /// Id of the job.
    pub job: String,
    /// Hash of the record that reserved its budget. The certificate has it too.
    pub head: String,
    /// Start, in seconds since 1970, UTC.
    pub time: u64,
    /// Description of the fit.
    pub description: String,
    /// Goal: the guarantee of the fit.
    pub goal: ApproxDp,
    /// Share of the cap, between 0 and 1.
    pub share: f64,
    /// Number of releases; `None` while the job is open and its whole reservation counts.
    pub releases: Option<u64>,
    /// Command that started it, if any.
    pub command: Option<String>,
}

impl LedgerSummary {
    /// Summarises a [verified](scumble_vault::ledger::Ledger::verify) ledger, with amounts as
    /// epsilons.
    pub fn new(statement: &Statement) -> Self {
        let terms = &statement.terms;
        let share = |quanta: u128| cost(terms.accounting, quanta).to_f64() / cost(terms.accounting, terms.cap).to_f64();
        let for_noise = terms.goal.without(statement.thresholds);
        let epsilon =
            |accounting: AccountingKind, quanta| accounting.epsilon(quanta, for_noise?.delta).map(Epsilon::get);
        // A fit with Gaussian noise of mu² costs mu² / 2 in rho. No other kind of fit costs more.
        let left_epsilon = match terms.accounting {
            AccountingKind::Zcdp => epsilon(AccountingKind::Gdp, statement.left.saturating_mul(2)),
            accounting => epsilon(accounting, statement.left),
        };
        let job = |job: &JobRecord| {
            let (spent, releases) = match job.outcome {
                Outcome::Open => (job.reserved, None),
                Outcome::Committed { spent, events, .. } => (spent, Some(events)),
            };
            JobSummary {
                job: job.id.clone(),
                head: job.head.clone(),
                time: job.time,
                description: job.description.clone(),
                goal: job.goal,
                share: share(spent),
                releases,
                command: job.command.clone(),
            }
        };
        let unit = Unit::from_name(&terms.privacy_unit);
        Self {
            dataset: terms.dataset.clone(),
            neighbours: neighbours(&unit, terms.max_contributions, terms.adjacency),
            accounting: terms.accounting,
            cap: terms.goal,
            spent_share: share(statement.spent),
            spent_epsilon: epsilon(terms.accounting, statement.spent),
            left_epsilon,
            jobs: statement.jobs.iter().map(job).collect(),
            records: statement.records,
            head: statement.head.clone(),
            suspect: statement.suspect,
        }
    }
}

fn cost(accounting: AccountingKind, quanta: u128) -> Cost {
    Cost { accounting, quanta }
}

impl fmt::Display for LedgerSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let delta = self.cap.delta;
        writeln!(formatter, "dataset   {}", self.dataset)?;
        writeln!(formatter, "protects  {}", self.neighbours)?;
        writeln!(formatter, "cap       {}, added up by {}", claim(self.cap.epsilon.get(), delta), self.accounting)?;
        let spent = match self.spent_epsilon {
            Some(0.0) => "nothing".to_owned(),
            Some(epsilon) => format!("{}, {:.1} % of the cap", claim(epsilon, delta), 100.0 * self.spent_share),
            None => "more than any epsilon can express".to_owned(),
        };
        writeln!(formatter, "spent     {spent}")?;
        // Rounded down, so that a fit of the shown epsilon is not refused. A rounding error of 1e-9
        // below a round number must not round down.
        let left = self.left_epsilon.map(|epsilon| (epsilon * (1.0 + 1e-9) * 1e4).floor() / 1e4);
        match left {
            Some(0.0) => write!(formatter, "left      nothing")?,
            Some(epsilon) => write!(formatter, "left      enough for one fit of {}", pair(epsilon, delta))?,
            None => write!(formatter, "left      enough for any fit")?,
        }
        if self.jobs.is_empty() {
            return Ok(());
        }
        writeln!(
            formatter,
            "\n\n{:SHOWN_ID$}  {:19}  {:>7}  {:>8}  {:20}  what",
            "job", "when (UTC)", "of cap", "releases", "goal"
        )?;
        for (index, job) in self.jobs.iter().enumerate() {
            let releases = job.releases.map_or_else(|| "open".to_owned(), |releases| releases.to_string());
            write!(
                formatter,
                "{}{:SHOWN_ID$}  {:19}  {:>5.1} %  {releases:>8}  {:20}  {}",
                if index > 0 { "\n" } else { "" },
                &job.job[..SHOWN_ID.min(job.job.len())],
                timestamp(job.time),
                100.0 * job.share,
                claim(job.goal.epsilon.get(), job.goal.delta),
                job.description
            )?;
        }
        self.write_open(formatter)
    }
}

impl LedgerSummary {
    /// Writes how to resume open fits.
    fn write_open(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open: Vec<&JobSummary> = self.jobs.iter().filter(|job| job.releases.is_none()).collect();
        if open.is_empty() {
            return Ok(());
        }
        write!(
            formatter,
            "\n\nopen fits are running or were interrupted; their whole reservation counts as spent until they end. To resume one:"
        )?;
        for job in open {
            let id = &job.job[..SHOWN_ID.min(job.job.len())];
            match &job.command {
                Some(command) => write!(formatter, "\n{id}  {command} --resume")?,
                None => write!(formatter, "\n{id}  fit with the same schema, method and budget, and `resume`")?,
            }
        }
        Ok(())
    }
}

/// Formats a time.
fn timestamp(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map_or_else(|| "-".into(), |time| time.format("%Y-%m-%d %H:%M:%S").to_string())
}
