//! Audits of the program from outside: run many times on two neighbouring files, and attacked by
//! what it writes.
//!
//! Nothing of the inside is used: no event, no likelihood ratio, no code of the methods. An attack
//! computes one number from the released rows and the released model, and the audit bounds the
//! privacy loss that its error rates prove. What `runs` runs can prove at all is known beforehand,
//! by [`Prospect`]: a small number of runs proves nothing about a small epsilon, and that must not
//! be mistaken for safety.

mod trial;

use std::ffi::OsString;
use std::path::PathBuf;

use scumble_cancel::checkpoint;
use scumble_pgm::parallel;
use scumble_vault::account::gdp;
use scumble_vault::{ApproxDp, Delta, MuSquared};
use serde::Serialize;

use self::trial::Folder;
use crate::error::AuditError;
use crate::journal::Journal;
use crate::statistic::{Bound, Outcomes, expected_mu, provable};

/// A made-up table of three columns of bits. The neighbour has one row of zeros more, and it is the
/// only row in its cell of every table.
const SCHEMA: &str = "fields:
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 1, required: true}}
  - {name: b, type: integer, constraints: {minimum: 0, maximum: 1, required: true}}
  - {name: c, type: integer, constraints: {minimum: 0, maximum: 1, required: true}}
";
const TABLE: &str = "a,b,c\n1,1,1\n1,1,1\n1,1,1\n1,1,1\n";
const NEIGHBOUR: &str = "a,b,c\n1,1,1\n1,1,1\n1,1,1\n1,1,1\n0,0,0\n";

/// An attack: a number that grows with the suspicion that the planted row was among the real ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Attack {
    /// The number of synthetic rows.
    Rows,
    /// The number of synthetic rows that equal the planted one.
    Exact,
    /// The share of synthetic rows that equal the planted one.
    Share,
    /// The number of values that equal those of the planted row, over all columns.
    OneWay,
    /// The expected number of rows that equal the planted one in the released model.
    Likelihood,
}

impl Attack {
    /// All attacks.
    pub const ALL: [Self; 5] = [Self::Rows, Self::Exact, Self::Share, Self::OneWay, Self::Likelihood];

    /// Returns its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "number of rows",
            Self::Exact => "rows equal to the planted one",
            Self::Share => "their share",
            Self::OneWay => "values of single columns",
            Self::Likelihood => "likelihood under the model",
        }
    }
}

/// What to audit, and how.
#[derive(Debug)]
pub struct Settings {
    /// The program, with arguments that come before the verb.
    pub program: Vec<OsString>,
    /// Name of the method.
    pub method: String,
    /// Options of the method, such as `theta=6`.
    pub options: Vec<String>,
    /// The goal of every run.
    pub goal: ApproxDp,
    /// Number of runs on each file.
    pub runs: u64,
    /// File of runs, by which an audit that was cut off is continued.
    pub journal: Option<PathBuf>,
}

/// What a number of runs can prove.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Prospect {
    /// Number of runs on each table.
    pub runs: u64,
    /// The largest bound on `mu` that any attack can prove: that of one without errors.
    pub largest_mu: f64,
    /// The largest bound on epsilon that any attack can prove, at the delta of the goal.
    pub largest_epsilon: f64,
    /// The bound on `mu` that the best attack is expected to prove if the claim is tight; `None` if
    /// the goal has no `mu`.
    pub expected_mu: Option<f64>,
}

impl Prospect {
    /// Computes what `runs` runs can prove about a goal.
    pub fn new(goal: ApproxDp, runs: u64) -> Self {
        let (largest_mu, largest_epsilon) = provable(runs, goal.delta);
        Self { runs, largest_mu, largest_epsilon, expected_mu: mu_of(goal).map(|mu| expected_mu(mu, runs)) }
    }
}

/// Returns the largest `mu` that reaches the goal.
fn mu_of(goal: ApproxDp) -> Option<f64> {
    (goal.delta != Delta::ZERO).then(|| gdp::largest_mu_squared(goal).ok().map(|mu: MuSquared| mu.to_f64().sqrt()))?
}

/// What one attack proves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackResult {
    /// The attack.
    pub attack: Attack,
    /// Lower bound on `mu`, if the goal has one.
    pub mu: Option<Bound>,
    /// Lower bound on epsilon at the delta of the goal.
    pub epsilon: Option<Bound>,
}

