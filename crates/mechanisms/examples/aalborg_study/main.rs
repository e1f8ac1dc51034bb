//! The simulation study of the Aalborg report, with noise that keeps its promise and with the noise that was published.
//!
//! ```text
//! aalborg_study [--tables N] [--output FOLDER]
//! ```
//! `reproduce/aalborg.sh` runs it. It writes `aalborg-power.csv`, `aalborg-power.svg` and `aalborg-beta.svg` to `docs/reproduction` or the folder.
//! Each setting is run on so many tables of each kind. The last line is one JSON object with all figures.
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
use std::path::PathBuf;

use figures::Figure;
use serde_json::json;
use study::Study;

/// How often each setting is run, on as many tables of each kind.
const REPETITIONS: NonZeroUsize = NonZeroUsize::new(1_000).expect("it is above zero");

/// What was asked for.
struct Request {
    repetitions: NonZeroUsize,
    output: PathBuf,
}

impl Request {
    fn read() -> Result<Self, Box<dyn Error>> {
        let published = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduction");
        let mut request = Self { repetitions: REPETITIONS, output: published };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--tables" => request.repetitions = value()?.parse()?,
                "--output" => request.output = value()?.into(),
                other => return Err(format!("no option `{other}`; there is --tables and --output").into()),
            }
        }
        Ok(request)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let Request { repetitions, output } = Request::read()?;
    let mut study = Study::new(repetitions);
    let [over_epsilon, over_beta] = [panels::over_epsilon(&mut study)?, panels::over_beta(&mut study)?];
    fs::create_dir_all(&output)?;
    fs::write(output.join("aalborg-power.csv"), study.csv())?;
    fs::write(output.join("aalborg-power.svg"), over_epsilon.to_svg())?;
    fs::write(output.join("aalborg-beta.svg"), over_beta.to_svg())?;
    let figures = summary::figures(&mut study)?;
    for figure in &figures {
        println!("{figure}");
    }
    println!("{}", json!({ "figures": figures.iter().map(Figure::to_json).collect::<Vec<_>>() }));
    Ok(())
}
