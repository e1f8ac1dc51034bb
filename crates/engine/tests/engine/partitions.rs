//! Counts do not depend on order and partitions (T13 of `docs/reference/privacy-tests.md`).

use crate::common::{Numbers, counts, people, schema};
use datafusion::arrow::array::{Array, RecordBatch, StringArray, UInt64Array};
use datafusion::arrow::compute::take_record_batch;
use scumble_engine::exact::ExactCounts;
use scumble_engine::{CodedTable, EngineError, ReadOptions};
use scumble_schema::{AttributeId, Clique};
use scumble_vault::MarginalSource;

const PERMUTATIONS: u64 = 200;

/// Shuffles the rows and distributes them to `partitions`, in batches of uneven size.
fn scatter(rows: &RecordBatch, partitions: usize, numbers: &mut Numbers) -> Vec<Vec<RecordBatch>> {
    let mut order: Vec<u64> = (0..rows.num_rows() as u64).collect();
    numbers.shuffle(&mut order);
    let mut parts = vec![vec![]; partitions];
    let mut rest = order.as_slice();
    while !rest.is_empty() {
        let length = usize::try_from(1 + numbers.below(40)).unwrap().min(rest.len());
        let (batch, after) = rest.split_at(length);
        let batch = take_record_batch(rows, &UInt64Array::from(batch.to_vec())).unwrap();
        parts[usize::try_from(numbers.below(partitions as u64)).unwrap()].push(batch);
        rest = after;
    }
    parts
}

#[test]
fn two_hundred_orders_in_1_2_7_and_64_partitions_give_equal_tables() {
    let (schema, rows) = (schema(), people(300, 5));
    let options = ReadOptions { threads: Some(2), ..Default::default() };
    let truth = counts(&CodedTable::from_batches(vec![vec![rows.clone()]], &schema, &options).unwrap(), &schema);
    let mut numbers = Numbers(13);
    for permutation in 0..PERMUTATIONS {
        for partitions in [1, 2, 7, 64] {
            let parts = scatter(&rows, partitions, &mut numbers);
            let table = CodedTable::from_batches(parts, &schema, &options).unwrap();
            assert!(counts(&table, &schema) == truth, "order {permutation} in {partitions} partitions");
        }
    }
}

#[test]
fn tables_of_more_than_one_chunk_and_thread_add_up() {
    let (schema, rows) = (schema(), people(10_000, 5));
    let options = ReadOptions::default();
    let one = counts(&CodedTable::from_batches(vec![vec![rows.clone()]], &schema, &options).unwrap(), &schema);
    let many = CodedTable::from_batches(vec![vec![rows; 30]; 2], &schema, &options).unwrap();
    assert!(counts(&many, &schema).iter().flatten().zip(one.iter().flatten()).all(|(many, one)| *many == 60 * one));
}

#[test]
fn counts_match_a_count_by_hand() {
    let (schema, rows) = (schema(), people(1_000, 8));
    let table = CodedTable::from_batches(vec![vec![rows.clone()]], &schema, &ReadOptions::default()).unwrap();
    let region = rows.column_by_name("region").unwrap().as_any().downcast_ref::<StringArray>().unwrap();
    let married = rows.column_by_name("married").unwrap();
    let married = married.as_any().downcast_ref::<datafusion::arrow::array::BooleanArray>().unwrap();
    // Regions: four declared, missing, unknown. Married: false, true, missing.
    let mut expected = [0_u64; 6 * 3];
    for row in 0..rows.num_rows() {
        let first = match region.is_valid(row).then(|| region.value(row)) {
            Some("north") => 0,
            Some("south") => 1,
            Some("far, away") => 2,
            Some("say \"so\"") => 3,
            None => 4,
            Some(_) => 5,
        };
        let second = if married.is_null(row) { 2 } else { usize::from(married.value(row)) };
        expected[first * 3 + second] += 1;
    }
    let clique = Clique::new([AttributeId::new(3), AttributeId::new(0)]);
    assert_eq!(table.count_tables(&[clique]).unwrap()[0], expected);
}

#[test]
fn a_table_without_rows_has_counts_of_zero() {
    let schema = schema();
    let empty = people(0, 1);
    for partitions in [vec![], vec![vec![]], vec![vec![empty]]] {
        let table = CodedTable::from_batches(partitions, &schema, &ReadOptions::default()).unwrap();
        assert!(counts(&table, &schema).iter().flatten().all(|count| *count == 0));
    }
}

#[test]
fn the_vault_gets_tables_it_cannot_print() {
    let schema = schema();
    let table = CodedTable::from_batches(vec![vec![people(77, 1)]], &schema, &ReadOptions::default()).unwrap();
    let tables = table.count(&schema.domain().one_way()).unwrap();
    for printed in [format!("{tables:?}"), format!("{table:?}")] {
        assert!(!printed.contains("77"), "{printed}");
    }
}

#[test]
fn a_table_beyond_the_limit_is_refused() {
    let schema = schema();
    let table = CodedTable::from_batches(vec![], &schema, &ReadOptions::default()).unwrap();
    let error = table.count_tables(&[Clique::new(schema.domain().attributes())]).unwrap_err();
    assert!(matches!(error, EngineError::Table(error) if error.is_too_large()));
}
