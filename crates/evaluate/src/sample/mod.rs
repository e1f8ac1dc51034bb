//! Random samples of rows, for learners and tests.

mod grouping;

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

pub(crate) use self::grouping::Grouping;
use crate::error::EvaluateError;
use crate::table::{ColumnKind, Columns};

/// Sampled rows, column by column, with codes replaced by their groups.
#[derive(Clone)]
pub(crate) struct Sample {
    columns: Vec<Vec<u8>>,
    rows: usize,
}

impl Sample {
    /// Gathers the given rows of a table, in this order.
    pub(crate) fn of(table: &Columns, rows: &[u32], groupings: &[Grouping]) -> Self {
        let columns = table.domain().attributes().zip(groupings);
        let columns = columns.map(|(attribute, grouping)| grouping.gather(table, attribute, rows)).collect();
        Self { columns, rows: rows.len() }
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the columns.
    pub(crate) fn columns(&self) -> &[Vec<u8>] {
        &self.columns
    }

    /// Splits the sample into its first `count` rows and the others.
    pub(crate) fn split(&self, count: usize) -> [Self; 2] {
        let slice = |range: std::ops::Range<usize>| Self {
            rows: range.len(),
            columns: self.columns.iter().map(|column| column[range.clone()].to_vec()).collect(),
        };
        [slice(0..count), slice(count..self.rows)]
    }

    /// Returns the rows of the sample followed by those of another.
    pub(crate) fn followed_by(&self, other: &Self) -> Self {
        let pairs = self.columns.iter().zip(&other.columns);
        let columns = pairs.map(|(first, second)| [first.as_slice(), second].concat()).collect();
        Self { columns, rows: self.rows + other.rows }
    }
}

/// Random draws with one seed, each with a stream of its own. The metrics of [`crate::nist`] use
/// the first streams.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Draw {
    /// Training and test rows of learners.
    LearningRows,
    /// Rows of propensity scores.
    PropensityRows,
    /// Trees of propensity scores.
    PropensityForest,
    /// Rows and pairs of chi-square tests.
    TestedPairs,
    /// Trees for one target.
    Forest(u32),
    /// One bootstrap of the real table for propensity scores.
    PropensityResample(u32),
    /// Bootstraps for the power of tests of one pair.
    Power(u32),
}

impl Draw {
    /// Returns the random stream of the draw.
    pub(crate) fn dice(self, seed: u64) -> ChaCha8Rng {
        let (family, member) = match self {
            Self::LearningRows => (1, 0),
            Self::PropensityRows => (1, 1),
            Self::TestedPairs => (1, 2),
            Self::PropensityForest => (1, 3),
            Self::Forest(target) => (2, target),
            Self::PropensityResample(resample) => (3, resample),
            Self::Power(pair) => (4, pair),
        };
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        dice.set_stream((family << 32) | u64::from(member));
        dice
    }
}

/// Draws at most `count` of `rows` rows without replacement, in random order.
pub(crate) fn different_rows(rows: u32, count: usize, dice: &mut ChaCha8Rng) -> Vec<u32> {
    let mut all: Vec<u32> = (0..rows).collect();
    let count = count.min(all.len());
    for position in 0..count {
        let other = dice.random_range(position..all.len());
        all.swap(position, other);
    }
    all.truncate(count);
    all
}

/// Draws `count` of `rows` rows with replacement.
pub(crate) fn bootstrap_rows(rows: u32, count: usize, dice: &mut ChaCha8Rng) -> Vec<u32> {
    (0..count).map(|_| dice.random_range(0..rows)).collect()
}

/// Checks that two tables can be compared.
pub(crate) fn check(real: &Columns, synthetic: &Columns, kinds: &[ColumnKind]) -> Result<(), EvaluateError> {
    if real.domain() != synthetic.domain() {
        return Err(EvaluateError::OtherDomain { what: "the synthetic table" });
    }
    if kinds.len() != real.domain().len() {
        return Err(EvaluateError::config("kinds", "one kind per attribute"));
    }
    for (parameter, table) in [("real", real), ("synthetic", synthetic)] {
        // A training row and a test row, or two values that may differ.
        if table.rows() < 2 || table.domain().is_empty() {
            return Err(EvaluateError::config(parameter, "a table with two rows or more"));
        }
    }
    Ok(())
}

/// Counts the rows of each of `count` groups.
pub(crate) fn tally(groups: &[u8], count: usize) -> Vec<u32> {
    let mut rows = vec![0; count];
    for &group in groups {
        rows[usize::from(group)] += 1;
    }
    rows
}

/// Converts a number of rows, codes or cells to floating point.
pub(crate) fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    #[test]
    fn rows_are_drawn_without_replacement() {
        let mut dice = Draw::LearningRows.dice(1);
        let mut rows = different_rows(100, 1000, &mut dice);
        assert_ne!(rows, (0..100).collect::<Vec<_>>());
        rows.sort_unstable();
        assert_eq!(rows, (0..100).collect::<Vec<_>>());
        assert_eq!(different_rows(100, 7, &mut dice).len(), 7);
    }

    #[test]
    fn a_bootstrap_repeats_rows() {
        let mut rows = bootstrap_rows(100, 100, &mut Draw::Power(0).dice(1));
        rows.sort_unstable();
        rows.dedup();
        // 63 different ones are due, with a standard deviation of 3.1.
        assert!((44..=82).contains(&rows.len()), "{}", rows.len());
    }

    #[test]
    fn each_draw_has_a_stream_of_its_own() {
        let draws = [
            Draw::LearningRows,
            Draw::PropensityRows,
            Draw::PropensityForest,
            Draw::TestedPairs,
            Draw::Forest(0),
            Draw::Forest(1),
        ];
        let more = [Draw::PropensityResample(0), Draw::Power(0)];
        let mut first: Vec<u64> = draws.into_iter().chain(more).map(|draw| draw.dice(1).random()).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), 8);
    }

    #[test]
    fn samples_are_split_and_joined() {
        let table = Columns::new(Domain::new(vec![4]).unwrap(), vec![vec![0, 1, 2, 3]]).unwrap();
        let groupings = Grouping::of_all(&table, &[ColumnKind::Categorical], 4).unwrap();
        let sample = Sample::of(&table, &[3, 0, 1], &groupings);
        let [first, rest] = sample.split(1);
        assert_eq!((first.columns(), rest.columns()), (&[vec![3]][..], &[vec![0, 1]][..]));
        assert_eq!(rest.followed_by(&first).columns(), [[0, 1, 3]]);
    }
}
