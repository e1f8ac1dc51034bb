//! Programs that measure what the documentation claims: `figures PROGRAM [ARGUMENTS]`.
//!
//! Each program is a module. It prints tables for people and, last, one JSON object with its
//! figures; `scumble_benchmarks` describes it. `.ci/nightly` and the scripts in `reproduce/` run
//! them.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "programs print figures")]

mod aalborg;
mod audit;
mod auto;
mod cluster;
mod columns;
mod delta;
mod end_to_end;
mod engine;
mod german_export;
mod junk_rows;
mod ledger;
#[cfg(feature = "planted-bugs")]
mod mutants;
mod neighbours;
mod pgm;
mod privbayes;
mod privmrf;
mod product;
#[cfg(target_os = "linux")]
mod push_down;
mod random;
mod readme;
mod release_laws;
#[cfg(feature = "planted-bugs")]
mod replay;
mod scale;
mod select_marginals;
mod wire;

// Files of the tests of a room, which programs share.
#[path = "../../crates/pgm/tests/brute_force/mod.rs"]
mod brute_force;
#[path = "../../crates/vault/tests/support/job.rs"]
mod job;
#[cfg(target_os = "linux")]
#[path = "../../crates/engine/tests/engine/postgres_server.rs"]
#[expect(dead_code, reason = "the tests of the engine need more of it")]
mod postgres_server;
#[path = "../../crates/vault/tests/support/release_law.rs"]
mod release_law;
#[path = "../../crates/vault/tests/support/rows.rs"]
mod rows;
#[path = "../../crates/pgm/tests/brute_force/shapes.rs"]
mod shapes;
#[path = "../../crates/vault/tests/support/mod.rs"]
mod support;

use std::process::ExitCode;

use scumble_benchmarks::Result;

/// A program: its name, its function, and what it does.
type Program = (&'static str, fn(&[String]) -> Result<()>, &'static str);

/// All programs, in the order in which they are listed.
const PROGRAMS: &[Program] = &[
    ("release-laws", release_laws::run, "smallest error of scale that the tests of releases notice"),
    ("audit", audit::run, "audits of releases and methods: what the best attack proves beside what is claimed"),
    ("ledger", ledger::run, "the ledger under kills, failing storage and many processes"),
    ("junk-rows", junk_rows::run, "a million junk rows: none is lost, none is fatal"),
    ("neighbours", neighbours::run, "neighbouring files: their tables differ by one row"),
    ("engine", engine::run, "counting: exactness, and its cost beside DataFusion, DuckDB and Polars"),
    ("end-to-end", end_to_end::run, "the whole way from a file to synthetic rows, by the scumble program"),
    ("pgm", pgm::run, "graphical models: exactness, and their cost beside mbi"),
    ("select-marginals", select_marginals::run, "writes the measured tables that pgm starts from"),
    ("aalborg", aalborg::run, "the simulation study of the Aalborg report"),
    ("privbayes", privbayes::run, "the experiments of the PrivBayes papers"),
    ("privmrf", privmrf::run, "the experiments of the PrivMRF paper"),
    ("auto", auto::run, "auto, mst and aim beside other methods"),
    ("columns", columns::run, "rules and hierarchies of real columns"),
    ("product", product::run, "plan, time and evaluate of the scumble program"),
    ("cluster", cluster::run, "a cluster on one machine: scans, faults and trust"),
    ("delta", delta::run, "versions of a Delta table beside the rows that its own package reads"),
    #[cfg(target_os = "linux")]
    ("push-down", push_down::run, "tables that PostgreSQL and DuckDB count, beside scans"),
    ("scale", scale::run, "a table of up to a billion rows on one machine"),
    ("readme", readme::run, "draws the pictures of the README"),
    ("german-export", german_export::run, "writes a made-up export of a German office, and its schema"),
    #[cfg(feature = "planted-bugs")]
    ("replay", replay::run, "the replay battery on the toy mechanism"),
    #[cfg(feature = "planted-bugs")]
    ("mutants", mutants::run, "planted bugs: each is caught by the test that its list names"),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, arguments) = words.split_first().map_or(("", &words[..]), |(name, rest)| (name.as_str(), rest));
    let Some((_, run, _)) = PROGRAMS.iter().find(|(program, ..)| *program == name) else {
        eprintln!("usage: figures PROGRAM [ARGUMENTS]\n\nprograms:");
        for (program, _, description) in PROGRAMS {
            eprintln!("  {program:18}{description}");
        }
        if !cfg!(feature = "planted-bugs") {
            eprintln!("with --features planted-bugs, in debug builds: replay, mutants");
        }
        return ExitCode::from(2);
    };
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
