//! Failures as Python exceptions, with the hints of the command line and without values of the
//! data.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use scumble::{Error, Fault, Problem};
use scumble_evaluate::EvaluateError;

/// Module that defines the exceptions.
const EXCEPTIONS: &str = "scumble._errors";

/// A failure of a call.
pub(crate) struct Failure {
    fault: Fault,
    /// Whether the schema is invalid, not the data.
    of_schema: bool,
    problems: Vec<Problem>,
    unlisted: usize,
}

impl Failure {
    pub(crate) fn new(fault: Fault, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let problems = vec![Problem { message: message.into(), hint: Some(hint.into()) }];
        Self { fault, of_schema: false, problems, unlisted: 0 }
    }

    /// Returns the failure for invalid arguments.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(Fault::Usage, message, hint)
    }

    /// Returns the failure for a caught panic. The panic's message could quote a value, and is
    /// dropped.
    pub(crate) fn bug() -> Self {
        Self::new(
            Fault::Bug,
            "bug in scumble",
            "please report it, with the call and the place above, but without the data",
        )
    }

    fn class(&self) -> &'static str {
        match self.fault {
            Fault::Usage => "UsageError",
            Fault::Data if self.of_schema => "SchemaError",
            Fault::Data => "DataError",
            Fault::Budget => "BudgetError",
            Fault::TooLarge => "TooLargeError",
            Fault::Engine => "StorageError",
            Fault::Interrupted => "Interrupted",
            _ => "BugError",
        }
    }

    fn to_exception(&self, py: Python<'_>) -> PyResult<PyErr> {
        let problems: Vec<(&str, Option<&str>)> =
            self.problems.iter().map(|problem| (problem.message.as_str(), problem.hint.as_deref())).collect();
        let keywords = PyDict::new(py);
        keywords.set_item("unlisted", self.unlisted)?;
        let class = py.import(EXCEPTIONS)?.getattr(self.class())?;
        Ok(PyErr::from_value(class.call((problems,), Some(&keywords))?))
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        Self {
            fault: error.fault(),
            of_schema: matches!(error, Error::Schema(_)),
            problems: error.problems(),
            unlisted: error.unlisted(),
        }
    }
}

/// Returns whether an exception is defined by this package. Those do not contain values of the
/// data.
pub(crate) fn is_ours(py: Python<'_>, error: &PyErr) -> bool {
    let class = py.import(EXCEPTIONS).and_then(|module| module.getattr("ScumbleError"));
    class.is_ok_and(|class| error.matches(py, class).unwrap_or(false))
}

/// Converts an evaluation error, which has a type of its own because only programs may evaluate.
pub(crate) fn refused(error: EvaluateError) -> Failure {
    let fault = match error {
        EvaluateError::Engine(error) => return Failure::from(error),
        EvaluateError::Config { .. } => Fault::Usage,
        EvaluateError::TooManyCells { .. } => Fault::TooLarge,
        _ => Fault::Data,
    };
    Failure::new(fault, error.to_string(), error.hint())
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.to_exception(py).unwrap_or_else(|error| error))
    }
}

/// Replaces the message of a panic, which could quote a value of the data, by its source location.
#[expect(clippy::print_stderr, reason = "a panic has nowhere else to go")]
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        eprintln!("panicked at {place}");
    }));
}
