//! `scumble evaluate --private`

use scumble::mechanisms::quality::Criteria;
use scumble::report::certified;
use scumble::schema::{AttributeId, CodeColumn};
use scumble::{ApproxDp, Fault, Ledger, ReadOptions, RowCheck, Schema, read_workload};
use scumble_evaluate::Columns;
use serde_json::json;

use crate::arguments::{Evaluate, PrivateEvaluation};
use crate::command::evaluate::refused;
use crate::command::fit::with_commands;
use crate::failure::Failure;
use crate::output;
use crate::terminal::{Terminal, Unit, show_spinner};

pub(crate) fn run(arguments: &Evaluate, terminal: &Terminal) -> Result<(), Failure> {
    let private = &arguments.private_evaluation;
    let schema = arguments.text_files.schema(&arguments.schema)?;
    let criteria = private.accept.as_deref().map(scumble::read_criteria).transpose()?;
    let workload = private.workload.as_deref().map(read_workload).transpose()?;
    let goal = goal(private)?;
    let options = ReadOptions { format: arguments.format.map(Into::into), ..ReadOptions::default() };
    let real = arguments.text_files.inputs(&arguments.real, None)?;
    let released = arguments.text_files.inputs(&arguments.synth, None)?;
    let released = Columns::read(&released, &schema.of_synthetic_rows(), &options).map_err(refused)?;
    let ledger = private.ledger.as_deref().map(Ledger::open).transpose()?;
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    show_spinner(&bar, "comparing");
    let check = RowCheck::new(&schema, goal)
        .figures(criteria.as_ref().map(Criteria::figures).unwrap_or_default())
        .workload(workload.unwrap_or_default())
        .ledger(ledger.as_ref())
        .start(private.start())
        .command(terminal.command())
        .accept_weak_privacy(private.weak.accept_weak_privacy)
        .read_options(options);
    let checked = check.run(&real, codes(&schema, &released));
    bar.finish_and_clear();
    let (checked, certificate) = checked.map_err(|error| with_commands(error, terminal))?;
    let judged = criteria.as_ref().map(|criteria| criteria.judge(&checked)).unwrap_or_default();
    let refusals = criteria.map(|criteria| criteria.refusals(&checked)).unwrap_or_default();
    let result = || json!({ "checked": checked, "criteria": judged, "certificate": certificate });
    if let Some(path) = &arguments.output {
        let text = serde_json::to_string_pretty(&result()).expect("figures are text and numbers");
        output::write(path, text.as_bytes(), terminal)?;
    }
    if private.ledger.is_none() {
        terminal
            .note("no ledger: spending is not tracked, and the budgets of fits and checks of the same table add up");
    }
    let claim = certified(&schema.privacy().unit, &certificate);
    let in_words = || {
        let figures = checked.figures.iter().map(ToString::to_string);
        let criteria = judged.iter().map(ToString::to_string);
        figures.chain(criteria).chain([claim]).collect::<Vec<_>>().join("\n")
    };
    if !refusals.is_empty() {
        terminal.text(in_words);
        return Err(unmet(&refusals).with_details(result()));
    }
    terminal.result(result, in_words);
    Ok(())
}

fn goal(private: &PrivateEvaluation) -> Result<ApproxDp, Failure> {
    let epsilon = private.epsilon.ok_or_else(|| {
        let hint = "add `--epsilon 0.1`: figures cost budget of the real table";
        Failure::new(Fault::Usage, "`--private` needs a budget", Some(hint.into()))
    })?;
    Ok(ApproxDp { epsilon, delta: private.delta })
}

fn unmet(refusals: &[String]) -> Failure {
    let problem = format!("the rows do not meet the criteria: {}", refusals.join("; "));
    Failure::new(Fault::Data, problem, Some("do not publish these rows as accepted".into()))
}

/// Returns the columns of codes of a table.
fn codes(schema: &Schema, table: &Columns) -> Vec<CodeColumn> {
    (0..schema.attributes().len()).map(|column| table.codes(AttributeId::new(column)).clone()).collect()
}
