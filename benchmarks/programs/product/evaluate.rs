//! What `evaluate` takes for ten million rows, from the files to the result, and how near it is to
//! the judge.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use scumble_benchmarks::Result;
use scumble_benchmarks::benchmark::text;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::measured_fit::{Ended, Fit, Limits, path, program, run as fit};
use scumble_benchmarks::request::Request;

const ROWS: &str = "10000000";
/// 15 columns: more tables of three, four and five columns than are compared, and exactly 300 of
/// each.
const TABLE: &str = "adult";
const CPU_BAR: f64 = 60.0;
const STOPPED_AT: Limits = Limits { cpu_seconds: 900.0, megabytes: 16_000.0 };
/// The judge's distances may differ by so much: it sums floats in another order.
const JUDGE_BAR: f64 = 1e-12;
const JUDGED: [&str; 5] = ["nltcs", "acs", "adult", "br2000", "fire"];

pub(crate) fn run(request: &Request, figures: &mut Figures) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let model = folder.path().join("model");
    let schema = fitted(request, TABLE, &model)?;
    let tables = ["real.parquet", "synthetic.parquet"].map(|name| folder.path().join(name));
    for (seed, table) in tables.iter().enumerate() {
        let seed = seed.to_string();
        done(&["sample", text(&model), "--rows", ROWS, "--seed", &seed, "--quiet", "-o", text(table)])?;
    }
    let [real, synthetic] = tables.each_ref().map(|table| text(table));
    let compared = ["evaluate", "--real", real, "--synth", synthetic, "--schema", text(&schema), "--quick", "--quiet"];
    let ended = done(&compared)?;
    println!("{ROWS} rows of {TABLE} against as many: {:.0} MB at most", ended.peak_megabytes);
    figures.at_most(
        "evaluate: processor time for 10^7 rows, all but learners and tests",
        ended.cpu_seconds,
        "seconds",
        CPU_BAR,
    );
    let Some(python) = std::env::var_os("SCUMBLE_PYTHON") else {
        println!("skipped: no judge; set SCUMBLE_PYTHON to a Python with numpy and pandas");
        return Ok(());
    };
    judge(request, Path::new(&python), figures)
}

/// A model of a table; the path of its schema.
fn fitted(request: &Request, table: &str, model: &Path) -> Result<std::path::PathBuf> {
    let table = request.data.join(table);
    let asked = Fit { table: &table, method: &["--method", "independent"], epsilon: 1.0, delta: 1e-9 };
    let ended = fit(&asked, model, STOPPED_AT)?;
    if ended.exit_code != Some(0) {
        return Err(ended.said.into());
    }
    Ok(model.with_extension("schema.yaml"))
}

/// Runs the program, which has to succeed.
fn done(arguments: &[&str]) -> Result<Ended> {
    let ended = program(arguments, STOPPED_AT)?;
    if ended.exit_code == Some(0) { Ok(ended) } else { Err(ended.said.into()) }
}

/// Every mean and largest distance beside that of the judge.
fn judge(request: &Request, python: &Path, figures: &mut Figures) -> Result<()> {
    let mut farthest = 0.0_f64;
    for table in request.tables(&JUDGED) {
        let folder = tempfile::tempdir()?;
        let model = folder.path().join("model");
        let schema = fitted(request, table, &model)?;
        let synthetic = folder.path().join("synthetic.csv");
        done(&["sample", text(&model), "--seed", "1", "--quiet", "-o", text(&synthetic)])?;
        let plain = request.data.join(table).join("data.csv");
        let real = if plain.exists() { plain } else { plain.with_extension("csv.gz") };
        let mut ours = Command::new(path()?);
        ours.args(["evaluate", "--real", text(&real), "--synth", text(&synthetic), "--schema", text(&schema)]);
        let ours = answered(ours.args(["--quick", "--json"]))?;
        let mut theirs = Command::new(python);
        theirs.arg(request.data.join("../eval/evaluate.py")).args(["score", "--real", text(&real)]);
        let domain = request.data.join(table).join("domain.json");
        let theirs = answered(theirs.args(["--domain", text(&domain), "--synth", text(&synthetic)]))?;
        let orders = ours["marginals"]["orders"].as_array().ok_or("no orders")?;
        let mut compared = 0;
        for order in orders {
            let judged = &theirs["tvd"][order["order"].to_string()];
            for (ours, theirs) in
                [(&order["mean"]["value"], &judged["mean"]), (&order["largest"]["value"], &judged["max"])]
            {
                let [ours, theirs] = [ours, theirs].map(|value| value.as_f64().ok_or("no distance"));
                farthest = farthest.max((ours? - theirs?).abs());
                compared += 1;
            }
        }
        println!("{table}: {compared} distances compared with the judge's, farthest so far {farthest:e}");
    }
    figures.at_most("evaluate: distances, largest difference to the judge", farthest, "distance", JUDGE_BAR);
    Ok(())
}

/// The JSON object that a program prints.
fn answered(command: &mut Command) -> Result<Value> {
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}
