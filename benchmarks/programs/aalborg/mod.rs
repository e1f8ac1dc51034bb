//! The simulation study of the Aalborg report, with noise that keeps its promise and with the noise
//! that was published.
//!
//! ```text
//! figures aalborg [--tables N] [--output FOLDER]
//! ```
//! `reproduce/aalborg.sh` runs it. It writes `aalborg-power.csv`, `aalborg-power.svg` and
//! `aalborg-beta.svg` to `docs/reproduction` or the folder. Each setting is run on this number of
//! tables of each kind.
//!
//! The rows are made up from a seed, so nobody is protected here. The private runs go through the
//! vault all the same, and no run of the program gives the same numbers again. What was published
//! is drawn by an ordinary generator and NOT PRIVATE.
//!
//! # Reference
//! Aalborg report 2024, sections 3.2, 4.1 and 4.2.

mod chart;
mod network;
mod panels;
mod pearson;
mod private;
mod published;
mod rows;
mod spearman;
mod study;
mod summary;

use std::fs;
use std::num::NonZeroUsize;

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;
use study::Study;

/// Number of runs of each setting, each on a table of each kind.
const REPETITIONS: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is above zero");

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments = Arguments::parse(arguments, &Usage { options: &["--tables", "--output"], ..Usage::default() })?;
    let repetitions = arguments.value("--tables")?.unwrap_or(REPETITIONS);
    let output = arguments.output();
    let mut study = Study::new(repetitions);
    let [over_epsilon, over_beta] = [panels::over_epsilon(&mut study)?, panels::over_beta(&mut study)?];
    fs::create_dir_all(&output)?;
    fs::write(output.join("aalborg-power.csv"), study.csv())?;
    fs::write(output.join("aalborg-power.svg"), over_epsilon.to_svg())?;
    fs::write(output.join("aalborg-beta.svg"), over_beta.to_svg())?;
    let mut figures = Figures::default();
    for figure in summary::figures(&mut study)? {
        figures.push(figure);
    }
    figures.print();
    Ok(())
}
