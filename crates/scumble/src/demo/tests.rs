//! Checks the survey against its schema and its description.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, ArrowPrimitiveType, RecordBatch};
use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, Timelike, Weekday};
use scumble_schema::{Attribute, CodeColumn, Encoder, FieldType, Schema};

use super::dice::Dice;
use super::form::Form;
use super::{PEOPLE_SCHEMA, people};

const ROWS: u64 = 40_000;

fn schema() -> Schema {
    Schema::parse(PEOPLE_SCHEMA).unwrap()
}

/// A survey of [`ROWS`] people, column by column.
struct Survey(RecordBatch);

impl Survey {
    fn new() -> Self {
        let all = NonZeroUsize::new(usize::try_from(ROWS).unwrap()).unwrap();
        Self(people(ROWS, 1).in_batches_of(all).next().unwrap())
    }

    fn numbers<T: ArrowPrimitiveType>(&self, name: &str) -> Vec<Option<T::Native>> {
        self.0.column_by_name(name).unwrap().as_primitive::<T>().iter().collect()
    }

    fn texts(&self, name: &str) -> Vec<Option<&str>> {
        self.0.column_by_name(name).unwrap().as_string::<i32>().iter().collect()
    }

    fn ages(&self) -> Vec<i64> {
        self.numbers::<Int64Type>("age").into_iter().map(Option::unwrap).collect()
    }

    fn interviews(&self) -> Vec<Option<NaiveDateTime>> {
        let instants = self.numbers::<TimestampMicrosecondType>("interview").into_iter();
        instants
            .map(|instant| instant.map(|micros| DateTime::from_timestamp_micros(micros).unwrap().naive_utc()))
            .collect()
    }

    fn births(&self) -> Vec<Option<NaiveDate>> {
        let days = self.numbers::<Date32Type>("birth_date").into_iter();
        days.map(|day| day.map(|days| NaiveDate::from_epoch_days(days).unwrap())).collect()
    }
}

/// Returns the mean of at least 100 values.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    assert!(count >= 100, "a mean over {count} rows says little");
    sum / f64::from(count)
}

/// Returns the share of `true`.
fn share(facts: impl Iterator<Item = bool>) -> f64 {
    mean(facts.map(|fact| if fact { 1.0 } else { 0.0 }))
}

#[test]
fn the_schema_is_public_has_all_types_but_times_and_small_domains() {
    let schema = schema();
    assert_eq!(schema.assumed().map(Attribute::name).collect::<Vec<_>>(), [""; 0]);
    let types: BTreeSet<&str> = schema.attributes().iter().map(|attribute| attribute.field_type().name()).collect();
    assert_eq!(types.len(), FieldType::ALL.len() - 1, "a survey has no times of day");
    // At epsilon 1 and delta 1e-9 the noise of a cell has a standard deviation of about 20, so on
    // 100,000 rows 120 cells are off by 120 * 0.8 * 20 / 2 / 100,000 = 0.0096 in total variation;
    // we promise 0.01.
    for attribute in schema.attributes() {
        assert!(attribute.size() <= 120, "{} has {} codes", attribute.name(), attribute.size());
    }
}

#[test]
fn columns_have_the_names_and_types_of_the_schema() {
    let (survey, schema) = (Survey::new(), schema());
    assert_eq!(survey.0.num_columns(), schema.attributes().len());
    for (field, attribute) in survey.0.schema().fields().iter().zip(schema.attributes()) {
        assert_eq!(field.name(), attribute.name());
        assert_eq!(*field.data_type(), attribute.field_type().arrow_type());
    }
}

#[test]
fn a_seed_gives_the_same_people_whatever_the_batches() {
    let joined = |people: super::People| -> Vec<String> {
        people.flat_map(|batch| (0..batch.num_rows()).map(move |row| format!("{:?}", batch.slice(row, 1)))).collect()
    };
    let usual = joined(people(1000, 5));
    assert_eq!(usual.len(), 1000);
    for rows in [1, 7, 999, 5000] {
        assert_eq!(joined(people(1000, 5).in_batches_of(NonZeroUsize::new(rows).unwrap())), usual);
    }
    assert_eq!(joined(people(10, 5)), usual[..10], "a longer table begins with a shorter one");
    assert_ne!(joined(people(10, 6)), usual[..10], "another seed, other people");
}

