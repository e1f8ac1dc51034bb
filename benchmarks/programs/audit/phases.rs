//! T7: one kind of release with the whole budget, asked of the vault directly.

use std::num::NonZeroU32;

use scumble_audit::AuditError;
use scumble_audit::white_box::audit_questions;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_schema::{AttributeId, Clique};
use scumble_vault::audit::{PrivacyLoss, open};
use scumble_vault::score::L1Error;
use scumble_vault::{AccountingKind, AddRemove, Budget, Delta, Gdp, Vault, VaultError};

use super::{goal, share};
use crate::rows::Rows;

/// Proved share of the claimed `mu` of a single Gaussian release.
const TIGHT: f64 = 0.95;

/// Audits the phases: `tables`, `scores` and `selections`, or only one of them.
pub(super) fn run(runs: u64, only: Option<&str>, figures: &mut Figures) -> Result<()> {
    println!("{runs} runs on each table");
    let requested = |phase: &str| only.is_none_or(|only| only == phase);
    let single = |column| Clique::single(AttributeId::new(column));
    let name = |phase: &str| format!("T7, {phase}: proved share of the claimed mu");
    let at_most = |phase: &str, proved: f64, figures: &mut Figures| {
        figures.at_most(&name(phase), proved, "of the claim", 1.0);
    };

    if requested("tables") {
        let tables = audit("tables", runs, |vault, budget| vault.measure(&[single(0)], budget).map(drop))?;
        at_most("tables", tables, figures);
        figures.at_least(&name("tables"), tables, "of the claim", TIGHT);
    }
    // The first score grows by one row, and the second falls by one.
    let candidates = [L1Error::against(single(0), &[0.0, 14.0])?, L1Error::against(single(1), &[11.0, 4.0])?];
    if requested("scores") {
        let scores = audit("scores", runs, |vault, budget| vault.measure_scores(&candidates, budget).map(drop))?;
        at_most("noisy scores", scores, figures);
        figures.at_least(&name("noisy scores"), scores, "of the claim", TIGHT);
    }
    if requested("selections") {
        let selections = audit("selections", runs, |vault, budget| vault.select(&candidates, budget).map(drop))?;
        at_most("a selection", selections, figures);
    }
    Ok(())
}

/// Returns the proved share of the claimed `mu`, where four rows of ones get a row of zeros.
fn audit(
    name: &str,
    runs: u64,
    ask: impl Fn(&mut Vault<AddRemove, Gdp>, Budget<AddRemove, Gdp>) -> std::result::Result<(), VaultError> + Sync,
) -> Result<f64> {
    let one_run = |measured| -> std::result::Result<Vec<PrivacyLoss>, AuditError> {
        let rows = vec![vec![1, 1]; 4];
        let table = Box::new(Rows::new(&[2, 2], rows.clone()));
        let neighbour = Box::new(Rows::new(&[2, 2], [rows, vec![vec![0, 0]]].concat()));
        let (mut vault, budget, losses) = open(table, neighbour, measured, goal(), NonZeroU32::MIN)?;
        ask(&mut vault, budget)?;
        Ok(losses.finish())
    };
    let delta: Delta = goal().delta;
    let audit = audit_questions(name, runs, AccountingKind::Gdp, delta, one_run)?;
    Ok(share(&audit.whole))
}
