//! Tables with known relations between columns, for tests.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{AttributeId, Domain};

use crate::sample::different_rows;
use crate::table::{ColumnKind, Columns};

/// Kinds of the columns: age in eight ranges or missing, one of three regions, sex, an outcome that
/// depends on all of them, and a column that nothing depends on.
pub(crate) const KINDS: [ColumnKind; 5] = [
    ColumnKind::Ordered { missing: Some(8) },
    ColumnKind::Categorical,
    ColumnKind::Categorical,
    ColumnKind::Categorical,
    ColumnKind::Categorical,
];

/// Returns the column of the outcome.
pub(crate) fn outcome() -> AttributeId {
    AttributeId::new(3)
}

/// Draws rows of one population. Different seeds give different samples of it.
pub(crate) fn related(rows: usize, seed: u64) -> Columns {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let mut codes = vec![Vec::with_capacity(rows); KINDS.len()];
    for _ in 0..rows {
        let age = if dice.random_bool(0.05) { 8 } else { dice.random_range(0..8_u32) };
        let region = if dice.random_bool(0.5) { age % 3 } else { dice.random_range(0..3) };
        let sex = u32::from(dice.random_bool(0.5));
        // More probable for the old, in one region, and for the second sex in that region.
        let chance = 0.1 + 0.05 * f64::from(age) + 0.2 * f64::from(u8::from(region == 1)) * f64::from(1 + sex);
        let row = [age, region, sex, u32::from(dice.random_bool(chance.min(1.0))), dice.random_range(0..5)];
        codes.iter_mut().zip(row).for_each(|(column, code)| column.push(code));
    }
    Columns::new(Domain::new(vec![9, 3, 2, 2, 5]).unwrap(), codes).unwrap()
}

/// Removes all relations from a table: shuffles each column on its own.
pub(crate) fn unrelated(table: &Columns, seed: u64) -> Columns {
    let mut dice = ChaCha8Rng::seed_from_u64(seed);
    let column = |attribute| -> Vec<u32> {
        let codes: Vec<u32> = table.codes(attribute).iter().collect();
        different_rows(table.rows(), codes.len(), &mut dice).into_iter().map(|row| codes[row as usize]).collect()
    };
    let codes = table.domain().attributes().map(column).collect();
    Columns::new(table.domain().clone(), codes).unwrap()
}
