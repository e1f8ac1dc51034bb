//! The simulation study of the Aalborg report, with noise that keeps its promise and with the noise that was published.
//!
//! `cargo run --release -p scumble-mechanisms --example aalborg_study` writes `docs/reproduction/aalborg-power.csv`,
//! `aalborg-power.svg` and `aalborg-beta.svg`; a number as argument is how often each setting is run. The last line is one JSON object with
//! all figures.
//!
//! The rows are made up from a seed, so nobody is protected here. The private runs go through the vault all the same, and no run of the
//! program gives the same numbers again. What was published is drawn by an ordinary generator and NOT PRIVATE.
//!
//! # Reference
//! Aalborg report 2024, sections 3.2, 4.1 and 4.2.

#![expect(clippy::print_stdout, reason = "this program prints figures")]
#![expect(clippy::cast_precision_loss, reason = "numbers are far below 2^53")]

mod chart;
mod figures;
mod network;
mod panels;
mod pearson;
mod private;
mod published;
mod rows;
mod spearman;
mod study;
mod summary;

use std::error::Error;
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use figures::Figure;
use serde_json::json;
use study::Study;

/// How often each setting is run, on as many tables of each kind.
const REPETITIONS: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is above zero");

fn main() -> Result<(), Box<dyn Error>> {
    let repetitions = std::env::args().nth(1).map_or(Ok(REPETITIONS), |number| number.parse())?;
    let mut study = Study::new(repetitions);
    let [over_epsilon, over_beta] = [panels::over_epsilon(&mut study)?, panels::over_beta(&mut study)?];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduction");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("aalborg-power.csv"), study.csv())?;
    fs::write(folder.join("aalborg-power.svg"), over_epsilon.to_svg())?;
    fs::write(folder.join("aalborg-beta.svg"), over_beta.to_svg())?;
    let figures = summary::figures(&mut study)?;
    for figure in &figures {
        println!("{figure}");
    }
    println!("{}", json!({ "figures": figures.iter().map(Figure::to_json).collect::<Vec<_>>() }));
    Ok(())
}
