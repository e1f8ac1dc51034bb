//! Exact counts of the values present in columns, through a vault whose noise is negligible.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::path::Path;

use crate::common::{Numbers, smallest_limit};
use scumble_engine::{Input, ReadOptions, TableScan};
use scumble_schema::learn::class_grid;
use scumble_schema::{Schema, SchemaSpec, TableTerms};
use scumble_vault::account::ThresholdDelta;
use scumble_vault::{AddRemove, ApproxDp, ColumnVault, Delta, Epsilon};

/// Values of each column with their rows.
type Counted = Vec<BTreeMap<Vec<u8>, i64>>;

/// A schema that reads columns as texts, with at most `max_rows` rows of each `who`.
fn schema(columns: &[&str], max_rows: Option<u32>) -> Schema {
    let dp = TableTerms {
        privacy_unit: max_rows.map(|_| "who".to_owned()),
        max_contributions: max_rows,
        ..TableTerms::default()
    };
    let fields = columns.iter().map(|name| class_grid(name)).collect();
    Schema::new(SchemaSpec { dp, fields, ..SchemaSpec::default() }).unwrap()
}

/// Returns all values that are there: the noise is far below half a row.
fn values(paths: &[&Path], columns: &[&str], max_rows: Option<u32>, options: &ReadOptions) -> Counted {
    let inputs: Vec<Input> = paths.iter().map(Input::new).collect();
    let scan = TableScan::open(&inputs, &schema(columns, max_rows), options).unwrap();
    let goal = ApproxDp { epsilon: Epsilon::new(1e6).unwrap(), delta: Delta::new(0.5).unwrap() };
    let for_thresholds = ThresholdDelta::half_of(goal.delta);
    let unit = NonZeroU32::new(max_rows.unwrap_or(1)).unwrap();
    let (mut vault, budget) = ColumnVault::<AddRemove>::open(goal, for_thresholds, unit).unwrap();
    let released = vault.release_values(&scan, columns, for_thresholds, budget).unwrap();
    released.iter().map(|column| column.values().iter().cloned().collect()).collect()
}

/// Writes a table of people with texts of all kinds, and returns its fields.
fn write(path: &Path, rows: usize, numbers: &mut Numbers) -> Vec<[String; 3]> {
    let mut text = String::from("who,town,note\n");
    let mut fields = Vec::new();
    for _ in 0..rows {
        let who = numbers.below(40).to_string();
        let town = ["Oslo", " Oslo ", "Bergen", "", "Tromsø"][usize::try_from(numbers.below(5)).unwrap()].to_owned();
        let note = if numbers.below(3) == 0 { "n".repeat(150) } else { format!("note {}", numbers.below(30)) };
        writeln!(text, "{who},{town},{note}").unwrap();
        fields.push([who, town, note]);
    }
    std::fs::write(path, text).unwrap();
    fields
}

#[test]
fn values_are_counted_trimmed_and_long_ones_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut numbers = Numbers(3);
    let paths = ["a.csv", "b.csv"].map(|name| folder.path().join(name));
    let rows: Vec<[String; 3]> = paths.iter().flat_map(|path| write(path, 500, &mut numbers)).collect();
    let mut expected = vec![BTreeMap::new(); 2];
    for [_, town, note] in &rows {
        *expected[0].entry(town.trim().as_bytes().to_vec()).or_insert(0_i64) += 1;
        if note.len() <= 100 {
            *expected[1].entry(note.as_bytes().to_vec()).or_insert(0_i64) += 1;
        }
    }
    let paths = [paths[0].as_path(), paths[1].as_path()];
    for threads in [1, 3] {
        let options = ReadOptions { threads: Some(threads), ..ReadOptions::default() };
        let mut counted = values(&paths, &["town", "note"], None, &options);
        let long: i64 = rows.iter().filter(|row| row[2].len() > 100).map(|_| 1).sum();
        // A threshold is at least two rows, and nobody is alone here.
        let own =
            counted[1].iter().find(|(value, _)| !expected[1].contains_key(*value)).map(|(value, _)| value.clone());
        assert_eq!(own.and_then(|own| counted[1].remove(&own)), Some(long), "all long texts are one value");
        assert_eq!(counted, expected);
    }
}

#[test]
fn the_rows_of_a_unit_are_bounded_whatever_the_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    let mut rows = write(&path, 2_000, &mut Numbers(5));
    let options = ReadOptions::default();
    for max_rows in [1, 2, 5] {
        let counted = values(&[&path], &["town", "note"], Some(max_rows), &options);
        for column in &counted {
            assert!(column.values().sum::<i64>() <= 40 * i64::from(max_rows), "{max_rows}: {column:?}");
        }
        assert_eq!(counted[0].values().sum::<i64>(), 40 * i64::from(max_rows), "everybody has enough rows");
        Numbers(7).shuffle(&mut rows);
        let shuffled = folder.path().join("shuffled.csv");
        let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
        std::fs::write(&shuffled, format!("who,town,note\n{}\n", lines.join("\n"))).unwrap();
        assert_eq!(values(&[&shuffled], &["town", "note"], Some(max_rows), &options), counted);
    }
}

#[test]
#[cfg(unix)]
fn more_values_than_memory_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (path, spill) = (folder.path().join("many.csv"), tempfile::tempdir().unwrap());
    let mut text = String::from("id\n");
    for row in 0..600_000 {
        writeln!(text, "a text of some length with the number {}", row / 2).unwrap();
    }
    std::fs::write(&path, text).unwrap();
    let counted = values(&[&path], &["id"], None, &smallest_limit(spill.path()));
    assert_eq!(counted[0].len(), 300_000);
    assert!(counted[0].values().all(|&rows| rows == 2));
    assert_eq!(std::fs::read_dir(spill.path()).unwrap().count(), 0, "nothing is left behind");
}
