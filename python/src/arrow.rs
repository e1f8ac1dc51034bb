//! Import and export of tables and types by Arrow's C interface:
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>.

use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchOptions, StructArray};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use scumble::Fault;

use crate::failure::{self, Failure};

const STREAM: &std::ffi::CStr = c"arrow_array_stream";
const SCHEMA: &std::ffi::CStr = c"arrow_schema";

/// Returns the failure for a table of another library. The library's message may quote a value, and
/// is dropped.
fn cannot_be_read() -> Failure {
    Failure::new(
        Fault::Data,
        "the table could not be handed over as Arrow batches",
        "call its `__arrow_c_stream__` for the reason; its message may quote the data",
    )
}

/// Keeps an exception of this package, and replaces any other, whose message may quote a value.
fn without_values(py: Python<'_>, error: PyErr) -> PyErr {
    if failure::is_ours(py, &error) { error } else { cannot_be_read().into() }
}

/// Stream of batches from another library.
pub(crate) struct Stream {
    stream: FFI_ArrowArrayStream,
    /// The schema that the other library states, with all columns nullable. Not every library is
    /// right about columns without nulls, and a null must not decide whether a table is read.
    pub(crate) schema: SchemaRef,
}

/// Returns the stream of batches of an object with `__arrow_c_stream__`. Reads nothing yet.
#[expect(unsafe_code, reason = "a pointer comes from another library")]
pub(crate) fn stream(table: &Bound<'_, PyAny>) -> PyResult<Stream> {
    let capsule = table.call_method0("__arrow_c_stream__").map_err(|error| without_values(table.py(), error))?;
    let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
    // SAFETY: the interface defines that a capsule of this name holds such a stream. The stream is
    // moved out, and the original is marked as released, so that the capsule does not free it
    // again.
    let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    let read = stream.get_schema.ok_or_else(cannot_be_read)?;
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: both pointers are of living values, and the stream is not released.
    let outcome = unsafe { read(&raw mut stream, &raw mut schema) };
    let schema = Some(schema).filter(|_| outcome == 0).and_then(|schema| Schema::try_from(&schema).ok());
    Ok(Stream { stream, schema: nullable(&schema.ok_or_else(cannot_be_read)?) })
}

fn nullable(schema: &Schema) -> SchemaRef {
    Arc::new(Schema::new(
        schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect::<Vec<_>>(),
    ))
}

impl Iterator for Stream {
    type Item = Result<RecordBatch, ArrowError>;

    #[expect(unsafe_code, reason = "pointers come from another library")]
    fn next(&mut self) -> Option<Self::Item> {
        let read = self.stream.get_next?;
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: both pointers are of living values, and the stream is not released.
        if unsafe { read(&raw mut self.stream, &raw mut array) } != 0 {
            return Some(Err(ArrowError::CDataInterface(String::new())));
        }
        if array.is_released() {
            return None;
        }
        // SAFETY: the array belongs to the stream, so it has the type that the stream stated.
        let data = unsafe { from_ffi_and_data_type(array, DataType::Struct(self.schema.fields().clone())) };
        Some(data.and_then(|data| {
            let rows = RecordBatchOptions::new().with_row_count(Some(data.len()));
            RecordBatch::try_new_with_options(Arc::clone(&self.schema), StructArray::from(data).into_parts().1, &rows)
        }))
    }
}

/// Returns all batches of a stream. Copies nothing that the other library does not copy.
pub(crate) fn batches(py: Python<'_>, stream: Stream) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let schema = Arc::clone(&stream.schema);
    // The other library may need Python threads of its own.
    let batches = py.detach(|| stream.collect::<Result<Vec<_>, ArrowError>>());
    Ok((schema, batches.map_err(|_| cannot_be_read())?))
}

/// Exports batches to other libraries.
pub(crate) fn export<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: &[RecordBatch],
) -> PyResult<Bound<'py, PyCapsule>> {
    let batches: Vec<Result<RecordBatch, ArrowError>> = batches.iter().cloned().map(Ok).collect();
    let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}

/// Exports names and types of columns to other libraries.
pub(crate) fn export_schema<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(|_| Failure::bug())?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// Names and types of a table's columns, obtained without reading rows.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Types(pub(crate) SchemaRef);

#[pymethods]
impl Types {
    /// Returns the types of an object with `__arrow_c_schema__` or `__arrow_c_stream__`.
    #[staticmethod]
    #[expect(unsafe_code, reason = "a pointer comes from another library")]
    fn of(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !table.hasattr("__arrow_c_schema__")? {
            return Ok(Self(stream(table)?.schema));
        }
        let capsule = table.call_method0("__arrow_c_schema__").map_err(|error| without_values(table.py(), error))?;
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(SCHEMA))?;
        // SAFETY: the interface defines that a capsule of this name holds such a schema. It lives
        // until the end of this function, which copies it.
        let schema = unsafe { pointer.cast::<FFI_ArrowSchema>().as_ref() };
        Ok(Self(Arc::new(Schema::try_from(schema).map_err(|_| cannot_be_read())?)))
    }

    /// Names of the columns.
    fn names(&self) -> Vec<&str> {
        self.0.fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// Arrow types of the columns, as text.
    fn types(&self) -> Vec<String> {
        self.0.fields().iter().map(|field| field.data_type().to_string()).collect()
    }
}
