//! `scumble sample`

use std::fmt::Write as _;
use std::path::Path;

#[cfg(feature = "cluster")]
use scumble::cluster::Cluster;
use scumble::mechanisms::Origin;
use scumble::report::guarantee;
use scumble::schema::io_problem;
use scumble::{Conditions, Draw, Drawn, Fault, Model, Shares};
use serde_json::json;

use crate::arguments::{RowSelection, Sample, SyntheticTable};
use crate::failure::Failure;
use crate::interrupt::Writing;
use crate::output;
#[cfg(feature = "cluster")]
use crate::terminal::show_spinner;
use crate::terminal::{Terminal, Unit};

pub(crate) fn run(arguments: &Sample, terminal: &Terminal) -> Result<(), Failure> {
    let output = &arguments.synthetic.output;
    if arguments.engine.is_local() {
        output::check([&arguments.model], [output], arguments.synthetic.overwriting.force)?;
    } else {
        output::refuse_stdout(output, "a folder")?;
    }
    if output::is_stdout(output) {
        terminal.reserve_stdout()?;
    }
    let model = Model::read(&arguments.model)?;
    #[cfg(feature = "cluster")]
    if let Some(cluster) = arguments.engine.cluster()? {
        let rows = sample_on_cluster(&cluster, &model, arguments, terminal)?;
        show_result(&model, rows, output, terminal);
        return Ok(());
    }
    if !arguments.selection.is_everything() {
        return sample_selected(&model, &arguments.selection, &arguments.synthetic, terminal);
    }
    let rows = sample(&model, &arguments.synthetic, terminal)?;
    show_result(&model, rows, output, terminal);
    Ok(())
}

fn show_result(model: &Model, rows: u64, output: &Path, terminal: &Terminal) {
    terminal.result(
        || json!({ "output": output, "rows": rows, "guarantee": guarantee(model) }),
        || with_claim(wrote(rows, output), model),
    );
}

/// Draws and writes the requested rows, and returns their number.
pub(crate) fn sample(model: &Model, synthetic: &SyntheticTable, terminal: &Terminal) -> Result<u64, Failure> {
    Ok(write(draw(model, synthetic), synthetic, terminal)?.rows)
}

/// Draws and writes the requested rows of a new model, which are those that its fit checked, if it
/// did; returns their number.
pub(crate) fn sample_checked(model: &Model, synthetic: &SyntheticTable, terminal: &Terminal) -> Result<u64, Failure> {
    let seed = model.checked().map(|checked| checked.seed).or(synthetic.seed);
    Ok(write(draw(model, synthetic).seed(seed), synthetic, terminal)?.rows)
}

/// Draws and writes the requested rows on a cluster, and returns their number.
#[cfg(feature = "cluster")]
fn sample_on_cluster(
    cluster: &Cluster,
    model: &Model,
    arguments: &Sample,
    terminal: &Terminal,
) -> Result<u64, Failure> {
    let (conditions, shares) = parse_selection(model, &arguments.selection)?;
    let bar = terminal.progress("sampling", 0, Unit::Rows);
    show_spinner(&bar, "sampling on the cluster");
    let writing = Writing::begin();
    let draw = draw(model, &arguments.synthetic).filter(conditions).rebalance(shares);
    let drawn = draw.progress(|_, _| !writing.stop_requested()).write_on(cluster, &arguments.synthetic.output);
    bar.finish_and_clear();
    Ok(drawn?.rows)
}

/// Draws and writes rows that meet conditions or have other shares.
fn sample_selected(
    model: &Model,
    selection: &RowSelection,
    synthetic: &SyntheticTable,
    terminal: &Terminal,
) -> Result<(), Failure> {
    let (conditions, shares) = parse_selection(model, selection)?;
    let rebalanced = shares.as_ref().map(|shares| model.schema().attribute(shares.column()).name());
    let draw = draw(model, synthetic).filter(conditions).rebalance(shares);
    let Drawn { rows, share_of_model, .. } = write(draw, synthetic, terminal)?;
    let output = &synthetic.output;
    terminal.result(
        || {
            json!({
                "output": output,
                "rows": rows,
                "where": selection.conditions,
                "share_of_model": share_of_model,
                "rebalance": selection.rebalance,
                "guarantee": guarantee(model),
            })
        },
        || {
            let mut text = wrote(rows, output);
            if !selection.conditions.is_empty() {
                let share = 100.0 * share_of_model;
                let _ =
                    write!(text, "\nall with {}: {share:.1} % of the model's rows", selection.conditions.join(" and "));
            }
            if let Some(column) = rebalanced {
                let _ = write!(text, "\n`{column}` has the requested shares, not those of the model");
            }
            with_claim(text, model)
        },
    );
    Ok(())
}

/// Parses the conditions of `--where` and the shares of `--rebalance`.
fn parse_selection(model: &Model, selection: &RowSelection) -> Result<(Conditions, Option<Shares>), Failure> {
    let conditions = Conditions::parse(model.schema(), selection.conditions.iter().map(String::as_str))?;
    Ok((conditions, selection.rebalance.as_deref().map(|text| shares(model, text)).transpose()?))
}

/// Parses the shares of `--rebalance`, from the command line or from the file that it names.
fn shares(model: &Model, text: &str) -> Result<Shares, Failure> {
    let Some((column, path)) = text.split_once("=@") else { return Ok(Shares::parse(model.schema(), text)?) };
    let lines = std::fs::read_to_string(path).map_err(|error| {
        let hint = "check the path and its permissions; a file of shares is UTF-8 text";
        Failure::new(Fault::Engine, format!("cannot read `{path}`: {}", io_problem(&error)), Some(hint.into()))
    })?;
    Ok(Shares::parse_csv(model.schema(), column, &lines)?)
}

/// Returns the draw that the command line describes.
fn draw<'a>(model: &'a Model, synthetic: &SyntheticTable) -> Draw<'a> {
    Draw::from(model).rows(synthetic.rows).seed(synthetic.seed).sampling(synthetic.sampling)
}

/// Draws and writes rows, shows progress, and stops on request.
fn write(draw: Draw<'_>, synthetic: &SyntheticTable, terminal: &Terminal) -> Result<Drawn, Failure> {
    let writing = Writing::begin();
    let bar = terminal.progress("sampling", 0, Unit::Rows);
    let draw = draw.progress(|drawn, total| {
        bar.set_length(total);
        bar.set_position(drawn);
        !writing.stop_requested()
    });
    let output = &synthetic.output;
    let drawn = if output::is_stdout(output) { draw.write_to_stdout() } else { draw.write(output) };
    bar.finish_and_clear();
    Ok(drawn?)
}

/// Adds the claim of the party that released the tables, for models without a certificate of this
/// program: users see it without running `inspect`.
fn with_claim(text: String, model: &Model) -> String {
    match model.origin() {
        Origin::Measured { .. } => text,
        Origin::External(_) => format!("{text}\n{}", guarantee(model)),
    }
}

pub(crate) fn wrote(rows: u64, output: &Path) -> String {
    format!("wrote {rows} synthetic rows to {}", output::shown(output))
}
