//! A table of up to a billion rows on one machine: what a fit by `auto` reads, and fits by the
//! program within a limit of memory.
//!
//! `--millions` is the number of rows, 10 unless given. The table is made once and kept; at a
//! thousand millions it has 7 GB, and the codes of a fit have 15 GB more while it runs.

mod fits;
mod questions;

use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::Figures;

use crate::cluster::table::Table;

type Part = (&'static str, fn(&mut Figures, &Table) -> Result<()>);

const PARTS: [Part; 3] = [("questions", questions::of_auto), ("fits", fits::of_program), ("peer", fits::of_duckdb)];

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let parts = PARTS.map(|(name, _)| name);
    let arguments =
        Arguments::parse(arguments, &Usage { parts: &parts, options: &["--millions"], ..Usage::default() })?;
    let mut figures = Figures::default();
    let begun = std::time::Instant::now();
    let table = Table::of_millions(arguments.value("--millions")?.unwrap_or(10))?;
    println!("{} million rows, made or found after {:.0} s", table.millions, begun.elapsed().as_secs_f64());
    for (name, run) in PARTS {
        if arguments.parts().contains(&name) {
            println!("\n== {name}");
            run(&mut figures, &table)?;
        }
    }
    figures.print();
    Ok(())
}
