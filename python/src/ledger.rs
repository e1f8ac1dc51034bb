//! Ledgers. A ledger is opened for every call and closed again: forked processes would share an
//! open file.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::bundle::LedgerHead;
use scumble::report::LedgerSummary;
use scumble::{AccountingKind, Ledger, create_ledger, refuse_weak_terms};

use crate::failure::Failure;
use crate::model::goal;
use crate::schema::Schema;

/// Creates a ledger with a cap.
#[pyfunction]
#[pyo3(signature = (path, schema, *, epsilon, delta, accounting, dataset, accept_weak_privacy))]
pub(crate) fn ledger_create(
    path: PathBuf,
    schema: &Schema,
    epsilon: f64,
    delta: f64,
    accounting: Option<&str>,
    dataset: &str,
    accept_weak_privacy: bool,
) -> Result<(), Failure> {
    let cap = goal(epsilon, delta)?;
    if !accept_weak_privacy {
        refuse_weak_terms(cap, None)?;
    }
    let named = |name: &str| {
        let unknown = |_| Failure::usage(format!("there is no accounting `{name}`"), "choose gdp, zcdp or pure");
        name.parse::<AccountingKind>().map_err(unknown)
    };
    create_ledger(&path, dataset, &schema.0, cap, accounting.map(named).transpose()?)?;
    Ok(())
}

/// Verifies a ledger and returns its statement, as JSON and as text.
#[pyfunction]
pub(crate) fn ledger_statement(path: PathBuf) -> Result<(String, String), Failure> {
    let statement = Ledger::open(&path)?.verify()?;
    let summary = LedgerSummary::new(&statement);
    let mut json = serde_json::to_value(&summary).expect("its keys are text");
    json["records"] = statement.records.into();
    json["head"] = serde_json::to_value(&statement.head).expect("text");
    json["newest"] = LedgerHead::newest(&statement).to_string().into();
    Ok((json.to_string(), summary.to_string()))
}
