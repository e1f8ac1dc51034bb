//! Whether tests of independence conclude on synthetic rows what they conclude on real ones.
//!
//! Pearson's test of two columns is made on the real table, on the synthetic one as if its rows were real, and on a
//! bootstrap of the real table, which shows what can be achieved. The share of relations that are significant in the real
//! table and stay so is the power that is kept; pairs that become significant are false alarms. No correction is made for
//! the number of pairs.
//!
//! A test says more about a large table than about a small one, and on many rows nearly every pair is significant. So the
//! power at few rows is estimated too, for some pairs, by tests of bootstraps.
//!
//! Columns with more than 64 codes are grouped: ranges of ordered codes, the most frequent categories and the rest. Then
//! groups are pooled until every cell of the real table expects five rows or more; the synthetic table is tested with the
//! same pools. Pools that are empty in a table do not count among its degrees of freedom.
//!
//! # Reference
//! Differential Privacy and Synthetic Data Generation using PrivBayes, a project report of Aalborg University, December
//! 2024, sections 4.2.2 and 4.2.3, which measures what synthetic rows are good for by the power of this test.

mod gamma;
mod independence;
mod pooling;
mod power;

use std::fmt;

use rand::RngExt;
use scumble_schema::AttributeId;
use serde::Serialize;

pub use self::independence::{Independence, LEVEL};
use self::pooling::{Side, pools};
pub use self::power::{PowerCurve, PowerPoint};
use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::grouping::Grouping;
use crate::kind::ColumnKind;
use crate::sample::{Draw, Sample, bootstrap_rows, check, different_rows, number, tally};
use crate::{NOT_PRIVATE, parallel};

/// Columns with more codes are grouped. Finer tables would have to be pooled nearly always.
const MOST_GROUPS: usize = 64;

/// What is tested, apart from the tables.
#[derive(Debug, Clone, PartialEq)]
pub struct ChiSquare {
    /// Which columns have an order.
    pub kinds: Vec<ColumnKind>,
    /// At most so many pairs of columns; more are a random choice.
    pub most_pairs: usize,
    /// At most so many rows of each table; more are a random choice.
    pub rows: usize,
    /// For so many pairs the power at few rows is estimated.
    pub curves: usize,
    /// At these numbers of rows.
    pub curve_rows: Vec<usize>,
    /// By so many bootstraps each.
    pub repeats: usize,
    /// What the random choices follow from.
    pub seed: u64,
}

/// What the tests conclude.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChiSquareTests {
    stamp: &'static str,
    /// The level of the tests.
    pub level: f64,
    /// How many real rows were tested.
    pub real_rows: usize,
    /// How many synthetic rows were tested.
    pub synthetic_rows: usize,
    /// How many pairs of columns there are.
    pub possible_pairs: usize,
    /// The tests of each pair.
    pub pairs: Vec<PairTest>,
    /// How far conclusions from the synthetic table are those from the real one.
    pub synthetic: Agreement,
    /// How far conclusions from a bootstrap of the real table are, of as many rows as the synthetic one.
    pub achievable: Agreement,
    /// The power at few rows, for pairs between the strongest relation and the weakest.
    pub curves: Vec<PowerCurve>,
}

/// The tests of one pair of columns.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PairTest {
    /// The positions of the columns.
    pub columns: [AttributeId; 2],
    /// On the real table; `None` if a column is constant or too few rows have all but one value.
    pub real: Option<Independence>,
    /// On the synthetic table; `None` also if a column is constant there.
    pub synthetic: Option<Independence>,
}

/// How far two tables lead to the same conclusions. What cannot be tested is not significant.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Agreement {
    /// How many pairs could be tested on the real table.
    pub tested: usize,
    /// The share of these with the same conclusion; `None` without any.
    pub agreeing: Option<f64>,
    /// How many of them are significant in the real table.
    pub significant: usize,
    /// The share of those that stay significant: the power that is kept; `None` without any.
    pub kept: Option<f64>,
    /// The share of the others that become significant: false alarms; `None` without any.
    pub false_alarms: Option<f64>,
}