#[test]
fn batches_have_8192_rows_and_the_last_the_rest() {
    let sizes = |rows| people(rows, 0).map(|batch| batch.num_rows()).collect::<Vec<_>>();
    assert_eq!(sizes(0), [0; 0]);
    assert_eq!(sizes(8192), [8192]);
    assert_eq!(sizes(20_000), [8192, 8192, 3616]);
    assert_eq!(people(u64::MAX, 0).next().unwrap().num_rows(), 8192, "rows are generated on demand");
}

#[test]
fn the_first_person_of_seed_0_does_not_change() {
    let first = Form::draw(&mut Dice::new(0));
    assert_eq!(
        format!("{first:?}"),
        "Form { interview: Some(1715884993000000), region: \"Southshore\", sex: Some(\"male\"), age: 20, \
         birth_date: Some(12325), marital_status: Some(\"never married\"), household_size: 1, \
         education: Some(\"primary\"), occupation: Some(\"farmer\"), income: Some(27700), housing: Some(\"owner\"), \
         moved_in: None, smoker: Some(false), height_cm: Some(172.7) }"
    );
}

/// Returns the codes of a column, as the engine encodes it.
fn codes(survey: &Survey, attribute: &Attribute) -> Vec<u32> {
    let (name, encoder): (&str, &Encoder) = (attribute.name(), attribute.encoder());
    let column = survey.0.column_by_name(name).unwrap();
    let code = |row: usize| match attribute.field_type() {
        _ if column.is_null(row) => encoder.null(),
        FieldType::Integer => encoder.integer(column.as_primitive::<Int64Type>().value(row).into()),
        FieldType::Number => encoder.float(column.as_primitive::<Float64Type>().value(row)),
        FieldType::String => encoder.text(column.as_string::<i32>().value(row).as_bytes()),
        FieldType::Boolean => encoder.boolean(column.as_boolean().value(row)),
        FieldType::Date => encoder.date(column.as_primitive::<Date32Type>().value(row).into()),
        FieldType::Datetime => encoder.timestamp(column.as_primitive::<TimestampMicrosecondType>().value(row)),
        FieldType::Time => unreachable!("the demo has no times of day"),
        FieldType::Year => encoder.integer(column.as_primitive::<Int32Type>().value(row).into()),
    };
    (0..column.len()).map(code).collect()
}

#[test]
fn every_answer_has_a_code_and_few_are_unknown() {
    let (survey, schema) = (Survey::new(), schema());
    for attribute in schema.attributes() {
        let codes = codes(&survey, attribute);
        assert!(codes.iter().all(|&code| code < attribute.size()));
        let used: BTreeSet<u32> = codes.iter().copied().collect();
        // The fewest are in `interview`, where nights and Sundays are empty.
        assert!(used.len() * 5 > attribute.size() as usize * 2, "few codes of `{}` occur", attribute.name());
        if let Some(unknown) = attribute.unknown_code() {
            let share = share(codes.iter().map(|&code| code == unknown));
            assert!((0.001..0.02).contains(&share), "{}: {share}", attribute.name());
        }
        if let Some(missing) = attribute.missing_code() {
            let share = share(codes.iter().map(|&code| code == missing));
            assert!((0.005..0.6).contains(&share), "{}: {share}", attribute.name());
        }
    }
}

#[test]
fn questions_that_are_not_asked_are_blank() {
    let survey = Survey::new();
    let ages = survey.ages();
    for (name, from) in
        [("marital_status", 16), ("education", 15), ("occupation", 16), ("income", 16), ("height_cm", 2)]
    {
        let column = survey.0.column_by_name(name).unwrap();
        let blank = |row: &usize| column.is_null(*row);
        assert!((0..ages.len()).filter(|&row| ages[row] < from).all(|row| blank(&row)), "{name}");
        assert!(!(0..ages.len()).filter(|&row| ages[row] >= from).all(|row| blank(&row)), "{name}");
    }
}

#[test]
fn birth_and_age_agree_at_the_interview() {
    let survey = Survey::new();
    let mut compared = 0;
    for ((age, birth), interview) in survey.ages().into_iter().zip(survey.births()).zip(survey.interviews()) {
        let (Some(birth), Some(interview)) = (birth, interview) else { continue };
        let years = interview.date().years_since(birth).expect("born before the interview");
        assert_eq!(i64::from(years).min(85), age);
        compared += 1;
    }
    assert!(compared > ROWS / 2);
}

#[test]
fn interviews_keep_to_the_working_hours() {
    for interview in Survey::new().interviews().into_iter().flatten() {
        assert!((8..20).contains(&interview.hour()) && interview.weekday() != Weekday::Sun, "{interview}");
        assert!((6..=31).contains(&interview.day()) || interview.month() == 6, "{interview}");
    }
}

