//! Draws the pictures of the README: `reproduce/readme.sh` runs it.
//!
//! ```text
//! figures readme [rows] [model] [errors] [cost] [--releases N] [--rows N] [--output FOLDER]
//! ```
//! `rows` fits the made-up survey several times and `model` once more. `errors` and `cost` draw
//! files in `docs/reproduction`, which other programs have measured.

mod cost;
mod demo_table;
mod errors;
mod real_and_synthetic;

use std::collections::HashMap;

use demo_table::Demo;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::{Result, data};

const PARTS: [&str; 4] = ["rows", "model", "errors", "cost"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let options = ["--releases", "--rows", "--output"];
    let arguments = Arguments::parse(arguments, &Usage { parts: &PARTS, options: &options, ..Usage::default() })?;
    let releases = arguments.value("--releases")?.unwrap_or(10);
    let rows = arguments.value("--rows")?.unwrap_or(50_000);
    let output = arguments.output();
    std::fs::create_dir_all(&output)?;
    for part in arguments.parts() {
        let (name, svg) = match *part {
            "rows" => ("readme-rows.svg", real_and_synthetic::picture(rows, releases)?),
            "model" => ("readme-model.svg", scumble::report::picture(&Demo::new(rows)?.fit()?)),
            "errors" => ("readme-errors.svg", errors::picture()?),
            _ => ("readme-cost.svg", cost::picture()?),
        };
        std::fs::write(output.join(name), svg)?;
        println!("drew {}", output.join(name).display());
    }
    Ok(())
}

/// Reads the lines of a measured file, each with its values by name of column.
fn lines(name: &str) -> Result<Vec<HashMap<String, String>>> {
    let path = data::published().join(name);
    let mut reader = csv::Reader::from_path(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}
