//! At most the declared number of rows of each unit is kept, and always the same ones.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::common::{Numbers, read, write};
use datafusion::arrow::array::{
    ArrayRef, Date32Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, UInt64Array, new_null_array,
};
use datafusion::arrow::compute::{cast, take_record_batch};
use datafusion::arrow::datatypes::{DataType, Field, Fields, TimeUnit};
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, ColumnProblem, EngineError, Input, ReadOptions};
use scumble_schema::{Clique, Schema, cells};
use scumble_vault::MarginalSource;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// A unit, and the codes of the two attributes.
type Row = (Option<u32>, u32, u32);

/// `a` has codes of one byte and may be missing, `b` has codes of two bytes.
fn schema(max_rows: u32) -> Schema {
    Schema::parse(&format!(
        "
dp: {{privacyUnit: who, maxContributions: {max_rows}}}
missingValues: ['', nobody]
fields:
  - {{name: a, type: integer, constraints: {{minimum: 0, maximum: 3}}}}
  - {{name: b, type: integer, constraints: {{minimum: 0, maximum: 299, required: true}}}}
"
    ))
    .unwrap()
}

/// Rows of units of all sizes; a few rows have no unit, and many are equal.
fn table(rows: usize, units: u64, numbers: &mut Numbers) -> Vec<Row> {
    let mut small = |bound| u32::try_from(numbers.below(bound)).unwrap();
    (0..rows)
        .map(|_| {
            let unit = if small(3) == 0 { small(3) } else { small(units) };
            ((small(12) > 0).then_some(unit), small(5), small(3) * 140)
        })
        .collect()
}

/// The rows, with integer units.
fn batch(rows: &[Row]) -> RecordBatch {
    with_units(rows, Arc::new(rows.iter().map(|row| row.0.map(i64::from)).collect::<Int64Array>()))
}

fn with_units(rows: &[Row], units: ArrayRef) -> RecordBatch {
    let a: Int64Array = rows.iter().map(|row| (row.1 < 4).then_some(row.1.into())).collect();
    let b: Int64Array = rows.iter().map(|row| Some(row.2.into())).collect();
    RecordBatch::try_from_iter([("b", Arc::new(b) as ArrayRef), ("who", units), ("a", Arc::new(a))]).unwrap()
}

/// The table as a multiset: the number of times each row occurs.
fn multiset(table: &CodedTable) -> Vec<u64> {
    let everything = Clique::new(table.domain().attributes());
    table.count_tables(&[everything]).unwrap().swap_remove(0)
}

fn kept(parts: Vec<Vec<RecordBatch>>, schema: &Schema, threads: usize) -> Vec<u64> {
    let options = ReadOptions { threads: Some(threads), ..Default::default() };
    multiset(&CodedTable::from_batches(parts, schema, &options).unwrap())
}

/// Returns the kept rows of one unit, by the rule of `unit.md`.
fn kept_of_unit(unit: u32, rows: impl Iterator<Item = (u32, u32)>, max_rows: usize) -> Vec<(u32, u32)> {
    let key = Sha256::digest(unit.to_string());
    let mut ranked: Vec<_> = rows
        .map(|(a, b)| {
            let codes = [&[u8::try_from(a).unwrap()][..], &u16::try_from(b).unwrap().to_le_bytes()].concat();
            let hash = Sha256::digest([key.as_slice(), &codes].concat());
            (hash[..16].to_vec(), (a, b))
        })
        .collect();
    ranked.sort();
    ranked.into_iter().take(max_rows).map(|(_, row)| row).collect()
}

fn expected(rows: &[Row], schema: &Schema) -> Vec<u64> {
    let max_rows = schema.privacy().max_contributions.get() as usize;
    let mut units: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for &(unit, a, b) in rows {
        // A row without a unit is dropped.
        if let Some(unit) = unit {
            units.entry(unit).or_default().push((a, b));
        }
    }
    let strides = cells::strides(schema.domain(), &Clique::new(schema.domain().attributes()));
    let mut counts = vec![0; schema.domain().sizes().iter().map(|size| *size as usize).product()];
    for (unit, rows) in units {
        for (a, b) in kept_of_unit(unit, rows.into_iter(), max_rows) {
            counts[a as usize * strides[0] + b as usize * strides[1]] += 1;
        }
    }
    counts
}

