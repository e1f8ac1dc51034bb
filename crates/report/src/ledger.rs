//! A ledger at a glance.

use std::fmt;

use chrono::DateTime;
use scumble_schema::Unit;
use scumble_vault::ledger::{JobRecord, Outcome, Statement};
use scumble_vault::{AccountingKind, ApproxDp, Cost, Epsilon};
use serde::Serialize;

use crate::guarantee::{claim, neighbours, pair};

/// How much of the hash of a job is shown in a line.
const SHOWN_ID: usize = 12;

/// What was spent on a table, and what is left.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerSummary {
    /// The name of the table.
    pub dataset: String,
    /// Which tables the promise makes hard to tell apart.
    pub neighbours: String,
    /// How fits are added up.
    pub accounting: AccountingKind,
    /// The promise for everything that is ever released.
    pub cap: ApproxDp,
    /// How much of the cap is spent, between 0 and 1.
    pub spent_share: f64,
    /// What was promised by what is spent: its epsilon at the delta of the cap.
    pub spent_epsilon: Option<f64>,
    /// The epsilon of one more fit with Gaussian noise (Laplace noise on a pure ledger) that uses up what is left, at the
    /// delta of the cap.
    pub left_epsilon: Option<f64>,
    /// The jobs, oldest first.
    pub jobs: Vec<JobSummary>,
    /// How many records the ledger has.
    pub records: usize,
    /// The hash of the last record.
    pub head: String,
    /// Whether storage failed while the ledger was written.
    pub suspect: bool,
}

/// One fit on a ledger: what it promised, and how much of the cap it uses.
#[derive(Debug, Clone, Serialize)]
pub struct JobSummary {
    /// Its number.
    pub job: String,
    /// The hash of the record that reserved its budget, which is in the certificate too.
    pub head: String,
    /// When it began, in seconds since 1970, UTC.
    pub time: u64,
    /// What it did.
    pub description: String,
    /// What it promised.
    pub goal: ApproxDp,
    /// How much of the cap it uses, between 0 and 1.
    pub share: f64,
    /// How many releases it made; `None` while it is open, when all that it reserved counts.
    pub releases: Option<u64>,
    /// The command that began it, if there was one.
    pub command: Option<String>,
}

impl LedgerSummary {
    /// What a [verified](scumble_vault::ledger::Ledger::verify) ledger says, with amounts turned into epsilons.
    pub fn new(statement: &Statement) -> Self {
        let terms = &statement.terms;
        let share = |quanta: u128| cost(terms.accounting, quanta).to_f64() / cost(terms.accounting, terms.cap).to_f64();
        let epsilon =
            |accounting: AccountingKind, quanta| accounting.epsilon(quanta, terms.goal.delta).map(Epsilon::get);
        // A fit with Gaussian noise of mu² costs half of it in rho. That is the dearest kind of fit there is.
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
            None => "more than can be told".to_owned(),
        };
        writeln!(formatter, "spent     {spent}")?;
        // Rounded down, so that a fit of what is shown is not refused; but one part in 10^9 below a round number is that number.
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
    /// How to go on with fits that never ended.
    fn write_open(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let open: Vec<&JobSummary> = self.jobs.iter().filter(|job| job.releases.is_none()).collect();
        if open.is_empty() {
            return Ok(());
        }
        write!(
            formatter,
            "\n\nopen fits run, or were cut off; all that they reserved counts as spent until they end. To go on with one:"
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

/// A time for people to read.
fn timestamp(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.map_or_else(|| "-".into(), |time| time.format("%Y-%m-%d %H:%M:%S").to_string())
}
