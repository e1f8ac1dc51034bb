//! Rows in memory.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_cast::{CastOptions, can_cast_types, cast_with_options};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use scumble::{TableWriter, demo};
use scumble_cancel::checkpoint;

use crate::arrow::{Types, batches, export, export_schema, stream};
use crate::failure::Failure;
use crate::object_column::object_type;
use crate::objects::Reader;
use crate::work;

/// Rows in memory, for any library that supports Arrow's C interface.
#[pyclass(frozen, module = "scumble._native")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Self {
        Self { schema, batches }
    }

    /// Returns the columns and the rows, without copying them.
    pub(crate) fn rows(&self) -> (SchemaRef, Vec<RecordBatch>) {
        (Arc::clone(&self.schema), self.batches.clone())
    }
}

/// Number of rows in a piece of a frame. Columns of objects are read piece by piece, with a check
/// for Ctrl-C between them.
const PIECE_ROWS: usize = 1 << 16;

#[pymethods]
impl Table {
    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Returns the columns of `plain`, a table by Arrow's C interface, and columns of objects
    /// beside them. Every object becomes one value, and none raises. Without `plain` there are
    /// `rows` rows.
    #[staticmethod]
    fn with_objects(
        py: Python<'_>,
        plain: Option<&Bound<'_, PyAny>>,
        rows: usize,
        objects: Vec<(String, Bound<'_, PyList>)>,
    ) -> PyResult<Self> {
        let (columns, batches) = if let Some(plain) = plain {
            batches(py, stream(plain)?)?
        } else {
            let rows = RecordBatchOptions::new().with_row_count(Some(rows));
            let columns = Arc::new(Schema::empty());
            let batch = RecordBatch::try_new_with_options(Arc::clone(&columns), vec![], &rows);
            (columns, vec![batch.map_err(|_| Failure::bug())?])
        };
        let fields = objects.iter().map(|(name, _)| Arc::new(Field::new(name, object_type(), true)));
        let fields: Vec<Arc<Field>> = columns.fields().iter().cloned().chain(fields).collect();
        let (schema, mut reader) = (Arc::new(Schema::new(fields)), Reader::new(py)?);
        let (mut pieces, mut start) = (vec![], 0);
        for batch in &batches {
            for first in (0..batch.num_rows()).step_by(PIECE_ROWS) {
                py.check_signals()?;
                let length = PIECE_ROWS.min(batch.num_rows() - first);
                let mut arrays = batch.slice(first, length).columns().to_vec();
                arrays.extend(objects.iter().map(|(_, values)| reader.column(values, start + first, length)));
                let rows = RecordBatchOptions::new().with_row_count(Some(length));
                let piece = RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &rows);
                pieces.push(piece.map_err(|_| Failure::bug())?);
            }
            start += batch.num_rows();
        }
        Ok(Self::new(schema, pieces))
    }

    /// Names and types of the columns.
    fn types(&self) -> Types {
        Types(Arc::clone(&self.schema))
    }

    /// Returns the values of the first rows, as text; `None` for missing values.
    fn head(&self, rows: usize) -> PyResult<Vec<Vec<Option<String>>>> {
        let mut shown = Vec::new();
        for batch in &self.batches {
            if shown.len() == rows {
                break;
            }
            let options = FormatOptions::new();
            let columns = batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options));
            let columns = columns.collect::<Result<Vec<_>, _>>().map_err(|_| Failure::bug())?;
            for row in 0..batch.num_rows().min(rows - shown.len()) {
                let cells = columns.iter().zip(batch.columns());
                let cells = cells.map(|(text, column)| column.is_valid(row).then(|| text.value(row).to_string()));
                shown.push(cells.collect());
            }
        }
        Ok(shown)
    }

    /// Returns these rows with the column types of `types`, by name, for columns whose values can
    /// all be converted; the others keep their types.
    fn like(&self, py: Python<'_>, types: &Types) -> PyResult<Self> {
        work::run(py, None, |_| Ok(self.cast(&types.0)))
    }

    /// Writes the rows to a file, in the format of its extension.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        work::run(py, None, |_| {
            let mut writer = TableWriter::create(&path, Arc::clone(&self.schema))?;
            for batch in &self.batches {
                checkpoint();
                writer.write(batch)?;
            }
            Ok(writer.finish()?)
        })
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface defines it as a preference, and the caller can cast.
        let _ = requested_schema;
        export(py, &self.schema, &self.batches)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        export_schema(py, &self.schema)
    }
}

impl Table {
    fn cast(&self, types: &SchemaRef) -> Self {
        let mut fields: Vec<Arc<Field>> = self.schema.fields().to_vec();
        let mut columns: Vec<Vec<ArrayRef>> = (0..fields.len())
            .map(|place| self.batches.iter().map(|batch| Arc::clone(batch.column(place))).collect())
            .collect();
        for (field, column) in fields.iter_mut().zip(&mut columns) {
            let Some((_, wanted)) = types.fields().find(field.name()) else { continue };
            let wanted = wanted.data_type();
            if keeps_meaning(field.data_type(), wanted)
                && let Some(cast) = cast_all(column, wanted)
            {
                *column = cast;
                *field = Arc::new(Field::new(field.name(), wanted.clone(), field.is_nullable()));
            }
        }
        let schema = Arc::new(Schema::new(fields));
        let batches = (0..self.batches.len()).map(|place| {
            let columns = columns.iter().map(|column| Arc::clone(&column[place])).collect();
            RecordBatch::try_new(Arc::clone(&schema), columns).expect("columns have their types and one length")
        });
        Self { batches: batches.collect(), schema }
    }
}

/// Returns whether a value keeps its meaning in the other type, if it can be converted at all.
fn keeps_meaning(from: &DataType, to: &DataType) -> bool {
    let is_number = |data_type: &DataType| data_type.is_numeric();
    let is_text = |data_type: &DataType| matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match (from, to) {
        (from, to) if from == to => false,
        (from, DataType::Dictionary(_, values)) => from == values.as_ref() || keeps_meaning(from, values),
        (DataType::Timestamp(_, from), DataType::Timestamp(_, to)) => from == to,
        (DataType::Date32, DataType::Date64 | DataType::Timestamp(_, None))
        | (DataType::Time64(_), DataType::Time32(_) | DataType::Time64(_)) => true,
        (from, to) => (is_number(from) && is_number(to)) || (is_text(from) && is_text(to)),
    }
}

fn cast_all(arrays: &[ArrayRef], wanted: &DataType) -> Option<Vec<ArrayRef>> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let cast = |array: &ArrayRef| {
        if !can_cast_types(array.data_type(), wanted) {
            return None;
        }
        cast_with_options(array, wanted, &options).ok()
    };
    arrays.iter().map(cast).collect()
}

/// Returns the first `rows` people of the made-up survey with this seed.
#[pyfunction]
pub(crate) fn demo_people(py: Python<'_>, rows: u64, seed: u64) -> PyResult<Table> {
    work::run(py, None, |_| {
        let people = demo::people(rows, seed);
        let schema = people.arrow_schema().clone();
        Ok(Table::new(schema, people.inspect(|_| checkpoint()).collect()))
    })
}

/// Returns the schema of the made-up survey, as YAML.
#[pyfunction]
pub(crate) fn demo_schema() -> &'static str {
    demo::PEOPLE_SCHEMA
}
