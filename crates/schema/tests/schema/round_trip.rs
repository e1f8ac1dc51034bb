//! Decoding and encoding again restores every code of every kind of column.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType, TimestampMicrosecondType,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use chrono::Datelike;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use scumble_schema::{CodeColumn, Decoder, Encoder, Keep, Scalar, Schema};

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
        DataType::Time64(_) => encoder.time(array.as_primitive::<Time64MicrosecondType>().value(row)),
        DataType::Utf8 => encoder.text(array.as_string::<i32>().value(row).as_bytes()),
        other => panic!("{other} is never decoded"),
    }
}

fn assert_every_code_is_restored(schema: &Schema, seed: u64) {
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
    let rows_again = decoder.decode_rows(0, &columns, &mut rng);
    let batch = &rows_again.batch;
    let blank_text = |index: usize, row: usize| {
        let (_, texts) = rows_again.blanks.iter().find(|(column, _)| *column == index)?;
        texts.is_valid(row).then(|| texts.value(row))
    };
    for (index, attribute) in schema.attributes().iter().enumerate() {
        assert_eq!(*batch.column(index).data_type(), attribute.arrow_type());
        for row in 0..rows as usize {
            let code = columns[index].get(row);
            // Unknown values are decoded as nulls, which are missing, except for text columns with
            // a label.
            let expected = if Some(code) == attribute.unknown_code() && batch.column(index).is_null(row) {
                attribute.encoder().null()
            } else {
                code
            };
            // A typed file does not distinguish kinds of missing values, but a text file does.
            let typed = encode(attribute.encoder(), batch.column(index), row);
            if attribute.is_missing(code) {
                assert!(attribute.is_missing(typed), "{} code {code}", attribute.name());
                if batch.column(index).is_null(row) {
                    let text = blank_text(index, row).unwrap_or_default();
                    assert_eq!(attribute.encoder().text(text.as_bytes()), code, "{} code {code}", attribute.name());
                    continue;
                }
            }
            if let Some(keep) = attribute.spec().dp.keep
                && typed != code
                && code < attribute.declared_codes()
            {
                // The bin has no day of this weekday or month, so another day of the bin is drawn.
                let (first, last) = attribute.bin(code).unwrap();
                let parts = if keep == Keep::Weekday { 7 } else { 12 };
                assert_part_is_absent(keep, day(&first), day(&last), code % parts);
                assert_eq!(typed / parts, code / parts);
                continue;
            }
            assert_eq!(typed, expected, "{} code {code}", attribute.name());
            assert!(!attribute.label(code).is_empty());
        }
    }
}

fn day(date: &Scalar) -> chrono::NaiveDate {
    date.to_string().parse().unwrap()
}

fn assert_part_is_absent(keep: Keep, first: chrono::NaiveDate, last: chrono::NaiveDate, part: u32) {
    let part_of = |day: chrono::NaiveDate| match keep {
        Keep::Weekday => day.weekday().num_days_from_monday(),
        Keep::Month => day.month0(),
    };
    assert!(first.iter_days().take_while(|day| *day <= last).all(|day| part_of(day) != part));
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
fn every_code_of_every_kind_of_column_is_restored() {
    assert_every_code_is_restored(&Schema::parse(EVERY_KIND).unwrap(), 1);
}

const KINDS: &str = r#"
missingValues: ["", {value: "-9", label: refused}, {value: "-8", label: "not applicable"}]
fields:
  - {name: age, type: integer, constraints: {minimum: -10, maximum: 119}, dp: {bins: {width: 7}}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 1e6}, dp: {open: true, bins: {count: 100}}}
  - {name: region, type: string, constraints: {enum: [north, south]}, dp: {open: true}}
  - {name: smoker, type: boolean, missingValues: [{value: "", label: blank}, {value: "9", label: refused}]}
  - {name: diet, type: string, constraints: {enum: [fish, meat]}, missingValues: [NA, {value: "", label: not asked}]}
  - {name: born, type: date, constraints: {minimum: "1900-01-01", maximum: "2020-12-31"}, dp: {bins: {count: 40}}}
  - {name: moved, type: year, constraints: {minimum: 1950, maximum: 2020}, dp: {bins: {width: 5}}, missingValues: [{value: "1999", label: soon}]}
