//! Columns of Python objects as Arrow columns, value by value and whatever the values are.
//!
//! An object becomes what a typed column of its kind would hold: a whole number stays one beside a text, a day stays a day. So the
//! code of a row does not depend on what other rows made of the column. What has no plain value is unknown: its `__str__` is not
//! asked. Methods are those of the class that is known here, not of a subclass, and one that raises makes the value unknown.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Date32Builder, Float64Builder, Int64Builder, LargeBinaryBuilder,
    TimestampMicrosecondBuilder,
};
use arrow_array::{ArrayRef, NullArray, UnionArray};
use arrow_schema::{DataType, Field, TimeUnit, UnionFields, UnionMode};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyString, PyType};
use scumble::schema::limits::FIELD_BYTES;

/// Stands in for a value that no schema can declare: a schema is UTF-8, and this is not.
const UNKNOWN: &[u8] = b"\xFF";
/// `datetime.date.toordinal` of 1970-01-01.
const EPOCH: i64 = 719_163;
const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;
/// Years around 1970 whose days are counted: more than microseconds reach, and few enough for numpy.
const MAX_YEARS: i128 = 1_000_000;
const UTC: &str = "UTC";
/// Beyond this exponent a decimal number is written with it: without, it could be a gigabyte of zeros.
const MAX_PLAIN_EXPONENT: i64 = 400;

const MISSING: i8 = 0;
const BOOLEAN: i8 = 1;
const WHOLE: i8 = 2;
const REAL: i8 = 3;
const TEXT: i8 = 4;
const DAY: i8 = 5;
const CLOCK: i8 = 6;
const INSTANT: i8 = 7;

/// The children of the union, in the order of their ids.
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
    ];
    (0..).zip(types).map(|(id, (name, data_type))| (id, Arc::new(Field::new(name, data_type, true)))).collect()
}

/// The type of every column of objects, whatever is in it.
pub(crate) fn object_type() -> DataType {
    DataType::Union(fields(), UnionMode::Dense)
}

/// A value of a Python object.
enum Value<'py> {
    Missing,
    Unknown,
    Boolean(bool),
    Whole(i64),
    Real(f64),
    Text(Text<'py>),
    Day(i32),
    /// Microseconds of a clock without a zone.
    Clock(i64),
    /// Microseconds in UTC.
    Instant(i64),
}

enum Text<'py> {
    Str(Bound<'py, PyString>),
    Bytes(Bound<'py, PyBytes>),
}

/// What objects of a class are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missing,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    Datetime,
    /// A timestamp of pandas, whose years go beyond those of a datetime.
    Timestamp,
    Date,
    Decimal,
    Complex,
    Uuid,
    NumpyBool,
    NumpyInt,
    NumpyFloat,
    NumpyTime,
    NumpyDuration,
    Other,
}