impl ChiSquare {
    /// With 1,000 pairs and 200,000 rows at most, and the power of 200 tests at 200, 1,000 and 5,000 rows for twelve pairs.
    pub fn new(kinds: Vec<ColumnKind>, seed: u64) -> Self {
        let curve_rows = vec![200, 1_000, 5_000];
        Self { kinds, most_pairs: 1_000, rows: 200_000, curves: 12, curve_rows, repeats: 200, seed }
    }

    /// Tests both tables.
    ///
    /// # Errors
    /// If the tables are over different domains or have fewer than two rows, there is not one kind per attribute, or a
    /// limit is zero.
    pub fn compare(&self, real: &Columns, synthetic: &Columns) -> Result<ChiSquareTests, EvaluateError> {
        check(real, synthetic, &self.kinds)?;
        if self.rows == 0 || self.most_pairs == 0 || self.repeats == 0 {
            return Err(EvaluateError::config("rows, most_pairs and repeats", "above zero"));
        }
        let mut dice = Draw::TestedPairs.dice(self.seed);
        let groupings = Grouping::of_all(real, &self.kinds, MOST_GROUPS)?;
        let [real_rows, synthetic_rows] =
            [real, synthetic].map(|table| different_rows(table.rows(), self.rows, &mut dice));
        let bootstrap = bootstrap_rows(real.rows(), synthetic_rows.len(), &mut dice);
        let samples = [(real, &real_rows), (synthetic, &synthetic_rows), (real, &bootstrap)];
        let samples = samples.map(|(table, rows)| Sample::of(table, rows, &groupings));
        let tables = Tables::new(samples, &groupings);

        let columns = groupings.len();
        let mut chosen: Vec<[usize; 2]> = (0..columns).flat_map(|b| (0..b).map(move |a| [a, b])).collect();
        let possible_pairs = chosen.len();
        for position in 0..self.most_pairs.min(possible_pairs.saturating_sub(self.most_pairs)) {
            let other = dice.random_range(position..possible_pairs);
            chosen.swap(position, other);
        }
        chosen.truncate(self.most_pairs);
        chosen.sort_unstable();
        let tests = parallel::map(&chosen, |(): &mut (), &pair| tables.test(pair));
        let agreement = |other: usize| Agreement::of(tests.iter().map(|tests| [tests[REAL], tests[other]]));
        let curves = power::spread(&chosen, &tests, self.curves);
        let curve =
            |(): &mut (), pair: &[usize; 2]| power::curve(&tables, *pair, &self.curve_rows, self.repeats, self.seed);
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
    /// How many real rows have each group of each column.
    rows: Vec<Vec<u32>>,
    ordered: Vec<bool>,
}

impl Tables {
    fn new(samples: [Sample; 3], groupings: &[Grouping]) -> Self {
        let columns = samples[REAL].columns().iter().zip(groupings);
        let rows = columns.map(|(column, grouping)| tally(column, grouping.count())).collect();
        Self { rows, samples, ordered: groupings.iter().map(|grouping| grouping.places().is_some()).collect() }
    }

    /// The pools of a pair for tests of so many rows.
    fn pools(&self, pair: [usize; 2], tested: usize) -> Option<[Vec<u8>; 2]> {
        pools(pair.map(|column| Side { rows: &self.rows[column], ordered: self.ordered[column] }), tested)
    }

    /// The tests of a pair on each table.
    fn test(&self, pair: [usize; 2]) -> [Option<Independence>; 3] {
        let Some(pools) = self.pools(pair, self.samples[REAL].rows()) else { return [None; 3] };
        [REAL, SYNTHETIC, BOOTSTRAP].map(|table| {
            let Cells { of_rows: cells, width, count } = self.cells(table, pair, &pools);
            let mut counts = vec![0; count];
            cells.for_each(|cell| counts[cell] += 1);
            Independence::test(&counts, width)
        })
    }

    /// The cell of every row.
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
    /// Of tests on the real table and on another one.
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