/// Shuffles the rows and distributes them to `partitions`, in batches of uneven size.
fn scatter(rows: &RecordBatch, partitions: usize, numbers: &mut Numbers) -> Vec<Vec<RecordBatch>> {
    let mut order: Vec<u64> = (0..rows.num_rows() as u64).collect();
    numbers.shuffle(&mut order);
    let mut parts = vec![vec![]; partitions];
    let longest = [1, 5, 1_000][usize::try_from(numbers.below(3)).unwrap()];
    while !order.is_empty() {
        let length = usize::try_from(1 + numbers.below(longest)).unwrap().min(order.len());
        let indices: UInt64Array = order.drain(..length).collect();
        let part = usize::try_from(numbers.below(partitions as u64)).unwrap();
        parts[part].push(take_record_batch(rows, &indices).unwrap());
    }
    parts
}

#[test]
fn the_rows_of_lowest_rank_are_kept_in_every_order_and_partition() {
    let mut numbers = Numbers(4);
    for (rows, units) in [(1, 1), (40, 3), (150, 20), (300, 1_000)] {
        let rows = table(rows, units, &mut numbers);
        for max_rows in [1, 2, 7, 400] {
            let schema = schema(max_rows);
            let expected = expected(&rows, &schema);
            for partitions in [1, 2, 7] {
                for threads in [1, 3] {
                    let parts = scatter(&batch(&rows), partitions, &mut numbers);
                    let kept = kept(parts, &schema, threads);
                    assert!(
                        kept == expected,
                        "{units} units, {max_rows} each, {partitions} partitions, {threads} threads"
                    );
                }
            }
        }
    }
}

#[test]
fn removing_a_unit_removes_only_its_kept_rows() {
    let mut numbers = Numbers(5);
    for round in 0..30 {
        let rows = table(120, 12, &mut numbers);
        let max_rows = 1 + round % 4;
        let schema = schema(max_rows);
        let unit = rows[usize::try_from(numbers.below(120)).unwrap()].0;
        let (gone, others): (Vec<Row>, Vec<Row>) = rows.iter().partition(|row| row.0 == unit);
        let all = kept(scatter(&batch(&rows), 2, &mut numbers), &schema, 2);
        let without = kept(scatter(&batch(&others), 3, &mut numbers), &schema, 2);
        let alone = kept(vec![vec![batch(&gone)]], &schema, 1);
        assert!(all.iter().zip(&without).zip(&alone).all(|((all, without), alone)| *all == without + alone));
        let places = if unit.is_some() { max_rows } else { 0 };
        assert_eq!(alone.iter().sum::<u64>(), (gone.len() as u64).min(places.into()));
    }
}

#[test]
fn a_unit_of_a_thousand_rows_moves_no_count_by_more_than_three() {
    let mut numbers = Numbers(15);
    let schema = schema(3);
    let pair = Clique::new(schema.domain().attributes());
    let tables: Vec<Clique> = schema.domain().one_way().into_iter().chain([Clique::empty(), pair]).collect();
    let counts = |rows: &[Row], numbers: &mut Numbers| {
        let options = ReadOptions { threads: Some(2), ..Default::default() };
        let parts = scatter(&batch(rows), 3, numbers);
        CodedTable::from_batches(parts, &schema, &options).unwrap().count_tables(&tables).unwrap()
    };
    for round in 0..25 {
        let rows = table(150, 20, &mut numbers);
        // A new unit: of a thousand different rows, or of one row a thousand times.
        let mut newcomer: Vec<Row> =
            table(1_000, 20, &mut numbers).into_iter().map(|row| (Some(77_777), row.1, row.2)).collect();
        if round % 5 == 0 {
            newcomer = vec![newcomer[0]; 1_000];
        }
        let more: Vec<Row> = rows.iter().chain(&newcomer).copied().collect();
        let (before, after) = (counts(&rows, &mut numbers), counts(&more, &mut numbers));
        let mut moved = 0;
        for (table, (before, after)) in tables.iter().zip(before.iter().zip(&after)) {
            let by: Vec<u64> = before.iter().zip(after).map(|(before, after)| before.abs_diff(*after)).collect();
            assert_eq!(by.iter().sum::<u64>(), 3, "all of {table:?} together");
            moved = moved.max(by.into_iter().max().unwrap());
        }
        assert_eq!(moved, 3, "the number of rows moves by as much");
    }
}