/// Reads objects. Holds the classes and methods that it needs, and what it knows of classes that it has met.
pub(crate) struct Reader<'py> {
    classes: Vec<(Bound<'py, PyType>, Kind)>,
    /// By address; the class is held, so that no other can come to lie there.
    met: HashMap<usize, (Kind, Bound<'py, PyType>)>,
    encode: Bound<'py, PyAny>,
    written: Bound<'py, PyAny>,
    decimal: Option<Decimal<'py>>,
    uuid: Option<Bound<'py, PyAny>>,
    complex: [Bound<'py, PyAny>; 2],
    ordinal: Bound<'py, PyAny>,
    clock: [Bound<'py, PyAny>; 4],
    offset: Bound<'py, PyAny>,
    delta: [Bound<'py, PyAny>; 3],
    numpy: Option<Bound<'py, PyModule>>,
}

/// Methods of `decimal.Decimal`.
struct Decimal<'py> {
    is_nan: Bound<'py, PyAny>,
    adjusted: Bound<'py, PyAny>,
    format: Bound<'py, PyAny>,
    text: Bound<'py, PyAny>,
}

impl<'py> Reader<'py> {
    pub(crate) fn new(py: Python<'py>) -> PyResult<Self> {
        let datetime = py.import("datetime")?;
        let (times, dates, deltas) =
            (datetime.getattr("datetime")?, datetime.getattr("date")?, datetime.getattr("timedelta")?);
        let mut reader = Self {
            classes: vec![],
            met: HashMap::new(),
            encode: py.get_type::<PyString>().getattr("encode")?,
            written: py.get_type::<PyInt>().getattr("__repr__")?,
            decimal: None,
            uuid: None,
            complex: getters(&py.get_type::<PyComplex>(), ["real", "imag"])?,
            ordinal: dates.getattr("toordinal")?,
            clock: getters(&times, ["hour", "minute", "second", "microsecond"])?,
            offset: times.getattr("utcoffset")?,
            delta: getters(&deltas, ["days", "seconds", "microseconds"])?,
            numpy: None,
        };
        // Subclasses stand before what they are made of. An object can be of a class only if its module was imported.
        if let Some(pandas) = imported(py, "pandas")? {
            for missing in ["NA", "NaT"] {
                reader.classes.push((pandas.getattr(missing)?.get_type(), Kind::Missing));
            }
            reader.know(pandas.getattr("Timestamp")?, Kind::Timestamp)?;
        }
        reader.know(times, Kind::Datetime)?;
        reader.know(dates, Kind::Date)?;
        if let Some(module) = imported(py, "decimal")? {
            let class = module.getattr("Decimal")?;
            reader.decimal = Some(Decimal {
                is_nan: class.getattr("is_nan")?,
                adjusted: class.getattr("adjusted")?,
                format: class.getattr("__format__")?,
                text: class.getattr("__str__")?,
            });
            reader.know(class, Kind::Decimal)?;
        }
        if let Some(module) = imported(py, "uuid")? {
            let class = module.getattr("UUID")?;
            reader.uuid = Some(class.getattr("__str__")?);
            reader.know(class, Kind::Uuid)?;
        }
        if let Some(numpy) = imported(py, "numpy")? {
            let kinds = [
                ("bool_", Kind::NumpyBool),
                // Before whole numbers, which it is one of.
                ("timedelta64", Kind::NumpyDuration),
                ("integer", Kind::NumpyInt),
                ("datetime64", Kind::NumpyTime),
            ];
            for (name, kind) in kinds {
                reader.know(numpy.getattr(name)?, kind)?;
            }
            reader.numpy = Some(numpy);
        }
        for (class, kind) in [
            (py.get_type::<PyBool>(), Kind::Bool),
            (py.get_type::<PyInt>(), Kind::Int),
            (py.get_type::<PyFloat>(), Kind::Float),
            (py.get_type::<PyComplex>(), Kind::Complex),
            (py.get_type::<PyString>(), Kind::Str),
            (py.get_type::<PyBytes>(), Kind::Bytes),
        ] {
            reader.classes.push((class, kind));
        }
        if let Some(numpy) = &reader.numpy {
            // Behind the floats of Python, which one of them is.
            reader.classes.push((numpy.getattr("floating")?.cast_into::<PyType>()?, Kind::NumpyFloat));
        }
        Ok(reader)
    }

    fn know(&mut self, class: Bound<'py, PyAny>, kind: Kind) -> PyResult<()> {
        self.classes.push((class.cast_into::<PyType>()?, kind));
        Ok(())
    }

    /// Rows `start..start + length` of a list, as a union of type [`object_type`]. A row that is not there is unknown.
    pub(crate) fn column(&mut self, values: &Bound<'py, PyList>, start: usize, length: usize) -> ArrayRef {
        let mut column = Column::default();
        for row in start..start + length {
            let value = values.get_item(row).ok().and_then(|value| self.read(&value));
            column.push(value.unwrap_or(Value::Unknown), &self.encode);
        }
        column.finish()
    }

    /// What an object is; `None` if it cannot be read.
    fn read(&mut self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        if object.is_none() {
            return Some(Value::Missing);
        }
        match self.kind(object) {
            Kind::Missing => Some(Value::Missing),
            Kind::Bool | Kind::NumpyBool => object.is_truthy().ok().map(Value::Boolean),
            Kind::Int | Kind::NumpyInt => self.whole(object),
            Kind::Float | Kind::NumpyFloat => object.extract::<f64>().ok().map(real_or_missing),
            Kind::Str => Some(Value::Text(Text::Str(object.cast::<PyString>().ok()?.clone()))),
            Kind::Bytes => Some(Value::Text(Text::Bytes(object.cast::<PyBytes>().ok()?.clone()))),
            Kind::Datetime => self.datetime(object),
            Kind::Timestamp => self.timestamp(object),
            Kind::Date => i32::try_from(self.days(object)?).ok().map(Value::Day),
            Kind::Decimal => self.decimal(object),
            Kind::Complex => self.complex(object),
            Kind::Uuid => text(&self.uuid.as_ref()?.call1((object,)).ok()?),
            Kind::NumpyTime => self.numpy_time(object).map(|micros| micros.map_or(Value::Missing, Value::Clock)),
            // Not a time, but one that is not there.
            Kind::NumpyDuration => ticks(object)?.is_none().then_some(Value::Missing),
            Kind::Other => None,
        }
    }

    fn kind(&mut self, object: &Bound<'py, PyAny>) -> Kind {
        let class = object.get_type();
        let address = class.as_ptr().addr();
        if let Some((kind, _)) = self.met.get(&address) {
            return *kind;
        }
        // The class itself is asked, not the object: `__class__` may be made up.
        let known = self.classes.iter().find(|(known, _)| class.is_subclass(known).unwrap_or(false));
        let kind = known.map_or(Kind::Other, |(_, kind)| *kind);
        self.met.insert(address, (kind, class));
        kind
    }

    /// A whole number of any size.
    fn whole(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        match object.extract::<i64>() {
            Ok(value) => return Some(Value::Whole(value)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {}
            Err(_) => return None,
        }
        // Of numpy's whole numbers only some without a sign are as large.
        let integer = object.py().get_type::<PyInt>();
        let number = if object.is_instance_of::<PyInt>() { object.clone() } else { integer.call1((object,)).ok()? };
        match self.written.call1((&number,)) {
            Ok(digits) => text(&digits),
            // Python writes no number of thousands of digits, and no bound has as many.
            Err(_) => {
                let is_positive = integer.call_method1("__gt__", (&number, 0)).ok()?.is_truthy().ok()?;
                Some(Value::Real(if is_positive { f64::INFINITY } else { f64::NEG_INFINITY }))
            }
        }
    }

    /// A decimal number as text, digit by digit.
    fn decimal(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        let decimal = self.decimal.as_ref()?;
        if decimal.is_nan.call1((object,)).ok()?.is_truthy().ok()? {
            return Some(Value::Missing);
        }
        let exponent: i64 = decimal.adjusted.call1((object,)).ok()?.extract().ok()?;
        let written = if exponent.abs() <= MAX_PLAIN_EXPONENT {
            decimal.format.call1((object, "f"))
        } else {
            decimal.text.call1((object,))
        };
        text(&written.ok()?)
    }

    /// A complex number that is real: one that is not makes such numbers of a whole column.
    fn complex(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        let read = |getter: &Bound<'py, PyAny>| getter.call1((object,)).ok()?.extract::<f64>().ok();
        let [real, imaginary] = self.complex.each_ref().map(read);
        (imaginary? == 0.0).then_some(real?).map(real_or_missing)
    }

    /// Days since 1970 of a date or datetime.
    fn days(&self, object: &Bound<'py, PyAny>) -> Option<i64> {
        Some(self.ordinal.call1((object,)).ok()?.extract::<i64>().ok()? - EPOCH)
    }

    fn datetime(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        let read = |getter: &Bound<'py, PyAny>| getter.call1((object,)).ok()?.extract::<i64>().ok();
        let [hour, minute, second, micros] = self.clock.each_ref().map(read);
        let seconds = (hour? * 60 + minute?) * 60 + second?;
        let clock = self.days(object)? * MICROS_PER_DAY + seconds * MICROS_PER_SECOND + micros?;
        // Asks the zone, which may be a class of anybody's.
        let offset = self.offset.call1((object,)).ok()?;
        if offset.is_none() {
            return Some(Value::Clock(clock));
        }
        let read = |getter: &Bound<'py, PyAny>| getter.call1((&offset,)).ok()?.extract::<i64>().ok();
        let [days, seconds, micros] = self.delta.each_ref().map(read);
        Some(Value::Instant(clock - (days? * MICROS_PER_DAY + seconds? * MICROS_PER_SECOND + micros?)))
    }

    fn timestamp(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        // In UTC, if there is a zone.
        let time = self.numpy_time(&object.getattr("asm8").ok()?)?;
        let has_zone = !object.getattr("tzinfo").ok()?.is_none();
        Some(time.map_or(Value::Missing, if has_zone { Value::Instant } else { Value::Clock }))
    }

    /// Microseconds since 1970 of a `numpy.datetime64`; `None` inside for one that is not a time.
    fn numpy_time(&self, object: &Bound<'py, PyAny>) -> Option<Option<i64>> {
        let Some(ticks) = ticks(object)? else { return Some(None) };
        let data = self.numpy.as_ref()?.getattr("datetime_data").ok()?;
        let (unit, count): (String, i64) = data.call1((object.getattr("dtype").ok()?,)).ok()?.extract().ok()?;
        let ticks = i128::from(ticks) * i128::from(count);
        // As typed columns have it: what is too far away for microseconds is as far away as they go.
        let micros = match unit.as_str() {
            "W" => ticks * 7 * i128::from(MICROS_PER_DAY),
            "D" => ticks * i128::from(MICROS_PER_DAY),
            "h" => ticks * 3_600_000_000,
            "m" => ticks * 60_000_000,
            "s" => ticks * 1_000_000,
            "ms" => ticks * 1_000,
            "us" => ticks,
            "ns" => ticks.div_euclid(1_000),
            "ps" => ticks.div_euclid(1_000_000),
            "fs" => ticks.div_euclid(1_000_000_000),
            "as" => ticks.div_euclid(1_000_000_000_000),
            // Years and months have no fixed length, so numpy counts their days.
            "Y" if ticks.abs() <= MAX_YEARS => return days_of(object),
            "M" if ticks.abs() <= 12 * MAX_YEARS => return days_of(object),
            "Y" | "M" => ticks.signum() * i128::MAX,
            _ => return None,
        };
        let side = if micros < 0 { i64::MIN } else { i64::MAX };
        Some(Some(i64::try_from(micros).unwrap_or(side)))
    }
}

fn real_or_missing<'py>(value: f64) -> Value<'py> {
    if value.is_nan() { Value::Missing } else { Value::Real(value) }
}

/// The number inside a time or duration of numpy; `None` inside if it is not a time.
fn ticks(object: &Bound<'_, PyAny>) -> Option<Option<i64>> {
    let ticks: i64 = object.call_method1("view", ("int64",)).ok()?.extract().ok()?;
    Some((ticks != i64::MIN).then_some(ticks))
}

/// Microseconds since 1970 at which a year or month begins.
fn days_of(object: &Bound<'_, PyAny>) -> Option<Option<i64>> {
    let days = ticks(&object.call_method1("astype", ("datetime64[D]",)).ok()?)??;
    Some(Some(days.saturating_mul(MICROS_PER_DAY)))
}

fn text<'py>(written: &Bound<'py, PyAny>) -> Option<Value<'py>> {
    Some(Value::Text(Text::Str(written.cast::<PyString>().ok()?.clone())))
}

/// How a class reads properties of its objects, whatever subclasses say.
fn getters<'py, const N: usize>(class: &Bound<'py, PyAny>, names: [&str; N]) -> PyResult<[Bound<'py, PyAny>; N]> {
    let getters = names.into_iter().map(|name| class.getattr(name)?.getattr("__get__"));
    let getters = getters.collect::<PyResult<Vec<_>>>()?;
    Ok(getters.try_into().expect("one for each name"))
}

/// A module, if anybody has imported it: otherwise no object is of its classes.
fn imported<'py>(py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyModule>>> {
    let is_there = py.import("sys")?.getattr("modules")?.contains(name)?;
    if is_there { py.import(name).map(Some) } else { Ok(None) }
}

