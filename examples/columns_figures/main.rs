//! The figures of real columns: `reproduce/columns.sh` runs it.
//!
//! ```text
//! columns_figures [rules] [hierarchies] [--tables A,B] [--runs N]
//! ```
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`).
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

#[path = "../figures_common/figure.rs"]
mod figure;
mod fitted;
#[path = "../figures_common/grid.rs"]
#[expect(dead_code, reason = "fits are made one at a time")]
mod grid;
mod hierarchies;
#[path = "../figures_common/journal.rs"]
#[expect(dead_code, reason = "nothing is kept here")]
mod journal;
#[path = "../figures_common/request.rs"]
#[expect(dead_code, reason = "there is one method and one budget")]
mod request;
mod rules;
mod sound_rows;

use std::error::Error;

use figure::Figures;
use request::{Request, Usage};

/// What can go wrong here ends the program; threads hand it on.
type Failure = Box<dyn Error + Send + Sync>;

const USAGE: Usage = Usage { parts: &["rules", "hierarchies"], contenders: ("--methods", &["auto"]) };

fn main() -> Result<(), Failure> {
    let request = Request::read(&USAGE)?;
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "rules" => rules::run(&request, &mut figures)?,
            _ => hierarchies::run(&request, &mut figures)?,
        }
    }
    figures.print();
    Ok(())
}