#[test]
fn rows_without_a_unit_change_nothing() {
    let mut numbers = Numbers(14);
    for max_rows in [1, 3, 400] {
        let rows = table(150, 12, &mut numbers);
        let schema = schema(max_rows);
        let (with_unit, without): (Vec<Row>, Vec<Row>) = rows.iter().partition(|row| row.0.is_some());
        assert!(!without.is_empty());
        let truth = kept(scatter(&batch(&with_unit), 2, &mut numbers), &schema, 2);
        let more: Vec<Row> = rows.iter().chain(&without).chain(&without).copied().collect();
        for rows in [rows, more] {
            assert!(kept(scatter(&batch(&rows), 3, &mut numbers), &schema, 2) == truth);
        }
        assert_eq!(kept(vec![vec![batch(&without)]], &schema, 1).iter().sum::<u64>(), 0);
    }
}

#[test]
fn a_replaced_unit_moves_at_most_the_bound_out_and_in() {
    let mut numbers = Numbers(6);
    for round in 0..30 {
        let rows = table(120, 12, &mut numbers);
        let max_rows = 1 + round % 4;
        let schema = schema(max_rows);
        // A row without a unit is not a unit of a neighbouring table, and is not replaced.
        let units: Vec<_> = rows.iter().filter_map(|row| row.0).collect();
        let unit = Some(units[usize::try_from(numbers.below(units.len() as u64)).unwrap()]);
        let mut replaced = rows.clone();
        // As many rows of a new unit.
        for row in replaced.iter_mut().filter(|row| row.0 == unit) {
            let other = table(1, 1, &mut numbers)[0];
            *row = (Some(77_777), other.1, other.2);
        }
        let before = kept(scatter(&batch(&rows), 2, &mut numbers), &schema, 2);
        let after = kept(scatter(&batch(&replaced), 7, &mut numbers), &schema, 2);
        let moved =
            |from: &[u64], to: &[u64]| from.iter().zip(to).map(|(from, to)| from.saturating_sub(*to)).sum::<u64>();
        assert!(moved(&before, &after) <= max_rows.into() && moved(&after, &before) <= max_rows.into());
        assert_eq!(before.iter().sum::<u64>(), after.iter().sum::<u64>(), "the number of kept rows is the same");
    }
}

#[test]
fn the_unit_as_a_field_shows_the_number_of_kept_rows() {
    let schema = Schema::parse(
        "
dp: {privacyUnit: who, maxContributions: 4}
fields:
  - {name: who, type: integer, constraints: {minimum: 0, maximum: 8}}
  - {name: a, type: integer, constraints: {minimum: 0, maximum: 3}}
",
    )
    .unwrap();
    let rows = table(60, 9, &mut Numbers(7));
    let table = CodedTable::from_batches(vec![vec![batch(&rows)]], &schema, &ReadOptions::default()).unwrap();
    let kept = table.count_tables(&schema.domain().one_way()).unwrap().swap_remove(0);
    let had = |unit| rows.iter().filter(|row| row.0 == Some(unit)).count() as u64;
    assert_eq!(kept[..9], (0..9).map(|unit| had(unit).min(4)).collect::<Vec<_>>());
    assert!((0..9).any(|unit| had(unit) > 4) && (0..9).any(|unit| had(unit) < 4));
    assert!(kept[9] == 0 && rows.iter().any(|row| row.0.is_none()), "missing has a code, and no row of it is kept");
    assert_eq!(table.bound().unwrap().0, "who");
}

