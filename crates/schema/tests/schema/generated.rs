//! Generated columns are in the output, and nowhere else.

use std::collections::BTreeSet;

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use rand::SeedableRng;
use rand::rngs::SmallRng;
use scumble_schema::{CodeColumn, Decoder, Schema};

const SCHEMA: &str = r#"
dp: {privacyUnit: id, maxContributions: 2}
fields:
  - {name: id, type: string, dp: {generate: {pattern: "P-##@", unique: true}}}
  - {name: age, type: integer, constraints: {minimum: 0, maximum: 9}}
  - {name: wave, type: date, format: "%d.%m.%Y", dp: {generate: {constant: "02.01.1970"}}}
  - {name: smoker, type: boolean, constraints: {required: true}}
  - {name: row, type: integer, dp: {generate: {sequence: {from: 100}}}}
  - {name: phone, type: integer, dp: {generate: {pattern: "49#####"}}}
"#;

fn schema() -> Schema {
    Schema::parse(SCHEMA).unwrap()
}

fn decoded(schema: &Schema, seed: u64, before: u64, rows: usize) -> RecordBatch {
    let columns = [CodeColumn::U8(vec![3; rows]), CodeColumn::U8(vec![1; rows])];
    Decoder::new(schema).with_seed(seed).decode_from(before, &columns, &mut SmallRng::seed_from_u64(1))
}

fn texts(batch: &RecordBatch, column: usize) -> Vec<&str> {
    batch.column(column).as_string::<i32>().iter().map(Option::unwrap).collect()
}

#[test]
fn only_modelled_columns_are_read_and_in_the_domain() {
    let schema = schema();
    assert_eq!(schema.domain().sizes(), [11, 2]);
    assert_eq!(schema.find("id"), None);
    // The privacy unit is read, although the output column of that name is generated.
    assert_eq!(schema.columns_read().collect::<Vec<_>>(), ["age", "smoker", "id"]);
    let output: Vec<&str> = schema.output_columns().into_iter().map(scumble_schema::OutputColumn::name).collect();
    assert_eq!(output, ["id", "age", "wave", "smoker", "row", "phone"]);
}

#[test]
fn a_written_schema_keeps_the_order_of_fields() {
    let schema = schema();
    let again = Schema::new(schema.to_spec()).unwrap();
    assert_eq!(again, schema);
    assert_eq!(schema.to_spec().fields[2].name, "wave");
    assert_eq!(Schema::parse(&schema.to_yaml()).unwrap(), schema);
}

#[test]
fn generated_columns_keep_their_position_and_have_no_nulls() {
    let batch = decoded(&schema(), 7, 0, 3);
    let names: Vec<String> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["id", "age", "wave", "smoker", "row", "phone"]);
    assert!(batch.schema().field(1).is_nullable() && !batch.schema().field(0).is_nullable());
    assert_eq!(batch.column(2).as_primitive::<Date32Type>().values(), &[1, 1, 1]);
    assert_eq!(batch.column(4).as_primitive::<Int64Type>().values(), &[100, 101, 102]);
    let phones = batch.column(5).as_primitive::<Int64Type>().values();
    assert!(phones.iter().all(|phone| (4_900_000..5_000_000).contains(phone)), "{phones:?}");
    assert!(batch.columns().iter().all(|column| column.null_count() == 0));
}

#[test]
fn values_depend_on_seed_and_row_but_not_on_batches() {
    let schema = schema();
    let whole = decoded(&schema, 7, 0, 50);
    assert_eq!(whole.slice(20, 30), decoded(&schema, 7, 20, 30));
    assert_ne!(texts(&whole, 0), texts(&decoded(&schema, 8, 0, 50), 0));
    let all = decoded(&schema, 7, 0, 2_600);
    assert_eq!(texts(&all, 0).into_iter().collect::<BTreeSet<_>>().len(), 2_600, "all different");
}

#[test]
fn more_rows_than_unique_values_are_refused() {
    let schema = schema();
    assert!(schema.check_rows(2_600).is_ok());
    let problem = schema.check_rows(2_601).unwrap_err();
    assert_eq!(problem.to_string(), "column `id` has a unique pattern of 2600 values, fewer than 2601 rows");
    let late = "fields: [{name: n, type: integer, dp: {generate: {sequence: {from: 9223372036854775800}}}}, \
                {name: y, type: boolean}]";
    assert!(Schema::parse(late).unwrap().check_rows(7).is_ok());
    assert!(Schema::parse(late).unwrap().check_rows(8).is_err());
}

#[test]
fn the_output_spec_has_every_column_and_the_strict_schema_only_modelled_ones() {
    let schema = schema();
    assert_eq!(schema.output_spec().fields.len(), 6);
    let strict = schema.strict().unwrap();
    assert_eq!(strict.output_columns().len(), 2);
    assert_eq!(strict.attributes()[0].name(), "age");
}

#[test]
fn generators_that_do_not_fit_the_type_are_refused() {
    let refused = [
        ("type: number, dp: {generate: {pattern: '#'}}", "has a pattern, which generates text or integers"),
        ("type: integer, dp: {generate: {pattern: '#@'}}", "is an integer, but its pattern is not 1 to 18 digits"),
        ("type: integer, dp: {generate: {constant: '1'}}", "has the constant `1`, which is not of type `integer`"),
        (
            "type: year, dp: {generate: {constant: 99999999999}}",
            "has the constant `99999999999`, which is not of type `year`",
        ),
        ("type: date, dp: {generate: {constant: soon}}", "has the constant `soon`, which is not of type `date`"),
        ("type: boolean, dp: {generate: {sequence: {from: 1}}}", "has a sequence, which generates integers or text"),
        ("type: money, dp: {generate: {constant: 1}}", "has type `money`, which Scumble does not support"),
    ];
    for (rest, problem) in refused {
        let yaml = format!("fields: [{{name: x, {rest}}}, {{name: y, type: boolean}}]");
        assert_eq!(Schema::parse(&yaml).unwrap_err().to_string(), format!("column `x` {problem}"));
    }
    let alone = "fields: [{name: x, type: string, dp: {generate: {constant: a}}}]";
    assert_eq!(Schema::parse(alone).unwrap_err().to_string(), "every field is generated, so nothing is left to model");
}
