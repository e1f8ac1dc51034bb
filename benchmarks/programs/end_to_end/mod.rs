//! The whole way, on the demo table and on the benchmark tables, by the real program; equal counts
//! whatever the file format; many schemas, taken or refused, fast and small.
//!
//! It runs the `scumble` program that is built beside it: `cargo build --release -p scumble-cli`.

mod formats;
mod schemas;
mod tables;

use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::{Result, data};

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Arguments::parse(arguments, &Usage::default())?;
    let folder = tempfile::tempdir()?;
    let mut figures = Figures::default();
    // First, while this program holds nothing else, so that it grows by the schemas alone.
    schemas::taken_or_refused(&mut figures)?;
    tables::demo(folder.path(), &mut figures)?;
    if let Some(data) = data::find() {
        tables::benchmarks(&data, folder.path(), &mut figures)?;
        formats::equal_counts(&data, folder.path(), &mut figures)?;
    }
    figures.print();
    Ok(())
}
