//! Reads neighbouring files, one with one line or row more than the other, and checks that their
//! tables differ by it alone.
//!
//! `figures neighbours [--pairs N]` makes 6,000 pairs by default, over CSV, TSV, gzip, Parquet and
//! Arrow. The seed of each pair is its number.

mod pairs;

use std::time::Instant;

use pairs::{FORMATS, KINDS, Pair};
use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;

use crate::random::Random;

const PAIRS: u64 = 6_000;
/// The bar on the number of pairs.
const LEAST_PAIRS: u64 = 5_000;
/// Number of differing pairs that are printed.
const SHOWN: u32 = 10;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let arguments = Arguments::parse(arguments, &Usage { options: &["--pairs"], ..Usage::default() })?;
    let pairs: u64 = arguments.value("--pairs")?.unwrap_or(PAIRS);
    let directory = tempfile::tempdir()?;
    let (start, mut differing) = (Instant::now(), 0_u32);
    for seed in 0..pairs {
        let mut random = Random::new(seed);
        let format = FORMATS[random.below(FORMATS.len())];
        let kind = KINDS[random.below(KINDS.len())];
        if let Err(difference) = Pair::write(directory.path(), format, kind, &mut random).check() {
            differing += 1;
            if differing <= SHOWN {
                println!("pair {seed}, {format}, {kind:?}: {difference}");
            }
        }
    }
    println!("{pairs} pairs in {:.1} s", start.elapsed().as_secs_f64());
    let mut figures = Figures::default();
    figures.at_least("neighbouring files read", pairs as f64, "pairs", LEAST_PAIRS as f64);
    figures.exactly("neighbouring files that differ by more than a row", f64::from(differing), "pairs", 0.0);
    figures.print();
    Ok(())
}
