//! Fits by the program, and the pairs of one question by another engine.

use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::text;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::measured_fit::{Limits, program};

use crate::cluster::table::Table;
use crate::engine::pairs::{peer_seconds, peers_python};

/// Peak memory of a program whose limit is 2 GiB.
const MAX_GIB: f64 = 2.5;
const BYTES_PER_GIB: f64 = 1_073_741_824.0;
/// So far over the bars that a figure is measured even where it falls short.
const LIMITS: Limits = Limits { cpu_seconds: 1e5, megabytes: 16_000.0 };

/// `mst` and `auto` at epsilon 1, from the files to the model.
pub(super) fn of_program(figures: &mut Figures, table: &Table) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let schema = folder.path().join("schema.yaml");
    std::fs::write(&schema, table.schema.to_yaml())?;
    for method in ["mst", "auto"] {
        let model = folder.path().join(method);
        let arguments = ["fit", text(&table.folder), "--schema", text(&schema), "--method", method];
        let terms = ["--epsilon", "1", "--delta", "1e-10", "--memory-limit", "2GiB", "--quiet", "-o", text(&model)];
        let begun = std::time::Instant::now();
        let ended = program(&[&arguments[..], &terms[..]].concat(), LIMITS)?;
        if ended.exit_code != Some(0) {
            return Err(format!("{method}: {}", ended.said).into());
        }
        figures.shown(&format!("`{method}`, end to end"), begun.elapsed().as_secs_f64(), "s");
        figures.shown(&format!("`{method}`, end to end, processor time"), ended.cpu_seconds, "CPU s");
        let peak = ended.peak_megabytes * 1e6 / BYTES_PER_GIB;
        figures.at_most(&format!("`{method}` with --memory-limit 2GiB, peak memory"), peak, "GiB", MAX_GIB);
    }
    Ok(())
}

/// All pairs of columns by DuckDB, one question each.
pub(super) fn of_duckdb(figures: &mut Figures, table: &Table) -> Result<()> {
    let name = "all pairs by DuckDB";
    let Some(python) = peers_python() else {
        figures.push(scumble_benchmarks::figure::Figure::missing(name, "CPU s", scumble_benchmarks::figure::Bar::None));
        return Ok(());
    };
    let begun = std::time::Instant::now();
    let seconds = peer_seconds(&python, "duckdb", &table.folder, table.millions * 1_000_000)?;
    figures.shown(name, seconds, "CPU s");
    figures.shown(&format!("{name}, from start to end"), begun.elapsed().as_secs_f64(), "s");
    Ok(())
}
