//! `scumble plan`

use scumble::Schema;
use scumble::mechanisms::forecast::Machine;
use scumble::report::FitPlan;

use crate::arguments;
use crate::failure::Failure;
use crate::output;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &arguments::Plan, terminal: &Terminal) -> Result<(), Failure> {
    output::check([&arguments.schema], &arguments.svg, arguments.overwriting.force)?;
    let schema = Schema::read(&arguments.schema)?;
    let (methods, rows) = (arguments.methods()?, arguments.rows_hint);
    let plan = FitPlan::new(&schema, &methods, &arguments.goals(), rows)?.on(Machine::this());
    if let Some(path) = &arguments.svg {
        let picture = FitPlan::new(&schema, &methods, &arguments.drawn_goals(), rows)?.picture();
        output::write(path, picture.as_bytes(), terminal)?;
    }
    terminal.result(|| &plan, || plan.to_string());
    Ok(())
}
