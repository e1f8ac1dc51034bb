use std::sync::Arc;

use datafusion::arrow::array::types::{
    Date32Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use datafusion::arrow::array::{Array, AsArray, BinaryArray, Int32Array, Int64Array};
use datafusion::arrow::compute::concat_batches;
use scumble_schema::limits::FIELD_BYTES;

use super::*;
use crate::codes::encode::TOO_LONG;
use crate::source::postgres::fields::arrow_schema;

type Row<'a> = Vec<Option<&'a [u8]>>;

fn columns(values: &[Value]) -> Vec<(String, Value)> {
    values.iter().enumerate().map(|(index, value)| (format!("c{index}"), *value)).collect()
}

/// Returns a copy of `rows`, with an extension in its header.
fn copy(extension: &[u8], rows: &[Row]) -> Vec<u8> {
    let mut bytes = [&SIGNATURE[..], &[0; 4]].concat();
    bytes.extend(u32::try_from(extension.len()).unwrap().to_be_bytes());
    bytes.extend(extension);
    for row in rows {
        bytes.extend(u16::try_from(row.len()).unwrap().to_be_bytes());
        for field in row {
            bytes.extend(field.map_or(u32::MAX, |field| u32::try_from(field.len()).unwrap()).to_be_bytes());
            bytes.extend(field.unwrap_or_default());
        }
    }
    bytes.extend([0xFF; 2]);
    bytes
}

/// Decodes all rows into one batch, from chunks of the lengths in `cuts`, in turn.
fn decode(values: &[Value], bytes: &[u8], cuts: &[usize], batch_rows: usize) -> Result<RecordBatch, Damaged> {
    let columns = columns(values);
    let mut decoder = Decoder::new(&columns, FIELD_BYTES, batch_rows);
    let (mut rest, mut cuts) = (bytes, cuts.iter().cycle());
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at((*cuts.next().unwrap()).clamp(1, rest.len()));
        decoder.feed(chunk)?;
        // Pending bytes are never more than the longest item.
        assert!(decoder.pending.capacity() <= 2 * FIELD_BYTES);
        rest = after;
    }
    decoder.finish()?;
    let batches: Vec<_> = std::iter::from_fn(|| decoder.pop()).collect();
    assert!(batches.iter().all(|batch| (1..=batch_rows).contains(&batch.num_rows())));
    Ok(concat_batches(&arrow_schema(&columns), &batches).unwrap())
}

#[test]
fn every_type_is_read_and_infinities_stay_extreme() {
    let values = [
        Value::Boolean,
        Value::Int16,
        Value::Int32,
        Value::Int64,
        Value::Float32,
        Value::Float64,
        Value::Date,
        Value::Timestamp,
        Value::Instant,
        Value::Bytes,
        Value::Time,
    ];
    let (short, int, long) = ((-2_i16).to_be_bytes(), 3_i32.to_be_bytes(), i64::MIN.to_be_bytes());
    let (single, double) = (1.5_f32.to_be_bytes(), f64::NAN.to_be_bytes());
    let (first_day, last_day) = ((-10_957_i32).to_be_bytes(), i32::MAX.to_be_bytes());
    let (past, future, zero) = (i64::MIN.to_be_bytes(), i64::MAX.to_be_bytes(), 0_i64.to_be_bytes());
    let noon = 43_200_000_000_i64.to_be_bytes();
    let plain: Row = vec![
        Some(&[1]),
        Some(&short),
        Some(&int),
        Some(&long),
        Some(&single),
        Some(&double),
        Some(&first_day),
        Some(&past),
        Some(&zero),
        Some(b"a\0b"),
        Some(&noon),
    ];
    let mut other = plain.clone();
    for (column, bytes) in [(0, &[0][..]), (6, &last_day), (7, &future), (8, &past), (9, b"")] {
        other[column] = Some(bytes);
    }
    let batch = decode(&values, &copy(b"", &[plain, vec![None; 11], other]), &[4096], 2).unwrap();
    assert_eq!(batch.column(0).as_boolean().iter().collect::<Vec<_>>(), [Some(true), None, Some(false)]);
    assert_eq!(batch.column(1).as_primitive::<Int16Type>().value(0), -2);
    assert_eq!(batch.column(2).as_primitive::<Int32Type>(), &Int32Array::from(vec![Some(3), None, Some(3)]));
    assert_eq!(
        batch.column(3).as_primitive::<Int64Type>(),
        &Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MIN)])
    );
    let days = batch.column(6).as_primitive::<Date32Type>();
    assert_eq!((days.value(0), days.value(2)), (0, i32::MAX));
    let times = |column: usize| batch.column(column).as_primitive::<TimestampMicrosecondType>().values().to_vec();
    assert_eq!((times(7)[0], times(7)[2]), (i64::MIN, i64::MAX));
    assert_eq!(times(8)[0], 946_684_800_000_000);
    assert_eq!(batch.column(9).as_binary::<i32>().iter().collect::<Vec<_>>(), [Some(&b"a\0b"[..]), None, Some(b"")]);
    assert_eq!(batch.column(10).as_primitive::<Time64MicrosecondType>().value(0), 43_200_000_000);
    assert!((0..11).all(|column| batch.column(column).null_count() == 1));
}

