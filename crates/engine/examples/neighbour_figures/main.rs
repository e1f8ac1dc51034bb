//! Reads neighbouring files, one with one line or row more than the other, and checks that their tables differ by it alone.
//!
//! `cargo run --release -p scumble-engine --example neighbour_figures -- [PAIRS]` prints, last, one JSON object with its
//! figures. 6,000 pairs without an argument, over CSV, TSV, gzip, Parquet and Arrow. The seed of each pair is its number.

#![expect(clippy::print_stdout, reason = "this program prints figures")]

mod pairs;
#[path = "../engine_figures/hostile/random.rs"]
mod random;

use std::error::Error;
use std::time::Instant;

use pairs::{FORMATS, KINDS, Pair};
use random::Random;

const PAIRS: u64 = 6_000;
/// Least number of pairs that the figure asks for.
const LEAST_PAIRS: u64 = 5_000;
/// How many pairs that differ are shown.
const SHOWN: u64 = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let pairs: u64 = std::env::args().nth(1).map_or(Ok(PAIRS), |argument| argument.parse())?;
    let directory = tempfile::tempdir()?;
    let (start, mut differing) = (Instant::now(), 0);
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
    let figure = |name: &str, value: u64, bar: u64, holds: bool| {
        format!(r#"{{"name":"{name}","value":{value},"unit":"pairs","bar":{bar},"holds":{holds}}}"#)
    };
    let figures = [
        figure("neighbouring files read", pairs, LEAST_PAIRS, pairs >= LEAST_PAIRS),
        figure("neighbouring files that differ by more than a row", differing, 0, differing == 0),
    ];
    println!(r#"{{"figures":[{}]}}"#, figures.join(","));
    Ok(())
}
