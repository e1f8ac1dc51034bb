//! Encodes Arrow arrays as codes. Total: every array of a supported type gives one code per row.

use std::io::Write;
use std::sync::Arc;

use datafusion::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, DictionaryArray, PrimitiveArray, UInt8Array};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use scumble_planted::Mutant;
use scumble_schema::{CodeWidth, Encoder};

use crate::source::indirect::Indirect;
use crate::source::whole::{Code, WholeCodes, WholeNumber, WholeTable};

/// Placeholder for a value that cannot be stored: a field that is too long, or a value of a type
/// without codes. No declared value equals this byte, because a schema is UTF-8 and this byte is
/// not, so every encoder treats it as an unknown value.
pub(crate) const TOO_LONG: &[u8] = b"\xFF";

const MILLIS_PER_DAY: i64 = 86_400_000;
/// Texts of at least this length are cached by their memory address.
pub(crate) const LONG_TEXT: usize = 1024;
const LONG_TEXTS: usize = 64;

/// Returns whether values of this type can be encoded. Types are public, so a type may be refused;
/// a value may not.
pub(crate) fn supports(data_type: &DataType) -> bool {
    match data_type {
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_)
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(_, _)
        | DataType::Time32(TimeUnit::Second | TimeUnit::Millisecond)
        | DataType::Time64(TimeUnit::Microsecond | TimeUnit::Nanosecond)
        | DataType::Decimal32(_, _)
        | DataType::Decimal64(_, _)
        | DataType::Decimal128(_, _)
        | DataType::Decimal256(_, _)
        // Value by value: a child without codes has unknown values.
        | DataType::Union(_, _) => true,
        DataType::Dictionary(_, values) => supports(values),
        DataType::RunEndEncoded(_, values) => supports(values.data_type()),
        other => other.is_integer() || other.is_floating(),
    }
}

/// Arrow type of the codes of an attribute with `size` values.
pub(crate) fn code_type(size: u32) -> DataType {
    match CodeWidth::for_size(size) {
        CodeWidth::U8 => DataType::UInt8,
        CodeWidth::U16 => DataType::UInt16,
        CodeWidth::U32 => DataType::UInt32,
    }
}

/// Encodes `array`, without nulls; `None` if its type is not supported. `whole` belongs to
/// `encoder`.
pub(crate) fn encode(encoder: &Encoder, whole: &WholeCodes, array: &dyn Array) -> Option<ArrayRef> {
    match CodeWidth::for_size(encoder.size()) {
        CodeWidth::U8 => collect::<UInt8Type>(encoder, whole, array),
        CodeWidth::U16 => collect::<UInt16Type>(encoder, whole, array),
        CodeWidth::U32 => collect::<UInt32Type>(encoder, whole, array),
    }
}

fn collect<T: ArrowPrimitiveType>(encoder: &Encoder, whole: &WholeCodes, array: &dyn Array) -> Option<ArrayRef>
where
    T::Native: TryFrom<u32> + Into<i64> + Ord + Code,
{
    let mut codes: Vec<T::Native> = Vec::with_capacity(array.len());
    if array.data_type().is_integer()
        && array.null_count() == 0
        && let Some(table) = whole.of(encoder)
    {
        if array.data_type() == &T::DATA_TYPE
            && let Some(last) = table.identity()
            && array.as_primitive::<T>().values().iter().copied().max().is_none_or(|largest| largest.into() <= last)
        {
            // The values are already codes.
            return Some(array.slice(0, array.len()));
        }
        whole_numbers(table, array, &mut codes);
        return Some(Arc::new(PrimitiveArray::<T>::new(codes.into(), None)));
    }
    each(encoder, array, &mut |code| match code.try_into() {
        Ok(code) => codes.push(code),
        Err(_) => unreachable!("a code is below its encoder's size, and the type was chosen to hold that"),
    })?;
    debug_assert_eq!(codes.len(), array.len());
    Some(Arc::new(PrimitiveArray::<T>::new(codes.into(), None)))
}

