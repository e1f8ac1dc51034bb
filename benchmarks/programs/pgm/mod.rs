//! Graphical models: right, how much cheaper than `mbi`, how large, how fast.
//!
//! `figures pgm` runs all sections; their names as arguments run those only.
//!
//! The benchmark tables are public, so noise is drawn here with floats and seeds; noise that
//! protects somebody comes from the vault alone.

mod child;
mod context;
mod coverage;
mod estimation;
mod inference;
mod network;
mod peer;
mod sampling;
mod wide;

use std::time::Instant;

use context::Context;
use scumble_benchmarks::Result;
use scumble_benchmarks::arguments::{Arguments, Usage};
use scumble_benchmarks::figure::{Figure, Figures};

/// Every section by its name, in the order in which they run.
const SECTIONS: [(&str, Section); 6] = [
    ("inference", inference::figures),
    ("estimation", estimation::figures),
    ("sampling", sampling::figures),
    ("wide", wide::figures),
    ("coverage", coverage::figures),
    ("network", network::figures),
];

type Section = fn(&Context) -> Vec<Figure>;

pub(crate) fn run(arguments: &[String]) -> Result<()> {
    // This program starts itself for what needs a process of its own.
    match child::arguments(arguments).as_deref() {
        None => {}
        Some(["estimation", file, target]) => {
            println!("{}", estimation::child(file, target));
            return Ok(());
        }
        Some(["wide"]) => {
            println!("{}", wide::child(&Context::new()));
            return Ok(());
        }
        Some(_) => return Err("unknown child".into()),
    }
    let names = SECTIONS.map(|(name, _)| name);
    let arguments = Arguments::parse(arguments, &Usage { parts: &names, ..Usage::default() })?;
    let context = Context::new();
    let mut figures = Figures::default();
    for (name, section) in SECTIONS {
        if arguments.parts().contains(&name) {
            println!("\n== {name}");
            let start = Instant::now();
            for figure in section(&context) {
                figures.push(figure);
            }
            println!("({name} took {:.0} s)", start.elapsed().as_secs_f64());
        }
    }
    figures.print();
    Ok(())
}
