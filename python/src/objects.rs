//! Conversion of Python objects to Arrow columns, value by value and for any value.
//!
//! An object becomes the value that a typed column would hold: a whole number beside a text stays a
//! number, a date stays a date. So the code of a row does not depend on other rows. An object
//! without a plain value is unknown: its `__str__` is not called. Methods are those of the known
//! class, not of a subclass, and a method that raises makes the value unknown.

use std::collections::HashMap;

use arrow_array::ArrayRef;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PyString, PyType};

use crate::object_column::{Column, Text, Value};

/// `datetime.date.toordinal` of 1970-01-01.
const EPOCH: i64 = 719_163;
const MICROS_PER_SECOND: i64 = 1_000_000;
const MICROS_PER_DAY: i64 = 86_400 * MICROS_PER_SECOND;
/// Value of numpy for "not a time".
const NOT_A_TIME: i64 = i64::MIN;
/// Years around 1970 whose days numpy counts: more than fit microseconds, and few enough for numpy.
const MAX_YEARS: i128 = 1_000_000;
/// Decimals with a larger exponent are written in scientific notation: as digits, they could take a
/// gigabyte of zeros.
const MAX_PLAIN_EXPONENT: i64 = 400;

/// Kind of the objects of a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Missing,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    Datetime,
    /// A timestamp of pandas, with a wider range of years than a datetime.
    Timestamp,
    Date,
    Time,
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

