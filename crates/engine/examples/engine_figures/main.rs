//! The figures of the issue "The engine": exact, and how much cheaper than counting by `GROUP BY`.
//!
//! `cargo run --release --example engine_figures` runs all parts, in about half an hour on two cores; names of parts run
//! those only: `exactness`, `pairs` (or its quick half, `decoding`), `kernel`, `questions`, `growth`, `hostile`. The last
//! line printed is one JSON object.
//!
//! Processor time is measured, not the clock on the wall, and every ratio is one of two figures of the same run. DuckDB and
//! Polars come from their Python packages, in an environment of their own that is made when it is not there.

#![expect(clippy::print_stdout, reason = "this program prints figures")]
#![expect(clippy::cast_precision_loss, reason = "figures are far below 2^53")]

mod exactness;
mod figure;
mod growth;
mod hostile;
mod kernel;
mod pairs;
mod questions;
mod table;

use std::error::Error;
use std::process::ExitCode;

use figure::Figures;

type Anyhow<T> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // This program starts itself for what needs a process of its own.
    if let [hostile::CHILD, file] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return hostile::child(file.as_ref());
    }
    let result = match arguments.first().map(String::as_str) {
        Some("grow-child") => growth::child(&arguments[1..]),
        _ => run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(parts: &[String]) -> Anyhow<()> {
    let wanted = |part: &str| parts.is_empty() || parts.iter().any(|wanted| wanted == part);
    let mut figures = Figures::default();
    if wanted("exactness") {
        exactness::run(&mut figures)?;
    }
    if wanted("pairs") {
        pairs::run(true, &mut figures)?;
    } else if parts.iter().any(|part| part == "decoding") {
        pairs::run(false, &mut figures)?;
    }
    if wanted("kernel") {
        kernel::run(&mut figures)?;
    }
    if wanted("questions") {
        questions::run(&mut figures)?;
    }
    if wanted("growth") {
        growth::run(&mut figures)?;
    }
    if wanted("hostile") {
        println!("\nmalformed and hostile files:");
        let directory = tempfile::tempdir()?;
        hostile::run(directory.path()).add_to(&mut figures);
    }
    figures.print();
    Ok(())
}
