//! The `scumble` program: a thin front to the `scumble` crate.
//!
//! Results go to standard output, everything else to standard error. With `--json` standard output holds exactly one JSON
//! object, whether the command succeeds or fails.

mod arguments;
mod command;
mod failure;
mod interrupt;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Arguments, Verb};
use crate::failure::Failure;
use crate::terminal::Terminal;

fn main() -> ExitCode {
    failure::keep_panics_silent();
    let arguments = Arguments::parse();
    let terminal = Terminal::new(arguments.json, arguments.quiet);
    // A panic is a bug of ours. It becomes exit code 70 without its message, which could quote a value.
    let outcome = std::panic::catch_unwind(|| run(&arguments.verb, &terminal));
    match outcome.unwrap_or_else(|_| Err(Failure::bug())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal.fail(&failure);
            failure.exit_code()
        }
    }
}

fn run(verb: &Verb, terminal: &Terminal) -> Result<(), Failure> {
    interrupt::listen();
    match verb {
        Verb::Demo(arguments) => command::demo::run(arguments, terminal),
        Verb::Schema(arguments) => command::schema::run(arguments, terminal),
        Verb::Plan(arguments) => command::plan::run(arguments, terminal),
        Verb::Fit(arguments) => command::fit::run(arguments, terminal),
        Verb::Sample(arguments) => command::sample::run(arguments, terminal),
        Verb::Synth(arguments) => command::synth::run(arguments, terminal),
        Verb::Inspect(arguments) => command::inspect::run(arguments, terminal),
        Verb::Report(arguments) => command::report::run(arguments, terminal),
        Verb::Marginals(arguments) => command::marginals::run(arguments, terminal),
        Verb::Bundle(arguments) => command::bundle::run(arguments, terminal),
        Verb::Evaluate(arguments) => command::evaluate::run(arguments, terminal),
        Verb::Ledger(arguments) => command::ledger::run(arguments, terminal),
    }
}
