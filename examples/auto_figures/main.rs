//! The figures of `auto`, `mst` and `aim`, beside those of others and of our other methods: `reproduce/auto.sh` runs it.
//!
//! ```text
//! auto_figures [floor] [utility] [untuned] [cost] [ablation]
//!              [--tables A,B] [--epsilons X,Y] [--methods auto,mst,aim,independent] [--runs N] [--jobs J]
//!              [--resume] [--from-csv] [--output FOLDER]
//! ```
//! Every run is a line of a CSV file, written when it is done. Without `--resume` the chosen points are measured afresh; with
//! it, only runs that are not in the file yet. `--from-csv` measures nothing and sums up what is there.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from `SCUMBLE_JUDGE` (default
//! `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default `python3`, which needs numpy and pandas). Time and memory
//! are those of the program at `SCUMBLE_BIN` (default: the one built beside this). Errors are measured on the real rows:
//! what is written here is **not** differentially private, and the tables are public ones.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

mod ablation;
#[path = "../figures_common/benchmark.rs"]
mod benchmark;
mod cost;
#[path = "../figures_common/figure.rs"]
mod figure;
mod floor;
#[path = "../figures_common/grid.rs"]
mod grid;
#[path = "../figures_common/journal.rs"]
mod journal;
#[path = "../figures_common/marginal_errors/mod.rs"]
mod marginal_errors;
#[path = "../figures_common/measured_fit.rs"]
mod measured_fit;
mod other_methods;
#[path = "../figures_common/reference.rs"]
#[expect(dead_code, reason = "classifiers are trained by privmrf_figures alone")]
mod reference;
#[path = "../figures_common/request.rs"]
mod request;
mod untuned;
mod utility;

use std::error::Error;

use scumble::mechanisms::Method;

use figure::Figures;
use marginal_errors::Grid;
use request::{Request, Usage};

/// What can go wrong here ends the program; threads hand it on.
type Failure = Box<dyn Error + Send + Sync>;

const USAGE: Usage = Usage {
    parts: &["floor", "utility", "untuned", "cost", "ablation"],
    contenders: ("--methods", &["auto", "mst", "aim", "independent"]),
};
/// The methods that these figures are about.
const METHODS: [&str; 3] = ["auto", "mst", "aim"];

fn main() -> Result<(), Failure> {
    let request = Request::read(&USAGE)?;
    if !request.is_ready()? {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "floor" => floor::run(&request, &mut figures)?,
            "utility" => utility::run(&request, &mut figures)?,
            "untuned" => untuned::run(&request, &mut figures)?,
            "cost" => cost::run(&request, &mut figures)?,
            _ => ablation::run(&request)?,
        }
    }
    figures.print();
    Ok(())
}

/// These methods as they are by default, at every epsilon.
fn grid_of(methods: &[&'static str], epsilons: Vec<f64>, runs: usize) -> Result<Grid, Failure> {
    let contenders = methods.iter().map(|&name| Ok((name, Method::named(name)?))).collect::<Result<_, Failure>>()?;
    Ok(Grid { contenders, epsilons, runs })
}
