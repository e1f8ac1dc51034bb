//! Encoding what was decoded gives the code again, for every code of every kind of column.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use scumble_schema::{CodeColumn, Decoder, Encoder, Schema};

fn encode(encoder: &Encoder, array: &ArrayRef, row: usize) -> u32 {
    if array.is_null(row) {
        return encoder.null();
    }
    match array.data_type() {
        DataType::Int64 => encoder.integer(array.as_primitive::<Int64Type>().value(row).into()),
        DataType::Int32 => encoder.integer(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Float64 => encoder.float(array.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => encoder.boolean(array.as_boolean().value(row)),
        DataType::Date32 => encoder.date(array.as_primitive::<Date32Type>().value(row).into()),
        DataType::Timestamp(..) => encoder.timestamp(array.as_primitive::<TimestampMicrosecondType>().value(row)),
        DataType::Utf8 => encoder.text(array.as_string::<i32>().value(row).as_bytes()),
        other => panic!("{other} never comes out"),
    }
}

fn every_code_comes_back(schema: &Schema, seed: u64) {
    let decoder = Decoder::new(schema);
    let mut rng = SmallRng::seed_from_u64(seed);
    let rows = schema.domain().sizes().iter().copied().max().unwrap();
    let columns: Vec<CodeColumn> = schema
        .domain()
        .sizes()
        .iter()
        .map(|&size| {
            let mut column = CodeColumn::with_capacity(size, rows as usize);
            (0..rows).for_each(|row| column.push(row % size));
            column
        })
        .collect();
    let batch = decoder.decode(&columns, &mut rng);
    for (index, attribute) in schema.attributes().iter().enumerate() {
        assert_eq!(*batch.column(index).data_type(), attribute.field_type().arrow_type());
        for row in 0..rows as usize {
            let code = columns[index].get(row);
            // Unknown comes back as a blank, which is missing, except where text has a label for it.
            let expected = if Some(code) == attribute.unknown_code() && batch.column(index).is_null(row) {
                attribute.encoder().null()
            } else {
                code
            };
            assert_eq!(
                encode(attribute.encoder(), batch.column(index), row),
                expected,
                "{} code {code}",
                attribute.name()
            );
            assert!(!attribute.label(code).is_empty());
        }
    }
}

const EVERY_KIND: &str = r#"
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 119, required: true}, dp: {bins: {width: 7}}}
  - {name: size, type: integer, constraints: {enum: [9, 1, 4]}}
  - {name: income, type: number, constraints: {minimum: -10.5, maximum: 1e6}, dp: {open: true, bins: {count: 100}}}
  - {name: share, type: number, dp: {bins: {edges: [0, 0.1, 0.5, 1]}}}
  - {name: grade, type: number, constraints: {enum: [1.0, 1.3, 1.7]}}
  - {name: rate, type: number, constraints: {minimum: 0, maximum: 1}, dp: {bins: {width: 0.3}}}
  - {name: sex, type: string, constraints: {enum: [female, male], required: true}}
  - {name: region, type: string, constraints: {enum: [north, south]}, dp: {open: true, unknownLabel: elsewhere}}
  - {name: smoker, type: boolean}
  - {name: insured, type: boolean, constraints: {required: true}}
  - {name: born, type: date, constraints: {minimum: "1900-01-01", maximum: "2020-12-31"}, dp: {bins: {count: 40}}}
  - {name: visit, type: datetime, constraints: {minimum: "2020-01-01T00:00:00", maximum: "2020-12-31T23:59:59"}, dp: {bins: {width: 3600}}}
  - {name: moved, type: year, constraints: {minimum: 1950, maximum: 2020}}
"#;

#[test]
fn every_code_of_every_kind_of_column_comes_back() {
    every_code_comes_back(&Schema::parse(EVERY_KIND).unwrap(), 1);
}

proptest! {
    #[test]
    fn any_cut_of_the_integers_comes_back(low in any::<i64>(), span in 0_u64..1_000_000_000_000, count in 1_u32..2000, seed: u64) {
        let high = low.saturating_add_unsigned(span);
        let text = format!("fields: [{{name: x, type: integer, constraints: {{minimum: {low}, maximum: {high}}}, dp: {{bins: {{count: {count}}}}}}}]");
        if let Ok(schema) = Schema::parse(&text) {
            every_code_comes_back(&schema, seed);
        } else {
            prop_assert!(u128::from(count) > u128::from(high.abs_diff(low)) + 1);
        }
    }

    #[test]
    fn any_cut_of_the_reals_comes_back(low in -1e12..1e12, span in 1e-6..1e12, count in 1_u32..2000, seed: u64) {
        let high = low + span;
        let text = format!("fields: [{{name: x, type: number, constraints: {{minimum: {low:?}, maximum: {high:?}}}, dp: {{bins: {{count: {count}}}}}}}]");
        if let Ok(schema) = Schema::parse(&text) {
            every_code_comes_back(&schema, seed);
        }
    }

    #[test]
    fn no_bytes_raise_and_every_code_is_in_the_domain(bytes: Vec<u8>, integer: i128, real: f64, days: i64, micros: i64) {
        let schema = Schema::parse(EVERY_KIND).unwrap();
        for attribute in schema.attributes() {
            let encoder = attribute.encoder();
            for code in [encoder.text(&bytes), encoder.integer(integer), encoder.float(real), encoder.date(days), encoder.timestamp(micros), encoder.boolean(true), encoder.null()] {
                prop_assert!(code < attribute.size());
            }
        }
    }
}
