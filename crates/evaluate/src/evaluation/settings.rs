//! Settings of an evaluation: which tables, columns and rows it measures.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{AttributeId, Schema};

use crate::nist::Earnings;
use crate::table::Columns;

/// Maximum number of codes of a column that makes subgroups by default.
const MAX_SUBGROUP_CODES: u32 = 10;
/// Maximum number of columns that make subgroups by default.
const MAX_SUBGROUP_COLUMNS: usize = 4;
/// Maximum number of columns that are predicted by default.
const MAX_TARGETS: usize = 8;
/// First of the random streams that are used here. Other metrics use lower ones.
const STREAM: u64 = 16 << 32;

/// The tables, columns and rows that an [`Evaluation`](super::Evaluation) measures, and its seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Numbers of columns that the compared tables span.
    pub orders: Vec<usize>,
    /// Maximum number of tables of each order.
    pub count: usize,
    /// Columns whose values make subgroups.
    pub subgroups: Vec<AttributeId>,
    /// Columns that learners predict from the others. If empty, no learner is trained.
    pub targets: Vec<AttributeId>,
    /// Whether the slowest metrics are included: learners, propensity scores and tests.
    pub depth: Depth,
    /// Columns of NIST's regression metric, if the table has them.
    pub earnings: Option<Earnings>,
    /// Maximum number of rows of each table for everything but the tables. From a larger table,
    /// this number of rows is drawn at random.
    pub rows: usize,
    /// Number of bootstraps of the real table that estimate what can be achieved, where no formula
    /// gives it.
    pub resamples: u64,
    /// Seed of all random draws.
    pub seed: u64,
}

/// Whether an [`Evaluation`](super::Evaluation) includes the slowest metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Tables, relations, subgroups and the NIST metrics.
    Quick,
    /// All of these, and learners, propensity scores and tests.
    Full,
}

impl Settings {
    /// Returns the default settings: all metrics; up to 300 tables of each order from one to five;
    /// subgroups by the first four columns of at most ten codes; the eight columns of fewest codes
    /// as targets; a million rows; three bootstraps.
    pub fn new(schema: &Schema) -> Self {
        let sizes = schema.domain().attributes().zip(schema.domain().sizes().iter().copied());
        let mut varying: Vec<(AttributeId, u32)> = sizes.filter(|&(_, size)| size > 1).collect();
        let small = varying.iter().filter(|&&(_, size)| size <= MAX_SUBGROUP_CODES).map(|&(column, _)| column);
        let subgroups = small.take(MAX_SUBGROUP_COLUMNS).collect();
        varying.sort_by_key(|&(_, size)| size);
        let mut targets: Vec<AttributeId> = varying.iter().map(|&(column, _)| column).take(MAX_TARGETS).collect();
        targets.sort_unstable();
        Self {
            orders: vec![1, 2, 3, 4, 5],
            count: 300,
            subgroups,
            targets,
            depth: Depth::Full,
            earnings: None,
            rows: 1_000_000,
            resamples: 3,
            seed: 0,
        }
    }

    /// Draws at most `self.rows` rows without replacement and keeps their order. `side` is the
    /// random stream: 0 for the real table, 1 for the synthetic one.
    pub(super) fn some_rows(&self, table: &Columns, side: u64) -> Columns {
        let all = table.rows() as usize;
        if all <= self.rows {
            return table.clone();
        }
        let mut dice = self.dice(side);
        // Selection sampling: a row is kept with probability `missing / rows left`.
        let mut missing = self.rows;
        let mut chosen = Vec::with_capacity(missing);
        for row in 0..all {
            if dice.random_range(0..all - row) < missing {
                chosen.push(row);
                missing -= 1;
            }
        }
        table.pick(&chosen)
    }

    /// Draws the bootstraps of the real table, each of `rows` rows.
    pub(super) fn resampled(&self, real: &Columns, rows: u32) -> Vec<Columns> {
        let resample = |number| {
            let mut dice = self.dice(2 + number);
            let drawn: Vec<usize> = (0..rows).map(|_| dice.random_range(0..real.rows()) as usize).collect();
            real.pick(&drawn)
        };
        (0..self.resamples).map(resample).collect()
    }

    fn dice(&self, stream: u64) -> ChaCha8Rng {
        let mut dice = ChaCha8Rng::seed_from_u64(self.seed);
        dice.set_stream(STREAM + stream);
        dice
    }
}

#[cfg(test)]
mod tests {
    use scumble_schema::CodeColumn;

    use super::*;

    const SCHEMA: &str = "fields:\n  - {name: a, type: integer, constraints: {minimum: 0, maximum: 299, required: true}}\n  \
                          - {name: b, type: boolean}\n";

    #[test]
    fn rows_are_drawn_without_replacement_and_the_draw_repeats() {
        let schema = Schema::parse(SCHEMA).unwrap();
        let settings = Settings { rows: 100, ..Settings::new(&schema) };
        assert_eq!(settings.subgroups, [AttributeId::new(1)]);
        assert_eq!(settings.targets, [0, 1].map(AttributeId::new));
        let table = Columns::new(schema.domain().clone(), vec![(0..300).collect(), vec![0; 300]]).unwrap();
        let some = settings.some_rows(&table, 0);
        let CodeColumn::U16(codes) = some.codes(AttributeId::new(0)) else { panic!("three hundred codes") };
        assert!(codes.len() == 100 && codes.is_sorted_by(|left, right| left < right));
        assert_eq!(some.codes(AttributeId::new(0)), settings.some_rows(&table, 0).codes(AttributeId::new(0)));
        assert_ne!(some.codes(AttributeId::new(0)), settings.some_rows(&table, 1).codes(AttributeId::new(0)));
        let resampled = settings.resampled(&table, 50);
        assert_eq!(resampled.iter().map(Columns::rows).collect::<Vec<_>>(), [50; 3]);
        assert_ne!(resampled[0].codes(AttributeId::new(0)), resampled[1].codes(AttributeId::new(0)));
    }
}
