//! The parts of the battery: which pairs of neighbouring tables are replayed.

use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::slice;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble_schema::Schema;
use scumble_vault::{AddRemove, Adjacency, ReplaceOne};

use crate::tables::{Row, Table, all_rows, all_tables, integers, parse};

/// Pairs of neighbouring tables over one schema. This is T1 of `docs/reference/privacy-tests.md`.
#[derive(Debug)]
pub struct Part<A> {
    /// What the pairs have in common, in words.
    pub(crate) name: &'static str,
    pub(crate) schema: Schema,
    pub(crate) pairs: Vec<[Table; 2]>,
    /// Number of replays of each pair, with fresh noise.
    pub(crate) runs: usize,
    adjacency: PhantomData<fn() -> A>,
}

/// An adjacency with a battery.
pub trait BatteryAdjacency: Adjacency + Sized {
    /// All parts of the battery. The macro names each of them.
    const PARTS: &[fn() -> Part<Self>];
}

impl BatteryAdjacency for AddRemove {
    const PARTS: &[fn() -> Part<Self>] = &[
        Part::<AddRemove>::every_row_added_to_every_small_binary_table,
        Part::<AddRemove>::every_row_added_to_every_small_table_of_three_by_three,
        Part::<AddRemove>::up_to_two_rows_of_one_unit_added,
        Part::<AddRemove>::rows_of_missing_and_unknown_values_added,
        Part::<AddRemove>::two_thousand_random_rows_added,
    ];
}

impl BatteryAdjacency for ReplaceOne {
    const PARTS: &[fn() -> Part<Self>] = &[
        Part::<ReplaceOne>::every_row_of_small_binary_tables_replaced,
        Part::<ReplaceOne>::every_row_of_small_tables_replaced,
        Part::<ReplaceOne>::two_rows_of_one_unit_replaced,
        Part::<ReplaceOne>::a_thousand_random_rows_replaced,
    ];
}

impl<A> Part<A> {
    fn new(name: &'static str, schema: Schema, pairs: Vec<[Table; 2]>) -> Self {
        Self { name, schema, pairs, runs: 1, adjacency: PhantomData }
    }

    /// Returns the pairs of neighbouring tables.
    pub fn pairs(&self) -> &[[Table; 2]] {
        &self.pairs
    }

    /// Keeps one pair in `every`, from `first` on, for tests that replay many times.
    #[must_use]
    pub fn thinned(mut self, every: NonZeroUsize, first: usize) -> Self {
        self.pairs = self.pairs.into_iter().skip(first).step_by(every.get()).collect();
        self
    }
}

impl Part<AddRemove> {
    /// Three binary columns, at most three rows, and one more: 1,320 pairs, three replays each.
    pub fn every_row_added_to_every_small_binary_table() -> Self {
        let schema = integers(&[2, 2, 2], 1, AddRemove::KIND);
        let pairs = every_row_added(&all_rows(&schema), 3);
        Self { runs: 3, ..Self::new("every row added to every small binary table", schema, pairs) }
    }

    /// Two columns of three codes, at most three rows, and one more: 1,980 pairs.
    pub fn every_row_added_to_every_small_table_of_three_by_three() -> Self {
        let schema = integers(&[3, 3], 1, AddRemove::KIND);
        let pairs = every_row_added(&all_rows(&schema), 3);
        Self::new("every row added to every small table of three by three", schema, pairs)
    }

    /// Units of at most two rows: 2,025 pairs.
    pub fn up_to_two_rows_of_one_unit_added() -> Self {
        let schema = integers(&[2, 2, 2], 2, AddRemove::KIND);
        let tables = all_tables(&all_rows(&schema), 2);
        let pairs = tables.iter().flat_map(|table| tables.iter().map(|unit| added(table, unit))).collect();
        Self::new("up to two rows of one unit added", schema, pairs)
    }

