//! The processor time that `plan` forecasts on this machine, against what the program takes, from
//! the file to the model.
//!
//! The constants of the cost model were fitted on the tables of [`FITTED_ON`], and then frozen;
//! those of [`JUDGED_ON`] had no part in it. Both are asked of the same program, so a debug build
//! is compared with the forecast for a debug build.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::mixed_table;
use scumble_benchmarks::benchmark::text;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::measured_fit::{self, Limits};
use scumble_benchmarks::request::Request;
use scumble_benchmarks::{Result, data};

const FITTED_ON: [&str; 6] = ["nltcs", "acs", "br2000", "adult_mbi", "acs_national2019", "loans"];
const JUDGED_ON: [&str; 4] = ["demo", "adult", "mixed", "fire"];
/// How far a forecast may be off, either way.
const BAR: f64 = 1.5;
const EPSILON: &str = "1";
const DELTA: &str = "1e-9";
const DEMO_ROWS: &str = "10000";
const STOPPED_AT: Limits = Limits { cpu_seconds: 900.0, megabytes: 8_000.0 };

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    println!("other work on this machine, mean of a minute: {}", std::fs::read_to_string("/proc/loadavg")?.trim());
    println!("| table | constants | forecast | processor time | ratio |\n|---|---|---|---|---|");
    for (tables, constants) in [(&FITTED_ON[..], "fitted on it"), (&JUDGED_ON[..], "frozen before")] {
        for table in request.tables(tables) {
            let (forecast, took) = measure(&request.data, table)?;
            let ratio = forecast / took;
            println!("| {table} | {constants} | {forecast:.1} s | {took:.1} s | {ratio:.2} |");
            let (name, off) = (format!("time: forecast of {table} off by"), ratio.max(ratio.recip()));
            if JUDGED_ON.contains(&table) {
                figures.at_most(&name, off, "times", BAR);
            } else {
                figures.shown(&name, off, "times");
            }
        }
    }
    Ok(())
}

/// The forecast and the processor time of a fit, in seconds.
fn measure(data: &Path, table: &str) -> Result<(f64, f64)> {
    let folder = tempfile::tempdir()?;
    let Table { rows, schema, count } = Table::make(data, table, folder.path())?;
    let goal = ["--epsilon", EPSILON, "--delta", DELTA];
    let count = count.to_string();
    let plan = [&["plan", "--schema", text(&schema), "--rows-hint", &count, "--json"], &goal[..]].concat();
    let planned = Command::new(measured_fit::path()?).args(plan).output()?;
    let planned: serde_json::Value = serde_json::from_slice(&planned.stdout)?;
    let forecast = planned["forecasts"][0]["cost"]["cpu_seconds"].as_f64().ok_or("no forecast")?;
    let model = folder.path().join("model");
    let fit = [&["fit", text(&rows), "--schema", text(&schema), "--quiet", "-o", text(&model)], &goal[..]].concat();
    let ended = measured_fit::program(&fit, STOPPED_AT)?;
    if ended.exit_code != Some(0) {
        return Err(format!("the fit of {table} failed: {}", ended.said).into());
    }
    Ok((forecast, ended.cpu_seconds))
}

/// A table, its schema, and how many rows it has.
struct Table {
    rows: PathBuf,
    schema: PathBuf,
    count: u64,
}

impl Table {
    fn make(data: &Path, name: &str, folder: &Path) -> Result<Self> {
        let place = data.join(name);
        let schema = folder.join(format!("{name}.schema.yaml"));
        match name {
            "demo" => {
                measured_fit::program(&["demo", "--rows", DEMO_ROWS, "-o", text(folder), "--quiet"], STOPPED_AT)?;
                let (rows, schema) = (folder.join("people.csv"), folder.join("people.schema.yaml"));
                Ok(Self { rows, schema, count: DEMO_ROWS.parse()? })
            }
            "mixed" => {
                let rows = folder.join("mixed.csv");
                mixed_table::write(&rows, &schema)?;
                Ok(Self { rows, schema, count: mixed_table::ROWS })
            }
            // As a user has it, with the schema that the repository has for it.
            "adult" => {
                let written = data::schemas().join("adult.schema.yaml");
                let rows = place.join("raw.csv");
                let count = lines(&rows)?;
                Ok(Self { rows, schema: written, count })
            }
            _ => {
                let domain = place.join("domain.json");
                measured_fit::program(
                    &["schema", "import", "--from", "mbi", text(&domain), "-o", text(&schema)],
                    STOPPED_AT,
                )?;
                let plain = place.join("data.csv");
                let rows = if plain.exists() { plain } else { unpacked(&place.join("data.csv.gz"), folder)? };
                let count = lines(&rows)?;
                Ok(Self { rows, schema, count })
            }
        }
    }
}

/// The rows of a compressed file as a plain one, so that all tables are read alike.
fn unpacked(path: &Path, folder: &Path) -> Result<PathBuf> {
    let rows = folder.join("data.csv");
    let mut packed = flate2::read::MultiGzDecoder::new(std::fs::File::open(path)?);
    std::io::copy(&mut packed, &mut std::fs::File::create(&rows)?)?;
    Ok(rows)
}

/// Lines of a file without its header.
fn lines(path: &Path) -> Result<u64> {
    let text = std::fs::read(path)?;
    Ok(text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count().saturating_sub(1) as u64)
}