"#;

const AMOUNTS_AND_CALENDARS: &str = r#"
fields:
  - {name: wage, type: number, constraints: {minimum: 0}, dp: {bins: {scale: log, count: 20, from: 10, points: [0, 450], topCode: 200000}}}
  - {name: rent, type: number, constraints: {minimum: 0.01, maximum: 5000}, dp: {bins: {scale: log, count: 9}}}
  - {name: debt, type: number, dp: {open: true, bins: {edges: [-100, 0, 50, 1000], points: [0, 1000]}}}
  - {name: hours, type: integer, constraints: {minimum: 0, maximum: 98, required: true}, dp: {bins: {width: 5, points: [0, 40], topCode: 80}}}
  - {name: children, type: integer, constraints: {minimum: 0}, dp: {bins: {topCode: 5}}}
  - {name: shares, type: integer, constraints: {minimum: 0, maximum: 100000}, dp: {bins: {scale: log, count: 12, from: 1, points: [0, 1, 2]}}}
  - {name: began, type: date, constraints: {minimum: "2019-11-20", maximum: "2021-02-03"}, dp: {bins: {by: quarter}}}
  - {name: paid, type: date, constraints: {minimum: "2020-01-06", maximum: "2020-03-29"}, dp: {bins: {by: month}, keep: weekday}}
  - {name: sown, type: date, constraints: {minimum: "2019-03-10", maximum: "2023-10-02"}, dp: {bins: {width: 700}, keep: month}}
  - {name: seen, type: datetime, constraints: {minimum: "2024-03-30T00:00", maximum: "2024-04-01T12:00"}, dp: {bins: {by: hour}, timeZone: Europe/Berlin}}
  - {name: left, type: datetime, constraints: {minimum: "2024-01-01", maximum: "2024-12-31"}, dp: {bins: {by: week}, timeZone: "-03:30"}}
  - {name: opens, type: time, format: '%H:%M', dp: {bins: {width: 900}}}
  - {name: closes, type: time, constraints: {minimum: '06:00', maximum: '24:00'}, dp: {bins: {by: hour}}}
  - {name: shift, type: time, constraints: {enum: ['06:00', '14:00', '22:00'], required: true}}
  - {name: half, type: time, dp: {open: true, bins: {edges: ['00:00', '12:00', '24:00']}}}
  - {name: came, type: datetime, constraints: {minimum: "2024-01-01", maximum: "2024-12-31"}, dp: {bins: {by: day}}}
"#;

#[test]
fn every_code_of_amounts_and_calendars_is_restored() {
    let schema = Schema::parse(AMOUNTS_AND_CALENDARS).unwrap();
    for seed in 0..20 {
        assert_every_code_is_restored(&schema, seed);
    }
    assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
    assert!(schema.strict().is_some());
}

#[test]
fn every_kind_of_missing_value_is_restored() {
    let schema = Schema::parse(KINDS).unwrap();
    assert_eq!(schema.attributes()[1].missing_kinds().count(), 3);
    assert_every_code_is_restored(&schema, 1);
}