#[test]
fn nobody_moved_in_before_birth() {
    let survey = Survey::new();
    for (birth, year) in survey.births().into_iter().zip(survey.numbers::<Int32Type>("moved_in")) {
        let (Some(birth), Some(year)) = (birth, year) else { continue };
        assert!((birth.year()..=2024).contains(&year), "born {birth}, moved in {year}");
    }
}

#[test]
fn schooling_leads_to_work_and_work_to_income() {
    let survey = Survey::new();
    let (education, occupation) = (survey.texts("education"), survey.texts("occupation"));
    let income = survey.numbers::<Int64Type>("income");
    let mean_income = |belongs: &dyn Fn(usize) -> bool| {
        mean((0..income.len()).filter(|&row| belongs(row)).filter_map(|row| income[row]).map(|crowns| crowns as f64))
    };
    let by_education = ["primary", "upper secondary", "bachelor", "master"]
        .map(|level| mean_income(&|row| education[row] == Some(level) && occupation[row].is_some()));
    assert!(by_education.windows(2).all(|pair| pair[1] > 1.1 * pair[0]), "{by_education:?}");
    let by_occupation =
        ["labourer", "clerk", "professional", "manager"].map(|work| mean_income(&|row| occupation[row] == Some(work)));
    assert!(by_occupation.windows(2).all(|pair| pair[1] > 1.1 * pair[0]), "{by_occupation:?}");
    // Losses and zero income are answers too.
    assert!(income.iter().flatten().any(|&crowns| crowns < 0));
    assert!(share(income.iter().flatten().map(|&crowns| crowns == 0)) > 0.05);
}

#[test]
fn other_columns_depend_on_each_other_too() {
    let survey = Survey::new();
    let ages = survey.ages();
    let rows = 0..ages.len();
    let (region, housing, sex) = (survey.texts("region"), survey.texts("housing"), survey.texts("sex"));
    let owners =
        |place| share(rows.clone().filter(|&row| region[row] == Some(place)).map(|row| housing[row] == Some("owner")));
    assert!(owners("Highlands") > owners("Capital") + 0.2);

    let marital = survey.texts("marital_status");
    let widowed = |from, to| {
        share(rows.clone().filter(|&row| (from..to).contains(&ages[row])).map(|row| marital[row] == Some("widowed")))
    };
    assert!(widowed(80, 86) > widowed(50, 65) + 0.2);

    let education = survey.texts("education");
    let smoker = survey.0.column_by_name("smoker").unwrap().as_boolean();
    let smokers = |level| {
        share(
            rows.clone()
                .filter(|&row| education[row] == Some(level))
                .map(|row| smoker.is_valid(row) && smoker.value(row)),
        )
    };
    assert!(smokers("vocational") > smokers("master") + 0.05);

    let height = survey.numbers::<Float64Type>("height_cm");
    let heights = |whose| {
        mean(
            rows.clone()
                .filter(|&row| (20..50).contains(&ages[row]) && sex[row] == Some(whose))
                .filter_map(|row| height[row].filter(|&centimetres| centimetres > 3.0)),
        )
    };
    assert!((heights("male") - heights("female") - 13.0).abs() < 1.0);

    let (interviews, occupation) = (survey.interviews(), survey.texts("occupation"));
    let evenings = |in_work: bool| {
        let chosen = rows.clone().filter(|&row| ages[row] >= 18 && occupation[row].is_some() == in_work);
        share(chosen.filter_map(|row| interviews[row]).map(|interview| interview.hour() >= 16))
    };
    assert!(evenings(true) > evenings(false) + 0.3);

    let household = survey.numbers::<Int64Type>("household_size");
    assert!(rows.clone().filter(|&row| marital[row] == Some("married")).all(|row| household[row] > Some(1)));
}

#[test]
fn every_form_keeps_the_rules_of_the_schema() {
    let (survey, schema) = (Survey::new(), schema());
    let columns: Vec<CodeColumn> = schema
        .attributes()
        .iter()
        .map(|attribute| {
            let mut column = CodeColumn::with_capacity(attribute.size(), 0);
            for code in codes(&survey, attribute) {
                column.push(code);
            }
            column
        })
        .collect();
    assert_eq!(schema.rule_specs().len(), 5);
    for rule in schema.rules() {
        assert_eq!(rule.violations(&columns), 0, "{}", schema.rule_specs()[rule.index()]);
    }
}
