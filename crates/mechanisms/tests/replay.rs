//! The replay test, T1: a method that learns about rows through the vault alone cannot tell neighbouring tables apart once
//! the same values are released. Events, model bytes and synthetic rows must be equal, and no exact answer may be further
//! from its neighbour's than the sensitivity it was charged for.

mod support;

use std::num::NonZeroU32;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_mechanisms::{Method, Model, RowTotal, fit_in};
use scumble_pgm::Sampling;
use scumble_schema::Schema;
use scumble_vault::{AddRemove, Adjacency, ApproxDp, Budget, Delta, Epsilon, ReplaceOne, Vault, replay};
use support::Rows;

fn goal() -> ApproxDp {
    ApproxDp { epsilon: Epsilon::new(1.0).unwrap(), delta: Delta::new(1e-9).unwrap() }
}

/// Everything that leaves a fit.
fn artefacts(model: &Model) -> (Vec<u8>, Vec<arrow_array::RecordBatch>) {
    (model.to_bytes(), model.sample(50, 7, Sampling::LowVariance).collect())
}

/// Adjacencies differ in where the number of rows comes from.
trait KnowsRows: Adjacency + Sized {
    fn rows(vault: &Vault<Self>) -> RowTotal;
}

impl KnowsRows for AddRemove {
    fn rows(_: &Vault<Self>) -> RowTotal {
        RowTotal::Estimated
    }
}

impl KnowsRows for ReplaceOne {
    fn rows(vault: &Vault<Self>) -> RowTotal {
        RowTotal::Public(vault.row_count().unwrap())
    }
}

fn fit<A: KnowsRows>(vault: Vault<A>, budget: Budget<A>, schema: &Schema, method: Method) -> Model {
    let rows = A::rows(&vault);
    fit_in(vault, budget, schema, method, rows).unwrap()
}

/// Runs every method on `table` and forces what it saw on `neighbour`.
fn cannot_tell_apart<A: KnowsRows>(schema: &Schema, table: &[Vec<u32>], neighbour: &[Vec<u32>]) {
    let source = |rows: &[Vec<u32>]| Box::new(Rows { domain: schema.domain().clone(), rows: rows.to_vec() });
    let most = schema.privacy().max_contributions;
    for method in Method::ALL {
        let (vault, budget, recorder) = replay::record::<A>(source(table), goal(), most).unwrap();
        let first = fit(vault, budget, schema, method);
        let recording = recorder.finish();
        let (vault, budget, recorder) = replay::force::<A>(source(neighbour), goal(), most, &recording).unwrap();
        let second = fit(vault, budget, schema, method);
        recording.check_neighbour(&recorder.finish()).unwrap();
        assert_eq!(artefacts(&first), artefacts(&second), "{method} tells {table:?} from {neighbour:?}");
    }
}

/// A schema of closed integer columns with these sizes.
fn integers(sizes: &[u32], most: u32) -> Schema {
    let fields = sizes.iter().enumerate().map(|(column, size)| {
        format!(
            "  - {{name: c{column}, type: integer, constraints: {{minimum: 0, maximum: {}, required: true}}}}\n",
            size - 1
        )
    });
    Schema::parse(&format!("dp: {{maxContributions: {most}}}\nfields:\n{}", fields.collect::<String>())).unwrap()
}

/// Every possible row of a schema.
fn all_rows(schema: &Schema) -> Vec<Vec<u32>> {
    schema.domain().sizes().iter().fold(vec![vec![]], |rows, &size| {
        rows.iter().flat_map(|row| (0..size).map(move |code| [row.clone(), vec![code]].concat())).collect()
    })
}

/// Every table of at most `most` rows, regardless of their order.
fn all_tables(kinds: &[Vec<u32>], most: usize) -> Vec<Vec<Vec<u32>>> {
    let mut tables = vec![vec![]];
    let mut grown: Vec<(usize, Vec<Vec<u32>>)> = vec![(0, vec![])];
    for _ in 0..most {
        grown = grown
            .iter()
            .flat_map(|(from, table)| {
                (*from..kinds.len()).map(move |kind| (kind, [table.clone(), vec![kinds[kind].clone()]].concat()))
            })
            .collect();
        tables.extend(grown.iter().map(|(_, table)| table.clone()));
    }
    tables
}

fn every_added_row(schema: &Schema) -> usize {
    let kinds = all_rows(schema);
    let mut pairs = 0;
    for table in all_tables(&kinds, 3) {
        for row in &kinds {
            cannot_tell_apart::<AddRemove>(schema, &table, &[table.clone(), vec![row.clone()]].concat());
            pairs += 1;
        }
    }
    pairs
}