/// Values on their way into a union.
#[derive(Default)]
struct Column {
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
}

impl Column {
    fn push(&mut self, value: Value<'_>, encode: &Bound<'_, PyAny>) {
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
        };
        self.ids.push(id);
        self.places.push(i32::try_from(length - 1).expect("a piece of a column is short"));
    }

    fn push_text(&mut self, text: &Text<'_>, encode: &Bound<'_, PyAny>) {
        match text {
            Text::Bytes(bytes) => self.push_bytes(bytes.as_bytes()),
            Text::Str(text) => match text.to_str() {
                Ok(text) => self.push_bytes(text.as_bytes()),
                // A text with half a character has no UTF-8. Its bytes are no declared value, and still tell units apart.
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

    fn finish(mut self) -> ArrayRef {
        let children: Vec<ArrayRef> = vec![
            Arc::new(NullArray::new(self.missing)),
            Arc::new(self.booleans.finish()),
            Arc::new(self.wholes.finish()),
            Arc::new(self.reals.finish()),
            Arc::new(self.texts.finish()),
            Arc::new(self.days.finish()),
            Arc::new(self.clocks.finish()),
            Arc::new(self.instants.finish().with_timezone(UTC)),
        ];
        let union = UnionArray::try_new(fields(), self.ids.into(), Some(self.places.into()), children);
        Arc::new(union.expect("every row has a place in the child of its id"))
    }
}
