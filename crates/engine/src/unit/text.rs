//! Canonical text of the values of a unit column, whatever the notation in the file.
//!
//! A person's rows must not split into two units because one file has the number 7 and another the
//! text `7.0`. Nor may two identifiers merge: values are different unless they are known to be
//! equal. So `07` and `7` differ, and so do `A7` and `a7`.

use std::io::Write;

use datafusion::arrow::array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType,
    Time32SecondType, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::{DataType, TimeUnit};
use datafusion::arrow::temporal_conversions::{
    date32_to_datetime, date64_to_datetime, time32ms_to_time, time32s_to_time, time64ns_to_time, time64us_to_time,
    timestamp_ms_to_datetime, timestamp_ns_to_datetime, timestamp_s_to_datetime, timestamp_us_to_datetime,
};
use scumble_schema::limits::FIELD_BYTES;

use crate::codes::encode::{TOO_LONG, decimal};

/// Calls `push` with the text of every value in turn, `None` for a missing one; returns `None` if
/// the type is not supported. Dictionaries are handled by the caller.
pub(super) fn each_text(array: &dyn Array, push: &mut impl FnMut(Option<&[u8]>)) -> Option<()> {
    macro_rules! written {
        ($type:ty, $write:expr) => {{
            let (mut text, mut scratch) = (Vec::new(), Vec::new());
            for value in array.as_primitive::<$type>() {
                text.clear();
                // A missing value has no text.
                if let Some(value) = value {
                    $write(&mut text, value);
                }
                push(canonical(&text, &mut scratch));
            }
        }};
    }
    macro_rules! decimals {
        ($type:ty, $scale:expr) => {
            written!($type, |text: &mut Vec<u8>, value| {
                decimal(text, value, $scale);
            })
        };
    }
    macro_rules! instant {
        ($type:ty, $read:expr) => {
            // Outside the representable years, or the day, the raw number is used.
            written!($type, |text: &mut Vec<u8>, value| match $read(value) {
                Some(time) => write_value(text, time),
                None => write_value(text, value),
            })
        };
    }
    match array.data_type() {
        DataType::Null => (0..array.len()).for_each(|_| push(None)),
        DataType::Boolean => {
            let word = |value| if value { b"true".as_slice() } else { b"false" };
            array.as_boolean().iter().for_each(|value| push(value.map(word)));
        }
        DataType::Int8 => written!(Int8Type, write_value),
        DataType::Int16 => written!(Int16Type, write_value),
        DataType::Int32 => written!(Int32Type, write_value),
        DataType::Int64 => written!(Int64Type, write_value),
        DataType::UInt8 => written!(UInt8Type, write_value),
        DataType::UInt16 => written!(UInt16Type, write_value),
        DataType::UInt32 => written!(UInt32Type, write_value),
        DataType::UInt64 => written!(UInt64Type, write_value),
        DataType::Float16 => written!(Float16Type, |text: &mut Vec<u8>, value: Native<Float16Type>| {
            write_f32(text, value.to_f32());
        }),
        DataType::Float32 => written!(Float32Type, write_f32),
        DataType::Float64 => written!(Float64Type, write_f64),
        DataType::Decimal32(_, scale) => decimals!(Decimal32Type, *scale),
        DataType::Decimal64(_, scale) => decimals!(Decimal64Type, *scale),
        DataType::Decimal128(_, scale) => decimals!(Decimal128Type, *scale),
        DataType::Decimal256(_, scale) => decimals!(Decimal256Type, *scale),
        DataType::Date32 => instant!(Date32Type, date32_to_datetime),
        DataType::Date64 => instant!(Date64Type, date64_to_datetime),
        DataType::Timestamp(TimeUnit::Second, _) => instant!(TimestampSecondType, timestamp_s_to_datetime),
        DataType::Timestamp(TimeUnit::Millisecond, _) => instant!(TimestampMillisecondType, timestamp_ms_to_datetime),
        DataType::Timestamp(TimeUnit::Microsecond, _) => instant!(TimestampMicrosecondType, timestamp_us_to_datetime),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => instant!(TimestampNanosecondType, timestamp_ns_to_datetime),
        DataType::Time32(TimeUnit::Second) => instant!(Time32SecondType, time32s_to_time),
        DataType::Time32(TimeUnit::Millisecond) => instant!(Time32MillisecondType, time32ms_to_time),
        DataType::Time64(TimeUnit::Microsecond) => instant!(Time64MicrosecondType, time64us_to_time),
        DataType::Time64(TimeUnit::Nanosecond) => instant!(Time64NanosecondType, time64ns_to_time),
        DataType::Utf8 => texts(array.as_string::<i32>().iter(), push),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter(), push),
        DataType::Utf8View => texts(array.as_string_view().iter(), push),
        DataType::Binary => texts(array.as_binary::<i32>().iter(), push),
        DataType::LargeBinary => texts(array.as_binary::<i64>().iter(), push),
        DataType::BinaryView => texts(array.as_binary_view().iter(), push),
        // Bytes of a fixed length are digests and UUIDs, in which no byte is a blank.
        DataType::FixedSizeBinary(_) => {
            array
                .as_fixed_size_binary()
                .iter()
                .for_each(|value| push(value.filter(|value| value.len() <= FIELD_BYTES)));
        }
        _ => return None,
    }
    Some(())
}

