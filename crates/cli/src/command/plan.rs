//! `scumble plan`

use scumble::Schema;
use scumble::mechanisms::forecast::Machine;
use scumble::report::Plan;
use scumble::schema::WholeFile;

use crate::arguments;
use crate::failure::{Failure, cannot_write};
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &arguments::Plan, terminal: &Terminal) -> Result<(), Failure> {
    let schema = Schema::read(&arguments.schema)?;
    let (methods, rows) = (arguments.methods()?, arguments.rows_hint);
    let plan = Plan::new(&schema, &methods, &arguments.goals(), rows)?.on(Machine::this());
    if let Some(path) = &arguments.svg {
        let picture = Plan::new(&schema, &methods, &arguments.drawn_goals(), rows)?.picture();
        WholeFile::write_all_to(path, picture.as_bytes()).map_err(|error| cannot_write(path, &error))?;
    }
    terminal.result(|| &plan, || plan.to_string());
    Ok(())
}
