//! `scumble sample`

use std::path::Path;

use scumble::mechanisms::Origin;
use scumble::report::guarantee;
use scumble::{Model, Sampling, fresh_seed};
use serde_json::json;

use crate::arguments::{Sample, SyntheticTable};
use crate::failure::Failure;
use crate::interrupt::Writing;
use crate::terminal::{Terminal, Unit};

pub(crate) fn run(arguments: &Sample, terminal: &Terminal) -> Result<(), Failure> {
    let model = Model::read(&arguments.model)?;
    let rows = sample(&model, &arguments.synthetic, terminal)?;
    terminal.result(
        || json!({ "output": arguments.synthetic.output, "rows": rows, "guarantee": guarantee(&model) }),
        || match model.origin() {
            Origin::Measured { .. } => wrote(rows, &arguments.synthetic.output),
            // Nothing of ours stands behind it, so nobody should have to ask `inspect` for that.
            Origin::Elsewhere(_) => format!("{}\n{}", wrote(rows, &arguments.synthetic.output), guarantee(&model)),
        },
    );
    Ok(())
}

/// Draws and writes the rows asked for, and says how many.
pub(crate) fn sample(model: &Model, synthetic: &SyntheticTable, terminal: &Terminal) -> Result<u64, Failure> {
    let rows = synthetic.rows.unwrap_or(model.rows());
    let sampling = synthetic.sampling.map_or_else(|| Sampling::for_rows(rows), Sampling::from);
    let seed = synthetic.seed.map_or_else(fresh_seed, Ok)?;
    let writing = Writing::begin();
    let bar = terminal.progress("sampling", rows, Unit::Rows);
    let outcome = scumble::sample(model, rows, seed, sampling, &synthetic.output, |written| {
        bar.set_position(written);
        !writing.asked_to_stop()
    });
    bar.finish_and_clear();
    outcome?;
    Ok(rows)
}

pub(crate) fn wrote(rows: u64, output: &Path) -> String {
    format!("wrote {rows} synthetic rows to {}", output.display())
}
