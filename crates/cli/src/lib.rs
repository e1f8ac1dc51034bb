//! The command line of Scumble: a thin layer over the [`scumble`] crate.
//!
//! Turns arguments into calls of the library, and results into text, JSON and exit codes. It makes
//! no decision about privacy. Besides the Python package and examples, it is the only crate that
//! may compare with real rows.
//!
//! | verbs | are calls of |
//! |---|---|
//! | `demo` | [`scumble::demo`] |
//! | `schema` | [`scumble::schema`]; `check` with data also reads the real rows, through `scumble-evaluate`, and says that the result is not private |
//! | `plan` | [`scumble::report::FitPlan`] |
//! | `fit`, `synth` | [`scumble::Fit`] |
//! | `sample` | [`scumble::Draw`] |
//! | `inspect`, `report` | [`scumble::report`] |
//! | `marginals` | [`scumble::mechanisms::marginals`] |
//! | `bundle` | [`scumble::bundle`] |
//! | `evaluate` | `scumble-evaluate`, stamped NOT DIFFERENTIALLY PRIVATE |
//! | `audit` | `scumble-audit`, stamped NOT DIFFERENTIALLY PRIVATE where it reads real rows |
//! | `ledger` | [`scumble::Ledger`] |
//! | `scheduler`, `executor` | [`scumble::cluster`] |
//! | `completions`, `man` | clap's definition of the command line |
//!
//! Results go to standard output, everything else to standard error. With `--json`, standard output
//! holds exactly one JSON object, whether the command succeeds or fails. Exit codes follow
//! [`scumble::Fault`], and no message depends on rows.
//!
//! It is a library so that the Python package runs the same program.
//!
//! ```
//! let exit_code = scumble_cli::run(["scumble", "--version"].map(Into::into));
//! assert_eq!(exit_code, 0);
//! ```

mod arguments;
mod command;
mod command_line;
mod failure;
mod fit_progress;
mod interrupt;
mod output;
mod terminal;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use scumble::Fault;
use scumble::schema::similar;

use crate::arguments::{Arguments, Verb};
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Runs a command line, which begins with the name of the program, and returns the exit code of the
/// process.
///
/// Meant for a process that does nothing else: installs a handler for Ctrl-C that ends the process,
/// and silences panics.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    failure::silence_panics();
    let words: Vec<OsString> = arguments.into_iter().collect();
    let arguments = match Arguments::try_parse_from(&words) {
        Ok(arguments) => arguments,
        Err(refused) => return refuse(&suggest_verb(refused), words.iter().any(|word| word == "--json")),
    };
    let terminal = Terminal::new(arguments.json, arguments.quiet, command_line::typed(&words));
    // A panic is a bug. It becomes exit code 70 without its message, which could quote a value.
    let outcome = std::panic::catch_unwind(|| run_verb(&arguments.verb, &terminal));
    match outcome.unwrap_or_else(|_| Err(Failure::bug())) {
        Ok(()) => 0,
        Err(failure) => {
            let failure = if failure.is_interruption() { interrupt::interrupted() } else { failure };
            terminal.fail(&failure);
            if let Some(open) = interrupt::left_open() {
                terminal.warn(&open);
            }
            failure.exit_code()
        }
    }
}

/// Suggests a verb where clap finds none similar, such as `fit` for `fti`.
fn suggest_verb(mut refused: clap::Error) -> clap::Error {
    if let (Some(ContextValue::String(typed)), None) =
        (refused.get(ContextKind::InvalidSubcommand), refused.get(ContextKind::SuggestedSubcommand))
    {
        let command = Arguments::command();
        let meant = similar(typed, command.get_subcommands().map(clap::Command::get_name)).map(str::to_owned);
        if let Some(meant) = meant {
            refused.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant]));
        }
    }
    refused
}

/// Reports arguments that clap refused. Help and version texts take this path too.
fn refuse(refused: &clap::Error, as_json: bool) -> u8 {
    let is_failure = !matches!(refused.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if as_json && is_failure {
        let text = refused.to_string();
        let (message, usage) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.trim_start_matches("error: ").trim();
        let failure =
            Failure::new(Fault::Usage, message, Some(usage.trim().to_owned()).filter(|usage| !usage.is_empty()));
        Terminal::new(true, false, String::new()).fail(&failure);
        return failure.exit_code();
    }
    // A closed pipe is not a failure.
    let _ = refused.print();
    u8::try_from(refused.exit_code()).unwrap_or(failure::exit_code(Fault::Usage))
}

fn run_verb(verb: &Verb, terminal: &Terminal) -> Result<(), Failure> {
    // Servers handle signals themselves.
    #[cfg(feature = "cluster")]
    let is_server = matches!(verb, Verb::Scheduler(_) | Verb::Executor(_));
    #[cfg(not(feature = "cluster"))]
    let is_server = false;
    if !is_server {
        interrupt::listen(terminal);
    }
    match verb {
        Verb::Demo(arguments) => command::demo::run(arguments, terminal),
        Verb::Schema(arguments) => command::schema::run(arguments, terminal),
        Verb::Plan(arguments) => command::plan::run(arguments, terminal),
        Verb::Fit(arguments) => command::fit::run(arguments, terminal),
        Verb::Sample(arguments) => command::sample::run(arguments, terminal),
        Verb::Synth(arguments) => command::synth::run(arguments, terminal),
        Verb::Release(arguments) => command::release::run(arguments, terminal),
        Verb::Inspect(arguments) => command::inspect::run(arguments, terminal),
        Verb::Report(arguments) => command::report::run(arguments, terminal),
        Verb::Marginals(arguments) => command::marginals::run(arguments, terminal),
        Verb::Bundle(arguments) => command::bundle::run(arguments, terminal),
        Verb::Evaluate(arguments) => command::evaluate::run(arguments, terminal),
        Verb::Audit(arguments) => command::audit::run(&arguments.verb, terminal),
        Verb::Ledger(arguments) => command::ledger::run(arguments, terminal),
        Verb::Completions(arguments) => {
            command::shell::completions(arguments);
            Ok(())
        }
        Verb::Man(arguments) => command::shell::man(arguments, terminal),
        #[cfg(feature = "cluster")]
        Verb::Scheduler(arguments) => command::cluster::scheduler(arguments, terminal),
        #[cfg(feature = "cluster")]
        Verb::Executor(arguments) => command::cluster::executor(arguments, terminal),
    }
}
