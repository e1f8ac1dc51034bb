//! Checks of output paths, with the rules of the command line.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::{OutputError, Outputs};

/// Returns why a file may not be written, and whether the only reason is that it exists; `None` if
/// it may.
#[pyfunction]
#[pyo3(signature = (path, *, inputs, force))]
pub(crate) fn output_refused(path: PathBuf, inputs: Vec<PathBuf>, force: bool) -> Option<(String, bool)> {
    let refused = Outputs::beside(inputs).force(force).check(&[path]).err()?;
    Some((refused.to_string(), matches!(refused, OutputError::Exists { .. })))
}
