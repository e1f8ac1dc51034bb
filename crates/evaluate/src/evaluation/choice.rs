//! What is measured, and on which rows.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use scumble_schema::{AttributeId, Schema};

use crate::columns::Columns;
use crate::nist::Earnings;

/// A column with at most so many codes makes subgroups unless others are named.
const SUBGROUP_CODES: u32 = 10;
/// So many columns do.
const SUBGROUP_COLUMNS: usize = 4;
/// So many columns are predicted unless others are named.
const TARGETS: usize = 8;
/// The streams of random numbers that are drawn here; other metrics have lower ones.
const STREAM: u64 = 16 << 32;

/// Which tables, columns and rows an [`Evaluation`](super::Evaluation) looks at, and what its random choices follow from.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How many columns the compared tables span.
    pub orders: Vec<usize>,
    /// At most so many tables of each order.
    pub count: usize,
    /// Columns whose values make subgroups.
    pub subgroups: Vec<AttributeId>,
    /// Columns that learners predict from the others; none leaves the learners out.
    pub targets: Vec<AttributeId>,
    /// Whether learners, propensity scores and tests are left out, which take longest.
    pub depth: Depth,
    /// The columns of NIST's regression metric, if the table has such.
    pub earnings: Option<Earnings>,
    /// All but the tables are measured on at most so many rows of each table; more are a random choice.
    pub rows: usize,
    /// How many bootstraps of the real table tell what can be achieved, where no formula does.
    pub resamples: u64,
    /// What all random choices follow from.
    pub seed: u64,
}

/// Whether an [`Evaluation`](super::Evaluation) also measures what takes longest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Tables, relations, subgroups and the NIST metrics.
    Quick,
    /// Learners, propensity scores and tests as well.
    Full,
}

impl Settings {
    /// The usual: everything; three hundred tables of each order from one to five, subgroups by the first four columns of at
    /// most ten codes, the eight columns of fewest codes as targets, a million rows, three bootstraps.
    pub fn new(schema: &Schema) -> Self {
        let sizes = schema.domain().attributes().zip(schema.domain().sizes().iter().copied());
        let mut varying: Vec<(AttributeId, u32)> = sizes.filter(|&(_, size)| size > 1).collect();
        let small = varying.iter().filter(|&&(_, size)| size <= SUBGROUP_CODES).map(|&(column, _)| column);
        let subgroups = small.take(SUBGROUP_COLUMNS).collect();
        varying.sort_by_key(|&(_, size)| size);
        let mut targets: Vec<AttributeId> = varying.iter().map(|&(column, _)| column).take(TARGETS).collect();
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

    /// At most so many rows as the settings say, in their order; `side` tells the tables apart.
    pub(super) fn some_rows(&self, table: &Columns, side: u64) -> Columns {
        let all = table.rows() as usize;
        if all <= self.rows {
            return table.clone();
        }
        let mut dice = self.dice(side);
        // Each row is taken with the chance that fills what is still wanted from what is still there.
        let mut wanted = self.rows;
        let mut chosen = Vec::with_capacity(wanted);
        for row in 0..all {
            if dice.random_range(0..all - row) < wanted {
                chosen.push(row);
                wanted -= 1;
            }
        }
        table.pick(&chosen)
    }

    /// Bootstraps of the real table, of so many rows each.
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
    fn rows_are_chosen_once_each_and_the_same_again() {
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
