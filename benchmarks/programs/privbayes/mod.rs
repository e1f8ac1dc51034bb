//! The figures of the PrivBayes papers, with ours beside their findings: `reproduce/privbayes.sh`
//! runs it.
//!
//! ```text
//! figures privbayes [scores] [theta] [utility] [svm] [nist] [speed]
//!                   [--tables A,B] [--epsilons X,Y] [--methods independent,...]
//!                   [--runs N] [--quick] [--jobs J] [--resume] [--from-csv] [--output FOLDER]
//! ```
//! `--methods` chooses what classifiers are trained on. `theta` and `svm` write a line of a CSV
//! file for every run, when it is done: with `--resume` they do only runs that are not in the file
//! yet, and with `--from-csv` they measure nothing and sum up what is there. The other parts write
//! means, and measure afresh whenever they are run.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from
//! `SCUMBLE_JUDGE` (default `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default
//! `python3`, which needs numpy, pandas and scikit-learn). Errors are measured on the real rows:
//! what is written here is **not** differentially private, and the tables are public ones.

mod nist;
mod question;
mod scores;
mod speed;
mod svm;
mod theta;
mod utility;

use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::journal::Mode;
use scumble_benchmarks::request::Request;

/// The parts of the program.
const PARTS: [&str; 6] = ["scores", "theta", "utility", "svm", "nist", "speed"];
/// The parts whose runs can be resumed.
const RESUMABLE: [&str; 2] = ["theta", "svm"];
/// How often a point is measured.
const RUNS: usize = 10;
/// The method of the paper of 2014: columns as binary digits, and half of the budget for the
/// network.
const AS_OF_2014: [&str; 2] = ["encoding=binary", "beta=0.5"];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let request = Request::parse(arguments, &PARTS, ("--methods", &svm::CONTENDERS))?;
    if !request.is_ready()? {
        return Ok(());
    }
    if request.mode != Mode::Afresh && request.parts.iter().any(|part| !RESUMABLE.contains(part)) {
        return Err(format!("runs are kept of {} alone: name these parts", RESUMABLE.join(" and ")).into());
    }
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "scores" => scores::run(&request, &mut figures)?,
            "theta" => theta::run(&request, &mut figures)?,
            "utility" => utility::run(&request, &mut figures)?,
            "svm" => svm::run(&request, &mut figures)?,
            "nist" => nist::run(&request, &mut figures)?,
            _ => speed::run(&request, &mut figures)?,
        }
    }
    figures.print();
    Ok(())
}
