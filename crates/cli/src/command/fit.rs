//! `scumble fit`

use std::num::NonZeroU64;
use std::sync::Arc;

use scumble::cluster::Stores;
use scumble::engine::TableScan;
use scumble::report::{LedgerSummary, Plan, Summary, dead_columns, guarantee, heaps, weak_terms};
use scumble::{Job, Ledger, Model, ReadOptions, ReservedFit, Schema, Start};
use serde_json::json;

use crate::arguments::{EngineChoice, Fit, RealTable};
use crate::failure::Failure;
use crate::terminal::{Terminal, Unit};
use crate::{fit_progress, interrupt, output};

pub(crate) fn run(arguments: &Fit, terminal: &Terminal) -> Result<(), Failure> {
    let (real, path) = (&arguments.real, &arguments.output);
    output::refuse_stdout(path, "a model")?;
    output::check(real.reads(), [path], arguments.overwriting.force)?;
    let schema = real.text_files.schema(&real.schema)?;
    if real.dry_run {
        return dry_run(real, &arguments.engine, &schema, terminal);
    }
    let (model, job) = fit(real, &arguments.engine, &schema, terminal)?;
    model.write(path)?;
    commit(job)?;
    terminal.result(
        || json!({ "model": path, "summary": Summary::new(&model) }),
        || format!("wrote the model to {}\n{}", path.display(), guarantee(&model)),
    );
    Ok(())
}

/// Ends the job of a fit, if it was on a ledger. To be done once what the user asked for is durable.
pub(crate) fn commit(job: Option<Job>) -> Result<(), Failure> {
    if let Some(job) = job {
        job.commit()?;
        interrupt::fit_ended();
    }
    Ok(())
}

/// Fits a model to what was named, with the warnings that belong to its guarantee.
pub(crate) fn fit(
    real: &RealTable,
    engine: &EngineChoice,
    schema: &Schema,
    terminal: &Terminal,
) -> Result<(Model, Option<Job>), Failure> {
    let assumed: Vec<_> = schema.assumed().map(|attribute| format!("`{}`", attribute.name())).collect();
    if !assumed.is_empty() {
        terminal.warn(&format!(
            "the guarantee holds only if the bounds and categories of these columns were declared without looking at the \
             data: {}; mark them `source: public` once that is sure",
            assumed.join(", ")
        ));
    }
    let (model, job) = match &real.from_marginals {
        Some(path) => (scumble::fit_marginals(path, schema)?, None),
        None => fit_rows(real, engine, schema, terminal)?,
    };
    remark(&model, terminal);
    Ok((model, job))
}

/// Says what the released counts show: terms that are weak for so many rows, a schema that does not fit its data, heaps.
fn remark(model: &Model, terminal: &Terminal) {
    for weakness in weak_terms(model) {
        terminal.warn(&weakness.to_string());
    }
    for column in dead_columns(model) {
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
    schema: &Schema,
    terminal: &Terminal,
) -> Result<(Model, Option<Job>), Failure> {
    let (method, goal) = (real.method()?, real.goal());
    real.reasonable.check(goal, real.rows_hint)?;
    let inputs = real.text_files.inputs(&real.data, real.spill_dir.as_deref())?;
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    let progress = fit_progress::sink(&bar, schema, &method, goal, &real.data);
    let options = ReadOptions { progress: Some(progress), ..read_options(real, engine)? };
    let Some(path) = &real.ledger else {
        let model = scumble::fit(&inputs, schema, &method, goal, &options);
        bar.finish_and_clear();
        let model = model?;
        terminal.note("no ledger keeps count: the budgets of repeated fits of the same table add up");
        return Ok((model, None));
    };
    let ledger = Ledger::open(path)?;
    let start = (real.start(), Some(terminal.command().to_owned()));
    let reserved = ReservedFit::new(&ledger, start, &inputs, schema, &method, goal, &options);
    let reserved = reserved.map_err(|error| with_commands(error, terminal))?;
    interrupt::fit_began(reserved.job(), path, format!("{} --resume", terminal.command()));
    let fitted = reserved.run();
    bar.finish_and_clear();
    let (model, job) = fitted?;
    Ok((model, Some(job)))
}

/// Shows what a fit would ask, cost and reserve, and refuses what would be refused. No row is read and nothing is spent.
pub(crate) fn dry_run(
    real: &RealTable,
    engine: &EngineChoice,
    schema: &Schema,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let (method, goal) = (real.method()?, real.goal());
    real.reasonable.check(goal, real.rows_hint)?;
    let inputs = real.text_files.inputs(&real.data, real.spill_dir.as_deref())?;
    // The columns have to be there; their values are not looked at.
    TableScan::open(&inputs, schema, &read_options(real, engine)?).map_err(scumble::Error::from)?;
    let ledger = real.ledger.as_deref().map(Ledger::open).transpose()?;
    if let Some(ledger) = &ledger {
        let plan = scumble::mechanisms::plan(schema, &method, goal);
        let room = match real.start() {
            Start::Resume if ledger.has_open(&plan)? => Ok(()),
            Start::Resume => Err(scumble::Error::NothingToResume),
            start => ledger.check(&plan, start == Start::Anew).map_err(scumble::Error::from),
        };
        room.map_err(|error| with_commands(error, terminal))?;
    }
    let rows = real.rows_hint.and_then(NonZeroU64::new);
    let plan = rows.map(|rows| Plan::new(schema, &[method], &[goal], rows)).transpose()?;
    let ledger = ledger.map(|ledger| ledger.verify()).transpose()?.map(|statement| LedgerSummary::new(&statement));
    terminal.result(
        || json!({ "dry_run": true, "plan": plan, "ledger": ledger }),
        || {
            let plan = plan.as_ref().map(ToString::to_string);
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

/// How the real table is read.
fn read_options(real: &RealTable, engine: &EngineChoice) -> Result<ReadOptions, Failure> {
    Ok(ReadOptions {
        format: real.format.map(Into::into),
        memory_limit: real.memory_limit,
        spill_directory: real.spill_dir.clone(),
        remote: engine.cluster()?.map(|cluster| cluster as _),
        stores: Some(Arc::new(Stores::default())),
        ..ReadOptions::default()
    })
}

/// A fit that was refused because the same one never ended, with the commands to choose from.
fn with_commands(error: scumble::Error, terminal: &Terminal) -> Failure {
    let is_open = error.is_open_fit();
    let mut failure = Failure::from(error);
    if let (true, Some(problem)) = (is_open, failure.problems.first_mut()) {
        let command = terminal.command();
        problem.hint = Some(format!(
            "to go on with it and spend nothing more: {command} --resume\nhint: to leave what it reserved spent, and reserve as much again: \
             {command} --anew"
        ));
    }
    failure
}
