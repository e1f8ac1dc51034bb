//! Whether tests of independence conclude the same on synthetic rows as on real ones.
//!
//! Pearson's test of two columns runs on the real table, on the synthetic one as if its rows were
//! real, and on a bootstrap of the real table, which gives the achievable agreement. The share of
//! relations that are significant in the real table and stay so is the power that is kept; pairs
//! that become significant are false alarms. There is no correction for the number of pairs.
//!
//! On many rows nearly every pair is significant. So the power at few rows is estimated too, for
//! some pairs, by tests of bootstraps.
//!
//! Columns with more than 64 codes are grouped: ranges of ordered codes, the most frequent
//! categories and the rest. Then groups are pooled until every cell of the real table expects five
//! rows or more; the synthetic table is tested with the same pools. Pools that are empty in a table
//! do not count among its degrees of freedom.
//!
//! # Reference
//! Differential Privacy and Synthetic Data Generation using PrivBayes, a project report of Aalborg
//! University, December 2024, sections 4.2.2 and 4.2.3, which measures the utility of synthetic
//! rows by the power of this test.

mod gamma;
mod independence;
mod pooling;
mod power;

use std::fmt;

use rand::RngExt;
use scumble_pgm::parallel;
use scumble_schema::AttributeId;
use serde::Serialize;

pub use self::independence::{Independence, LEVEL};
use self::pooling::{Side, pools};
pub use self::power::{PowerCurve, PowerPoint};
use crate::NOT_PRIVATE;
use crate::error::EvaluateError;
use crate::sample::{Draw, Grouping, Sample, bootstrap_rows, check, different_rows, number, tally};
use crate::table::{ColumnKind, Columns};

/// Maximum number of groups of a column. Finer tables would nearly always be pooled.
const MAX_GROUPS: usize = 64;

/// Settings of the tests.
#[derive(Debug, Clone, PartialEq)]
pub struct ChiSquare {
    /// Kind of each column.
    pub kinds: Vec<ColumnKind>,
    /// Maximum number of pairs of columns. If there are more, this number is drawn at random.
    pub max_pairs: usize,
    /// Maximum number of rows of each table. From a larger table, this number is drawn at random.
    pub rows: usize,
    /// Number of pairs for which the power at few rows is estimated.
    pub curves: usize,
    /// Numbers of rows at which the power is estimated.
    pub curve_rows: Vec<usize>,
    /// Number of bootstraps of each estimate of the power.
    pub repeats: usize,
    /// Seed of the random draws.
    pub seed: u64,
}

/// Results of the tests.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChiSquareTests {
    stamp: &'static str,
    /// Level of the tests.
    pub level: f64,
    /// Number of real rows that were tested.
    pub real_rows: usize,
    /// Number of synthetic rows that were tested.
    pub synthetic_rows: usize,
    /// Number of pairs of columns, tested or not.
    pub possible_pairs: usize,
    /// Tests of each pair.
    pub pairs: Vec<PairTest>,
    /// Agreement of the synthetic table with the real one.
    pub synthetic: Agreement,
    /// Agreement of a bootstrap of the real table, of as many rows as the synthetic one.
    pub achievable: Agreement,
    /// Power at few rows, for pairs from the strongest relation to the weakest.
    pub curves: Vec<PowerCurve>,
}

/// The tests of one pair of columns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairTest {
    /// The positions of the columns.
    pub columns: [AttributeId; 2],
    /// Test of the real table; `None` if a column is constant or its other values are too rare.
    pub real: Option<Independence>,
    /// Test of the synthetic table; `None` also if a column is constant there.
    pub synthetic: Option<Independence>,
}

/// Agreement of the conclusions from two tables. A pair that cannot be tested is not significant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// Number of pairs that could be tested on the real table.
    pub tested: usize,
    /// Share of tested pairs with the same conclusion; `None` without any.
    pub agreeing: Option<f64>,
    /// Number of tested pairs that are significant in the real table.
    pub significant: usize,
    /// Share of significant pairs that stay significant: the power that is kept; `None` without
    /// any.
    pub kept: Option<f64>,
    /// Share of the other pairs that become significant: false alarms; `None` without any.
    pub false_alarms: Option<f64>,
}

impl ChiSquare {
    /// Returns the default settings: at most 1,000 pairs and 200,000 rows, and for twelve pairs the
    /// power at 200, 1,000 and 5,000 rows from 200 tests.
    pub fn new(kinds: Vec<ColumnKind>, seed: u64) -> Self {
        let curve_rows = vec![200, 1_000, 5_000];
        Self { kinds, max_pairs: 1_000, rows: 200_000, curves: 12, curve_rows, repeats: 200, seed }
    }

