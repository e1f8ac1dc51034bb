//! Where results may be written: what the command line refuses is refused here too.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::{OutputError, Outputs};

/// Why a file may not be written there, and whether that is only because it exists; nothing if it may.
#[pyfunction]
#[pyo3(signature = (path, *, inputs, force))]
pub(crate) fn output_refused(path: PathBuf, inputs: Vec<PathBuf>, force: bool) -> Option<(String, bool)> {
    let refused = Outputs::beside(inputs).force(force).check(&[path]).err()?;
    Some((refused.to_string(), matches!(refused, OutputError::Exists { .. })))
}
