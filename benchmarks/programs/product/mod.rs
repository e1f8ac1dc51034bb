//! The figures of the product's verbs: `reproduce/product.sh` runs it.
//!
//! ```text
//! figures product [plan] [time] [evaluate]
//!                 [--tables A,B] [--epsilons X,Y] [--methods auto,mst]
//!                 [--resume] [--from-csv] [--output FOLDER]
//! ```
//! Every point of `plan` is a line of a CSV file, written when it is done. Without `--resume` the
//! chosen points are measured afresh; with it, only those that are not in the file yet.
//! `--from-csv` measures nothing and sums up what is there.
//!
//! `time` compares the processor time that `plan` forecasts on this machine with that of fits by
//! the recommended method.
//!
//! `evaluate` compares ten million rows, and small tables with the judge too if `SCUMBLE_PYTHON` is
//! a Python for it.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`). Time and memory are those
//! of the program at `SCUMBLE_BIN` (default: the one built beside this).

mod evaluate;
mod mixed_table;
mod plan;
mod time;

use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::Mode;
use scumble_benchmarks::request::Request;

/// The parts of the program.
const PARTS: [&str; 3] = ["plan", "time", "evaluate"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let request = Request::parse(arguments, &PARTS, ("--methods", &plan::METHODS))?;
    if !request.is_ready()? {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "plan" => plan::run(&request, &mut figures)?,
            // These have no file to sum up.
            _ if request.mode == Mode::FromCsv => {}
            "time" => time::run(&request, &mut figures)?,
            _ => evaluate::run(&request, &mut figures)?,
        }
    }
    figures.print();
    Ok(())
}
