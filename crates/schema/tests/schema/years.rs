//! Completed years agree with dates, in codes and in values.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use chrono::{DateTime, Datelike, NaiveDate};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{CodeColumn, Decoder, Schema};

const SCHEMA: &str = r#"
dp:
  rules:
    - {years: age, since: born, until: seen}
    - order: [born, moved]
fields:
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 90}, dp: {bins: {width: 5}}}
  - {name: born, type: date, constraints: {minimum: "1930-01-01", maximum: "2024-06-30"}, dp: {bins: {by: year}}}
  - {name: seen, type: datetime, constraints: {minimum: "2024-03-01T00:00:00", maximum: "2024-06-30T23:59:59"}, dp: {bins: {by: month}}}
  - {name: moved, type: year, constraints: {minimum: 1950, maximum: 2024}}
"#;

/// Random rows of codes that keep the rules, drawn uniformly.
fn rows(schema: &Schema, count: usize) -> Vec<CodeColumn> {
    let mut rng = SmallRng::seed_from_u64(11);
    let sizes = schema.domain().sizes().to_vec();
    let mut columns: Vec<CodeColumn> = sizes.iter().map(|&size| CodeColumn::with_capacity(size, count)).collect();
    while columns[0].len() < count {
        let row: Vec<u32> = sizes.iter().map(|&size| rng.random_range(0..size)).collect();
        if schema.rules().iter().all(|rule| rule.allows_row(&row)) {
            columns.iter_mut().zip(row).for_each(|(column, code)| column.push(code));
        }
    }
    columns
}

#[test]
fn ages_and_years_agree_with_dates_of_birth() {
    let schema = Schema::parse(SCHEMA).unwrap();
    let columns = rows(&schema, 3_000);
    let batch = Decoder::new(&schema).decode(&columns, &mut SmallRng::seed_from_u64(5));
    let age: Vec<Option<i64>> = batch.column(0).as_primitive::<Int64Type>().iter().collect();
    let born: Vec<Option<i32>> = batch.column(1).as_primitive::<Date32Type>().iter().collect();
    let seen: Vec<Option<i64>> = batch.column(2).as_primitive::<TimestampMicrosecondType>().iter().collect();
    let moved: Vec<Option<i32>> = batch.column(3).as_primitive::<Int32Type>().iter().collect();
    let [of_age, of_birth, ..] = schema.attributes() else { panic!("there are four columns") };
    let (mut compared, mut disagree) = (0, 0);
    for row in 0..batch.num_rows() {
        // Codes do not change.
        let code = age[row].map_or_else(|| of_age.encoder().null(), |age| of_age.encoder().integer(age.into()));
        assert_eq!(code, columns[0].get(row));
        let code = born[row].map_or_else(|| of_birth.encoder().null(), |day| of_birth.encoder().date(day.into()));
        assert_eq!(code, columns[1].get(row));

        let Some(birth) = born[row].map(|day| NaiveDate::from_epoch_days(day).unwrap()) else { continue };
        assert!(moved[row].is_none_or(|year| birth.year() <= year), "born {birth}, moved in {:?}", moved[row]);
        let (Some(age), Some(seen)) = (age[row], seen[row]) else { continue };
        let seen = DateTime::from_timestamp_micros(seen).unwrap().date_naive();
        let years = seen.years_since(birth).map_or(-1, i64::from).min(90);
        compared += 1;
        disagree += usize::from(years != age);
    }
    assert!(compared > 1_000, "{compared}");
    // Codes of age and birth are compatible for some day of the four months, but not for all, so a
    // few rows disagree.
    assert!(disagree * 100 < compared, "{disagree} of {compared}");
}

#[test]
fn without_the_rule_most_rows_disagree() {
    let schema = Schema::parse(SCHEMA).unwrap();
    // Most random rows break the rules, or the first test would show nothing.
    let mut spec = schema.to_spec();
    spec.dp.rules.clear();
    let columns = rows(&Schema::new(spec).unwrap(), 3_000);
    let broken: u64 = schema.rules()[0].violations(&columns);
    assert!(broken > 2_000, "{broken}");
}

#[test]
fn the_last_code_of_an_age_includes_higher_ages() {
    let schema = Schema::parse(SCHEMA).unwrap();
    let age = schema.attributes()[0].encoder().integer(90);
    let born = |year: i32| {
        schema.attributes()[1].encoder().date(i64::from(NaiveDate::from_ymd_opt(year, 6, 1).unwrap().to_epoch_days()))
    };
    let rule = &schema.rules()[0];
    assert!(rule.allows(&[age, born(1933)]) && rule.allows(&[age, born(1930)]));
    assert!(!rule.allows(&[age, born(1940)]));
    // Nobody is seen before birth: an age below one year is zero.
    let day = |text: &str| schema.attributes()[1].encoder().text(text.as_bytes());
    assert!(rule.allows(&[0, day("2024-02-01")]));
    let missing = schema.attributes()[1].missing_code().unwrap();
    assert!(rule.allows(&[age, missing]), "a blank is compatible with everything");
}

#[test]
fn invalid_rules_on_years_are_refused() {
    for (rule, expected) in [
        ("{years: born, since: born, until: seen}", "needs `integer`"),
        ("{years: age, since: moved, until: seen}", "needs `date`"),
        ("{years: age, since: born, until: age}", "neither a date nor a datetime"),
        ("{years: age, since: born, until: someday}", "neither a column nor a day"),
        ("{years: age, since: born}", "a rule is one of"),
        ("{order: [age, moved]}", "a date and a year can be ordered too"),
    ] {
        let text = SCHEMA.replace("{years: age, since: born, until: seen}", rule);
        let problems = Schema::parse(&text).unwrap_err();
        let message = format!("{problems} {}", problems.list()[0].hint());
        assert!(message.contains(expected), "{rule}: {message}");
    }
    let day = SCHEMA.replace("until: seen", "until: \"2024-05-01\"");
    let schema = Schema::parse(&day).unwrap();
    assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
}
