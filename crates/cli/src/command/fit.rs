//! `scumble fit`

use std::num::NonZeroU64;
use std::path::Path;

use scumble::mechanisms::columns::forecast;
use scumble::mechanisms::quality::{Check, Criteria};
use scumble::report::{FitPlan, LedgerSummary, Summary, dead_columns, guarantee, heaps, unreadable_texts, weak_terms};
use scumble::{Job, Ledger, Model, ReadOptions, Schema};
use serde_json::json;

use crate::arguments::{CheckedRows, EngineChoice, Fit, RealTable};
use crate::command::checks;
use crate::command::columns::{self, TableColumns};
use crate::command::header::only_column;
use crate::failure::Failure;
use crate::terminal::{Terminal, Unit};
use crate::{command_line, fit_progress, interrupt, output};

pub(crate) fn run(arguments: &Fit, terminal: &Terminal) -> Result<(), Failure> {
    let (real, path) = (&arguments.real, &arguments.output);
    output::refuse_stdout(path, "a model")?;
    output::check(real.reads(), [path], arguments.overwriting.force)?;
    let columns = TableColumns::of(real, terminal)?;
    if real.dry_run {
        return dry_run(real, &arguments.engine, &columns, terminal);
    }
    let criteria = real.checks.criteria()?;
    let check = real.checks.check(criteria.as_ref(), CheckedRows::default());
    let (model, job) = fit(real, &arguments.engine, &columns, check, Some(path), terminal)?;
    commit(job)?;
    show_quality(criteria.as_ref(), &model, terminal);
    terminal.result(
        || json!({ "model": path, "summary": Summary::new(&model) }),
        || format!("wrote the model to {}\n{}", path.display(), guarantee(&model)),
    );
    Ok(())
}

/// Ends the ledger job of a fit, if there is one. Call it once all results are durable.
pub(crate) fn commit(job: Option<Job>) -> Result<(), Failure> {
    if let Some(job) = job {
        job.commit()?;
        interrupt::fit_ended();
    }
    Ok(())
}

/// Prints the released figures of the rows, or how they compare with the criteria.
pub(crate) fn show_quality(criteria: Option<&Criteria>, model: &Model, terminal: &Terminal) {
    let Some(checked) = model.checked() else { return };
    match criteria {
        Some(criteria) => criteria.judge(&checked).iter().for_each(|judged| terminal.note(&judged.to_string())),
        None => checked.figures.iter().for_each(|figure| terminal.note(&figure.to_string())),
    }
}

/// Fits a model, saves it, and prints the warnings that belong to its guarantee.
pub(crate) fn fit(
    real: &RealTable,
    engine: &EngineChoice,
    columns: &TableColumns,
    check: Option<Check>,
    save_to: Option<&Path>,
    terminal: &Terminal,
) -> Result<(Model, Option<Job>), Failure> {
    let assumed = columns.schema().into_iter().flat_map(Schema::assumed);
    let assumed: Vec<_> = assumed.map(|attribute| format!("`{}`", attribute.name())).collect();
    if !assumed.is_empty() {
        terminal.warn(&format!(
            "the guarantee holds only if the bounds and categories of these columns were declared without looking at the \
             data: {}; mark them `source: public` once that is sure",
            assumed.join(", ")
        ));
    }
    if let TableColumns::Learned(partial, _) = columns
        && real.schema.is_none()
        && partial.spec().dialect.column_names.is_none()
        && let [only] = partial.fields()
    {
        terminal.warn(&only_column(&only.name));
    }
    let (model, job) = match (&real.from_marginals, columns.schema()) {
        (Some(path), Some(schema)) => {
            let model = scumble::fit_marginals(path, schema)?;
            if let Some(path) = save_to {
                model.write(path)?;
            }
            (model, None)
        }
        _ => fit_rows(real, engine, columns, check, save_to, terminal)?,
    };
    if let TableColumns::Learned(_, share) = columns
        && let Some(learned) = columns::learned(&model, *share)
    {
        terminal.note(&learned);
    }
    warn_of_release(&model, terminal);
    Ok((model, job))
}

/// Prints warnings and notes from the released counts: terms that are weak for this number of rows,
/// columns whose values the schema does not cover, texts in another encoding, heaped values.
fn warn_of_release(model: &Model, terminal: &Terminal) {
    for weakness in weak_terms(model) {
        terminal.warn(&weakness.to_string());
    }
    for column in dead_columns(model) {
        terminal.warn(&column.to_string());
    }
    for column in unreadable_texts(model) {
        terminal.warn(&column.to_string());
    }
    for heap in heaps(model) {
        terminal.note(&heap.to_string());
    }
}

