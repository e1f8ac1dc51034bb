//! Has the corpus of hostile files read, and prints what became of it.
//!
//! `cargo run --release --workspace --example hostile_files`; see [`hostile::run`] for the environment variables it heeds.

#![expect(clippy::print_stdout, reason = "this program prints figures")]

#[path = "../engine_figures/hostile/mod.rs"]
mod hostile;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    if first.as_deref() == Some(hostile::CHILD) {
        return hostile::child(arguments.next().expect("a path follows").as_ref());
    }
    let directory = tempfile::tempdir().expect("the system has a place for temporary files");
    let figures = hostile::run(directory.path());
    for failure in &figures.failures {
        println!("{failure}");
    }
    println!(
        "{} files: {} errors, {} results, {} panics of decoders that became errors",
        figures.files, figures.errors, figures.results, figures.caught_panics
    );
    println!("{{\"figures\":[{}]}}", figures.figures().join(","));
    ExitCode::from(u8::from(!figures.failures.is_empty()))
}