#[test]
fn one_identifier_is_one_unit_in_every_type() {
    let rows = table(200, 15, &mut Numbers(8));
    let schema = schema(2);
    let truth = expected(&rows, &schema);
    let text = |form: &dyn Fn(u32) -> String| -> ArrayRef {
        Arc::new(rows.iter().map(|row| row.0.map(form)).collect::<StringArray>())
    };
    let numbers = batch(&rows).column_by_name("who").unwrap().clone();
    let dictionary = DataType::Dictionary(Box::new(DataType::Int16), Box::new(DataType::Utf8));
    let nobody: StringArray =
        rows.iter().map(|row| Some(row.0.map_or("nobody".to_owned(), |unit| unit.to_string()))).collect();
    let mut columns = vec![
        text(&|unit| unit.to_string()),
        text(&|unit| format!(" {unit}\t")),
        text(&|unit| format!("{unit}.0")),
        cast(&text(&|unit| unit.to_string()), &dictionary).unwrap(),
        Arc::new(nobody.clone()) as ArrayRef,
        cast(&nobody, &dictionary).unwrap(),
    ];
    for data_type in [
        DataType::UInt8,
        DataType::Int32,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(12, 3),
        DataType::Decimal256(40, 0),
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::BinaryView,
        DataType::Dictionary(Box::new(DataType::UInt8), Box::new(DataType::Int64)),
    ] {
        let from = if matches!(data_type, DataType::Binary | DataType::BinaryView) { &columns[0] } else { &numbers };
        let column = cast(from, &data_type).unwrap();
        columns.push(column);
    }
    for units in columns {
        let shown = units.data_type().clone();
        assert!(kept(vec![vec![with_units(&rows, units)]], &schema, 2) == truth, "{shown}");
    }
}

#[test]
fn dates_and_instants_can_be_units() {
    let rows = table(200, 15, &mut Numbers(9));
    let schema = schema(3);
    let days: Date32Array = rows.iter().map(|row| row.0.map(|unit| i32::try_from(unit * 40).unwrap())).collect();
    let truth = kept(vec![vec![with_units(&rows, Arc::new(days.clone()))]], &schema, 1);
    assert_eq!(truth.iter().sum::<u64>(), expected(&rows, &schema).iter().sum::<u64>(), "as many units");
    for data_type in [DataType::Date64, DataType::Timestamp(TimeUnit::Nanosecond, None), DataType::Utf8] {
        let units = cast(&days, &data_type).unwrap();
        assert!(kept(vec![vec![with_units(&rows, units)]], &schema, 2) == truth, "{data_type}");
    }
}

#[test]
fn every_format_keeps_the_same_rows() {
    let directory = TempDir::new().unwrap();
    let rows = table(500, 40, &mut Numbers(10));
    let instants: TimestampMillisecondArray =
        rows.iter().map(|row| row.0.map(|unit| i64::from(unit) * 43_200_500)).collect();
    let schema = schema(3);
    for batch in [batch(&rows), with_units(&rows, Arc::new(instants))] {
        let truth = kept(vec![vec![batch.clone()]], &schema, 1);
        for name in ["a.csv", "a.parquet", "a.arrow"] {
            let path = directory.path().join(name);
            write(&path, &[batch.slice(0, 200), batch.slice(200, 300)]);
            assert!(multiset(&read(&path, &schema).unwrap()) == truth, "{name}");
        }
    }
}

#[test]
fn a_unit_is_one_across_files_that_write_it_differently() {
    let directory = TempDir::new().unwrap();
    let path = |name: &str| directory.path().join(name);
    let rows = table(300, 10, &mut Numbers(11));
    let (first, second) = rows.split_at(150);
    write(&path("a.parquet"), &[batch(first)]);
    let mut csv = String::from("who,nothing,b,a\n");
    for (unit, a, b) in second {
        let unit = unit.map_or("nobody".to_owned(), |unit| format!("{unit}.0"));
        let a = if *a < 4 { a.to_string() } else { String::new() };
        writeln!(csv, "{unit},x,{b},{a}").unwrap();
    }
    std::fs::write(path("b.csv"), csv).unwrap();
    let schema = schema(3);
    for inputs in [[path("a.parquet"), path("b.csv")], [path("b.csv"), path("a.parquet")]] {
        let inputs = inputs.map(Input::new);
        for threads in [1, 4] {
            let options = ReadOptions { threads: Some(threads), ..Default::default() };
            let table = CodedTable::read(&inputs, &schema, &options).unwrap();
            assert!(multiset(&table) == expected(&rows, &schema));
        }
    }
}

