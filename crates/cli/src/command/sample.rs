//! `scumble sample`

use std::fmt::Write as _;
use std::path::Path;

use scumble::cluster::{Cluster, SampleOrder};
use scumble::mechanisms::{MechanismError, Origin};
use scumble::report::guarantee;
use scumble::schema::io_problem;
use scumble::{Fault, Model, RowTarget, Sampling, Shares, Wanted, fresh_seed};
use serde_json::json;

use crate::arguments::{PartOfRows, Sample, SyntheticTable};
use crate::failure::Failure;
use crate::interrupt::Writing;
use crate::output;
use crate::terminal::{Terminal, Unit, show_spinner};

pub(crate) fn run(arguments: &Sample, terminal: &Terminal) -> Result<(), Failure> {
    let output = &arguments.synthetic.output;
    if arguments.engine.cluster()?.is_none() {
        output::check([&arguments.model], [output], arguments.synthetic.overwriting.force)?;
    } else {
        output::refuse_stdout(output, "a folder")?;
    }
    if output::is_stdout(output) {
        terminal.give_up_stdout()?;
    }
    let model = Model::read(&arguments.model)?;
    if !arguments.part.is_everything() {
        if arguments.engine.cluster()?.is_some() {
            let hint = "leave `--engine` out: parts of a model are drawn by this machine";
            return Err(Failure::new(Fault::Usage, "a cluster draws from the whole model only", Some(hint.into())));
        }
        return sample_part(&model, &arguments.part, &arguments.synthetic, terminal);
    }
    let rows = match arguments.engine.cluster()? {
        None => sample(&model, &arguments.synthetic, terminal)?,
        Some(cluster) => sample_on_cluster(&cluster, &model, &arguments.synthetic, terminal)?,
    };
    terminal.result(
        || json!({ "output": output, "rows": rows, "guarantee": guarantee(&model) }),
        || with_claim(wrote(rows, output), &model),
    );
    Ok(())
}

/// Draws and writes the rows asked for, and says how many.
pub(crate) fn sample(model: &Model, synthetic: &SyntheticTable, terminal: &Terminal) -> Result<u64, Failure> {
    let rows = synthetic.rows.unwrap_or(model.rows());
    draw(rows, synthetic, terminal, |seed, sampling, go_on| {
        scumble::sample(model, rows, seed, sampling, target(synthetic), go_on)
    })?;
    Ok(rows)
}

/// Has the rows asked for drawn and written by a cluster, and says how many.
fn sample_on_cluster(
    cluster: &Cluster,
    model: &Model,
    synthetic: &SyntheticTable,
    terminal: &Terminal,
) -> Result<u64, Failure> {
    let rows = synthetic.rows.unwrap_or(model.rows());
    model.schema().check_rows(rows).map_err(MechanismError::Rows)?;
    let (seed, sampling) = seed_and_sampling(rows, synthetic)?;
    let bar = terminal.progress("sampling", 0, Unit::Rows);
    show_spinner(&bar, "sampling on the cluster");
    let writing = Writing::begin();
    let order = SampleOrder { model, rows, seed, sampling, folder: &synthetic.output };
    let outcome = cluster.sample(&order, || !writing.asked_to_stop());
    bar.finish_and_clear();
    outcome?;
    Ok(rows)
}

/// Draws and writes a part of the model's rows.
fn sample_part(
    model: &Model,
    asked: &PartOfRows,
    synthetic: &SyntheticTable,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let wanted = Wanted::parse(model.schema(), asked.conditions.iter().map(String::as_str))?;
    let shares = asked.rebalance.as_deref().map(|text| shares(model, text)).transpose()?;
    let part = model.part(&wanted, shares.as_ref())?;
    let Some(rows) = synthetic.rows.or_else(|| part.expected_rows()) else {
        return Err(Failure::new(
            Fault::Usage,
            "the model expects less than one row that meets these conditions",
            Some("say how many to draw with `--rows`".into()),
        ));
    };
    draw(rows, synthetic, terminal, |seed, sampling, go_on| {
        scumble::sample_part(&part, rows, seed, sampling, target(synthetic), go_on)
    })?;
    let output = &synthetic.output;
    terminal.result(
        || {
            json!({
                "output": output,
                "rows": rows,
                "where": asked.conditions,
                "share_of_model": part.probability(),
                "rebalance": asked.rebalance,
                "guarantee": guarantee(model),
            })
        },
        || {
            let mut text = wrote(rows, output);
            if !asked.conditions.is_empty() {
                let share = 100.0 * part.probability();
                let _ = write!(text, "\nall with {}: {share:.1} % of the model's rows", asked.conditions.join(" and "));
            }
            if let Some(shares) = &shares {
                let column = model.schema().attribute(shares.column()).name();
                let _ = write!(text, "\n`{column}` has the shares asked for, which are not the model's");
            }
            with_claim(text, model)
        },
    );
    Ok(())
}

/// The shares of `--rebalance`, from the command line or from the file that it names.
fn shares(model: &Model, text: &str) -> Result<Shares, Failure> {
    let Some((column, path)) = text.split_once("=@") else { return Ok(Shares::parse(model.schema(), text)?) };
    let lines = std::fs::read_to_string(path).map_err(|error| {
        let hint = "check the path and its permissions; a file of shares is UTF-8 text";
        Failure::new(Fault::Engine, format!("cannot read `{path}`: {}", io_problem(&error)), Some(hint.into()))
    })?;
    Ok(Shares::parse_csv(model.schema(), column, &lines)?)
}

/// Where the rows go.
fn target(synthetic: &SyntheticTable) -> RowTarget<'_> {
    if output::is_stdout(&synthetic.output) { RowTarget::Stdout } else { RowTarget::File(&synthetic.output) }
}

/// What was asked for, or what is best for so many rows.
fn seed_and_sampling(rows: u64, synthetic: &SyntheticTable) -> Result<(u64, Sampling), Failure> {
    let sampling = synthetic.sampling.map_or_else(|| Sampling::for_rows(rows), Sampling::from);
    Ok((synthetic.seed.map_or_else(fresh_seed, Ok)?, sampling))
}

/// Runs `write` with the seed and the sampling asked for, shows its progress and stops it when asked to.
fn draw(
    rows: u64,
    synthetic: &SyntheticTable,
    terminal: &Terminal,
    write: impl FnOnce(u64, Sampling, &mut dyn FnMut(u64) -> bool) -> Result<(), scumble::Error>,
) -> Result<(), Failure> {
    let (seed, sampling) = seed_and_sampling(rows, synthetic)?;
    let writing = Writing::begin();
    let bar = terminal.progress("sampling", rows, Unit::Rows);
    let outcome = write(seed, sampling, &mut |written| {
        bar.set_position(written);
        !writing.asked_to_stop()
    });
    bar.finish_and_clear();
    Ok(outcome?)
}

/// Nothing of ours stands behind tables that were made elsewhere, so nobody should have to ask `inspect` for that.
fn with_claim(text: String, model: &Model) -> String {
    match model.origin() {
        Origin::Measured { .. } => text,
        Origin::External(_) => format!("{text}\n{}", guarantee(model)),
    }
}

pub(crate) fn wrote(rows: u64, output: &Path) -> String {
    format!("wrote {rows} synthetic rows to {}", output::shown(output))
}
