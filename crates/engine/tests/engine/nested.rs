//! Columns of nested types: unions and runs are read value by value, and other nested values are
//! unknown.

use std::sync::Arc;

use crate::common::{self, counts, people};
use datafusion::arrow::array::{
    Array, ArrayRef, Date32Array, Float64Array, Int32Array, Int64Array, ListArray, RecordBatch, RunArray, StringArray,
    UnionArray, new_null_array,
};
use datafusion::arrow::datatypes::{DataType, Field, Int32Type, Int64Type, UnionFields};
use scumble_engine::{CodedTable, ReadOptions};
use scumble_schema::Schema;

const LIST: i8 = 9;

fn one_column(field: &str) -> Schema {
    Schema::parse(&format!("fields:\n  - {{name: x, {field}}}\n")).unwrap()
}

fn counted(schema: &Schema, batches: Vec<RecordBatch>) -> Vec<u64> {
    counts(&CodedTable::from_batches(vec![batches], schema, &ReadOptions::default()).unwrap(), schema)[1].clone()
}

fn of_column(schema: &Schema, column: ArrayRef) -> Vec<u64> {
    counted(schema, vec![RecordBatch::try_from_iter([("x", column)]).unwrap()])
}

fn fields() -> UnionFields {
    let list = DataType::List(Arc::new(Field::new_list_field(DataType::Int64, true)));
    let types =
        [(0, DataType::Utf8), (1, DataType::Int64), (4, DataType::Float64), (5, DataType::Date32), (LIST, list)];
    types.into_iter().map(|(id, data_type)| (id, Arc::new(Field::new(format!("f{id}"), data_type, true)))).collect()
}

fn lists(values: &[Option<i64>]) -> ArrayRef {
    Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(
        values.iter().map(|value| value.map(|value| [Some(value)])),
    ))
}

/// Texts `3` and `x`, the number 3, null, the real numbers 3 and 3.5, a day, a list and a null
/// list.
fn dense() -> UnionArray {
    let children: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec!["3", "x"])),
        Arc::new(Int64Array::from(vec![Some(3), None])),
        Arc::new(Float64Array::from(vec![3.0, 3.5])),
        Arc::new(Date32Array::from(vec![18_292])),
        lists(&[Some(3), None]),
    ];
    let ids = vec![0_i8, 0, 1, 1, 4, 4, 5, LIST, LIST];
    let places = vec![0, 1, 0, 1, 0, 1, 0, 0, 1];
    UnionArray::try_new(fields(), ids.into(), Some(places.into()), children).unwrap()
}

fn sparse() -> UnionArray {
    let none = None::<&str>;
    let children: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(vec![Some("3"), Some("x"), none, none, none, none, none, none, none])),
        Arc::new(Int64Array::from(vec![None, None, Some(3), None, None, None, None, None, None])),
        Arc::new(Float64Array::from(vec![None, None, None, None, Some(3.0), Some(3.5), None, None, None])),
        Arc::new(Date32Array::from(vec![None, None, None, None, None, None, Some(18_292), None, None])),
        lists(&[None, None, None, None, None, None, None, Some(3), None]),
    ];
    UnionArray::try_new(fields(), vec![0_i8, 0, 1, 1, 4, 4, 5, LIST, LIST].into(), None, children).unwrap()
}

#[test]
fn a_union_is_read_value_by_value() {
    // The values from 0 to 9, missing, unknown.
    let whole = one_column("type: integer, constraints: {minimum: 0, maximum: 9}, dp: {open: true}");
    let mut expected = vec![0; 12];
    (expected[3], expected[10], expected[11]) = (3, 2, 4);
    let text = one_column("type: string, constraints: {enum: ['3', '2020-01-31', '3.5']}, dp: {open: true}");
    for union in [dense(), sparse()] {
        assert_eq!(of_column(&whole, Arc::new(union.clone())), expected);
        assert_eq!(of_column(&text, Arc::new(union.clone())), [3, 1, 1, 2, 2]);
        // Each row alone has the code that it has among others.
        let alone = (0..union.len()).map(|row| union.slice(row, 1));
        let alone = alone.map(|row| RecordBatch::try_from_iter([("x", Arc::new(row) as ArrayRef)]).unwrap());
        assert_eq!(counted(&whole, alone.collect()), expected);
    }
}

