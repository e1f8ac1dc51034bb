//! Where rows come from: paths, or a table that another library holds.

use std::path::PathBuf;

use pyo3::prelude::*;
use scumble::Input;

use crate::arrow::{batches, stream};

/// A list of paths, globs and addresses of databases, or a table by Arrow's C interface.
pub(crate) struct Data(pub(crate) Vec<Input>);

impl Data {
    pub(crate) fn of(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(paths) = data.extract::<Vec<PathBuf>>() {
            return Ok(Self(paths.into_iter().map(Input::new).collect()));
        }
        let (columns, batches) = batches(data.py(), stream(data)?)?;
        Ok(Self(vec![Input::of_batches(columns, batches)]))
    }
}
