//! Failure of a command: problems, hints and an exit code.

use std::path::Path;

use scumble::schema::{io_hint, io_problem};
use scumble::{Error, Fault, Problem};
use serde::Serialize;

/// Failure of a command.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    exit_code: u8,
    /// One problem, or several of a schema.
    pub(crate) problems: Vec<Problem>,
    /// Number of further problems that are not listed.
    pub(crate) unlisted: usize,
    /// Additional keys of the JSON output.
    #[serde(flatten)]
    details: Option<serde_json::Value>,
}

impl Failure {
    pub(crate) fn new(fault: Fault, message: impl Into<String>, hint: Option<String>) -> Self {
        let problems = vec![Problem { message: message.into(), hint }];
        Self { exit_code: exit_code(fault), problems, unlisted: 0, details: None }
    }

    /// Adds an object whose keys join those of the error in JSON output.
    pub(crate) fn with_details(self, details: serde_json::Value) -> Self {
        Self { details: Some(details), ..self }
    }

    /// Returns the failure for a caught panic.
    pub(crate) fn bug() -> Self {
        let hint = "please report it, with the command and the place above, but without the data";
        Self::new(Fault::Bug, "bug in scumble", Some(hint.into()))
    }

    pub(crate) fn exit_code(&self) -> u8 {
        self.exit_code
    }

    /// Returns whether the user interrupted the command.
    pub(crate) fn is_interruption(&self) -> bool {
        self.exit_code == exit_code(Fault::Interrupted)
    }
}

/// Returns the failure for a file that cannot be written.
pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let hint = io_hint(error.kind());
    Failure::new(Fault::Engine, format!("cannot write `{}`: {}", path.display(), io_problem(error)), Some(hint.into()))
}

/// Returns the exit code for a fault.
pub(crate) fn exit_code(fault: Fault) -> u8 {
    match fault {
        Fault::Usage => 2,
        Fault::Data => 3,
        Fault::Budget => 4,
        Fault::TooLarge => 5,
        Fault::Engine => 6,
        Fault::Interrupted => 130,
        _ => 70,
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let exit_code = exit_code(error.fault());
        Self { exit_code, problems: error.problems(), unlisted: error.unlisted(), details: None }
    }
}

/// Replaces the message of a panic, which could quote a value of the data, by its source location.
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        crate::terminal::warn_line(&format!("panicked at {place}"));
    }));
}
