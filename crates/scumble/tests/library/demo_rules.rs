//! Synthetic people of the demo are consistent: their ages agree with their dates of birth, and no
//! child is married.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use chrono::{DateTime, Datelike, NaiveDate};
use scumble::{ApproxDp, Delta, Epsilon, Fit, Input, Method, Sampling, Schema, SchemaSpec, demo};

const ROWS: u64 = 5_000;

/// Shares of rows with an age that contradicts the date of birth, with a move before birth, and
/// with a married child.
struct Contradictions {
    age: f64,
    moved_in: f64,
    married: f64,
}

fn synthetic(schema: &Schema) -> Vec<RecordBatch> {
    let people = demo::people(10_000, 1);
    let input = Input::of_batches(people.arrow_schema().clone(), people.collect());
    let goal = ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() };
    let method = Method::named("mst").unwrap();
    let model = Fit::new(schema, goal).method(method).run(&[input]).unwrap();
    model.sample_rows(ROWS, 1, Sampling::for_rows(ROWS)).map(|rows| rows.batch).collect()
}

fn contradictions(batches: &[RecordBatch]) -> Contradictions {
    let counts = batches.iter().map(counts).fold([0; 3], |sums, counts| std::array::from_fn(|i| sums[i] + counts[i]));
    let [age, moved_in, married] = counts.map(|count| count as f64 / ROWS as f64);
    Contradictions { age, moved_in, married }
}

fn counts(rows: &RecordBatch) -> [usize; 3] {
    let column = |name: &str| rows.column_by_name(name).unwrap();
    let (age, born) = (column("age").as_primitive::<Int64Type>(), column("birth_date").as_primitive::<Date32Type>());
    let interview = column("interview").as_primitive::<TimestampMicrosecondType>();
    let (moved, marital) =
        (column("moved_in").as_primitive::<Int32Type>(), column("marital_status").as_string::<i32>());
    let (mut ages, mut early_moves, mut married) = (0, 0, 0);
    for row in 0..rows.num_rows() {
        married += usize::from(age.value(row) < 16 && marital.is_valid(row) && marital.value(row) != "never married");
        if born.is_null(row) {
            continue;
        }
        let birth = NaiveDate::from_epoch_days(born.value(row)).unwrap();
        early_moves += usize::from(moved.is_valid(row) && moved.value(row) < birth.year());
        if interview.is_valid(row) {
            let day = DateTime::from_timestamp_micros(interview.value(row)).unwrap().date_naive();
            let years = day.years_since(birth).map_or(-1, i64::from).min(85);
            ages += usize::from(years != age.value(row));
        }
    }
    [ages, early_moves, married]
}

#[test]
fn rows_of_the_demo_do_not_contradict_themselves() {
    let found = contradictions(&synthetic(&Schema::parse(demo::PEOPLE_SCHEMA).unwrap()));
    assert!(found.age <= 0.0, "{}", found.age);
    assert!(found.moved_in <= 0.0 && found.married <= 0.0, "{} and {}", found.moved_in, found.married);
}

#[test]
fn without_rules_rows_of_the_demo_contradict_themselves() {
    let mut spec = SchemaSpec::parse(demo::PEOPLE_SCHEMA).unwrap();
    spec.dp.rules.clear();
    let found = contradictions(&synthetic(&Schema::new(spec).unwrap()));
    assert!(found.age > 0.2, "{}", found.age);
}
