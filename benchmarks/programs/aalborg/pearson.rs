//! Pearson's chi-square test of independence.

use super::rows::{ATTRIBUTES, Counts, margin};

/// The 95th percentile of the chi-square distribution with one degree of freedom.
const CRITICAL: f64 = 3.841_458_820_694_124;
/// The level of the test.
const LEVEL: f64 = 0.05;

/// How many pairs are tested: the first attribute with each of the others.
pub(crate) const PAIRS: usize = ATTRIBUTES - 1;

/// The statistic of each pair; none if one of the two is constant, which shows nothing about
/// independence.
pub(crate) type Statistics = [Option<f64>; PAIRS];

/// The statistics of a table, without a correction for continuity.
pub(crate) fn statistics(counts: &Counts) -> Statistics {
    std::array::from_fn(|pair| {
        let table = margin(counts, &[0, pair + 1]);
        let [a, b, c, d] = [0, 1, 2, 3].map(|cell| table[cell] as f64);
        let margins = (a + b) * (c + d) * (a + c) * (b + d);
        (margins > 0.0).then(|| (a + b + c + d) * (a * d - b * c).powi(2) / margins)
    })
}

/// How often the test that takes rows for real ones rejects.
pub(crate) fn rejected(runs: &[Statistics]) -> [f64; PAIRS] {
    std::array::from_fn(|pair| share(runs, |one| one[pair].is_some_and(|statistic| statistic > CRITICAL)))
}

/// How often there is nothing to test.
pub(crate) fn constant(runs: &[Statistics]) -> [f64; PAIRS] {
    std::array::from_fn(|pair| share(runs, |one| one[pair].is_none()))
}

/// How often a test rejects that has the level it says: its critical value is the 95th percentile
/// of the statistics of independent attributes that went through the same. Statistics equal to it
/// are rejected with the probability that makes the level exact.
pub(crate) fn rejected_at_level(runs: &[Statistics], independent: &[Statistics]) -> [f64; PAIRS] {
    std::array::from_fn(|pair| {
        let statistic = |one: &Statistics| one[pair].unwrap_or(0.0);
        let mut null: Vec<f64> = independent.iter().map(statistic).collect();
        null.sort_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the number of runs")]
        let critical = null[null.len() - 1 - (LEVEL * null.len() as f64) as usize];
        let above = |runs| share(runs, |one| statistic(one) > critical);
        let equal = |runs| share(runs, |one| statistic(one).total_cmp(&critical).is_eq());
        above(runs) + equal(runs) * (LEVEL - above(independent)) / equal(independent)
    })
}

fn share(runs: &[Statistics], holds: impl Fn(&Statistics) -> bool) -> f64 {
    runs.iter().filter(|&run| holds(run)).count() as f64 / runs.len() as f64
}
