//! The figures of the PrivBayes papers, with ours beside their findings: `reproduce/privbayes.sh` runs it.
//!
//! ```text
//! privbayes_figures [utility] [scores] [nist] [speed] [--runs N] [--output FOLDER]
//! ```
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from `SCUMBLE_JUDGE` (default
//! `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default `python3`, which needs numpy and pandas). Errors are
//! measured on the real rows: what is written here is **not** differentially private, and the tables are public ones.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

#[path = "../figures_common/benchmark.rs"]
mod benchmark;
#[path = "../figures_common/figure.rs"]
mod figure;
#[path = "../figures_common/grid.rs"]
mod grid;
mod nist;
mod scores;
mod speed;
mod utility;

use std::error::Error;
use std::path::PathBuf;

use figure::Figures;

/// What can go wrong here ends the program; threads hand it on.
type Failure = Box<dyn Error + Send + Sync>;

/// What was asked for.
struct Request {
    parts: Vec<String>,
    runs: u64,
    output: PathBuf,
    data: PathBuf,
}

const PARTS: [&str; 4] = ["utility", "scores", "nist", "speed"];

impl Request {
    fn read() -> Result<Self, Failure> {
        let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
        let data = std::env::var_os("SCUMBLE_BENCH_DATA").map_or_else(|| root.join("../shared/data"), PathBuf::from);
        let mut request = Self { parts: Vec::new(), runs: 10, output: root.join("docs/reproduction"), data };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--runs" => request.runs = value()?.parse()?,
                "--output" => request.output = value()?.into(),
                part if PARTS.contains(&part) => request.parts.push(part.into()),
                other => return Err(format!("no part `{other}`; there is {}", PARTS.join(", ")).into()),
            }
        }
        if request.parts.is_empty() {
            request.parts = PARTS.map(Into::into).to_vec();
        }
        Ok(request)
    }
}

fn main() -> Result<(), Failure> {
    let request = Request::read()?;
    if !request.data.join("adult").is_dir() {
        println!("skipped: no benchmark tables at {}; set SCUMBLE_BENCH_DATA", request.data.display());
        return Ok(());
    }
    std::fs::create_dir_all(&request.output)?;
    let mut figures = Figures::default();
    for part in &request.parts {
        match part.as_str() {
            "utility" => utility::run(&request, &mut figures)?,
            "scores" => scores::run(&request, &mut figures)?,
            "nist" => nist::run(&request, &mut figures)?,
            _ => speed::run(&request, &mut figures)?,
        }
    }
    figures.print();
    Ok(())
}
