//! The schema file, and schemas of other tools.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use chacha20::ChaCha8Rng;
use rand::SeedableRng;
use scumble_schema::{Attribute, CodeColumn, Decoder, Encoder, FieldType, Foreign, Problems, Schema};

use crate::message;

/// Formats that a stranger's schema may have.
const FOREIGN: [Foreign; 4] = [Foreign::Sdv, Foreign::Dpsynth, Foreign::Smartnoise, Foreign::CsvwEo];
/// Values that need not be any that a schema declares.
const VALUES: [&[u8]; 9] = [
    b"",
    b"0",
    b"-1.5",
    b"1e308",
    b"true",
    b"2024-02-29",
    b"2024-02-29T23:59:60Z",
    b"\xFF\"\n",
    b"9223372036854775808",
];
/// Maximum number of codes of a schema whose codes are all decoded.
const MAX_CODES: u64 = 10_000;

/// A schema that is accepted is written and read back without a change, encodes every value, and
/// restores every code.
pub fn schema(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Schema::parse(text) {
        Ok(schema) => check(&schema),
        Err(problems) => message::check_error(problems),
    }
    for format in FOREIGN {
        match format.import(text) {
            Ok(imported) => {
                imported.losses.iter().for_each(|loss| message::check(&loss.to_string()));
                if let Err(problems) = Schema::new(imported.spec) {
                    message::check_error(problems);
                }
            }
            Err(problem) => message::check_error(Problems::from(problem)),
        }
    }
}

fn check(schema: &Schema) {
    let json = serde_json::to_string(&schema.to_spec()).expect("a schema has a JSON form");
    for written in [schema.to_yaml(), json] {
        let again = Schema::parse(&written).unwrap_or_else(|problems| panic!("{problems}\nin {written}"));
        assert_eq!(&again, schema, "it is another schema when written as {written}");
    }
    for attribute in schema.attributes() {
        for value in VALUES {
            let code = attribute.encoder().text(value);
            assert!(code < attribute.size(), "column `{}`: {value:?} has code {code}", attribute.name());
        }
    }
    let codes: u64 = schema.domain().sizes().iter().map(|&size| u64::from(size)).sum();
    // Rows that break rules are never decoded.
    if codes <= MAX_CODES && schema.rule_specs().is_empty() {
        decode_all(schema);
    }
}

/// Decodes rows with every code of every column.
fn decode_all(schema: &Schema) {
    let rows = schema.domain().sizes().iter().copied().max().unwrap_or(0);
    if schema.check_rows(rows.into()).is_err() {
        return;
    }
    let columns = schema.domain().sizes().iter().map(|&size| {
        let mut column = CodeColumn::with_capacity(size, rows as usize);
        (0..rows).for_each(|row| column.push(row % size));
        column
    });
    let columns: Vec<CodeColumn> = columns.collect();
    let batch = Decoder::new(schema).with_seed(1).decode(&columns, &mut ChaCha8Rng::seed_from_u64(1));
    assert_eq!(batch.num_rows(), rows as usize);
    for (attribute, codes) in schema.attributes().iter().zip(&columns) {
        (0..attribute.size()).for_each(|code| drop(attribute.label(code)));
        let values = batch.column_by_name(attribute.name()).expect("every column is in the rows");
        // A bin may lack the weekday or month that is kept, and grids are of columns to be learned.
        let terms = &attribute.spec().dp;
        if terms.keep.is_none() && terms.grid.is_none() {
            // A declared value may be declared missing as well, and then it is missing.
            let mut missing = schema.missing_texts(attribute.name());
            let may_be_missing = attribute.field_type() == FieldType::String || missing.any(|text| !text.is_empty());
            check_codes(attribute, codes, values, may_be_missing);
        }
    }
}

/// Checks that every declared value has the code that it was decoded from.
fn check_codes(attribute: &Attribute, codes: &CodeColumn, values: &ArrayRef, may_be_missing: bool) {
    for (row, code) in codes.iter().enumerate().filter(|&(_, code)| !attribute.is_special(code)) {
        let again = encoded(attribute.encoder(), values, row);
        let is_missing = attribute.is_missing(again) || again == attribute.encoder().null();
        let holds = again == code || may_be_missing && is_missing;
        assert!(holds, "column `{}`: {:?} of {code} has code {again}", attribute.name(), values.slice(row, 1));
    }
}

/// Returns the code of a value.
fn encoded(encoder: &Encoder, values: &ArrayRef, row: usize) -> u32 {
    match values.data_type() {
        _ if values.is_null(row) => encoder.null(),
        DataType::Int64 => encoder.integer(values.as_primitive::<Int64Type>().value(row).into()),
        DataType::Int32 => encoder.integer(values.as_primitive::<Int32Type>().value(row).into()),
        DataType::Float64 => encoder.float(values.as_primitive::<Float64Type>().value(row)),
        DataType::Boolean => encoder.boolean(values.as_boolean().value(row)),
        DataType::Date32 => encoder.date(values.as_primitive::<Date32Type>().value(row).into()),
        DataType::Timestamp(..) => encoder.timestamp(values.as_primitive::<TimestampMicrosecondType>().value(row)),
        DataType::Time64(_) => encoder.time(values.as_primitive::<Time64MicrosecondType>().value(row)),
        DataType::Utf8 => encoder.text(values.as_string::<i32>().value(row).as_bytes()),
        other => panic!("{other} is never decoded"),
    }
}
