//! The figures of the PrivMRF paper, with ours beside those of its authors' code:
//! `reproduce/privmrf.sh` runs it.
//!
//! ```text
//! figures privmrf [parameters] [utility] [svm] [cost] [size] [ablation]
//!                 [--tables A,B] [--epsilons X,Y] [--profiles best,paper]
//!                 [--runs N] [--quick] [--jobs J] [--resume] [--from-csv] [--output FOLDER]
//! ```
//! Every run is a line of a CSV file, written when it is done. Without `--resume` the chosen points
//! are measured afresh; with it, only runs that are not in the file yet. `--from-csv` measures
//! nothing and sums up what is there. Parameters and ablation are of `paper` alone: `best` is the
//! method `auto`, and the program `auto` measures its choices.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from
//! `SCUMBLE_JUDGE` (default `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default
//! `python3`, which needs numpy, pandas and scikit-learn). Time and memory are those of the program
//! at `SCUMBLE_BIN` (default: the one built beside this). Errors are measured on the real rows:
//! what is written here is **not** differentially private, and the tables are public ones.

mod ablation;
mod cost;
mod parameters;
mod profile;
mod size;
mod svm;
mod utility;

use profile::Profile;
use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::request::Request;

/// The parts of the program.
const PARTS: [&str; 6] = ["parameters", "utility", "svm", "cost", "size", "ablation"];
/// As many as the paper has.
const RUNS: usize = 10;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let request = Request::parse(arguments, &PARTS, ("--profiles", &Profile::NAMES))?;
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