/// Audit of a program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProgramAudit {
    /// Name of the method.
    pub method: String,
    /// The goal of every run.
    pub goal: ApproxDp,
    /// `mu` of the goal, if it has one.
    pub claimed_mu: Option<f64>,
    /// What the runs can prove.
    pub prospect: Prospect,
    /// The attacks. They share the level of the bounds.
    pub attacks: Vec<AttackResult>,
    /// Whether no bound is above the goal.
    pub holds: bool,
}

/// Audits a program. `progress` is called with the number of runs so far, and of all.
///
/// # Errors
/// If the program fails, or a file cannot be used.
pub fn audit(settings: &Settings, progress: &dyn Fn(u64, u64)) -> Result<ProgramAudit, AuditError> {
    let Settings { program, method, options, goal, runs, journal } = settings;
    let of = serde_json::json!({"audit": "program", "method": method, "options": options, "goal": goal});
    let (mut journal, mut trials) = match journal {
        Some(path) => {
            let (journal, trials) = Journal::open::<(bool, Vec<f64>)>(path, &of)?;
            (Some(journal), trials)
        }
        None => (None, Vec::new()),
    };
    let folder = Folder::new(SCHEMA, [TABLE, NEIGHBOUR])?;
    let arguments = arguments(settings);
    let mut done = 0;
    for neighbour in [false, true] {
        let known = trials.iter().filter(|(side, _)| *side == neighbour).count() as u64;
        let mut left = runs.saturating_sub(known);
        done += runs - left;
        progress(done, 2 * runs);
        while left > 0 {
            checkpoint();
            let batch = left.min(4 * parallel::processors() as u64);
            let batch = usize::try_from(batch).expect("a batch is small");
            let new = parallel::map(0..batch, |place| {
                let values = folder.trial(program, &arguments, done + place as u64, neighbour)?;
                Ok((neighbour, values))
            });
            let new = new.into_iter().collect::<Result<Vec<_>, AuditError>>()?;
            if let Some(journal) = &mut journal {
                journal.append(&new)?;
            }
            trials.extend(new);
            left -= batch as u64;
            done += batch as u64;
            progress(done, 2 * runs);
        }
    }
    Ok(ProgramAudit::new(settings, &trials))
}

/// Returns the arguments of every run of the program after the schema.
fn arguments(settings: &Settings) -> Vec<String> {
    let Settings { method, options, goal, .. } = settings;
    let mut arguments: Vec<String> = vec!["--method".into(), method.clone()];
    for option in options {
        arguments.extend(["--option".into(), option.clone()]);
    }
    arguments.extend(["--epsilon".into(), goal.epsilon.to_string(), "--delta".into(), goal.delta.to_string()]);
    // The audited goal may be one that nobody should use for people.
    arguments.push("--accept-weak-privacy".into());
    arguments
}

impl ProgramAudit {
    fn new(settings: &Settings, trials: &[(bool, Vec<f64>)]) -> Self {
        let goal = settings.goal;
        let claimed_mu = mu_of(goal);
        let result = |(place, attack): (usize, Attack)| {
            let mut outcomes = Outcomes::default();
            for (neighbour, values) in trials {
                let value = values.get(place).copied().unwrap_or_default();
                if *neighbour { &mut outcomes.neighbour } else { &mut outcomes.table }.push(value);
            }
            let tried = Attack::ALL.len();
            let epsilon = outcomes.epsilon(goal.delta, tried);
            AttackResult { attack, mu: claimed_mu.and_then(|_| outcomes.mu(tried)), epsilon }
        };
        let attacks: Vec<AttackResult> = Attack::ALL.into_iter().enumerate().map(result).collect();
        let below = |bound: Option<Bound>, claim: f64| bound.is_none_or(|bound| bound.value <= claim);
        let holds = attacks.iter().all(|attack| {
            below(attack.epsilon, goal.epsilon.get()) && claimed_mu.is_none_or(|claim| below(attack.mu, claim))
        });
        let prospect = Prospect::new(goal, settings.runs);
        Self { method: settings.method.clone(), goal, claimed_mu, prospect, attacks, holds }
    }

    /// Returns the attack that proves the largest epsilon.
    pub fn best(&self) -> Option<&AttackResult> {
        let value = |attack: &AttackResult| attack.epsilon.map_or(0.0, |bound| bound.value);
        self.attacks.iter().max_by(|one, other| value(one).total_cmp(&value(other)))
    }
}
