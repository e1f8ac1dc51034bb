//! The figures of real columns: `reproduce/columns.sh` runs it.
//!
//! ```text
//! figures columns [rules] [hierarchies] [--tables A,B] [--runs N]
//! ```
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`).

mod fitted;
mod hierarchies;
mod rules;
mod sound_rows;

use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::request::Request;

/// The parts of the program.
const PARTS: [&str; 2] = ["rules", "hierarchies"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let request = Request::parse(arguments, &PARTS, ("--methods", &["auto"]))?;
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "rules" => rules::run(&request, &mut figures)?,
            _ => hierarchies::run(&request, &mut figures)?,
        }
    }
    figures.print();
    Ok(())
}