#[test]
fn runs_are_read_like_the_rows_they_encode() {
    let schema = one_column("type: string, constraints: {enum: [a, b]}, dp: {open: true}");
    let values = StringArray::from(vec![Some("a"), None, Some("z"), Some("b")]);
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![3, 5, 6, 10]), &values).unwrap();
    assert_eq!(of_column(&schema, Arc::new(runs.clone())), [3, 4, 2, 1]);
    assert_eq!(of_column(&schema, Arc::new(runs.slice(2, 5))), [1, 1, 2, 1]);
    assert_eq!(of_column(&schema, Arc::new(runs.slice(4, 0))), [0, 0, 0, 0]);
}

#[test]
fn nested_values_are_unknown_and_change_no_other_column() {
    let schema = one_column("type: integer, constraints: {minimum: 0, maximum: 1}, dp: {open: true}");
    assert_eq!(of_column(&schema, lists(&[Some(1), None, Some(0)])), [0, 0, 1, 2]);
    let duration = new_null_array(&DataType::Duration(datafusion::arrow::datatypes::TimeUnit::Second), 2);
    assert_eq!(of_column(&schema, duration), [0, 0, 2, 0]);

    let (schema, rows) = (common::schema(), people(50, 1));
    let fields = rows.schema();
    let born = fields.index_of("born").unwrap();
    let columns = fields.fields().iter().zip(rows.columns()).enumerate().map(|(place, (field, column))| {
        (field.name().clone(), if place == born { lists(&[Some(1); 50]) } else { Arc::clone(column) })
    });
    let nested = RecordBatch::try_from_iter(columns.collect::<Vec<_>>()).unwrap();
    let read =
        |rows| counts(&CodedTable::from_batches(vec![vec![rows]], &schema, &ReadOptions::default()).unwrap(), &schema);
    let (plain, nested) = (read(rows), read(nested));
    // The number of rows, then a table for each column.
    for (place, attribute) in schema.attributes().iter().enumerate() {
        let (plain, nested) = (&plain[place + 1], &nested[place + 1]);
        if attribute.name() == "born" {
            assert_eq!(nested[attribute.encoder().unknown() as usize], 50);
        } else {
            assert_eq!(plain, nested, "{}", attribute.name());
        }
    }
}

#[test]
fn a_unit_in_a_union_equals_the_unit_in_a_plain_column() {
    let schema = Schema::parse(
        "dp: {privacyUnit: who, maxContributions: 1}\nfields:\n  - {name: x, type: integer, constraints: {minimum: 0, maximum: 9}}\n",
    );
    let schema = schema.unwrap();
    let rows = |who: ArrayRef| {
        let x: ArrayRef = Arc::new(Int64Array::from(vec![1; who.len()]));
        counted(&schema, vec![RecordBatch::try_from_iter([("who", who), ("x", x)]).unwrap()])[1]
    };
    // 3 three times, `x`, 3.5 and a day; null, a list and a null list have no unit.
    for union in [dense(), sparse()] {
        assert_eq!(rows(Arc::new(union)), 4);
    }
    assert_eq!(rows(Arc::new(StringArray::from(vec!["3", "x", "3", "3.0", "3.5", "2020-01-31"]))), 4);
    let values = StringArray::from(vec![Some("a"), None, Some("b")]);
    let runs = RunArray::<Int32Type>::try_new(&Int32Array::from(vec![3, 5, 6]), &values).unwrap();
    assert_eq!(rows(Arc::new(runs)), 2);
}