    /// Tests both tables.
    ///
    /// # Errors
    /// If the tables are over different domains or have fewer than two rows, there is not one kind
    /// per attribute, or a limit is zero.
    pub fn compare(&self, real: &Columns, synthetic: &Columns) -> Result<ChiSquareTests, EvaluateError> {
        check(real, synthetic, &self.kinds)?;
        if self.rows == 0 || self.max_pairs == 0 || self.repeats == 0 {
            return Err(EvaluateError::config("rows, max_pairs and repeats", "above zero"));
        }
        let mut dice = Draw::TestedPairs.dice(self.seed);
        let groupings = Grouping::of_all(real, &self.kinds, MAX_GROUPS)?;
        let [real_rows, synthetic_rows] =
            [real, synthetic].map(|table| different_rows(table.rows(), self.rows, &mut dice));
        let bootstrap = bootstrap_rows(real.rows(), synthetic_rows.len(), &mut dice);
        let samples = [(real, &real_rows), (synthetic, &synthetic_rows), (real, &bootstrap)];
        let samples = samples.map(|(table, rows)| Sample::of(table, rows, &groupings));
        let tables = Tables::new(samples, &groupings);

        let columns = groupings.len();
        let mut chosen: Vec<[usize; 2]> = (0..columns).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let possible_pairs = chosen.len();
        for position in 0..self.max_pairs.min(possible_pairs.saturating_sub(self.max_pairs)) {
            let other = dice.random_range(position..possible_pairs);
            chosen.swap(position, other);
        }
        chosen.truncate(self.max_pairs);
        chosen.sort_unstable();
        let tests = parallel::map(&chosen, |&pair| tables.test(pair));
        let agreement = |other: usize| Agreement::of(tests.iter().map(|tests| [tests[REAL], tests[other]]));
        let curves = power::spread(&chosen, &tests, self.curves);
        let curve = |pair: &[usize; 2]| power::curve(&tables, *pair, &self.curve_rows, self.repeats, self.seed);
        Ok(ChiSquareTests {
            stamp: NOT_PRIVATE,
            level: LEVEL,
            real_rows: real_rows.len(),
            synthetic_rows: synthetic_rows.len(),
            possible_pairs,
            synthetic: agreement(SYNTHETIC),
            achievable: agreement(BOOTSTRAP),
            curves: parallel::map(&curves, curve),
            pairs: chosen
                .iter()
                .zip(&tests)
                .map(|(&pair, tests)| PairTest {
                    columns: pair.map(AttributeId::new),
                    real: tests[REAL],
                    synthetic: tests[SYNTHETIC],
                })
                .collect(),
        })
    }
}

/// Positions of tables and tests.
const REAL: usize = 0;
const SYNTHETIC: usize = 1;
const BOOTSTRAP: usize = 2;

/// The real rows, the synthetic ones, and a bootstrap of the real table.
struct Tables {
    samples: [Sample; 3],
    /// Number of real rows of each group of each column.
    rows: Vec<Vec<u32>>,
    ordered: Vec<bool>,
}

impl Tables {
    fn new(samples: [Sample; 3], groupings: &[Grouping]) -> Self {
        let columns = samples[REAL].columns().iter().zip(groupings);
        let rows = columns.map(|(column, grouping)| tally(column, grouping.count())).collect();
        Self { rows, samples, ordered: groupings.iter().map(|grouping| grouping.places().is_some()).collect() }
    }

    /// Returns the pools of a pair for tests of `tested` rows.
    fn pools(&self, pair: [usize; 2], tested: usize) -> Option<[Vec<u8>; 2]> {
        pools(pair.map(|column| Side { rows: &self.rows[column], ordered: self.ordered[column] }), tested)
    }

    /// Tests a pair on each table.
    fn test(&self, pair: [usize; 2]) -> [Option<Independence>; 3] {
        let Some(pools) = self.pools(pair, self.samples[REAL].rows()) else { return [None; 3] };
        [REAL, SYNTHETIC, BOOTSTRAP].map(|table| {
            let Cells { of_rows: cells, width, count } = self.cells(table, pair, &pools);
            let mut counts = vec![0; count];
            cells.for_each(|cell| counts[cell] += 1);
            Independence::test(&counts, width)
        })
    }

    /// Returns the cell of every row.
    fn cells<'a>(
        &'a self,
        table: usize,
        pair: [usize; 2],
        pools: &'a [Vec<u8>; 2],
    ) -> Cells<impl Iterator<Item = usize> + 'a> {
        let [height, width] = [0, 1].map(|side| pools[side].iter().max().map_or(0, |&last| usize::from(last) + 1));
        let [a, b] = pair.map(|column| &self.samples[table].columns()[column]);
        let pool = |side: usize, group: u8| usize::from(pools[side][usize::from(group)]);
        let cells = a.iter().zip(b).map(move |(&a, &b)| pool(0, a) * width + pool(1, b));
        Cells { of_rows: cells, width, count: height * width }
    }
}

/// Cells of a table of pools, row by row.
struct Cells<I> {
    of_rows: I,
    width: usize,
    count: usize,
}

impl Agreement {
    /// Returns the agreement of tests on the real table and on another one.
    fn of(tests: impl Iterator<Item = [Option<Independence>; 2]>) -> Self {
        let significant = |test: Option<Independence>| test.is_some_and(|test| test.significant);
        let tested: Vec<[bool; 2]> =
            tests.filter(|tests| tests[0].is_some()).map(|tests| tests.map(significant)).collect();
        let share = |among: &dyn Fn(&&[bool; 2]) -> bool, holds: fn(&[bool; 2]) -> bool| {
            let among: Vec<_> = tested.iter().filter(among).collect();
            let held = among.iter().filter(|tests| holds(tests)).count();
            (!among.is_empty()).then(|| number(held) / number(among.len()))
        };
        Self {
            tested: tested.len(),
            agreeing: share(&|_| true, |tests| tests[0] == tests[1]),
            significant: tested.iter().filter(|tests| tests[0]).count(),
            kept: share(&|tests| tests[0], |tests| tests[1]),
            false_alarms: share(&|tests| !tests[0], |tests| tests[1]),
        }
    }
}

impl fmt::Display for ChiSquareTests {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.stamp)?;
        let share = |share: Option<f64>| share.map_or("-".into(), |share| format!("{:.1} %", 100.0 * share));
        for (name, agreement) in [("synthetic", self.synthetic), ("achievable", self.achievable)] {
            let Agreement { tested, agreeing, significant, kept, false_alarms } = agreement;
            writeln!(
                formatter,
                "{name}: same conclusion {} of {tested}, kept {} of {significant}, false alarms {} of {}",
                share(agreeing),
                share(kept),
                share(false_alarms),
                tested - significant
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
