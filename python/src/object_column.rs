//! A column of values of any type, as an Arrow union: each value is in the child of its type.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, LargeBinaryBuilder,
    Time64MicrosecondBuilder, TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, NullArray, UnionArray};
use arrow_schema::{DataType, Field, TimeUnit, UnionFields, UnionMode};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use scumble::schema::limits::FIELD_BYTES;

/// Bytes that no schema lists, because a schema is UTF-8. Stands for unknown values.
const UNKNOWN: &[u8] = b"\xFF";
const UTC: &str = "UTC";

const MISSING: i8 = 0;
const BOOLEAN: i8 = 1;
const WHOLE: i8 = 2;
const REAL: i8 = 3;
const TEXT: i8 = 4;
const DAY: i8 = 5;
const CLOCK: i8 = 6;
const INSTANT: i8 = 7;
const TIME: i8 = 8;

/// Returns the children of the union, in the order of their ids.
fn fields() -> UnionFields {
    let types = [
        ("missing", DataType::Null),
        ("boolean", DataType::Boolean),
        ("whole", DataType::Int64),
        ("real", DataType::Float64),
        ("text", DataType::LargeBinary),
        ("day", DataType::Date32),
        ("clock", DataType::Timestamp(TimeUnit::Microsecond, None)),
        ("instant", DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()))),
        ("time", DataType::Time64(TimeUnit::Microsecond)),
    ];
    (0..).zip(types).map(|(id, (name, data_type))| (id, Arc::new(Field::new(name, data_type, true)))).collect()
}

/// Returns the type of every column of objects, whatever its values.
pub(crate) fn object_type() -> DataType {
    DataType::Union(fields(), UnionMode::Dense)
}

/// The value of a Python object.
pub(crate) enum Value<'py> {
    Missing,
    Unknown,
    Boolean(bool),
    Whole(i64),
    Real(f64),
    Text(Text<'py>),
    Day(i32),
    /// Microseconds since 1970 without a time zone.
    Clock(i64),
    /// Microseconds since 1970 in UTC.
    Instant(i64),
    /// Microseconds since midnight.
    Time(i64),
}

/// A text, as Python holds it.
pub(crate) enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
}

/// Builder of a union.
#[derive(Default)]
pub(crate) struct Column {
    ids: Vec<i8>,
    places: Vec<i32>,
    missing: usize,
    booleans: BooleanBuilder,
    wholes: Int64Builder,
    reals: Float64Builder,
    texts: LargeBinaryBuilder,
    days: Date32Builder,
    clocks: TimestampMicrosecondBuilder,
    instants: TimestampMicrosecondBuilder,
    times: Time64MicrosecondBuilder,
}

impl Column {
    /// Appends a value. `encode` is `str.encode`, for texts that are not valid Unicode.
    pub(crate) fn push(&mut self, value: Value<'_>, encode: &Bound<'_, PyAny>) {
        let ((), id, length) = match value {
            Value::Missing => (self.missing += 1, MISSING, self.missing),
            Value::Unknown => (self.texts.append_value(UNKNOWN), TEXT, self.texts.len()),
            Value::Boolean(value) => (self.booleans.append_value(value), BOOLEAN, self.booleans.len()),
            Value::Whole(value) => (self.wholes.append_value(value), WHOLE, self.wholes.len()),
            Value::Real(value) => (self.reals.append_value(value), REAL, self.reals.len()),
            Value::Text(text) => (self.push_text(&text, encode), TEXT, self.texts.len()),
            Value::Day(value) => (self.days.append_value(value), DAY, self.days.len()),
            Value::Clock(value) => (self.clocks.append_value(value), CLOCK, self.clocks.len()),
            Value::Instant(value) => (self.instants.append_value(value), INSTANT, self.instants.len()),
            Value::Time(value) => (self.times.append_value(value), TIME, self.times.len()),
        };
        self.ids.push(id);
        self.places.push(i32::try_from(length - 1).expect("a piece of a column is short"));
    }

    fn push_text(&mut self, text: &Text<'_>, encode: &Bound<'_, PyAny>) {
        match text {
            Text::Bytes(bytes) => self.push_bytes(bytes.as_bytes()),
            Text::Str(text) => match text.to_str() {
                Ok(text) => self.push_bytes(text.as_bytes()),
                // A text with half a surrogate pair has no UTF-8. Its bytes match no declared
                // value, and still distinguish units.
                Err(_) => match encode.call1((text, "utf-8", "surrogatepass")) {
                    Ok(bytes) => self.push_bytes(bytes.cast::<PyBytes>().map_or(UNKNOWN, |bytes| bytes.as_bytes())),
                    Err(_) => self.push_bytes(UNKNOWN),
                },
            },
        }
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        self.texts.append_value(if bytes.len() > FIELD_BYTES { UNKNOWN } else { bytes });
    }

    pub(crate) fn finish(mut self) -> ArrayRef {
        let children: Vec<ArrayRef> = vec![
            Arc::new(NullArray::new(self.missing)),
            Arc::new(self.booleans.finish()),
            Arc::new(self.wholes.finish()),
            Arc::new(self.reals.finish()),
            Arc::new(self.texts.finish()),
            Arc::new(self.days.finish()),
            Arc::new(self.clocks.finish()),
            Arc::new(self.instants.finish().with_timezone(UTC)),
            Arc::new(self.times.finish()),
        ];
        let union = UnionArray::try_new(fields(), self.ids.into(), Some(self.places.into()), children);
        Arc::new(union.expect("every row has a place in the child of its id"))
    }
}