#[test]
fn every_row_added_to_every_small_binary_table() {
    let schema = integers(&[2, 2, 2], 1);
    for _fresh_noise in 0..3 {
        assert_eq!(every_added_row(&schema), 1_320);
    }
}

#[test]
fn every_row_added_to_every_small_table_of_three_by_three() {
    assert_eq!(every_added_row(&integers(&[3, 3], 1)), 220 * 9);
}

#[test]
fn two_rows_of_one_unit() {
    let schema = integers(&[2, 2, 2], 2);
    assert_eq!(schema.privacy().max_contributions, NonZeroU32::new(2).unwrap());
    let kinds = all_rows(&schema);
    for table in all_tables(&kinds, 2) {
        for pair in all_tables(&kinds, 2) {
            cannot_tell_apart::<AddRemove>(&schema, &table, &[table.clone(), pair].concat());
        }
    }
}

#[test]
fn one_row_replaced() {
    let schema = Schema::parse(
        "dp: {adjacency: replace-one}\nfields: [{name: a, type: boolean}, {name: b, type: integer, constraints: {minimum: 0, maximum: 2}}]",
    )
    .unwrap();
    let kinds = all_rows(&schema);
    for table in all_tables(&kinds, 1) {
        for (from, to) in kinds.iter().flat_map(|from| kinds.iter().map(move |to| (from, to))) {
            let with = |row: &Vec<u32>| [table.clone(), vec![row.clone()]].concat();
            cannot_tell_apart::<ReplaceOne>(&schema, &with(from), &with(to));
        }
    }
}

#[test]
fn rows_of_missing_and_unknown_values() {
    let schema = Schema::parse(
        r#"
fields:
  - {name: where, type: string, constraints: {enum: [north, south]}, dp: {open: true}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 10}, dp: {open: true, bins: {count: 3}}}
  - {name: born, type: date, constraints: {minimum: "2000-01-01", maximum: "2000-01-03", required: true}}
"#,
    )
    .unwrap();
    let texts: [[&[u8]; 3]; 6] = [
        [b"north", b"1", b"2000-01-02"],
        [b"", b"", b""],
        [b"elsewhere", b"-1", b"1999-12-31"],
        [b"\xff\xfe", b"NaN", b"\0"],
        [b"south", b"inf", b"not a date"],
        [b"north ", b"1e400", b"2000-02-30"],
    ];
    let encode = |row: &[&[u8]; 3]| -> Vec<u32> {
        schema.attributes().iter().zip(row).map(|(attribute, text)| attribute.encoder().text(text)).collect()
    };
    let rows: Vec<Vec<u32>> = texts.iter().map(encode).collect();
    for table in all_tables(&rows, 2) {
        for row in &rows {
            cannot_tell_apart::<AddRemove>(&schema, &table, &[table.clone(), vec![row.clone()]].concat());
        }
    }
}

#[test]
fn two_thousand_random_pairs_of_six_columns() {
    let schema = integers(&[2, 3, 4, 5, 6, 7], 1);
    let mut rng = SmallRng::seed_from_u64(20_260_101);
    let row = |rng: &mut SmallRng| -> Vec<u32> {
        schema.domain().sizes().iter().map(|&size| rng.random_range(0..size)).collect()
    };
    for _ in 0..2_000 {
        let table: Vec<Vec<u32>> = (0..rng.random_range(0..40)).map(|_| row(&mut rng)).collect();
        let neighbour = [table.clone(), vec![row(&mut rng)]].concat();
        cannot_tell_apart::<AddRemove>(&schema, &table, &neighbour);
    }
}

#[test]
fn a_model_of_a_replay_is_not_taken_for_a_real_one() {
    let schema = integers(&[2], 1);
    let source = Rows { domain: schema.domain().clone(), rows: vec![] };
    let (vault, budget, _) = replay::record::<AddRemove>(Box::new(source), goal(), NonZeroU32::MIN).unwrap();
    let model = fit(vault, budget, &schema, Method::Independent);
    assert!(Model::from_bytes(&model.to_bytes()).unwrap_err().to_string().contains("NOT PRIVATE"));
}

#[test]
#[should_panic(expected = "further apart than the sensitivity")]
fn tables_that_are_no_neighbours_are_noticed() {
    let schema = integers(&[2, 2], 1);
    cannot_tell_apart::<AddRemove>(&schema, &[], &[vec![0, 0], vec![0, 0]]);
}
