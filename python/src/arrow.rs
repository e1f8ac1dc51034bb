//! Tables and their types, handed over by Arrow's C interface: <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use std::sync::Arc;

use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use scumble::Fault;

use crate::failure::{self, Failure};

const STREAM: &std::ffi::CStr = c"arrow_array_stream";
const SCHEMA: &std::ffi::CStr = c"arrow_schema";

/// A table that another library holds. Its own words for what went wrong may quote a value, and are dropped.
fn cannot_be_read() -> Failure {
    Failure::new(
        Fault::Data,
        "the table could not be handed over as Arrow batches",
        "see what its own `__arrow_c_stream__` says, where only people who may see the data can watch",
    )
}

/// An exception of ours as it is, and any other without what it says.
fn without_values(py: Python<'_>, error: PyErr) -> PyErr {
    if failure::is_ours(py, &error) { error } else { cannot_be_read().into() }
}

/// The batches of an object with `__arrow_c_stream__`. Nothing is read yet.
#[expect(unsafe_code, reason = "a pointer comes from another library")]
pub(crate) fn stream(table: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    let capsule = table.call_method0("__arrow_c_stream__").map_err(|error| without_values(table.py(), error))?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name holds such a stream, by the interface's definition. It is moved out, and what is left is
    // marked as released, so that the capsule does not free it again.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    reader.map_err(|_| cannot_be_read().into())
}

/// All batches of a stream, as they are: nothing is copied that the other library does not copy.
pub(crate) fn batches(py: Python<'_>, reader: ArrowArrayStreamReader) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let schema = reader.schema();
    // The other library may need threads of its own that run Python.
    let batches = py.detach(|| reader.collect::<Result<Vec<_>, ArrowError>>());
    Ok((schema, batches.map_err(|_| cannot_be_read())?))
}

/// Batches for other libraries.
pub(crate) fn export<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches: Vec<Result<RecordBatch, ArrowError>> = batches.iter().cloned().map(Ok).collect();
    let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}

/// Names and types of columns for other libraries.
pub(crate) fn export_schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|_| Failure::bug())?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The names and types of a table's columns, without a look at its rows.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Types(pub(crate) SchemaRef);

#[pymethods]
impl Types {
    /// Those of an object with `__arrow_c_schema__` or `__arrow_c_stream__`.
    #[staticmethod]
    #[expect(unsafe_code, reason = "a pointer comes from another library")]
    fn of(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !table.hasattr("__arrow_c_schema__")? {
            return Ok(Self(stream(table)?.schema()));
        }
        let capsule = table.call_method0("__arrow_c_schema__").map_err(|error| without_values(table.py(), error))?;
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?;
        // SAFETY: a capsule of this name holds such a schema, by the interface's definition, and lives until the end of this
        // function; what is made of it here is a copy.
        let schema = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
        Ok(Self(Arc::new(Schema::try_from(schema).map_err(|_| cannot_be_read())?)))
    }

    /// The names of the columns.
    fn names(&self) -> Vec<&str> {
        self.0.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// The Arrow types of the columns, as text.
    fn types(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.data_type().to_string()).collect()
    }
}
