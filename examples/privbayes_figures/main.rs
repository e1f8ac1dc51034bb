//! The figures of the PrivBayes papers, with ours beside their findings: `reproduce/privbayes.sh` runs it.
//!
//! ```text
//! privbayes_figures [scores] [theta] [utility] [svm] [nist] [speed]
//!                   [--tables A,B] [--epsilons X,Y] [--methods independent,...] [--runs N] [--jobs J]
//!                   [--resume] [--from-csv] [--output FOLDER]
//! ```
//! `--methods` chooses what classifiers are trained on. `theta` and `svm` write a line of a CSV file for every run, when it is
//! done: with `--resume` they do only runs that are not in the file yet, and with `--from-csv` they measure nothing and sum up
//! what is there. The other parts write means, and measure afresh whenever they are run.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from `SCUMBLE_JUDGE` (default
//! `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default `python3`, which needs numpy, pandas and scikit-learn).
//! Errors are measured on the real rows: what is written here is **not** differentially private, and the tables are public
//! ones.
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

#[path = "../figures_common/benchmark.rs"]
mod benchmark;
#[path = "../figures_common/classifiers.rs"]
mod classifiers;
#[path = "../figures_common/figure.rs"]
mod figure;
#[path = "../figures_common/grid.rs"]
mod grid;
#[path = "../figures_common/journal.rs"]
#[expect(dead_code, reason = "every point has several runs")]
mod journal;
mod nist;
mod question;
#[path = "../figures_common/request.rs"]
mod request;
mod scores;
mod speed;
mod svm;
mod theta;
mod utility;

use std::error::Error;

use figure::Figures;
use journal::Mode;
use request::{Request, Usage};

/// What can go wrong here ends the program; threads hand it on.
type Failure = Box<dyn Error + Send + Sync>;

const USAGE: Usage = Usage {
    parts: &["scores", "theta", "utility", "svm", "nist", "speed"],
    contenders: ("--methods", &svm::CONTENDERS),
};
/// The parts whose runs can be resumed.
const RESUMABLE: [&str; 2] = ["theta", "svm"];
/// How often a point is measured.
const RUNS: usize = 10;
/// The method of the paper of 2014: columns as binary digits, and half of the budget for the network.
const AS_OF_2014: [&str; 2] = ["encoding=binary", "beta=0.5"];

fn main() -> Result<(), Failure> {
    let request = Request::read(&USAGE)?;
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