/// Encodes an array of integers without nulls.
fn whole_numbers<C: Code>(table: &WholeTable, array: &dyn Array, codes: &mut Vec<C>) {
    fn of<T: ArrowPrimitiveType, C: Code>(table: &WholeTable, array: &dyn Array, codes: &mut Vec<C>)
    where
        T::Native: WholeNumber,
    {
        T::Native::encode(table, array.as_primitive::<T>().values(), codes);
    }
    match array.data_type() {
        DataType::Int8 => of::<Int8Type, C>(table, array, codes),
        DataType::Int16 => of::<Int16Type, C>(table, array, codes),
        DataType::Int32 => of::<Int32Type, C>(table, array, codes),
        DataType::Int64 => of::<Int64Type, C>(table, array, codes),
        DataType::UInt8 => of::<UInt8Type, C>(table, array, codes),
        DataType::UInt16 => of::<UInt16Type, C>(table, array, codes),
        DataType::UInt32 => of::<UInt32Type, C>(table, array, codes),
        DataType::UInt64 => of::<UInt64Type, C>(table, array, codes),
        _ => unreachable!("these are the integer types"),
    }
}

/// Calls `push` with the code of every row in turn; `None` if the type is not supported.
fn each(encoder: &Encoder, array: &dyn Array, push: &mut impl FnMut(u32)) -> Option<()> {
    macro_rules! whole {
        ($type:ty) => {
            primitive::<$type>(encoder, array, |value| encoder.integer(value.into()), push)
        };
    }
    macro_rules! decimal {
        ($type:ty, $scale:expr) => {{
            let mut text = Vec::new();
            primitive::<$type>(encoder, array, |value| encoder.text(decimal(&mut text, value, $scale)), push)
        }};
    }
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| push(encoder.null())),
        DataType::Boolean => values(encoder, array.as_boolean().iter(), |value| encoder.boolean(value), push),
        DataType::Int8 => whole!(Int8Type),
        DataType::Int16 => whole!(Int16Type),
        DataType::Int32 => whole!(Int32Type),
        DataType::Int64 => whole!(Int64Type),
        DataType::UInt8 => whole!(UInt8Type),
        DataType::UInt16 => whole!(UInt16Type),
        DataType::UInt32 => whole!(UInt32Type),
        DataType::UInt64 => whole!(UInt64Type),
        DataType::Float16 => primitive::<Float16Type>(encoder, array, |value| encoder.float(value.to_f64()), push),
        DataType::Float32 => primitive::<Float32Type>(encoder, array, |value| encoder.float(value.into()), push),
        DataType::Float64 => primitive::<Float64Type>(encoder, array, |value| encoder.float(value), push),
        DataType::Decimal32(_, scale) => decimal!(Decimal32Type, *scale),
        DataType::Decimal64(_, scale) => decimal!(Decimal64Type, *scale),
        DataType::Decimal128(_, scale) => decimal!(Decimal128Type, *scale),
        DataType::Decimal256(_, scale) => decimal!(Decimal256Type, *scale),
        DataType::Date32 => primitive::<Date32Type>(encoder, array, |days| encoder.date(days.into()), push),
        DataType::Date64 => {
            primitive::<Date64Type>(encoder, array, |millis| encoder.date(millis.div_euclid(MILLIS_PER_DAY)), push);
        }
        DataType::Timestamp(unit, zone) => {
            // Without a time zone, the timestamp is local time. The column may name its zone.
            let code =
                |micros| if zone.is_some() { encoder.timestamp(micros) } else { encoder.local_timestamp(micros) };
            // Instants outside the range of microseconds are clamped to it.
            match unit {
                TimeUnit::Second => {
                    let code = |seconds: i64| code(seconds.saturating_mul(1_000_000));
                    primitive::<TimestampSecondType>(encoder, array, code, push);
                }
                TimeUnit::Millisecond => {
                    let code = |millis: i64| code(millis.saturating_mul(1_000));
                    primitive::<TimestampMillisecondType>(encoder, array, code, push);
                }
                TimeUnit::Microsecond => primitive::<TimestampMicrosecondType>(encoder, array, code, push),
                TimeUnit::Nanosecond => {
                    let code = |nanos: i64| code(nanos.div_euclid(1_000));
                    primitive::<TimestampNanosecondType>(encoder, array, code, push);
                }
            }
        }
        DataType::Time32(TimeUnit::Second) => {
            primitive::<Time32SecondType>(encoder, array, |value| encoder.time(i64::from(value) * 1_000_000), push);
        }
        DataType::Time32(TimeUnit::Millisecond) => {
            primitive::<Time32MillisecondType>(encoder, array, |value| encoder.time(i64::from(value) * 1_000), push);
        }
        DataType::Time64(TimeUnit::Microsecond) => {
            primitive::<Time64MicrosecondType>(encoder, array, |micros| encoder.time(micros), push);
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            primitive::<Time64NanosecondType>(encoder, array, |nanos| encoder.time(nanos.div_euclid(1_000)), push);
        }
        DataType::Utf8 => bytes(encoder, array.as_string::<i32>().iter(), push),
        DataType::LargeUtf8 => bytes(encoder, array.as_string::<i64>().iter(), push),
        DataType::Utf8View => bytes(encoder, array.as_string_view().iter(), push),
        DataType::Binary => bytes(encoder, array.as_binary::<i32>().iter(), push),
        DataType::LargeBinary => bytes(encoder, array.as_binary::<i64>().iter(), push),
        DataType::BinaryView => bytes(encoder, array.as_binary_view().iter(), push),
        DataType::FixedSizeBinary(_) => bytes(encoder, array.as_fixed_size_binary().iter(), push),
        DataType::Dictionary(_, _) => dictionary(encoder, array, push)?,
        DataType::RunEndEncoded(_, values) if !supports(values.data_type()) => return None,
        DataType::RunEndEncoded(_, _) | DataType::Union(_, _) => indirect(encoder, &Indirect::of(array)?, push),
        _ => return None,
    }
    Some(())
}

