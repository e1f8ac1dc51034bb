//! Audits of a method that see everything that the vault releases.
//!
//! A method is fitted many times, to a table and to a neighbour of it. In every fit the vault
//! computes the logarithm of the likelihood ratio of all releases: the statistic of the best test
//! between the two tables, in closed form. No model of an attacker is trained, and no better attack
//! on the same pair exists. Its error rates, with exact confidence bounds, give a lower bound on
//! `mu` and on epsilon, which is held beside the claim of the certificates: for each kind of
//! release by itself, and for all of them together.
//!
//! A bound above the claim means that the certificate is false. A bound near the claim means that
//! the guarantee is tight on this pair of tables. [`PhaseAudit::used`] says how far the exact
//! answers of the pair are apart, and so where the rest of the claim went.

mod pair;
mod phase;
mod rows;
mod run;
#[cfg(test)]
mod tests;

use scumble_cancel::checkpoint;
use scumble_mechanisms::{MechanismError, Method};
use scumble_pgm::parallel;
use scumble_schema::AdjacencyKind;
use scumble_vault::account::{MuSquared, Rho, gdp, zcdp};
use scumble_vault::audit::{Measured, PrivacyLoss};
use scumble_vault::{AccountingKind, ApproxDp, Delta, Epsilon};
use serde::Serialize;
use std::path::PathBuf;

pub use self::pair::{OpenTable, Pair, shared};
pub use self::phase::Phase;
use self::run::{PhaseLoss, Run};
use crate::error::AuditError;
use crate::journal::Journal;
use crate::statistic::{Bound, Outcomes, Point};

/// Number of runs between two writes of the file of runs.
const BATCH: usize = 64;
/// Number of points of a trade-off curve.
const CURVE_POINTS: usize = 48;

/// What to audit, and how.
#[derive(Debug)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// The goal of every fit.
    pub goal: ApproxDp,
    /// Number of fits of each table.
    pub runs: u64,
    /// File of runs, by which an audit that was cut off is continued.
    pub journal: Option<PathBuf>,
}

/// A claim of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Claim {
    /// `mu`, under Gaussian differential privacy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu: Option<f64>,
    /// Epsilon, at the delta of the goal.
    pub epsilon: f64,
}

/// Audit of the releases of one kind, or of all together.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PhaseAudit {
    /// The kind; `None` for all releases together.
    pub phase: Option<Phase>,
    /// The largest claim of a run.
    pub claim: Claim,
    /// Lower bound on `mu`, under Gaussian differential privacy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mu: Option<Bound>,
    /// Lower bound on epsilon at the delta of the goal.
    pub epsilon: Option<Bound>,
    /// Mean share of the cost that the distance of the two tables uses: 1 if all exact answers were
    /// as far apart as their sensitivities allow.
    pub used: f64,
    /// Whether no bound is above its claim.
    pub holds: bool,
    /// Shares of errors of the best test, without bounds.
    pub curve: Vec<Point>,
}

/// Audit of a method on one pair of tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairAudit {
    /// Name of the pair.
    pub pair: String,
    /// Number of fits of each table.
    pub runs: u64,
    /// All releases together.
    pub whole: PhaseAudit,
    /// Each kind of release.
    pub phases: Vec<PhaseAudit>,
}

/// Audit of a method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodAudit {
    /// The method, with its options.
    pub method: Method,
    /// The goal of every fit.
    pub goal: ApproxDp,
    /// The accounting of the certificates.
    pub accounting: AccountingKind,
    /// Whether one of the tables holds real rows, so that the audit is not private.
    pub reads_real_rows: bool,
    /// The audit of each pair of tables.
    pub pairs: Vec<PairAudit>,
}

/// Returns the made-up pairs for a method: under add-remove adjacency or, if its questions need a
/// public number of rows, under replace-one.
///
/// # Errors
/// If the method cannot be fitted.
pub fn made_up_pairs(method: &Method, goal: ApproxDp) -> Result<Vec<Pair>, AuditError> {
    let pairs = Pair::made_up(AdjacencyKind::AddRemove);
    match Run::new(&pairs[0], method, goal, Measured::Table) {
        Ok(_) => Ok(pairs),
        Err(AuditError::Mechanism(MechanismError::NeedsPublicRows { .. })) => {
            Ok(Pair::made_up(AdjacencyKind::ReplaceOne))
        }
        Err(error) => Err(error),
    }
}

