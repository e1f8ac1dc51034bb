//! What the user sees: results, notes, progress, errors.

#![expect(clippy::print_stderr, reason = "this is the one place that prints")]

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scumble::Fault;
use serde::Serialize;

use crate::failure::Failure;

/// How results and notes are shown.
#[derive(Clone)]
pub(crate) struct Terminal {
    json: bool,
    quiet: bool,
    /// The command, as it can be typed again.
    command: String,
    /// Whether standard output is the output that the user named, so that results are shown elsewhere.
    stdout_is_output: Arc<AtomicBool>,
}

/// What is counted by a progress bar.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    Bytes,
    Rows,
}

impl Terminal {
    pub(crate) fn new(json: bool, quiet: bool, command: String) -> Self {
        Self { json, quiet, command, stdout_is_output: Arc::default() }
    }

    /// The command, as it can be typed again.
    pub(crate) fn command(&self) -> &str {
        &self.command
    }

    /// Leaves standard output to what the user wants written there.
    pub(crate) fn give_up_stdout(&self) -> Result<(), Failure> {
        if self.json {
            let hint = "leave out `--json`, or name a file with `--output`";
            let message = "standard output cannot hold both the output and a JSON object";
            return Err(Failure::new(Fault::Usage, message, Some(hint.into())));
        }
        self.stdout_is_output.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The result of a command, as text or as the one JSON object. Only the one that is shown is made: the summary of a
    /// model may draw rows to count shares.
    pub(crate) fn result<J: Serialize>(&self, json: impl FnOnce() -> J, text: impl FnOnce() -> String) {
        if self.json {
            print_line(&serde_json::to_string(&json()).expect("results have text keys"));
        } else if !self.quiet && self.stdout_is_output.load(Ordering::Relaxed) {
            eprintln!("{}", text());
        } else if !self.quiet {
            print_line(&text());
        }
    }

    /// What is shown as text only, because a failure follows that has all of it as JSON.
    pub(crate) fn text(&self, text: impl FnOnce() -> String) {
        if !self.json && !self.quiet {
            print_line(&text());
        }
    }

    /// Something the user should know about how the result came to be.
    pub(crate) fn note(&self, message: &str) {
        if !self.json && !self.quiet {
            eprintln!("note: {message}");
        }
    }

    /// Something the user should act on.
    pub(crate) fn warn(&self, message: &str) {
        if !self.quiet {
            eprintln!("warning: {message}");
        }
    }

    pub(crate) fn fail(&self, failure: &Failure) {
        if self.json {
            print_line(&serde_json::json!({ "error": failure }).to_string());
            return;
        }
        for problem in &failure.problems {
            eprintln!("error: {}", problem.message);
            if let Some(hint) = &problem.hint {
                eprintln!("hint: {hint}");
            }
        }
        if failure.unlisted > 0 {
            eprintln!("error: and {} more problems", failure.unlisted);
        }
    }

    /// A bar with the time left on a terminal, nothing in a pipe.
    pub(crate) fn progress(&self, label: &'static str, total: u64, unit: Unit) -> ProgressBar {
        if self.json || self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        }
        let template = match unit {
            Unit::Bytes => "{msg} {wide_bar} {bytes}/{total_bytes}, {eta} left",
            Unit::Rows => "{msg} {wide_bar} {human_pos}/{human_len} rows, {eta} left",
        };
        let style = ProgressStyle::with_template(template).expect("a template of ours");
        // Drawn with the first report of progress: before, the total may not be known.
        ProgressBar::new(total).with_style(style).with_message(label)
    }
}

/// Turns a bar whose end is reached into the time that has passed: nobody knows how long the rest will take.
pub(crate) fn show_spinner(bar: &ProgressBar, label: &'static str) {
    if !bar.is_hidden() {
        bar.set_style(ProgressStyle::with_template("{msg} {spinner} {elapsed}").expect("a template of ours"));
        bar.set_message(label);
        bar.enable_steady_tick(Duration::from_millis(200));
    }
}

/// A line on standard error, whatever was asked for.
pub(crate) fn warn_line(message: &str) {
    eprintln!("{message}");
}

fn print_line(text: &str) {
    // A reader that went away, such as `head`, is no failure of ours.
    let _ = writeln!(std::io::stdout(), "{text}");
}
