//! `scumble marginals`

use scumble::Model;
use scumble::mechanisms::marginals::Exported;
use serde_json::json;

use crate::arguments::Marginals;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Marginals, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.model], [&arguments.output], arguments.overwriting.force)?;
    let model = Model::read(&arguments.model)?;
    let Exported { marginals, summed, left_out } = model.marginals()?;
    output::write(&arguments.output, marginals.to_json(model.schema()).as_bytes(), terminal)?;
    if summed + left_out > 0 {
        terminal.note(&format!(
            "columns that the method derived, such as coarser ones, are not in the schema: {summed} tables are summed \
             over them, and {left_out} that have no others are left out"
        ));
    }
    let tables = marginals.tables().len();
    terminal.result(
        || json!({ "output": arguments.output, "tables": tables, "summed": summed, "left_out": left_out }),
        || format!("wrote {tables} noisy tables to {}", output::shown(&arguments.output)),
    );
    Ok(())
}