fn primitive<T: ArrowPrimitiveType>(
    encoder: &Encoder,
    array: &dyn Array,
    mut code: impl FnMut(T::Native) -> u32,
    push: &mut impl FnMut(u32),
) {
    let array = array.as_primitive::<T>();
    if array.null_count() == 0 {
        array.values().iter().for_each(|value| push(code(*value)));
    } else {
        values(encoder, array.iter(), code, push);
    }
}

fn bytes<V: AsRef<[u8]>>(encoder: &Encoder, array: impl Iterator<Item = Option<V>>, push: &mut impl FnMut(u32)) {
    // A dictionary page or a column of views can repeat one long text in every row at no cost to
    // the file. Equal addresses have equal codes, so each text is encoded once.
    let mut seen = [(0, 0, 0); LONG_TEXTS];
    let code = |value: V| {
        let text = value.as_ref();
        if text.len() < LONG_TEXT {
            return encoder.text(text);
        }
        let place = text.as_ptr().addr();
        let slot = &mut seen[(place >> 4) % LONG_TEXTS];
        if (slot.0, slot.1) != (place, text.len()) {
            *slot = (place, text.len(), encoder.text(text));
        }
        slot.2
    };
    values(encoder, array, code, push);
}

fn values<V>(
    encoder: &Encoder,
    array: impl Iterator<Item = Option<V>>,
    mut code: impl FnMut(V) -> u32,
    push: &mut impl FnMut(u32),
) {
    let array = array.filter(|value| value.is_some() || !Mutant::MissingValueRaises.is_planted());
    array.for_each(|value| push(value.map_or_else(|| encoder.null(), &mut code)));
}