/// Audits a method on every pair. `progress` is called with the number of fits so far, and of all.
///
/// # Errors
/// If the method cannot be fitted, or the file of runs cannot be used.
pub fn audit(settings: &Settings, pairs: &[Pair], progress: &dyn Fn(u64, u64)) -> Result<MethodAudit, AuditError> {
    let Settings { method, goal, runs, journal } = settings;
    let digests: Vec<&str> = pairs.iter().map(Pair::digest).collect();
    let mut of = serde_json::json!({"audit": "method", "method": method, "goal": goal, "pairs": digests});
    if pairs.iter().any(Pair::has_real_rows) {
        of["stamp"] = crate::NOT_PRIVATE.into();
    }
    let (mut journal, earlier) = match journal {
        Some(path) => {
            let (journal, runs) = Journal::open::<(usize, Run)>(path, &of)?;
            (Some(journal), runs)
        }
        None => (None, Vec::new()),
    };
    let all = 2 * runs * pairs.len() as u64;
    let mut done = 0;
    let mut audited = Vec::new();
    for (index, pair) in pairs.iter().enumerate() {
        let known = earlier.iter().filter(|(place, _)| *place == index).map(|(_, run)| run.clone());
        let mut fits: Vec<Run> = known.collect();
        for measured in [Measured::Table, Measured::Neighbour] {
            let is_of_table = |run: &&Run| run.neighbour == (measured == Measured::Neighbour);
            let mut left = runs.saturating_sub(fits.iter().filter(is_of_table).count() as u64);
            done += runs - left;
            progress(done, all);
            while left > 0 {
                checkpoint();
                let batch = usize::try_from(left).map_or(BATCH, |left| left.min(BATCH));
                let new = parallel::map(0..batch, |_| Run::new(pair, method, *goal, measured));
                let new = new.into_iter().collect::<Result<Vec<_>, _>>()?;
                if let Some(journal) = &mut journal {
                    let lines: Vec<(usize, &Run)> = new.iter().map(|run| (index, run)).collect();
                    journal.append(&lines)?;
                }
                fits.extend(new);
                left -= batch as u64;
                done += batch as u64;
                progress(done, all);
            }
        }
        audited.push(PairAudit::new(pair.name(), &fits, method.accounting(*goal), goal.delta));
    }
    Ok(MethodAudit {
        method: method.clone(),
        goal: *goal,
        accounting: method.accounting(*goal),
        reads_real_rows: pairs.iter().any(Pair::has_real_rows),
        pairs: audited,
    })
}

/// Audits questions that are asked of a vault directly: `ask` runs once and returns the losses of
/// its releases, each time with fresh noise.
///
/// # Errors
/// Those of `ask`.
pub fn audit_questions(
    name: &str,
    runs: u64,
    accounting: AccountingKind,
    delta: Delta,
    ask: impl Fn(Measured) -> Result<Vec<PrivacyLoss>, AuditError> + Sync,
) -> Result<PairAudit, AuditError> {
    let mut fits = Vec::new();
    for measured in [Measured::Table, Measured::Neighbour] {
        let runs = usize::try_from(runs).unwrap_or(usize::MAX);
        let new = parallel::map(0..runs, |_| Ok(Run::of_losses(&ask(measured)?, accounting, measured)));
        fits.extend(new.into_iter().collect::<Result<Vec<_>, AuditError>>()?);
    }
    Ok(PairAudit::new(name, &fits, accounting, delta))
}

impl MethodAudit {
    /// Returns whether no bound is above its claim.
    pub fn holds(&self) -> bool {
        self.pairs.iter().all(|pair| pair.whole.holds && pair.phases.iter().all(|phase| phase.holds))
    }
}

impl PairAudit {
    fn new(name: &str, fits: &[Run], accounting: AccountingKind, delta: Delta) -> Self {
        let audit = |phase: Option<Phase>| {
            let loss = |run: &Run| match phase {
                Some(phase) => run.phases.get(&phase).copied().unwrap_or_default(),
                None => run.whole(),
            };
            PhaseAudit::new(phase, fits.iter().map(|run| (run.neighbour, loss(run))), accounting, delta)
        };
        let occurs = |phase: &Phase| fits.iter().any(|run| run.phases.contains_key(phase));
        Self {
            pair: name.into(),
            runs: fits.iter().filter(|run| run.neighbour).count() as u64,
            whole: audit(None),
            phases: Phase::ALL.into_iter().filter(occurs).map(|phase| audit(Some(phase))).collect(),
        }
    }
}

impl PhaseAudit {
    fn new(
        phase: Option<Phase>,
        losses: impl Iterator<Item = (bool, PhaseLoss)>,
        accounting: AccountingKind,
        delta: Delta,
    ) -> Self {
        let mut outcomes = Outcomes::default();
        let (mut cost, mut costs, mut used) = (0.0_f64, 0.0, 0.0);
        for (neighbour, loss) in losses {
            if neighbour { &mut outcomes.neighbour } else { &mut outcomes.table }.push(loss.loss);
            cost = cost.max(loss.cost);
            costs += loss.cost;
            used += loss.used;
        }
        let claim = Claim::of(cost, accounting, delta);
        let mu = claim.mu.and_then(|_| outcomes.mu(1));
        let epsilon = outcomes.epsilon(delta, 1);
        let below = |bound: Option<Bound>, claim: f64| bound.is_none_or(|bound| bound.value <= claim);
        let holds = below(epsilon, claim.epsilon) && claim.mu.is_none_or(|claim| below(mu, claim));
        let used = if costs > 0.0 { used / costs } else { 0.0 };
        Self { phase, claim, mu, epsilon, used, holds, curve: outcomes.curve(CURVE_POINTS) }
    }
}

impl Claim {
    /// Returns the claim of a certificate with this total, in the unit of the accounting.
    fn of(cost: f64, accounting: AccountingKind, delta: Delta) -> Self {
        // Rounded up: the claim is on the other side of the comparison.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cost fits 128 bits")]
        let quanta = (cost.next_up() * 2_f64.powi(96)) as u128;
        let value = |epsilon: Option<Epsilon>| epsilon.map_or(f64::INFINITY, Epsilon::get);
        match accounting {
            AccountingKind::Pure => Self { mu: None, epsilon: cost },
            AccountingKind::Gdp => {
                Self { mu: Some(cost.sqrt()), epsilon: value(gdp::epsilon(MuSquared::from_quanta(quanta), delta)) }
            }
            AccountingKind::Zcdp => Self { mu: None, epsilon: value(zcdp::epsilon(Rho::from_quanta(quanta), delta)) },
        }
    }
}
