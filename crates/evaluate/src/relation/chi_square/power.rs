//! Power of tests of few rows.

use rand::RngExt;
use scumble_schema::AttributeId;
use serde::Serialize;

use super::independence::Independence;
use super::{Cells, REAL, SYNTHETIC, Tables};
use crate::sample::{Draw, number};

/// Power of tests of one pair of columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PowerCurve {
    /// The positions of the columns.
    pub columns: [AttributeId; 2],
    /// Power at each number of rows that suffices for a test.
    pub points: Vec<PowerPoint>,
}

/// Power of a test at one number of rows: how often it rejects independence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PowerPoint {
    /// Number of rows of each test, drawn with replacement.
    pub rows: usize,
    /// Share of tests of real rows that reject.
    pub real: f64,
    /// Share of tests of synthetic rows that reject.
    pub synthetic: f64,
}

/// Selects at most `count` of the pairs that can be tested, from the strongest relation to the
/// weakest in even steps.
pub(super) fn spread(pairs: &[[usize; 2]], tests: &[[Option<Independence>; 3]], count: usize) -> Vec<[usize; 2]> {
    let strength = |(&pair, tests): (&[usize; 2], &[Option<Independence>; 3])| Some((tests[REAL]?.cramers_v, pair));
    let mut ranked: Vec<(f64, [usize; 2])> = pairs.iter().zip(tests).filter_map(strength).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let steps = count.saturating_sub(1).max(1);
    let mut positions: Vec<usize> =
        (0..count).map(|step| step * ranked.len().saturating_sub(1) / steps).filter(|&at| at < ranked.len()).collect();
    positions.dedup();
    positions.into_iter().map(|position| ranked[position].1).collect()
}

/// Estimates the power at every number of rows that both tables have. Groups are pooled for that
/// number.
pub(super) fn curve(tables: &Tables, pair: [usize; 2], rows: &[usize], repeats: usize, seed: u64) -> PowerCurve {
    let least = tables.samples[REAL].rows().min(tables.samples[SYNTHETIC].rows());
    let columns = tables.rows.len();
    let member = u32::try_from(pair[0] * columns + pair[1]).expect("at most 10,000 columns");
    let mut dice = Draw::Power(member).dice(seed);
    let mut point = |&rows: &usize| {
        let pools = tables.pools(pair, rows)?;
        let [real, synthetic] = [REAL, SYNTHETIC].map(|table| {
            let Cells { of_rows: cells, width, count } = tables.cells(table, pair, &pools);
            let cells: Vec<usize> = cells.collect();
            let rejected = (0..repeats).filter(|_| {
                let mut counts = vec![0; count];
                (0..rows).for_each(|_| counts[cells[dice.random_range(0..cells.len())]] += 1);
                Independence::test(&counts, width).is_some_and(|test| test.significant)
            });
            number(rejected.count()) / number(repeats)
        });
        Some(PowerPoint { rows, real, synthetic })
    };
    PowerCurve {
        columns: pair.map(AttributeId::new),
        points: rows.iter().filter(|&&rows| rows <= least).filter_map(&mut point).collect(),
    }
}