/// Reads the real table and fits a model to it.
fn fit_rows(
    real: &RealTable,
    engine: &EngineChoice,
    columns: &TableColumns,
    check: Option<Check>,
    save_to: Option<&Path>,
    terminal: &Terminal,
) -> Result<(Model, Option<Job>), Failure> {
    let fit = prepare(real, columns, terminal)?;
    let inputs = real.text_files.inputs(&real.data, real.reading.spill_dir.as_deref())?;
    let ledger = real.ledger.as_deref().map(Ledger::open).transpose()?;
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    let progress = fit_progress::sink(&bar, columns.schema(), &real.method()?, real.goal(), &real.data);
    let options = ReadOptions { progress: Some(progress), ..read_options(real, engine)? };
    let fit = fit.check_rows(check).ledger(ledger.as_ref()).read_options(options);
    let inputs = fit.pinned(&inputs)?;
    for (named, version) in real.data.iter().zip(&inputs).filter_map(|(named, input)| Some((named, input.version()?))) {
        terminal.note(&format!("version {version} of the Delta table {}", named.display()));
    }
    let command = command_line::with_versions(terminal.command(), &real.data, &inputs);
    let mut fit = fit.command(&*command);
    if let Some(path) = save_to {
        fit = fit.save_to(path);
    }
    let reserved = fit.reserve(&inputs).map_err(|error| with_commands(error, terminal))?;
    if let (Some(job), Some(path)) = (reserved.job(), &real.ledger) {
        interrupt::fit_began(job, path, format!("{command} --resume"));
    }
    let fitted = reserved.run();
    bar.finish_and_clear();
    let fitted = fitted?;
    if ledger.is_none() {
        terminal.note("no ledger: spending is not tracked, and the budgets of repeated fits of the same table add up");
    }
    Ok(fitted)
}

/// Returns the fit that the command line describes, or why it is refused. Called before the inputs
/// are prepared, because standard input is copied.
fn prepare<'a>(real: &RealTable, columns: &'a TableColumns, terminal: &Terminal) -> Result<scumble::Fit<'a>, Failure> {
    let fit = columns
        .fit(real)
        .method(real.method()?)
        .start(real.start())
        .command(terminal.command())
        .public_rows(real.rows_hint)
        .push_down(real.reading.push_down)
        .accept_weak_privacy(real.weak.accept_weak_privacy);
    fit.check_goal()?;
    Ok(fit)
}

/// Shows what a fit would measure, cost and reserve, and refuses what would be refused. Reads no
/// row and spends no budget.
pub(crate) fn dry_run(
    real: &RealTable,
    engine: &EngineChoice,
    columns: &TableColumns,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let (method, goal) = (real.method()?, real.goal());
    let fit = prepare(real, columns, terminal)?;
    let inputs = real.text_files.inputs(&real.data, real.reading.spill_dir.as_deref())?;
    let ledger = real.ledger.as_deref().map(Ledger::open).transpose()?;
    let fit = fit.ledger(ledger.as_ref()).read_options(read_options(real, engine)?);
    fit.check(&inputs).map_err(|error| with_commands(error, terminal))?;
    let rows = real.rows_hint.and_then(NonZeroU64::new);
    let plan = rows.zip(columns.schema()).map(|(rows, schema)| FitPlan::new(schema, &[method], &[goal], rows));
    let plan = plan.transpose()?;
    let learning = match columns {
        TableColumns::Declared(_) => None,
        TableColumns::Learned(partial, share) => Some(forecast(partial, &real.method()?, Some(*share), goal)?),
    };
    let (terms, rows_hint) = (real.method()?, real.rows_hint);
    let checks = columns.schema().map(|schema| checks::forecast(&real.checks, schema, &terms, goal, rows_hint));
    let checks = checks.transpose()?.flatten();
    let ledger = ledger.map(|ledger| ledger.verify()).transpose()?.map(|statement| LedgerSummary::new(&statement));
    if let Some(checks) = &checks {
        terminal.note(&checks.to_string());
        checks.undecidable.iter().for_each(|criterion| terminal.warn(criterion));
    }
    terminal.result(
        || json!({ "dry_run": true, "plan": plan, "learning": learning, "checks": checks, "ledger": ledger }),
        || {
            let plan = plan.as_ref().map(ToString::to_string);
            let plan = plan.or_else(|| learning.map(|learning| columns::forecast(learning, rows)));
            let plan = plan.unwrap_or_else(|| "`--rows-hint NUMBER` shows noise, memory and time as well".into());
            let ledger = ledger.as_ref().map(|ledger| format!("\n\nThe ledger has room for it:\n{ledger}"));
            format!(
                "{plan}{}\n\nThis was a dry run: no row was read, and nothing was reserved or written.",
                ledger.unwrap_or_default()
            )
        },
    );
    Ok(())
}

/// Returns the read options of the real table.
pub(crate) fn read_options(real: &RealTable, engine: &EngineChoice) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions {
        format: real.format.map(Into::into),
        memory_limit: real.reading.memory_limit,
        spill_directory: real.reading.spill_dir.clone(),
        remote: engine.remote()?,
        ..ReadOptions::default()
    })
}

/// Converts an error into a failure. If an open fit caused it, the hint has the commands to resume
/// it or to start anew.
pub(crate) fn with_commands(error: scumble::Error, terminal: &Terminal) -> Failure {
    let is_open = error.is_open_fit();
    let mut failure = Failure::from(error);
    if let (true, Some(problem)) = (is_open, failure.problems.first_mut()) {
        let command = terminal.command();
        problem.hint = Some(format!(
            "to resume it without spending more: {command} --resume\nhint: to start anew and reserve the budget again, with the first reservation spent: \
             {command} --anew"
        ));
    }
    failure
}
