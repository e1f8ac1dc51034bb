//! Counting: exact, and how much cheaper than by `GROUP BY`.
//!
//! `figures engine` runs all parts, in about half an hour on two cores; names of parts run those
//! only: `exactness`, `pairs` (or its quick half, `decoding`), `kernel`, `questions`, `growth`,
//! `hostile`. On request only: `values`, which needs 2 GB of disk and some minutes.
//!
//! Processor time is measured, not wall-clock time, and both figures of a ratio come from the same
//! run. DuckDB and Polars come from their Python packages, in an environment of their own that is
//! made when it is missing.

mod exactness;
mod growth;
mod hostile;
mod kernel;
pub(crate) mod pairs;
mod questions;
mod table;
mod values;

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;

const USAGE: Usage<'static> = Usage {
    parts: &["exactness", "pairs", "kernel", "questions", "growth", "hostile"],
    on_request: &["decoding", "values"],
    options: &[],
    switches: &[],
};

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    // This program starts itself for what needs a process of its own.
    match arguments {
        [first, file] if first == hostile::CHILD => {
            hostile::child(file.as_ref());
            return Ok(());
        }
        [first, rest @ ..] if first == growth::CHILD => return growth::child(rest),
        [first, way, directory] if first == values::CHILD => return values::child(way, directory.as_ref()),
        _ => {}
    }
    let mut figures = Figures::default();
    for part in Arguments::parse(arguments, &USAGE)?.parts() {
        match *part {
            "exactness" => exactness::run(&mut figures)?,
            "pairs" => pairs::run(true, &mut figures)?,
            "decoding" => pairs::run(false, &mut figures)?,
            "kernel" => kernel::run(&mut figures)?,
            "questions" => questions::run(&mut figures)?,
            "growth" => growth::run(&mut figures)?,
            "values" => values::run(&mut figures)?,
            _ => {
                println!("\nmalformed and hostile files:");
                let directory = tempfile::tempdir()?;
                hostile::run(directory.path()).add_to(&mut figures);
            }
        }
    }
    figures.print();
    Ok(())
}