proptest! {
    #[test]
    fn any_bins_of_integers_are_restored(low in any::<i64>(), span in 0_u64..1_000_000_000_000, count in 1_u32..2000, seed: u64) {
        let high = low.saturating_add_unsigned(span);
        let text = format!("fields: [{{name: x, type: integer, constraints: {{minimum: {low}, maximum: {high}}}, dp: {{bins: {{count: {count}}}}}}}]");
        if let Ok(schema) = Schema::parse(&text) {
            assert_every_code_is_restored(&schema, seed);
        } else {
            prop_assert!(u128::from(count) > u128::from(high.abs_diff(low)) + 1);
        }
    }

    #[test]
    fn any_bins_of_reals_are_restored(low in -1e12..1e12, span in 1e-6..1e12, count in 1_u32..2000, seed: u64) {
        let high = low + span;
        let text = format!("fields: [{{name: x, type: number, constraints: {{minimum: {low:?}, maximum: {high:?}}}, dp: {{bins: {{count: {count}}}}}}}]");
        if let Ok(schema) = Schema::parse(&text) {
            assert_every_code_is_restored(&schema, seed);
        }
    }

    #[test]
    fn any_amounts_are_restored(
        low in 0_i64..50, span in 1_i64..100_000, count in 1_u32..200, width in 1_i64..500,
        points in prop::collection::btree_set(0_i64..200, 0..8), is_log: bool, has_top: bool, is_integer: bool, seed: u64,
    ) {
        let high = low + span;
        let bins = match (is_log, is_integer) {
            (true, _) => format!("scale: log, count: {count}, from: {}", low.max(1)),
            (false, true) => format!("width: {width}"),
            (false, false) => format!("count: {count}"),
        };
        let points: Vec<i64> = points.into_iter().map(|point| low + point).filter(|point| *point < high).collect();
        let top = if has_top { format!(", topCode: {high}") } else { String::new() };
        let kind = if is_integer { "integer" } else { "number" };
        let text = format!(
            "missingValues: ['', {{value: '{}', label: refused}}]\nfields: [{{name: x, type: {kind}, constraints: {{minimum: {low}, maximum: {high}}}, dp: {{bins: {{{bins}, points: {points:?}{top}}}}}}}]",
            high + 1,
        );
        // With a top code, the missing number is above it and still missing.
        if let Ok(schema) = Schema::parse(&text) {
            assert_every_code_is_restored(&schema, seed);
            prop_assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
        } else {
            // More bins than values, or only points.
            prop_assert!(i64::from(count) > span / 2 || points.len() > 1 || low + 1 >= high, "{}", text);
        }
    }

    #[test]
    fn any_calendar_bins_are_restored(
        first in -40_000_i64..40_000, days in 0_i64..3000, unit in 0_usize..6, zone in 0_usize..4, is_date: bool,
        keeps in 0_usize..3, seed: u64,
    ) {
        let unit = ["hour", "day", "week", "month", "quarter", "year"][unit];
        let zone = ["", ", timeZone: Europe/Berlin", ", timeZone: Australia/Lord_Howe", ", timeZone: '+05:45'"][zone];
        let days = if unit == "hour" { days / 20 } else { days };
        let date = |day: i64| chrono::NaiveDate::from_epoch_days(i32::try_from(day).unwrap()).unwrap();
        let (kind, terms) = match (is_date, keeps) {
            (true, keeps) => ("date", ["", ", keep: weekday", ", keep: month"][keeps]),
            (false, _) => ("datetime", zone),
        };
        let text = format!(
            "fields: [{{name: x, type: {kind}, constraints: {{minimum: {}, maximum: {}}}, dp: {{bins: {{by: {unit}}}{terms}}}}}]",
            date(first), date(first + days),
        );
        match Schema::parse(&text) {
            Ok(schema) => assert_every_code_is_restored(&schema, seed),
            Err(_) => prop_assert!(is_date && (unit == "hour" || keeps > 0), "{}", text),
        }
    }

    #[test]
    fn any_bins_of_times_are_restored(
        minute in 0_u32..1440, minutes in 1_u32..1440, width in 20_u32..9_000, has_seconds: bool, seed: u64,
    ) {
        let clock = |minute: u32| format!("{:02}:{:02}", minute / 60, minute % 60);
        let format = if has_seconds { "default" } else { "%H:%M" };
        let text = format!(
            "fields: [{{name: x, type: time, format: '{format}', constraints: {{minimum: '{}', maximum: '{}'}}, dp: {{bins: {{width: {width}}}}}}}]",
            clock(minute), clock((minute + minutes).min(1440)),
        );
        let schema = Schema::parse(&text).unwrap();
        assert_every_code_is_restored(&schema, seed);
        prop_assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
    }

    #[test]
    fn encoding_never_panics_and_stays_in_the_domain(bytes: Vec<u8>, integer: i128, real: f64, days: i64, micros: i64) {
        let schema = Schema::parse(&format!("{EVERY_KIND}{}", AMOUNTS_AND_CALENDARS.trim_start().trim_start_matches("fields:\n"))).unwrap();
        for attribute in schema.attributes() {
            let encoder = attribute.encoder();
            for code in [encoder.text(&bytes), encoder.integer(integer), encoder.float(real), encoder.date(days), encoder.timestamp(micros), encoder.local_timestamp(micros), encoder.time(micros), encoder.boolean(true), encoder.null()] {
                prop_assert!(code < attribute.size());
            }
        }
    }
}