    /// Rows of missing values, unknown values and invalid texts: 168 pairs.
    pub fn rows_of_missing_and_unknown_values_added() -> Self {
        let schema = parse(OPEN_SCHEMA);
        let encode = |row: &[&[u8]; 3]| -> Row {
            schema.attributes().iter().zip(row).map(|(attribute, text)| attribute.encoder().text(text)).collect()
        };
        let rows: Vec<Row> = STRANGE_ROWS.iter().map(encode).collect();
        let pairs = every_row_added(&rows, 2);
        Self::new("rows of missing and unknown values added", schema, pairs)
    }

    /// Six columns, fewer than forty rows: 2,000 random pairs, the same in every run.
    pub fn two_thousand_random_rows_added() -> Self {
        let schema = integers(&SIX_COLUMNS, 1, AddRemove::KIND);
        let mut random = RandomRows::over(&schema);
        let pairs = (0..2_000).map(|_| added(&random.table(), &[random.row()])).collect();
        Self::new("two thousand random rows added", schema, pairs)
    }
}

impl Part<ReplaceOne> {
    /// Three binary columns, one to three rows, one of them replaced: 2,880 pairs.
    pub fn every_row_of_small_binary_tables_replaced() -> Self {
        let schema = integers(&[2, 2, 2], 1, ReplaceOne::KIND);
        let kinds = all_rows(&schema);
        let pairs = every_unit_replaced(&all_tables(&kinds, 2), &units_of_one(&kinds));
        Self::new("every row of small binary tables replaced", schema, pairs)
    }

    /// Two columns with a code for missing values, one or two rows, one of them replaced: 1,872
    /// pairs.
    pub fn every_row_of_small_tables_replaced() -> Self {
        let schema = parse(
            "dp: {adjacency: replace-one}\nfields: [{name: a, type: boolean}, {name: b, type: integer, constraints: {minimum: 0, maximum: 2}}]",
        );
        let kinds = all_rows(&schema);
        let pairs = every_unit_replaced(&all_tables(&kinds, 1), &units_of_one(&kinds));
        Self::new("every row of small tables replaced", schema, pairs)
    }

    /// Units of two rows: 500 pairs.
    pub fn two_rows_of_one_unit_replaced() -> Self {
        let schema = integers(&[2, 2], 2, ReplaceOne::KIND);
        let kinds = all_rows(&schema);
        let units: Vec<Table> = all_tables(&kinds, 2).into_iter().filter(|unit| unit.len() == 2).collect();
        let pairs = every_unit_replaced(&all_tables(&kinds, 1), &units);
        Self::new("two rows of one unit replaced", schema, pairs)
    }

    /// Six columns, at most forty rows: 1,000 random pairs, the same in every run.
    pub fn a_thousand_random_rows_replaced() -> Self {
        let schema = integers(&SIX_COLUMNS, 1, ReplaceOne::KIND);
        let mut random = RandomRows::over(&schema);
        let pair = |_| {
            let rest = random.table();
            [random.row(), random.row()].map(|row| with(&rest, &[row]))
        };
        let pairs = (0..1_000).map(pair).collect();
        Self::new("a thousand random rows replaced", schema, pairs)
    }
}

const SIX_COLUMNS: [u32; 6] = [2, 3, 4, 5, 6, 7];

const OPEN_SCHEMA: &str = r#"
fields:
  - {name: where, type: string, constraints: {enum: [north, south]}, dp: {open: true}}
  - {name: income, type: number, constraints: {minimum: 0, maximum: 10}, dp: {open: true, bins: {count: 3}}}
  - {name: born, type: date, constraints: {minimum: "2000-01-01", maximum: "2000-01-03", required: true}}
"#;

const STRANGE_ROWS: [[&[u8]; 3]; 6] = [
    [b"north", b"1", b"2000-01-02"],
    [b"", b"", b""],
    [b"elsewhere", b"-1", b"1999-12-31"],
    [b"\xff\xfe", b"NaN", b"\0"],
    [b"south", b"inf", b"not a date"],
    [b"north ", b"1e400", b"2000-02-30"],
];

fn with(table: &[Row], unit: &[Row]) -> Table {
    [table, unit].concat()
}

