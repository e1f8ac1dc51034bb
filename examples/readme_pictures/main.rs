//! The pictures of the README: `reproduce/readme.sh` runs it.
//!
//! ```text
//! readme_pictures [rows] [model] [errors] [cost] [--releases N] [--rows N] [--output FOLDER]
//! ```
//! `rows` fits the made-up survey several times and `model` once more. `errors` and `cost` draw what the files in `docs/reproduction` hold, which other
//! programs have measured.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

mod cost;
mod demo_table;
mod errors;
mod real_and_synthetic;
#[path = "../figures_common/reference.rs"]
#[allow(dead_code, reason = "the pictures show a part of what was measured of others")]
mod reference;

use std::error::Error;
use std::path::{Path, PathBuf};

use demo_table::Demo;

/// What can go wrong here ends the program.
type Failure = Box<dyn Error + Send + Sync>;

const PARTS: [&str; 4] = ["rows", "model", "errors", "cost"];

fn main() -> Result<(), Failure> {
    let (mut parts, mut output) = (Vec::new(), measured());
    let (mut releases, mut rows) = (10, 50_000);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--releases" => releases = value()?.parse()?,
            "--rows" => rows = value()?.parse()?,
            "--output" => output = value()?.into(),
            part if PARTS.contains(&part) => parts.push(word),
            _ => return Err(format!("no `{word}`; there is {}", PARTS.join(", ")).into()),
        }
    }
    std::fs::create_dir_all(&output)?;
    for part in PARTS.into_iter().filter(|part| parts.is_empty() || parts.iter().any(|asked| asked == part)) {
        let (name, svg) = match part {
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

/// Where the measured figures are.
fn measured() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reproduction")
}

/// The lines of a measured file, each with its values by name of column.
fn lines(name: &str) -> Result<Vec<std::collections::HashMap<String, String>>, Failure> {
    let path = measured().join(name);
    let mut reader = csv::Reader::from_path(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}
