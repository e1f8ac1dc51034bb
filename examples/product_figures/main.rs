//! The figures of the product's verbs: `reproduce/product.sh` runs it.
//!
//! ```text
//! product_figures [plan] [time] [evaluate] [--tables A,B] [--epsilons X,Y] [--methods auto,mst] [--resume] [--from-csv] [--output FOLDER]
//! ```
//! Every point of `plan` is a line of a CSV file, written when it is done. Without `--resume` the chosen points are measured afresh; with
//! it, only those that are not in the file yet. `--from-csv` measures nothing and sums up what is there.
//!
//! `time` compares the processor time that `plan` forecasts on this machine with that of fits by the recommended method.
//!
//! `evaluate` compares ten million rows, and small tables with the judge too if `SCUMBLE_PYTHON` is a Python for it.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`). Time and memory are those of the program at `SCUMBLE_BIN` (default:
//! the one built beside this).
#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

#[path = "../figures_common/benchmark.rs"]
#[expect(dead_code, reason = "no judge is asked here")]
mod benchmark;
mod evaluate;
#[path = "../figures_common/figure.rs"]
mod figure;
#[path = "../figures_common/grid.rs"]
#[expect(dead_code, reason = "fits are measured one at a time")]
mod grid;
#[path = "../figures_common/journal.rs"]
#[expect(dead_code, reason = "nothing is drawn here")]
mod journal;
#[path = "../figures_common/measured_fit.rs"]
#[expect(dead_code, reason = "there are other tables, and no bars on what a fit takes")]
mod measured_fit;
mod mixed_table;
mod plan;
#[path = "../figures_common/request.rs"]
#[expect(dead_code, reason = "every point is measured once")]
mod request;
mod time;

use std::error::Error;

use figure::Figures;
use request::{Request, Usage};

/// What can go wrong here ends the program; threads hand it on.
type Failure = Box<dyn Error + Send + Sync>;

const USAGE: Usage = Usage { parts: &["plan", "time", "evaluate"], contenders: ("--methods", &plan::METHODS) };

fn main() -> Result<(), Failure> {
    let request = Request::read(&USAGE)?;
    if !request.is_ready()? {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "plan" => plan::run(&request, &mut figures)?,
            // These have no file to sum up.
            _ if request.mode == journal::Mode::FromCsv => {}
            "time" => time::run(&request, &mut figures)?,
            _ => evaluate::run(&request, &mut figures)?,
        }
    }
    figures.print();
    Ok(())
}
