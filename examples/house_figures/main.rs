//! The figures of the issue "The house stands": the whole way, on the demo table and on the benchmark tables, by the real
//! program; equal counts whatever the file format; many schemas, taken or refused, fast and small.
//!
//! `cargo build --release -p scumble-cli && cargo run --release -p scumble-examples --example house_figures`
//!
//! The benchmark tables are looked for in `SCUMBLE_BENCH_DATA`, by default `../shared/data`. The last line printed is one
//! JSON object with all figures.

#![expect(clippy::print_stdout, reason = "this program prints figures")]

#[path = "../figures_common/figure.rs"]
mod figure;
mod formats;
mod schemas;
mod tables;

use std::error::Error;
use std::path::{Path, PathBuf};

use figure::Figures;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut figures = Figures::default();
    // First, while this program holds nothing else: what it grows by is then the schemas' doing.
    schemas::taken_or_refused(&mut figures)?;
    tables::demo(folder.path(), &mut figures)?;
    match bench_data() {
        Some(data) => {
            tables::benchmarks(&data, folder.path(), &mut figures)?;
            formats::equal_counts(&data, folder.path(), &mut figures)?;
        }
        None => println!("SKIPPED: no benchmark tables; set SCUMBLE_BENCH_DATA to their folder"),
    }
    figures.print();
    Ok(())
}

/// The folder of the benchmark tables, if it is there.
fn bench_data() -> Option<PathBuf> {
    let folder = std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(|| "../shared/data".into(), PathBuf::from);
    folder.join("adult").is_dir().then_some(folder)
}

/// The schemas that are kept beside the examples.
fn example_schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas")
}
