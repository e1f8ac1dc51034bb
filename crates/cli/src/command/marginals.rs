//! `scumble marginals`

use scumble::Model;
use scumble::mechanisms::marginals::Exported;
use serde_json::json;

use crate::arguments::Marginals;
use crate::failure::Failure;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Marginals, terminal: &Terminal) -> Result<(), Failure> {
    let model = Model::read(&arguments.model)?;
    let Exported { marginals, summed, left_out } = model.marginals()?;
    marginals.write(&arguments.output, model.schema())?;
    if summed + left_out > 0 {
        terminal.note(&format!(
            "columns of the method's own, such as coarser versions, have no name in the schema: {summed} tables are summed \
             over them, and {left_out} that have no others are left out"
        ));
    }
    let tables = marginals.tables().len();
    terminal.result(
        || json!({ "output": arguments.output, "tables": tables, "summed": summed, "left_out": left_out }),
        || format!("wrote {tables} noisy tables to {}", arguments.output.display()),
    );
    Ok(())
}
