//! Output for the user: results, notes, progress, errors.

#![expect(clippy::print_stderr, reason = "this is the one place that prints")]

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scumble::Fault;
use scumble::schema::printable;
use serde::Serialize;

use crate::failure::Failure;

/// Prints results, notes, progress and errors.
#[derive(Clone)]
pub(crate) struct Terminal {
    json: bool,
    quiet: bool,
    /// The command, as it can be typed again.
    command: String,
    /// Whether standard output is the output file, so that results go to standard error.
    stdout_is_output: Arc<AtomicBool>,
}

/// Unit of a progress bar.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Bytes,
    Rows,
    Runs,
    Steps,
}

impl Terminal {
    pub(crate) fn new(json: bool, quiet: bool, command: String) -> Self {
        Self { json, quiet, command, stdout_is_output: Arc::default() }
    }

    /// Returns the command, as it can be typed again.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// Reserves standard output for the output file.
    pub(crate) fn reserve_stdout(&self) -> Result<(), Failure> {
        if self.json {
            let hint = "remove `--json`, or give a file with `--output`";
            let message = "standard output cannot hold both the output and a JSON object";
            return Err(Failure::new(Fault::Usage, message, Some(hint.into())));
        }
        self.stdout_is_output.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Prints the result of a command, as text or as the one JSON object. Only the requested form
    /// is computed: the summary of a model may draw rows to count shares.
    pub(crate) fn result<J: Serialize>(&self, json: impl FnOnce() -> J, text: impl FnOnce() -> String) {
        if self.json {
            print_line(&serde_json::to_string(&json()).expect("results have text keys"));
        } else if !self.quiet && self.stdout_is_output.load(Ordering::Relaxed) {
            eprintln!("{}", shown(&text()));
        } else if !self.quiet {
            print_line(&shown(&text()));
        }
    }

    /// Prints text unless the output is JSON: a failure follows whose JSON contains all of it.
    pub(crate) fn text(&self, text: impl FnOnce() -> String) {
        if !self.json && !self.quiet {
            print_line(&shown(&text()));
        }
    }

    /// Prints information about how the result was computed.
    pub(crate) fn note(&self, message: &str) {
        if !self.json && !self.quiet {
            eprintln!("note: {}", shown(message));
        }
    }

    /// Prints a warning that the user should act on.
    pub(crate) fn warn(&self, message: &str) {
        if !self.quiet {
            eprintln!("warning: {}", shown(message));
        }
    }

    pub(crate) fn fail(&self, failure: &Failure) {
        if self.json {
            print_line(&serde_json::json!({ "error": failure }).to_string());
            return;
        }
        for problem in &failure.problems {
            eprintln!("error: {}", shown(&problem.message));
            if let Some(hint) = &problem.hint {
                eprintln!("hint: {}", shown(hint));
            }
        }
        if failure.unlisted > 0 {
            eprintln!("error: and {} more problems", failure.unlisted);
        }
    }

    /// Returns a progress bar with the time left; hidden if standard error is not a terminal.
    pub(crate) fn progress(&self, label: &'static str, total: u64, unit: Unit) -> ProgressBar {
        if self.json || self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        }
        let template = match unit {
            Unit::Bytes => "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left",
            Unit::Rows => "{msg} {wide_bar} {human_pos}/{human_len} rows, {eta} left",
            Unit::Runs => "{msg} {wide_bar} {human_pos}/{human_len} runs, {eta} left",
            Unit::Steps => "{msg} {wide_bar} {human_pos}/{human_len} steps, {eta} left",
        };
        let style = ProgressStyle::with_template(template).expect("a template of ours");
        // Drawn at the first report of progress: before, the total may be unknown.
        ProgressBar::new(total).with_style(style).with_message(label)
    }
}

/// Replaces a full bar by a spinner with the elapsed time, since the remaining time is unknown.
pub(crate) fn show_spinner(bar: &ProgressBar, label: &'static str) {
    if !bar.is_hidden() {
        bar.set_style(ProgressStyle::with_template("{msg} {spinner} {elapsed}").expect("a template of ours"));
        bar.set_message(label);
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

/// Prints a line to standard error, also with `--quiet` and `--json`.
pub(crate) fn warn_line(message: &str) {
    eprintln!("{message}");
}

/// Returns the lines of a text as a terminal may show them: a model or a schema of somebody else
/// has names, titles and labels that could control it.
fn shown(text: &str) -> String {
    text.split('\n').map(printable).collect::<Vec<_>>().join("\n")
}

fn print_line(text: &str) {
    // A closed pipe, such as that of `head`, is not a failure.
    let _ = writeln!(std::io::stdout(), "{text}");
}
