//! The figures of the issue "Graphical models": right, how much cheaper than `mbi`, how large, how fast.
//!
//! `cargo run --release --example pgm_figures` runs all sections; their names as arguments run those only. What is going
//! on is told on stderr; the last line of stdout is one JSON object with all figures, also those that fall short.
//!
//! The benchmark tables are looked for in `SCUMBLE_BENCH_DATA`, by default `../shared/data` beside the project. They are
//! public, so noise is drawn here with floats and seeds; noise that protects somebody comes from the vault alone.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program prints figures")]
#![expect(clippy::cast_precision_loss, reason = "figures are far below 2^53")]

#[path = "../../tests/brute_force/mod.rs"]
mod brute_force;
mod child;
mod context;
mod coverage;
mod estimation;
mod figure;
mod inference;
mod measured;
mod network;
mod peer;
mod sampling;
#[path = "../../tests/brute_force/shapes.rs"]
mod shapes;
mod tables;
mod wide;

use std::process::ExitCode;
use std::time::Instant;

use context::Context;
use figure::Figure;
use serde_json::json;

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

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // This program starts itself for what needs a process of its own.
    match child::arguments(&arguments).as_deref() {
        None => {}
        Some(["estimation", file, target]) => return child::end(&estimation::child(file, target)),
        Some(["wide"]) => return child::end(&wide::child(&Context::new())),
        Some(_) => return ExitCode::FAILURE,
    }
    let names = SECTIONS.map(|(name, _)| name);
    if let Some(unknown) = arguments.iter().find(|argument| !names.contains(&argument.as_str())) {
        eprintln!("error: there is no section `{unknown}`\nhint: the sections are {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    let context = Context::new();
    let mut figures = Vec::new();
    for (name, section) in SECTIONS {
        if arguments.is_empty() || arguments.iter().any(|argument| argument == name) {
            eprintln!("\n== {name}");
            let start = Instant::now();
            let found = section(&context);
            for figure in &found {
                eprintln!("{figure}");
            }
            eprintln!("({name} took {:.0} s)", start.elapsed().as_secs_f64());
            figures.extend(found);
        }
    }
    println!("{}", json!({ "figures": figures.iter().map(Figure::to_json).collect::<Vec<_>>() }));
    ExitCode::SUCCESS
}