/// Reads objects. Holds the classes and methods that it needs, and a cache of the classes that it
/// has met.
pub(crate) struct Reader<'py> {
    classes: Vec<(Bound<'py, PyType>, Kind)>,
    /// By address. Holding the class keeps its address from being reused.
    met: HashMap<usize, (Kind, Bound<'py, PyType>)>,
    encode: Bound<'py, PyAny>,
    written: Bound<'py, PyAny>,
    decimal: Option<Decimal<'py>>,
    uuid: Option<Bound<'py, PyAny>>,
    complex: [Bound<'py, PyAny>; 2],
    ordinal: Bound<'py, PyAny>,
    clock: [Bound<'py, PyAny>; 4],
    time: [Bound<'py, PyAny>; 4],
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
        let [times, dates, clocks, deltas] =
            ["datetime", "date", "time", "timedelta"].map(|class| datetime.getattr(class));
        let (times, dates, clocks, deltas) = (times?, dates?, clocks?, deltas?);
        let parts_of_clock = ["hour", "minute", "second", "microsecond"];
        let mut reader = Self {
            classes: vec![],
            met: HashMap::new(),
            encode: py.get_type::<PyString>().getattr("encode")?,
            written: py.get_type::<PyInt>().getattr("__repr__")?,
            decimal: None,
            uuid: None,
            complex: getters(&py.get_type::<PyComplex>(), ["real", "imag"])?,
            ordinal: dates.getattr("toordinal")?,
            clock: getters(&times, parts_of_clock)?,
            time: getters(&clocks, parts_of_clock)?,
            offset: times.getattr("utcoffset")?,
            delta: getters(&deltas, ["days", "seconds", "microseconds"])?,
            numpy: None,
        };
        // Subclasses come before their base classes. Objects of a class exist only if its module
        // was imported.
        if let Some(pandas) = imported(py, "pandas")? {
            for missing in ["NA", "NaT"] {
                reader.classes.push((pandas.getattr(missing)?.get_type(), Kind::Missing));
            }
            reader.know(pandas.getattr("Timestamp")?, Kind::Timestamp)?;
        }
        reader.know(times, Kind::Datetime)?;
        reader.know(dates, Kind::Date)?;
        reader.know(clocks, Kind::Time)?;
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
                // Before whole numbers, of which it is a subclass.
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
            // After the floats of Python, of which one is a subclass.
            reader.classes.push((numpy.getattr("floating")?.cast_into::<PyType>()?, Kind::NumpyFloat));
        }
        Ok(reader)
    }

    fn know(&mut self, class: Bound<'py, PyAny>, kind: Kind) -> PyResult<()> {
        self.classes.push((class.cast_into::<PyType>()?, kind));
        Ok(())
    }

    /// Converts rows `start..start + length` of a list to a union of
    /// [`object_type`](crate::object_column::object_type). A row beyond the end is unknown.
    pub(crate) fn column(&mut self, values: &Bound<'py, PyList>, start: usize, length: usize) -> ArrayRef {
        let mut column = Column::default();
        for row in start..start + length {
            let value = values.get_item(row).ok().and_then(|value| self.read(&value));
            column.push(value.unwrap_or(Value::Unknown), &self.encode);
        }
        column.finish()
    }

    /// Returns the value of an object; `None` if it cannot be read.
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
            // A time zone of a time alone is not used: its offset may depend on the day.
            Kind::Time => micros_since_midnight(&self.time, object).map(Value::Time),
            Kind::Decimal => self.decimal(object),
            Kind::Complex => self.complex(object),
            Kind::Uuid => text(&self.uuid.as_ref()?.call1((object,)).ok()?),
            Kind::NumpyTime => self.numpy_time(object).map(|micros| time_or_missing(micros, Value::Clock)),
            Kind::NumpyDuration => (ticks(object)? == NOT_A_TIME).then_some(Value::Missing),
            Kind::Other => None,
        }
    }

    fn kind(&mut self, object: &Bound<'py, PyAny>) -> Kind {
        let class = object.get_type();
        let address = class.as_ptr().addr();
        if let Some((kind, _)) = self.met.get(&address) {
            return *kind;
        }
        // Checks the class, not the object: an object can lie in `__class__`.
        let known = self.classes.iter().find(|(known, _)| class.is_subclass(known).unwrap_or(false));
        let kind = known.map_or(Kind::Other, |(_, kind)| *kind);
        self.met.insert(address, (kind, class));
        kind
    }

    /// Reads a whole number of any size.
    fn whole(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        match object.extract::<i64>() {
            Ok(value) => return Some(Value::Whole(value)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {}
            Err(_) => return None,
        }
        // Of numpy's whole numbers, only some unsigned ones are this large.
        let integer = object.py().get_type::<PyInt>();
        let number = if object.is_instance_of::<PyInt>() { object.clone() } else { integer.call1((object,)).ok()? };
        if let Ok(digits) = self.written.call1((&number,)) {
            return text(&digits);
        }
        // Python does not format numbers of thousands of digits, and no bound is as large.
        let is_positive = integer.call_method1("__gt__", (&number, 0)).ok()?.is_truthy().ok()?;
        Some(Value::Real(if is_positive { f64::INFINITY } else { f64::NEG_INFINITY }))
    }

    /// Reads a decimal number as text, digit by digit.
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

    /// Reads a complex number without an imaginary part: one value with an imaginary part makes a
    /// whole column complex.
    fn complex(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        let part = |getter: &Bound<'py, PyAny>| getter.call1((object,)).ok()?.extract::<f64>().ok();
        let [real, imaginary] = self.complex.each_ref().map(part);
        (imaginary? == 0.0).then_some(real?).map(real_or_missing)
    }

    /// Returns the days since 1970 of a date or datetime.
    fn days(&self, object: &Bound<'py, PyAny>) -> Option<i64> {
        Some(self.ordinal.call1((object,)).ok()?.extract::<i64>().ok()? - EPOCH)
    }

    fn datetime(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        let clock = self.days(object)? * MICROS_PER_DAY + micros_since_midnight(&self.clock, object)?;
        // Calls the time zone, which may be of any class.
        let offset = self.offset.call1((object,)).ok()?;
        if offset.is_none() {
            return Some(Value::Clock(clock));
        }
        let read = |getter: &Bound<'py, PyAny>| getter.call1((&offset,)).ok()?.extract::<i64>().ok();
        let [days, seconds, micros] = self.delta.each_ref().map(read);
        Some(Value::Instant(clock - (days? * MICROS_PER_DAY + seconds? * MICROS_PER_SECOND + micros?)))
    }

    fn timestamp(&self, object: &Bound<'py, PyAny>) -> Option<Value<'py>> {
        // In UTC, if there is a time zone.
        let time = self.numpy_time(&object.getattr("asm8").ok()?)?;
        let has_zone = !object.getattr("tzinfo").ok()?.is_none();
        Some(time_or_missing(time, if has_zone { Value::Instant } else { Value::Clock }))
    }

    /// Returns the microseconds since 1970 of a `numpy.datetime64`, or [`NOT_A_TIME`].
    fn numpy_time(&self, object: &Bound<'py, PyAny>) -> Option<i64> {
        let ticks = ticks(object)?;
        if ticks == NOT_A_TIME {
            return Some(NOT_A_TIME);
        }
        let data = self.numpy.as_ref()?.getattr("datetime_data").ok()?;
        let (unit, count): (String, i64) = data.call1((object.getattr("dtype").ok()?,)).ok()?.extract().ok()?;
        let ticks = i128::from(ticks) * i128::from(count);
        // As in typed columns, times out of the range of microseconds become its ends.
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
        let side = if micros < 0 { -i64::MAX } else { i64::MAX };
        Some(i64::try_from(micros).ok().filter(|micros| *micros != NOT_A_TIME).unwrap_or(side))
    }
}

/// Returns the microseconds since midnight of a datetime or time, by the getters of its class.
fn micros_since_midnight(clock: &[Bound<'_, PyAny>; 4], object: &Bound<'_, PyAny>) -> Option<i64> {
    let read = |getter: &Bound<'_, PyAny>| getter.call1((object,)).ok()?.extract::<i64>().ok();
    let [hour, minute, second, micros] = clock.each_ref().map(read);
    Some(((hour? * 60 + minute?) * 60 + second?) * MICROS_PER_SECOND + micros?)
}

fn real_or_missing<'py>(value: f64) -> Value<'py> {
    if value.is_nan() { Value::Missing } else { Value::Real(value) }
}

fn time_or_missing<'py>(micros: i64, time: fn(i64) -> Value<'py>) -> Value<'py> {
    if micros == NOT_A_TIME { Value::Missing } else { time(micros) }
}

/// Returns the number inside a time or duration of numpy.
fn ticks(object: &Bound<'_, PyAny>) -> Option<i64> {
    object.call_method1("view", ("int64",)).ok()?.extract().ok()
}

/// Returns the microseconds since 1970 at which a year or month begins.
fn days_of(object: &Bound<'_, PyAny>) -> Option<i64> {
    let days = ticks(&object.call_method1("astype", ("datetime64[D]",)).ok()?)?;
    Some(days.saturating_mul(MICROS_PER_DAY).max(-i64::MAX))
}

fn text<'py>(written: &Bound<'py, PyAny>) -> Option<Value<'py>> {
    Some(Value::Text(Text::Str(written.cast::<PyString>().ok()?.clone())))
}

/// Returns the getters of a class for its properties, ignoring overrides in subclasses.
fn getters<'py, const N: usize>(class: &Bound<'py, PyAny>, names: [&str; N]) -> PyResult<[Bound<'py, PyAny>; N]> {
    let getters = names.into_iter().map(|name| class.getattr(name)?.getattr("__get__"));
    let getters = getters.collect::<PyResult<Vec<_>>>()?;
    Ok(getters.try_into().expect("one for each name"))
}

/// Returns a module if it was imported: otherwise there are no objects of its classes.
fn imported<'py>(py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyModule>>> {
    let is_there = py.import("sys")?.getattr("modules")?.contains(name)?;
    if is_there { py.import(name).map(Some) } else { Ok(None) }
}