type Native<T> = <T as ArrowPrimitiveType>::Native;

fn texts<V: AsRef<[u8]>>(values: impl Iterator<Item = Option<V>>, push: &mut impl FnMut(Option<&[u8]>)) {
    let mut scratch = Vec::new();
    for value in values {
        push(value.as_ref().and_then(|value| canonical(value.as_ref(), &mut scratch)));
    }
}

fn write_value(text: &mut Vec<u8>, value: impl std::fmt::Display) {
    write!(text, "{value}").expect("writing to memory");
}

/// Writes the shortest digits of the number, without an exponent, and a whole number without a
/// fraction.
fn write_f64(text: &mut Vec<u8>, value: f64) {
    if !value.is_nan() {
        // Adding zero turns negative zero into zero.
        write_value(text, value + 0.0);
    }
}

fn write_f32(text: &mut Vec<u8>, value: f32) {
    if !value.is_nan() {
        write_value(text, value + 0.0);
    }
}

/// Returns one text for all notations of a value; `None` if it is empty or too long.
///
/// Surrounding blanks are ignored, and so are zeros after the point of a whole number, and the
/// notation of an instant.
pub(super) fn canonical<'a>(text: &'a [u8], scratch: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    let is_held = text.len() <= FIELD_BYTES;
    let text = text.trim_ascii();
    // Not every source passes on values that are too long. Where one has inserted the placeholder,
    // the unit of the row is unknown too.
    if !is_held || text.is_empty() || text == TOO_LONG {
        return None;
    }
    if let Some(whole) = whole_number(text) {
        return Some(whole);
    }
    if let Some((date, time)) = instant(text) {
        scratch.clear();
        scratch.extend_from_slice(date);
        // Programs that know only instants convert a date to midnight.
        if time != b"00:00:00" {
            scratch.push(b'T');
            scratch.extend_from_slice(time);
        }
        return Some(scratch);
    }
    Some(text)
}

/// Returns the digits before the point of `7.0`, the notation of whole numbers in a column with
/// missing values.
fn whole_number(text: &[u8]) -> Option<&[u8]> {
    let point = text.iter().position(|byte| *byte == b'.')?;
    let (whole, zeros) = (&text[..point], &text[point + 1..]);
    let digits = whole.strip_prefix(b"-").unwrap_or(whole);
    let is_whole = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    (is_whole && !zeros.is_empty() && zeros.iter().all(|byte| *byte == b'0')).then_some(whole)
}