#[test]
fn chunk_boundaries_do_not_matter() {
    let (number, long) = (7_i64.to_be_bytes(), vec![b'x'; 300]);
    let rows: Vec<Row> = vec![
        vec![Some(&number), Some(b"")],
        vec![None, Some(&long)],
        vec![Some(&number), None],
        vec![Some(&number), Some(b"end")],
    ];
    let bytes = copy(b"something new", &rows);
    let values = [Value::Int64, Value::Bytes];
    let whole = decode(&values, &bytes, &[usize::MAX], 8192).unwrap();
    assert_eq!(whole.num_rows(), 4);
    for cut in 1..bytes.len() {
        assert_eq!(decode(&values, &bytes, &[cut], 3).unwrap(), whole);
        assert_eq!(decode(&values, &bytes, &[cut, usize::MAX], 1).unwrap(), whole);
        // A prefix is never complete.
        assert_eq!(decode(&values, &bytes[..cut], &[usize::MAX], 3), Err(Damaged));
    }
    let mut state = 1_u64;
    for _ in 0..300 {
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 59).unwrap()
        };
        let cuts: Vec<usize> = (0..20).map(|_| random()).collect();
        assert_eq!(decode(&values, &bytes, &cuts, 2).unwrap(), whole, "{cuts:?}");
    }
}

#[test]
fn a_field_that_is_too_long_is_an_unknown_value_and_is_not_held() {
    let (fits, long) = (vec![b'x'; FIELD_BYTES], vec![b'x'; FIELD_BYTES + 1]);
    let bytes = copy(b"", &[vec![Some(&fits), Some(&long)], vec![Some(&long), Some(b"short")]]);
    for cut in [1 << 10, 1_000_003, usize::MAX] {
        let batch = decode(&[Value::Bytes; 2], &bytes, &[cut], 10).unwrap();
        let column = |index: usize| batch.column(index).as_binary::<i32>().clone();
        assert_eq!(column(0), BinaryArray::from(vec![&fits[..], TOO_LONG]));
        assert_eq!(column(1), BinaryArray::from(vec![TOO_LONG, b"short"]));
    }
}

#[test]
fn a_row_beyond_the_byte_limit_is_still_one_row() {
    let fits = vec![b'x'; FIELD_BYTES];
    let wide: Row = vec![Some(&fits); 20];
    let batch = decode(&[Value::Bytes; 20], &copy(b"", &[wide.clone(), wide]), &[usize::MAX], 8192).unwrap();
    assert_eq!(batch.num_rows(), 2);
    let held = |column: &Arc<dyn Array>| column.as_binary::<i32>().value(1).len() == FIELD_BYTES;
    assert_eq!(
        batch.columns().iter().filter(|column| held(column)).count(),
        crate::source::csv::ROW_BYTES / FIELD_BYTES
    );
}

#[test]
fn copies_without_rows_or_columns_are_read() {
    assert_eq!(decode(&[Value::Bytes], &copy(b"", &[]), &[3], 10).unwrap().num_rows(), 0);
    let bytes = copy(b"", &[vec![], vec![], vec![]]);
    let mut decoder = Decoder::new(&[], FIELD_BYTES, 10);
    decoder.feed(&bytes).unwrap();
    decoder.finish().unwrap();
    assert_eq!(decoder.pop().unwrap().num_rows(), 3);
}

#[test]
fn damaged_bytes_are_an_error_and_not_a_panic() {
    let number = 7_i32.to_be_bytes();
    let good = copy(b"ab", &[vec![Some(&number), Some(b"text")], vec![None, Some(b"more")]]);
    let values = [Value::Int32, Value::Bytes];
    decode(&values, &good, &[5], 10).unwrap();
    let with = |at: usize, bytes: &[u8]| [&good[..at], bytes, &good[at + bytes.len()..]].concat();
    let header = 11 + 4 + 4 + 2;
    for (damage, bytes) in [
        ("another signature", with(0, b"PGCOPX")),
        ("an unknown flag", with(11, &[0, 1, 0, 0])),
        ("an extension of negative length", with(15, &[0xFF; 4])),
        ("an extension that never ends", with(15, &[0x7F, 0xFF, 0xFF, 0xFF])),
        ("a row of other columns", with(header, &[0, 3])),
        ("a row of -2 columns", with(header, &[0xFF, 0xFE])),
        ("a length of -2", with(header + 2, &[0xFF, 0xFF, 0xFF, 0xFE])),
        ("a length beyond all fields", with(header + 2, &[0x7F, 0xFF, 0xFF, 0xFF])),
        ("a number of other length", with(header + 2, &[0, 0, 0, 3])),
        ("a number of no length", with(header + 2, &[0, 0, 0, 0])),
        ("a text that never ends", with(header + 10, &[0x3F, 0xFF, 0xFF, 0xFF])),
        ("bytes after the end", [&good[..], b"x"].concat()),
        ("no end", good[..good.len() - 2].to_vec()),
        ("nothing", vec![]),
    ] {
        for cut in [1, usize::MAX] {
            assert_eq!(decode(&values, &bytes, &[cut], 10), Err(Damaged), "{damage}");
        }
    }
    // Any byte changed in any way: rows or damage, but no panic.
    for (at, byte) in good.iter().enumerate() {
        for change in [1, 0x55, 0x80, 0xFF] {
            let _ = decode(&values, &with(at, &[byte ^ change]), &[3], 1);
        }
    }
}
