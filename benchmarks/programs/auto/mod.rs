//! The figures of `auto`, `mst` and `aim`, beside those of others and of our other methods:
//! `reproduce/auto.sh` runs it.
//!
//! ```text
//! figures auto [floor] [utility] [wide] [cost] [ablation]
//!              [--tables A,B] [--epsilons X,Y] [--methods auto,mst,aim,privbayes-nist]
//!              [--runs N] [--quick] [--jobs J] [--resume] [--from-csv] [--output FOLDER]
//! ```
//! Every run is a line of a CSV file, written when it is done. Without `--resume` the chosen points
//! are measured afresh; with it, only runs that are not in the file yet. `--from-csv` measures
//! nothing and sums up what is there.
//!
//! Real tables come from `SCUMBLE_BENCH_DATA` (default `../shared/data`), the neutral judge from
//! `SCUMBLE_JUDGE` (default `../shared/eval/evaluate.py`), run by `SCUMBLE_PYTHON` (default
//! `python3`, which needs numpy and pandas). Time and memory are those of the program at
//! `SCUMBLE_BIN` (default: the one built beside this). Errors are measured on the real rows: what
//! is written here is **not** differentially private, and the tables are public ones.

mod ablation;
mod cost;
mod floor;
mod other_methods;
mod utility;
mod wide;

use scumble::mechanisms::Method;

use scumble_benchmarks::Result;
use scumble_benchmarks::figure::Figures;
use scumble_benchmarks::marginal_errors::Grid;
use scumble_benchmarks::request::Request;

/// The parts of the program.
const PARTS: [&str; 5] = ["floor", "utility", "wide", "cost", "ablation"];
/// Name of the runs of the first form of `auto` in CSV files: without tables for the rows.
const FIRST_FORM: &str = "auto-first";
/// The methods that these figures are about.
const METHODS: [&str; 3] = ["auto", "mst", "aim"];
/// What `auto` may be worse by than the best of all others at a point, by order.
const AUTO_AT_MOST: [(usize, f64); 3] = [(1, 1.1), (2, 1.05), (3, 1.02)];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let request = Request::parse(arguments, &PARTS, ("--methods", &["auto", "mst", "aim", "privbayes-nist"]))?;
    if !request.is_ready()? {
        return Ok(());
    }
    let mut figures = Figures::default();
    for part in &request.parts {
        match *part {
            "floor" => floor::run(&request, &mut figures)?,
            "utility" => utility::run(&request, &mut figures)?,
            "wide" => wide::run(&request, &mut figures)?,
            "cost" => cost::run(&request, &mut figures)?,
            _ => ablation::run(&request)?,
        }
    }
    figures.print();
    Ok(())
}

/// These methods as they are by default, at every epsilon.
fn grid_of(methods: &[&'static str], epsilons: Vec<f64>, runs: usize) -> Result<Grid> {
    let contenders = methods.iter().map(|&name| Ok((name, Method::named(name)?))).collect::<Result<_>>()?;
    Ok(Grid { contenders, epsilons, runs })
}