/// Returns date and time of an instant such as `2020-12-31 18:00:00.50` or `2020-12-31T18:00:00Z`,
/// without trailing zeros.
fn instant(text: &[u8]) -> Option<(&[u8], &[u8])> {
    const SHAPE: &[u8] = b"0000-00-00T00:00:00";
    let (date_and_time, fraction) = text.split_at_checked(SHAPE.len())?;
    let fits = |(byte, shape): (&u8, &u8)| match shape {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' '),
        _ => byte == shape,
    };
    let fraction = fraction.strip_suffix(b"Z").unwrap_or(fraction);
    let is_fraction = match fraction {
        [] => true,
        [b'.', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if !is_fraction || !date_and_time.iter().zip(SHAPE).all(fits) {
        return None;
    }
    let zeros = fraction.iter().rev().take_while(|byte| matches!(byte, b'0' | b'.')).count();
    // The point is dropped only with the whole fraction.
    let fraction = &fraction[..fraction.len() - zeros];
    let end = SHAPE.len() + fraction.len();
    Some((&text[..10], &text[11..end]))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{
        ArrayRef, BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, FixedSizeBinaryArray,
        Float16Array, Float32Array, Float64Array, Int64Array, NullArray, StringArray, TimestampMillisecondArray,
        TimestampNanosecondArray, TimestampSecondArray, UInt8Array,
    };
    use datafusion::arrow::compute::cast;

    use super::*;

    fn all(array: &ArrayRef) -> Vec<Option<String>> {
        let mut all = vec![];
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        each_text(array, &mut |value| all.push(value.map(text))).unwrap();
        assert_eq!(all.len(), array.len());
        all
    }

    fn of(text: &str) -> Option<String> {
        canonical(text.as_bytes(), &mut vec![]).map(|text| String::from_utf8_lossy(text).into_owned())
    }

    #[test]
    fn seven_is_seven_in_every_type() {
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![7])),
            Arc::new(UInt8Array::from(vec![7])),
            Arc::new(Float64Array::from(vec![7.0])),
            Arc::new(Float32Array::from(vec![7.0])),
            cast(&Float32Array::from(vec![7.0]), &DataType::Float16).unwrap(),
            Arc::new(Decimal128Array::from(vec![700]).with_precision_and_scale(5, 2).unwrap()),
            Arc::new(StringArray::from(vec!["7"])),
            Arc::new(StringArray::from(vec![" 7\t"])),
            Arc::new(StringArray::from(vec!["7.000"])),
            Arc::new(BinaryArray::from_vec(vec![b"7.0"])),
        ];
        for array in arrays {
            assert_eq!(all(&array), [Some("7".to_owned())], "{}", array.data_type());
        }
    }

    #[test]
    fn a_day_is_a_day_in_every_type() {
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Date32Array::from(vec![18_292])),
            Arc::new(Date64Array::from(vec![18_292 * 86_400_000])),
            Arc::new(TimestampSecondArray::from(vec![18_292 * 86_400])),
            Arc::new(TimestampMillisecondArray::from(vec![18_292 * 86_400_000]).with_timezone("+05:00")),
            Arc::new(TimestampNanosecondArray::from(vec![18_292 * 86_400_000_000_000])),
            Arc::new(StringArray::from(vec!["2020-01-31"])),
            Arc::new(StringArray::from(vec!["2020-01-31 00:00:00"])),
            Arc::new(StringArray::from(vec!["2020-01-31T00:00:00.000Z"])),
        ];
        for array in arrays {
            assert_eq!(all(&array), [Some("2020-01-31".to_owned())], "{}", array.data_type());
        }
        let time: ArrayRef = Arc::new(TimestampMillisecondArray::from(vec![18_292 * 86_400_000 + 36_610_250]));
        assert_eq!(all(&time), [Some("2020-01-31T10:10:10.25".to_owned())]);
        for text in ["2020-01-31 10:10:10.250000", "2020-01-31T10:10:10.25Z"] {
            assert_eq!(of(text).as_deref(), Some("2020-01-31T10:10:10.25"));
        }
        assert_eq!(of("2020-01-31 10:10:10.000").as_deref(), Some("2020-01-31T10:10:10"));
        assert_eq!(of("2020-01-31 10:10:00").as_deref(), Some("2020-01-31T10:10:00"));
    }

    #[test]
    fn values_not_known_to_be_equal_are_different() {
        let texts = [
            "7",
            "07",
            "7.",
            ".0",
            "-7",
            "+7",
            "7.01",
            "7.10",
            "7.1",
            "7e0",
            "7.0.0",
            "a7",
            "A7",
            "a 7",
            "-",
            "-.0",
            "2020-01-31",
            "2020-01-31T00:00",
            "2020-01-31 00:00:01",
            "2020-01-31 00:00:00.",
            "2020-01-31 00:00:00+01",
            "2020-1-31 00:00:00",
            "NaN",
            "true",
        ];
        let mut known: Vec<_> = texts.iter().map(|text| of(text).unwrap()).collect();
        known.sort();
        known.dedup();
        assert_eq!(known.len(), texts.len());
    }

    #[test]
    fn empty_and_blank_texts_are_missing() {
        for text in ["", " ", "\t\r\n "] {
            assert_eq!(of(text), None);
        }
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(NullArray::new(2)),
            Arc::new(Int64Array::from(vec![None, None])),
            Arc::new(Float64Array::from(vec![None, Some(f64::NAN)])),
            Arc::new(StringArray::from(vec![None, Some("")])),
            Arc::new(Float16Array::from(vec![None, None])),
            Arc::new(BooleanArray::from(vec![None, None])),
        ];
        for array in arrays {
            assert_eq!(all(&array), [None, None], "{}", array.data_type());
        }
    }

    #[test]
    fn extreme_values_have_a_text() {
        let arrays: Vec<ArrayRef> = vec![
            Arc::new(Float64Array::from(vec![f64::MAX, f64::MIN, f64::INFINITY, f64::MIN_POSITIVE, 1e22])),
            Arc::new(Date32Array::from(vec![i32::MIN, i32::MAX])),
            Arc::new(Date64Array::from(vec![i64::MIN, i64::MAX])),
            Arc::new(TimestampSecondArray::from(vec![i64::MIN, i64::MAX])),
            Arc::new(TimestampNanosecondArray::from(vec![i64::MIN, i64::MAX])),
            Arc::new(Decimal128Array::from(vec![i128::MIN, i128::MAX])),
        ];
        for array in arrays {
            let mut texts = all(&array);
            assert!(texts.iter().all(Option::is_some), "{}", array.data_type());
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), array.len(), "{}", array.data_type());
        }
        let zeros: ArrayRef = Arc::new(Float64Array::from(vec![0.0, -0.0]));
        assert_eq!(all(&zeros), [Some("0".to_owned()), Some("0".to_owned())]);
    }

    #[test]
    fn a_text_that_is_too_long_is_missing() {
        let fits = |bytes: usize| canonical(&vec![b'x'; bytes], &mut vec![]).map(<[u8]>::len);
        assert_eq!((fits(FIELD_BYTES), fits(FIELD_BYTES + 1)), (Some(FIELD_BYTES), None));
        assert_eq!(canonical(TOO_LONG, &mut vec![]), None);
        let of_one_length = |bytes: usize| -> ArrayRef {
            Arc::new(FixedSizeBinaryArray::try_from_iter([vec![b'x'; bytes]].into_iter()).unwrap())
        };
        assert!(all(&of_one_length(FIELD_BYTES))[0].is_some());
        assert_eq!(all(&of_one_length(FIELD_BYTES + 1)), [None]);
    }
}
