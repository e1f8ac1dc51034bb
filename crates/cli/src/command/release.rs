//! `scumble release`

use std::path::{Path, PathBuf};

use scumble::bundle::{self, Date, LedgerState, Signer};
use scumble::mechanisms::MechanismError;
use scumble::mechanisms::quality::{Criteria, Judged};
use scumble::report::guarantee;
use scumble::{Fault, Model, Outputs};
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
    bundle::check_folder_name(folder)?;
    Outputs::beside(real.reads()).check(&[folder.as_path()])?;
    if kept.exists() {
        let problem = format!("{} exists: the model of a release that wrote no bundle", kept.display());
        return Err(Failure::new(Fault::Usage, problem, Some("remove it, or name another folder".into())));
    }
    output::check(real.reads(), [&kept], false)?;
    let criteria = real.checks.criteria()?.expect("clap requires criteria");
    let columns = TableColumns::of(real, terminal)?;
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
    commit(job)?;
    // No figure can be measured if columns were learned with other values.
    let checked = model.checked().unwrap_or_default();
    for criterion in criteria.unmeasured(&checked) {
        terminal.warn(&format!("not measured, because columns were learned with other values: {criterion}"));
    }
    let (judged, refusals) = (criteria.judge(&checked), criteria.refusals(&checked));
    if !refusals.is_empty() {
        return Err(refused(&judged, &refusals, &kept));
    }
    let written = write_bundle(&model, criteria, arguments, date, signer.as_ref(), terminal);
    let (rows, files) = written.inspect_err(|_| terminal.warn(&still_there(&kept, folder)))?;
    // The bundle has the model.
    let _ = std::fs::remove_file(&kept);
    terminal.result(
        || {
            json!({ "accepted": true, "output": folder, "files": files, "rows": rows, "criteria": judged, "guarantee": guarantee(&model) })
        },
        || {
            let shown = folder.display();
            let what = if signer.is_some() { "a signed bundle" } else { "a bundle" };
            format!("{}\nwrote {rows} synthetic rows, in {what}, to {shown}\n{}", in_lines(&judged), guarantee(&model))
        },
    );
    Ok(())
}

/// Writes the bundle of the rows that were judged. Returns their number, and the names of files.
fn write_bundle(
    model: &Model,
    criteria: Criteria,
    arguments: &Release,
    date: Date,
    signer: Option<&Signer>,
    terminal: &Terminal,
) -> Result<(u64, Vec<&'static str>), Failure> {
    let ledger = arguments.real.ledger.as_deref().map(|path| LedgerState::read(path, model)).transpose()?;
    let usual = bundle::Release::of_model(model, None, None, date)?;
    let release = bundle::Release { criteria: Some(criteria), ledger, ..usual };
    Ok((release.rows, write(model, &release, signer, &arguments.output, terminal)?))
}

/// Returns what is left to do if the bundle of an accepted model could not be written.
fn still_there(kept: &Path, folder: &Path) -> String {
    let (kept, folder) = (kept.display(), folder.display());
    format!(
        "the budget is spent, and the model is in {kept}: `scumble bundle {kept} -o {folder}` writes the same rows for free"
    )
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
