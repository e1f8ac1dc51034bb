//! Ten times the rows: the same memory, and ten times the time.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, Input, MemoryLimit, ReadOptions, TableScan};

use super::table::Shape;
use scumble_benchmarks::Result;
use scumble_benchmarks::clock::{cpu_seconds, peak_mib};
use scumble_benchmarks::figure::Figures;

/// The argument that makes the program count one folder and print what it took.
pub(crate) const CHILD: &str = "grow-child";
const MILLION: usize = 1_000_000;
const LIMIT: &str = "1GiB";
/// The bar on peak memory, in MiB: 1.3 GiB.
const MAX_MIB: f64 = 1.3 * 1024.0;

pub(crate) fn run(figures: &mut Figures) -> Result<()> {
    let parent = tempfile::tempdir()?;
    let shape = shape();
    println!("\n100 million rows x {} columns of Parquet, --memory-limit {LIMIT}:", shape.sizes.len());
    let directory = shape.write(parent.path(), 100 * MILLION, 100)?;
    let few = parent.path().join("few");
    std::fs::create_dir(&few)?;
    for file in 0..10 {
        let name = format!("part-{file:03}.parquet");
        std::fs::hard_link(directory.join(&name), few.join(&name))?;
    }
    let small = counted("scan", &few, 10 * MILLION)?;
    let large = counted("scan", &directory, 100 * MILLION)?;
    figures.shown("all pairs of 10 million rows, straight from the files", small.wall, "s");
    figures.shown("all pairs of 100 million rows, straight from the files", large.wall, "s");
    figures.at_most("100 million rows: peak memory", large.peak, "MiB", MAX_MIB);
    figures.at_most(
        "100 million rows: wall time per row over that of 10 million",
        large.wall / small.wall / 10.0,
        "times",
        1.3,
    );
    figures.at_most(
        "100 million rows: CPU per row over that of 10 million",
        large.cpu / small.cpu / 10.0,
        "times",
        1.3,
    );
    let coded = counted("code", &directory, 100 * MILLION)?;
    figures.shown("100 million rows coded, spilled and counted", coded.wall, "s");
    figures.at_most("100 million rows coded, spilled and counted: peak memory", coded.peak, "MiB", MAX_MIB);
    Ok(())
}

/// The mixed table without its four largest columns.
fn shape() -> Shape {
    let mixed = Shape::mixed();
    Shape { sizes: mixed.sizes[..20].to_vec(), ..mixed }
}

/// Counts a folder in a process of its own.
fn counted(way: &str, directory: &Path, rows: usize) -> Result<Run> {
    Run::start([CHILD, way, &rows.to_string(), "--memory-limit", LIMIT], directory)
}

/// What a child process reports about itself.
pub(super) struct Run {
    pub(super) wall: f64,
    pub(super) cpu: f64,
    pub(super) peak: f64,
}

impl Run {
    /// Starts this program on a folder.
    pub(super) fn start<const N: usize>(arguments: [&str; N], directory: &Path) -> Result<Self> {
        let output = Command::new(std::env::current_exe()?).arg("engine").args(arguments).arg(directory).output()?;
        let text = String::from_utf8(output.stdout)?;
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if let (true, &[wall, cpu, peak]) = (output.status.success(), &numbers[..]) {
            return Ok(Self { wall, cpu, peak });
        }
        let error = String::from_utf8_lossy(&output.stderr);
        Err(format!("the child ended with {}: {text}{error}", output.status).into())
    }

    /// Prints what this process has taken since `start`, for the process that started it.
    pub(super) fn report(start: Instant) {
        println!("{} {} {}", start.elapsed().as_secs_f64(), cpu_seconds(), peak_mib());
    }
}

/// Counts all pairs of a directory in this process, and prints seconds, CPU seconds and MiB.
pub(crate) fn child(arguments: &[String]) -> Result<()> {
    let [way, rows, _, limit, directory] = arguments else { return Err("not enough arguments".into()) };
    let limit: MemoryLimit = limit.parse()?;
    let options = ReadOptions { threads: Some(2), memory_limit: Some(limit), ..ReadOptions::default() };
    let (shape, start) = (shape(), Instant::now());
    let (inputs, schema, pairs) = ([Input::new(directory)], shape.schema(), shape.pairs());
    let counts = if way == "code" {
        let table = CodedTable::read(&inputs, &schema, &options)?;
        if !table.spilled() {
            return Err("the table was to be spilled".into());
        }
        table.count_tables(&pairs)?
    } else {
        TableScan::open(&inputs, &schema, &options)?.count_tables(&pairs)?
    };
    let rows: u64 = rows.parse()?;
    if counts.iter().any(|table| table.iter().sum::<u64>() != rows) {
        return Err("a table has another number of rows".into());
    }
    Run::report(start);
    Ok(())
}