#[test]
fn rows_with_a_too_long_identifier_are_dropped() {
    let long = |end: char| "7".repeat(1 << 20) + &end.to_string();
    let csv = format!("who,a,b\n{},3,0\n{},3,0\nx,1,0\ny,2,0\n", long('1'), long('2'));
    let directory = TempDir::new().unwrap();
    std::fs::write(directory.path().join("a.csv"), csv).unwrap();
    let table = read(directory.path().join("a.csv"), &schema(1)).unwrap();
    assert_eq!(multiset(&table).iter().sum::<u64>(), 2);
    let units: ArrayRef = Arc::new(StringArray::from(vec![long('1'), long('2'), "x".into(), "y".into()]));
    let rows = [(None, 3, 0), (None, 3, 0), (None, 1, 0), (None, 2, 0)];
    assert_eq!(kept(vec![vec![with_units(&rows, units)]], &schema(1), 2), multiset(&table));
}

#[test]
fn the_unit_column_must_exist_and_be_plain() {
    let directory = TempDir::new().unwrap();
    let schema = schema(2);
    let problem = |name: &str, bytes: &str| {
        std::fs::write(directory.path().join(name), bytes).unwrap();
        match read(directory.path().join(name), &schema).unwrap_err() {
            EngineError::Schema { column, problem, .. } => (column, problem),
            other => panic!("{other}"),
        }
    };
    assert_eq!(problem("a.csv", "a,b\n1,2\n"), ("who".into(), ColumnProblem::Missing { meant: None }));
    assert_eq!(problem("b.csv", "a,who,b,who\n1,2,3,4\n"), ("who".into(), ColumnProblem::Repeated));

    let rows = table(3, 1, &mut Numbers(12));
    let in_memory = |units: Option<ArrayRef>| {
        let batch = match units {
            Some(units) => with_units(&rows, units),
            None => batch(&rows).project(&[0, 2]).unwrap(),
        };
        CodedTable::from_batches(vec![vec![batch]], &schema, &ReadOptions::default()).unwrap_err()
    };
    let nested = DataType::Struct(Fields::from(vec![Field::new("x", DataType::Int8, true)]));
    for (error, expected) in [
        (in_memory(None), ColumnProblem::Missing { meant: None }),
        (in_memory(Some(new_null_array(&nested, 3))), ColumnProblem::Type(nested.to_string())),
    ] {
        assert!(
            matches!(&error, EngineError::Schema { column, problem, .. } if column == "who" && *problem == expected),
            "{error}"
        );
    }
}

#[test]
fn a_table_without_rows_or_without_units_is_a_table() {
    let schema = schema(2);
    let rows = table(50, 5, &mut Numbers(13));
    assert_eq!(kept(vec![], &schema, 2).iter().sum::<u64>(), 0);
    assert_eq!(kept(vec![vec![batch(&[])]], &schema, 2).iter().sum::<u64>(), 0);
    for data_type in [DataType::Null, DataType::Utf8, DataType::Float64] {
        let units = new_null_array(&data_type, 50);
        assert_eq!(kept(vec![vec![with_units(&rows, units)]], &schema, 2).iter().sum::<u64>(), 0, "{data_type}");
    }
}

#[test]
fn thousands_of_columns_have_units() {
    let columns = 2_000;
    let mut yaml = String::from("dp: {privacyUnit: who, maxContributions: 2}\nfields:\n");
    for column in 0..columns {
        writeln!(yaml, "  - {{name: c{column}, type: boolean, constraints: {{required: true}}}}").unwrap();
    }
    let schema = Schema::parse(&yaml).unwrap();
    let values: ArrayRef = Arc::new(Int64Array::from(vec![0, 1, 1, 0, 1]));
    let who: ArrayRef = Arc::new(StringArray::from(vec!["x", "x", "x", "y", "z"]));
    let fields = (0..columns).map(|column| (format!("c{column}"), Arc::clone(&values)));
    let batch = RecordBatch::try_from_iter(fields.chain([("who".to_owned(), who)])).unwrap();
    let table = CodedTable::from_batches(vec![vec![batch]], &schema, &ReadOptions::default()).unwrap();
    let one_way = table.count_tables(&schema.domain().one_way()).unwrap();
    assert_eq!(one_way[0].iter().sum::<u64>(), 4, "two of three, one, and one");
    assert!(one_way.iter().all(|counts| *counts == one_way[0]), "codes return to their columns");
}