fn added(table: &[Row], unit: &[Row]) -> [Table; 2] {
    [table.to_vec(), with(table, unit)]
}

fn every_row_added(kinds: &[Row], max_rows: usize) -> Vec<[Table; 2]> {
    let tables = all_tables(kinds, max_rows);
    tables.iter().flat_map(|table| kinds.iter().map(|row| added(table, slice::from_ref(row)))).collect()
}

fn units_of_one(kinds: &[Row]) -> Vec<Table> {
    kinds.iter().map(|kind| vec![kind.clone()]).collect()
}

fn every_unit_replaced(tables: &[Table], units: &[Table]) -> Vec<[Table; 2]> {
    let replaced = |table, from, to| [with(table, from), with(table, to)];
    let changes = units.iter().flat_map(|from| units.iter().map(move |to| (from, to)));
    tables.iter().flat_map(|table| changes.clone().map(|(from, to)| replaced(table, from, to))).collect()
}

/// Random rows with a fixed seed, so that a failure can be reproduced.
struct RandomRows<'a> {
    sizes: &'a [u32],
    rng: SmallRng,
}

impl<'a> RandomRows<'a> {
    fn over(schema: &'a Schema) -> Self {
        Self { sizes: schema.domain().sizes(), rng: SmallRng::seed_from_u64(20_260_101) }
    }

    fn row(&mut self) -> Row {
        self.sizes.iter().map(|&size| self.rng.random_range(0..size)).collect()
    }

    fn table(&mut self) -> Table {
        let rows = self.rng.random_range(0..40);
        (0..rows).map(|_| self.row()).collect()
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::AdjacencyKind;

    use super::*;

    #[test]
    fn the_battery_has_the_pairs_that_the_privacy_rules_require() {
        let added = AddRemove::PARTS.iter().map(|part| part());
        let figures: Vec<(usize, usize)> = added.map(|part| (part.pairs.len(), part.runs)).collect();
        assert_eq!(figures, [(1_320, 3), (220 * 9, 1), (45 * 45, 1), (28 * 6, 1), (2_000, 1)]);
        let replaced = ReplaceOne::PARTS.iter().map(|part| part().pairs.len());
        assert_eq!(replaced.collect::<Vec<_>>(), [45 * 8 * 8, 13 * 12 * 12, 5 * 10 * 10, 1_000]);
    }

    /// Counts the rows of one table that the other lacks.
    fn missing(table: &[Row], other: &[Row]) -> usize {
        let mut left = other.to_vec();
        let found = table.iter().filter(|row| match left.iter().position(|kept| kept == *row) {
            Some(position) => {
                left.swap_remove(position);
                true
            }
            None => false,
        });
        table.len() - found.count()
    }

    #[test]
    fn all_pairs_are_neighbours_as_their_schema_declares_them() {
        for part in AddRemove::PARTS.iter().map(|part| part()) {
            assert_eq!(part.schema.privacy().adjacency, AdjacencyKind::AddRemove);
            let max_rows = part.schema.privacy().max_contributions.get() as usize;
            let near = |[one, other]: &[Table; 2]| missing(one, other) == 0 && missing(other, one) <= max_rows;
            assert!(part.pairs.iter().all(near), "{}", part.name);
        }
        for part in ReplaceOne::PARTS.iter().map(|part| part()) {
            assert_eq!(part.schema.privacy().adjacency, AdjacencyKind::ReplaceOne);
            let max_rows = part.schema.privacy().max_contributions.get() as usize;
            let near = |[one, other]: &[Table; 2]| one.len() == other.len() && missing(one, other) <= max_rows;
            assert!(part.pairs.iter().all(near), "{}", part.name);
        }
    }

    #[test]
    fn thinned_parts_make_up_the_whole() {
        let whole = Part::<AddRemove>::rows_of_missing_and_unknown_values_added;
        let five = NonZeroUsize::new(5).unwrap();
        let thinned = (0..5).map(|first| whole().thinned(five, first).pairs.len());
        assert_eq!(thinned.collect::<Vec<_>>(), [34, 34, 34, 33, 33]);
    }
}
