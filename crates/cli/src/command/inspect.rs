//! `scumble inspect`

use scumble::Model;
use scumble::report::Summary;

use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::terminal::Terminal;

pub(crate) fn run(arguments: &Inspect, terminal: &Terminal) -> Result<(), Failure> {
    let summary = Summary::new(&Model::read(&arguments.model)?);
    terminal.result(|| &summary, || summary.to_string());
    Ok(())
}
