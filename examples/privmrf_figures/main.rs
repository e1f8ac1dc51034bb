//! The figures of the PrivMRF paper, with ours beside those of its authors' code: `reproduce/privmrf.sh` runs it.
//!
//! ```text
//! privmrf_figures [parameters] [utility] [svm] [cost] [size] [ablation]
//!                 [--tables A,B] [--epsilons X,Y] [--profiles best,paper] [--runs N] [--jobs J]
//!                 [--resume] [--from-csv] [--output FOLDER]
//! ```
//! Every run is a line of a CSV file, written when it is done. Without `--resume` the chosen points are measured afresh; with
//! it, only runs that are not in the file yet. `--from-csv` measures nothing and sums up what is there. Parameters and
//! ablation are of `paper` alone: `best` is the method `auto`, and `auto_figures` has its choices.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from `SCUMBLE_JUDGE` (default
//! `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default `python3`, which needs numpy, pandas and scikit-learn).
//! Time and memory are those of the program at `SCUMBLE_BIN` (default: the one built beside this). Errors are measured on the
//! real rows: what is written here is **not** differentially private, and the tables are public ones.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

mod ablation;
#[path = "../figures_common/benchmark.rs"]
mod benchmark;
#[path = "../figures_common/classifiers.rs"]
mod classifiers;
mod cost;
#[path = "../figures_common/figure.rs"]
mod figure;
#[path = "../figures_common/grid.rs"]
mod grid;
#[path = "../figures_common/journal.rs"]
mod journal;
#[path = "../figures_common/marginal_errors/mod.rs"]
mod marginal_errors;
#[path = "../figures_common/measured_fit.rs"]
mod measured_fit;
mod parameters;
mod profile;
#[path = "../figures_common/reference.rs"]
mod reference;
#[path = "../figures_common/request.rs"]
mod request;
mod size;
mod svm;
mod utility;

use std::error::Error;

use figure::Figures;
use profile::Profile;
use request::{Request, Usage};

/// What can go wrong here ends the program; threads hand it on.
type Failure = Box<dyn Error + Send + Sync>;

const USAGE: Usage = Usage {
    parts: &["parameters", "utility", "svm", "cost", "size", "ablation"],
    contenders: ("--profiles", &Profile::NAMES),
};
/// As many as the paper has.
const RUNS: usize = 10;

fn main() -> Result<(), Failure> {
    let request = Request::read(&USAGE)?;
    if !request.is_ready()? {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "parameters" => parameters::run(&request, &mut figures)?,
            "utility" => utility::run(&request, &mut figures)?,
            "svm" => svm::run(&request, &mut figures)?,
            "cost" => cost::run(&request, &mut figures)?,
            "size" => size::run(&request, &mut figures)?,
            _ => ablation::run(&request)?,
        }
    }
    figures.print();
    Ok(())
}
