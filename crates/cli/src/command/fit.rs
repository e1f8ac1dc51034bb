//! `scumble fit`

use std::path::Path;
use std::sync::Arc;

use scumble::cluster::Stores;
use scumble::report::{Summary, guarantee};
use scumble::schema::WholeFile;
use scumble::{Input, Job, Ledger, Model, ReadOptions, Schema, Start};
use serde_json::json;

use crate::arguments::{EngineChoice, Fit, RealTable};
use crate::failure::{Failure, cannot_write};
use crate::fit_progress;
use crate::terminal::{Terminal, Unit};

pub(crate) fn run(arguments: &Fit, terminal: &Terminal) -> Result<(), Failure> {
    can_be_written(&arguments.output)?;
    let schema = arguments.real.text_files.schema(&arguments.real.schema)?;
    let (model, job) = fit(&arguments.real, &arguments.engine, &schema, terminal)?;
    model.write(&arguments.output)?;
    commit(job)?;
    terminal.result(
        || json!({ "model": arguments.output, "summary": Summary::new(&model) }),
        || format!("wrote the model to {}\n{}", arguments.output.display(), guarantee(&model)),
    );
    Ok(())
}

/// Fails if a file cannot be written there. To be asked before budget is spent on what goes into it.
pub(crate) fn can_be_written(path: &Path) -> Result<(), Failure> {
    WholeFile::create(path).map(drop).map_err(|error| cannot_write(path, &error))
}

/// Ends the job of a fit, if it was on a ledger. To be done once what the user asked for is durable.
pub(crate) fn commit(job: Option<Job>) -> Result<(), Failure> {
    Ok(job.map_or(Ok(()), Job::commit)?)
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
    match &real.from_marginals {
        Some(path) => Ok((scumble::fit_marginals(path, schema)?, None)),
        None => fit_rows(real, engine, schema, terminal),
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
    let inputs: Vec<Input> = real.data.iter().map(Input::new).collect();
    let bar = terminal.progress("reading", 0, Unit::Bytes);
    let options = ReadOptions {
        format: real.format.map(Into::into),
        progress: Some(fit_progress::sink(&bar, schema, &method, goal, &real.data)),
        memory_limit: real.memory_limit,
        spill_directory: real.spill_dir.clone(),
        remote: engine.cluster()?.map(|cluster| cluster as _),
        stores: Some(Arc::new(Stores::default())),
        ..ReadOptions::default()
    };
    let Some(ledger) = &real.ledger else {
        let model = scumble::fit(&inputs, schema, &method, goal, &options);
        bar.finish_and_clear();
        let model = model?;
        terminal.note("no ledger keeps count: the budgets of repeated fits of the same table add up");
        return Ok((model, None));
    };
    let ledger = Ledger::open(ledger)?;
    let start = if real.resume { Start::Resume } else { Start::New };
    if start == Start::New && ledger.has_open(&scumble::mechanisms::plan(schema, &method, goal))? {
        terminal.note(
            "a fit of the same schema, method and budget is open on the ledger: if it was cut off, `--resume` goes on with it \
             and spends nothing more",
        );
    }
    let fitted = scumble::fit_on(&ledger, start, &inputs, schema, &method, goal, &options);
    bar.finish_and_clear();
    let (model, job) = fitted?;
    Ok((model, Some(job)))
}