/// Encodes each entry of the dictionary once, then maps keys to codes.
fn dictionary(encoder: &Encoder, array: &dyn Array, push: &mut impl FnMut(u32)) -> Option<()> {
    let array = array.as_any_dictionary();
    let entries = encode(encoder, &WholeCodes::unused(), array.values().as_ref())?;
    let entries: Vec<u32> = match entries.data_type() {
        DataType::UInt8 => entries.as_primitive::<UInt8Type>().values().iter().map(|code| (*code).into()).collect(),
        DataType::UInt16 => entries.as_primitive::<UInt16Type>().values().iter().map(|code| (*code).into()).collect(),
        _ => entries.as_primitive::<UInt32Type>().values().to_vec(),
    };
    if entries.is_empty() {
        // Without entries all keys are null.
        (0..array.len()).for_each(|_| push(encoder.null()));
        return Some(());
    }
    let keys = array.normalized_keys();
    match array.nulls() {
        None => keys.iter().for_each(|key| push(entries[*key])),
        Some(nulls) => {
            let codes = keys.iter().zip(nulls).map(|(key, valid)| if valid { entries[*key] } else { encoder.null() });
            codes.for_each(push);
        }
    }
    Some(())
}

/// Encodes the values that a union or a run-end encoded array refers to.
fn indirect(encoder: &Encoder, column: &Indirect, push: &mut impl FnMut(u32)) {
    let codes: Vec<Vec<u32>> = column.children.iter().map(|child| codes_or_unknown(encoder, child.as_ref())).collect();
    column.pick(&codes).for_each(|code| push(code.copied().unwrap_or(encoder.unknown())));
}

/// Returns the codes of a column of any type: non-null values of a type without codes are unknown.
fn codes_or_unknown(encoder: &Encoder, array: &dyn Array) -> Vec<u32> {
    let mut codes = Vec::with_capacity(array.len());
    if each(encoder, array, &mut |code| codes.push(code)).is_none() {
        let nulls = array.logical_nulls();
        let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        codes = (0..array.len()).map(|row| if is_null(row) { encoder.null() } else { encoder.unknown() }).collect();
    }
    codes
}

/// Returns a column whose values every encoder treats as unknown, null where `array` is null. It
/// replaces a column whose type has no codes.
pub(crate) fn unknown_values(array: &dyn Array) -> ArrayRef {
    let keys = UInt8Array::new(vec![0; array.len()].into(), array.logical_nulls());
    Arc::new(DictionaryArray::new(keys, Arc::new(BinaryArray::from_vec(vec![TOO_LONG]))))
}

/// Type of the column that [`unknown_values`] returns.
pub(crate) fn unknown_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Binary))
}

/// Writes the exact decimal text of `unscaled / 10^scale` into a reusable buffer.
pub(crate) fn decimal(text: &mut Vec<u8>, unscaled: impl std::fmt::Display, scale: i8) -> &[u8] {
    text.clear();
    write!(text, "{unscaled}").expect("writing to memory");
    if scale <= 0 {
        if text != b"0" {
            text.resize(text.len() + usize::from(scale.unsigned_abs()), b'0');
        }
        return text;
    }
    let scale = usize::from(scale.unsigned_abs());
    let digits = usize::from(text[0] == b'-');
    // At least one digit precedes the point.
    let padding = (scale + 1).saturating_sub(text.len() - digits);
    text.splice(digits..digits, std::iter::repeat_n(b'0', padding));
    text.insert(text.len() - scale, b'.');
    text
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::i256;

    use super::*;

    #[test]
    fn decimals_are_written_exactly() {
        let written =
            |unscaled: i128, scale| String::from_utf8(decimal(&mut vec![], unscaled, scale).to_vec()).unwrap();
        assert_eq!(written(12_345, 2), "123.45");
        assert_eq!(written(-5, 3), "-0.005");
        assert_eq!(written(0, 2), "0.00");
        assert_eq!(written(100, 2), "1.00");
        assert_eq!(written(7, 0), "7");
        assert_eq!(written(-7, -2), "-700");
        assert_eq!(written(0, -2), "0");
        assert_eq!(written(i128::MIN, 1), "-17014118346046923173168730371588410572.8");
        assert_eq!(decimal(&mut vec![], i256::from_i128(-15), 1), b"-1.5");
    }
}
