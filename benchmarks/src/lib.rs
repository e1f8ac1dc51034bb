//! What the programs that measure Scumble share.
//!
//! `cargo run --release -p scumble-benchmarks --example figures` lists the programs; they are in
//! `programs/`, one module each. Every program prints its figures as it measures them, and last one
//! JSON object:
//! ```json
//! {"figures":[{"name":"...","value":1.5,"unit":"s","bar":2.0,"holds":true}]}
//! ```
//! `bar` is a number, the two ends of a range, or `null`; `holds` says whether the value meets it,
//! and is `null` for a figure without a bar.
//!
//! # Main types
//! - [`Figures`](figure::Figures) collects and prints measured numbers with their bars.
//! - [`data`] finds the benchmark tables, in `SCUMBLE_BENCH_DATA` or `../shared/data`.
//! - [`Arguments`](arguments::Arguments) reads the command line of a program, and
//!   [`Request`](request::Request) that of programs that measure methods on benchmark tables.
//! - [`Benchmark`](benchmark::Benchmark) is a public table with its schema and the judge of
//!   synthetic rows.
//! - [`Journal`](journal::Journal) is a CSV file of results that an interrupted program can resume.
//!
//! # Privacy
//! Errors are measured on real rows, without a budget: nothing that is printed here is
//! differentially private. All tables are public or made up.
#![expect(clippy::print_stdout, reason = "programs print figures")]

use std::error::Error;

pub mod arguments;
pub mod benchmark;
pub mod classifiers;
pub mod cliques;
pub mod clock;
pub mod codes;
pub mod data;
pub mod figure;
pub mod grid;
pub mod journal;
pub mod marginal_errors;
pub mod measured;
pub mod measured_fit;
pub mod python;
pub mod reference;
pub mod request;

/// An error that ends a program. Threads can hand it on.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The result of a step that may end the program.
pub type Result<T, E = Failure> = std::result::Result<T, E>;
