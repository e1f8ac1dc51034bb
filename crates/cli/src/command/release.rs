//! `scumble release`

use std::path::{Path, PathBuf};

use scumble::bundle::{self, LedgerState, Signer};
use scumble::mechanisms::MechanismError;
use scumble::mechanisms::quality::Judged;
use scumble::report::guarantee;
use scumble::{Fault, Outputs};
use serde_json::json;

use crate::arguments::Release;
use crate::command::bundle::{today, write};
use crate::command::columns::TableColumns;
use crate::command::fit::{commit, dry_run, fit};
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Release, terminal: &Terminal) -> Result<(), Failure> {
    let (real, folder) = (&arguments.real, &arguments.output);
    let kept = kept_model(folder);
    output::refuse_stdout(folder, "a folder")?;
    Outputs::beside(real.reads()).check(&[folder.as_path()])?;
    if kept.exists() {
        let problem = format!("{} exists: a model of rows that were refused", kept.display());
        return Err(Failure::new(Fault::Usage, problem, Some("remove it, or name another folder".into())));
    }
    output::check(real.reads(), [&kept], false)?;
    let criteria = real.checks.criteria()?.expect("clap requires criteria");
    let columns = TableColumns::of(real)?;
    if let (Some(rows), Some(schema)) = (arguments.rows, columns.schema()) {
        schema.check_rows(rows).map_err(MechanismError::Rows)?;
    }
    let signer = arguments.sign.as_deref().map(Signer::try_key).transpose()?;
    if real.dry_run {
        return dry_run(real, &arguments.engine, &columns, terminal);
    }
    let date = today()?;
    let check = real.checks.check(Some(&criteria), arguments.checked_rows());
    // The model is saved first: if the bundle cannot be written or is refused, the budget that it
    // cost is not lost.
    let (model, job) = fit(real, &arguments.engine, &columns, check, Some(&kept), terminal)?;
    // No figure can be measured if columns were learned with other values.
    let checked = model.checked().unwrap_or_default();
    for criterion in criteria.unmeasured(&checked) {
        terminal.warn(&format!("not measured, because columns were learned with other values: {criterion}"));
    }
    let (judged, refusals) = (criteria.judge(&checked), criteria.refusals(&checked));
    if !refusals.is_empty() {
        // What was released was seen, so it stays spent.
        commit(job)?;
        return Err(refused(&judged, &refusals, &kept));
    }
    // The job is open until the bundle is durable. Its reservation is in the ledger.
    let ledger = real.ledger.as_deref().map(|path| LedgerState::read(path, &model)).transpose()?;
    let release =
        bundle::Release { criteria: Some(criteria), ledger, ..bundle::Release::of_model(&model, None, None, date)? };
    let files = write(&model, &release, signer.as_ref(), folder, terminal)?;
    commit(job)?;
    // The bundle has the model.
    let _ = std::fs::remove_file(&kept);
    terminal.result(
        || {
            json!({ "accepted": true, "output": folder, "files": files, "rows": release.rows, "criteria": judged, "guarantee": guarantee(&model) })
        },
        || {
            let (rows, shown) = (release.rows, folder.display());
            let what = if signer.is_some() { "a signed bundle" } else { "a bundle" };
            format!("{}\nwrote {rows} synthetic rows, in {what}, to {shown}\n{}", in_lines(&judged), guarantee(&model))
        },
    );
    Ok(())
}

/// Returns the file of the model while there is no bundle: beside the folder.
fn kept_model(folder: &Path) -> PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".model");
    name.into()
}

fn in_lines(judged: &[Judged]) -> String {
    judged.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn refused(judged: &[Judged], refusals: &[String], kept: &Path) -> Failure {
    let shown = kept.display();
    let hint = format!(
        "the budget is spent, and the model is in {shown}: `scumble sample {shown} --seed 1 -o other.csv` draws other rows for \
         free, and `scumble evaluate --private` checks them for a budget of their own"
    );
    let problem = format!("the rows do not meet the criteria, so no bundle was written: {}", refusals.join("; "));
    Failure::new(Fault::Data, problem, Some(hint))
        .with_details(json!({ "accepted": false, "criteria": judged, "model": kept }))
}
