//! `scumble synth`

use scumble::TableWriter;
use scumble::mechanisms::MechanismError;
use scumble::report::{Summary, guarantee};
use scumble::schema::Decoder;
use serde_json::json;

use crate::arguments::{CheckedRows, Synth, SyntheticTable};
use crate::command::columns::TableColumns;
use crate::command::fit::{commit, dry_run, fit, show_quality};
use crate::command::sample::{sample_checked, wrote};
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Synth, terminal: &Terminal) -> Result<(), Failure> {
    let synthetic = &arguments.synthetic;
    let writes = std::iter::once(&synthetic.output).chain(&arguments.model);
    output::check(arguments.real.reads(), writes, synthetic.overwriting.force)?;
    let columns = TableColumns::of(&arguments.real, terminal)?;
    if let (Some(rows), Some(schema)) = (arguments.synthetic.rows, columns.schema()) {
        schema.check_rows(rows).map_err(MechanismError::Rows)?;
    }
    if output::is_stdout(&synthetic.output) {
        terminal.reserve_stdout()?;
    } else {
        // Checks, before budget is spent, that the rows can be written.
        TableWriter::create(&synthetic.output, Decoder::new(&columns.some_schema()?).arrow_schema().clone())?;
    }
    if let Some(path) = &arguments.model {
        output::refuse_stdout(path, "a model")?;
    }
    if arguments.real.dry_run {
        return dry_run(&arguments.real, &arguments.engine, &columns, terminal);
    }
    // The model is saved first: if the rows cannot be written, the spent budget is not lost.
    let SyntheticTable { rows, seed, sampling, .. } = arguments.synthetic;
    let criteria = arguments.real.checks.criteria()?;
    let check = arguments.real.checks.check(criteria.as_ref(), CheckedRows { rows, seed, sampling });
    let save_to = arguments.model.as_deref();
    let (model, job) = fit(&arguments.real, &arguments.engine, &columns, check, save_to, terminal)?;
    let rows = sample_checked(&model, &arguments.synthetic, terminal)?;
    commit(job)?;
    show_quality(criteria.as_ref(), &model, terminal);
    let output = &synthetic.output;
    terminal.result(
        || json!({ "output": output, "rows": rows, "model": arguments.model, "summary": Summary::new(&model) }),
        || format!("{}\n{}", wrote(rows, output), guarantee(&model)),
    );
    Ok(())
}
