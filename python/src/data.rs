//! Input data: paths, or a table of another library.

use std::path::PathBuf;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use pyo3::prelude::*;
use pyo3::types::PyList;
use scumble::Input;

use crate::arrow::{batches, stream};
use crate::failure::Failure;
use crate::table::Table;

/// Paths, globs and addresses of databases, or a table by Arrow's C interface, in one piece or in a
/// list of several.
pub(crate) struct Data(pub(crate) Vec<Input>);

impl Data {
    pub(crate) fn of(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(paths) = data.extract::<Vec<PathBuf>>() {
            return Ok(Self(paths.into_iter().map(Input::new).collect()));
        }
        let pieces = match data.cast::<PyList>() {
            Ok(pieces) => pieces.iter().collect(),
            Err(_) => vec![data.clone()],
        };
        let mut table: Option<(SchemaRef, Vec<RecordBatch>)> = None;
        for piece in pieces {
            let (columns, more) = match piece.cast::<Table>() {
                Ok(table) => table.get().rows(),
                Err(_) => batches(data.py(), stream(&piece)?)?,
            };
            table.get_or_insert((columns, vec![])).1.extend(more);
        }
        let (columns, batches) = table.ok_or_else(|| Failure::usage("no data", "give a path or a table"))?;
        Ok(Self(vec![Input::of_batches(columns, batches)]))
    }
}
