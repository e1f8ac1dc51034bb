//! How a command fails: a sentence, a hint, an exit code.

use std::path::Path;

use scumble::schema::{io_hint, io_problem};
use scumble::{Error, Fault, Problem};
use serde::Serialize;

/// A command that failed.
#[derive(Debug, Serialize)]
pub(crate) struct Failure {
    exit_code: u8,
    /// One problem, or all of a schema's.
    pub(crate) problems: Vec<Problem>,
    /// How many more problems there are than are listed.
    pub(crate) unlisted: usize,
    /// What a program that reads JSON should know besides.
    #[serde(flatten)]
    details: Option<serde_json::Value>,
}

impl Failure {
    pub(crate) fn new(fault: Fault, message: impl Into<String>, hint: Option<String>) -> Self {
        let problems = vec![Problem { message: message.into(), hint }];
        Self { exit_code: exit_code(fault), problems, unlisted: 0, details: None }
    }

    /// The same, with an object whose keys join those of the error where that is written as JSON.
    pub(crate) fn with_details(self, details: serde_json::Value) -> Self {
        Self { details: Some(details), ..self }
    }

    /// A panic was caught.
    pub(crate) fn bug() -> Self {
        let hint = "please report it, with the command and the place above, but without the data";
        Self::new(Fault::Bug, "bug in scumble", Some(hint.into()))
    }

    pub(crate) fn exit_code(&self) -> u8 {
        self.exit_code
    }

    /// Whether the user stopped it.
    pub(crate) fn is_interruption(&self) -> bool {
        self.exit_code == exit_code(Fault::Interrupted)
    }
}

/// A file that cannot be written.
pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    let hint = io_hint(error.kind());
    Failure::new(Fault::Engine, format!("cannot write `{}`: {}", path.display(), io_problem(error)), Some(hint.into()))
}

/// What a shell is told.
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

/// Replaces the message of a panic, which could quote a value of the data, by its place in the source.
pub(crate) fn keep_panics_silent() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        crate::terminal::warn_line(&format!("panicked at {place}"));
    }));
}
