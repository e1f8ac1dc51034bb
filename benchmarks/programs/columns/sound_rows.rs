//! Made-up rows of any schema that keep its rules. A test of the library has them too.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use scumble::Schema;
use scumble::schema::CodeColumn;

/// How many kinds of rows there are. Columns are related because rows of a kind are alike.
const KINDS: u32 = 6;
/// How often a column has the value of its row's kind.
const ALIKE: f64 = 0.6;

/// Rows that keep all rules, with columns that are related to each other.
pub(crate) fn sound_rows(schema: &Schema, rows: usize, seed: u64) -> Vec<CodeColumn> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let sizes = schema.domain().sizes();
    let mut columns: Vec<CodeColumn> = sizes.iter().map(|&size| CodeColumn::with_capacity(size, rows)).collect();
    for _ in 0..rows {
        let kind: u32 = rng.random_range(0..KINDS);
        let mut draw = |size: u32| if rng.random_bool(ALIKE) { kind * size / KINDS } else { rng.random_range(0..size) };
        let mut row: Vec<u32> = sizes.iter().map(|&size| draw(size)).collect();
        while let Some(rule) = schema.rules().iter().find(|rule| !rule.allows_row(&row)) {
            for column in rule.clique().attributes() {
                row[column.index()] = draw(sizes[column.index()]);
            }
        }
        columns.iter_mut().zip(row).for_each(|(column, code)| column.push(code));
    }
    columns
}
