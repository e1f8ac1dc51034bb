//! Some rows of a table, for learners and tests.

use chacha20::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::grouping::Grouping;
use crate::kind::ColumnKind;

/// Groups of codes of chosen rows, column by column: gathered once, read many times.
#[derive(Clone)]
pub(crate) struct Sample {
    columns: Vec<Vec<u8>>,
    rows: usize,
}

impl Sample {
    /// These rows of a table, in this order.
    pub(crate) fn of(table: &Columns, rows: &[u32], groupings: &[Grouping]) -> Self {
        let columns = table.domain().attributes().zip(groupings);
        let columns = columns.map(|(attribute, grouping)| grouping.gather(table, attribute, rows)).collect();
        Self { columns, rows: rows.len() }
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The columns.
    pub(crate) fn columns(&self) -> &[Vec<u8>] {
        &self.columns
    }

    /// Its rows before `count`, and the others.
    pub(crate) fn split(&self, count: usize) -> [Self; 2] {
        let part = |range: std::ops::Range<usize>| Self {
            rows: range.len(),
            columns: self.columns.iter().map(|column| column[range.clone()].to_vec()).collect(),
        };
        [part(0..count), part(count..self.rows)]
    }

    /// Its rows, and then those of another.
    pub(crate) fn followed_by(&self, other: &Self) -> Self {
        let pairs = self.columns.iter().zip(&other.columns);
        let columns = pairs.map(|(first, second)| [first.as_slice(), second].concat()).collect();
        Self { columns, rows: self.rows + other.rows }
    }
}

/// What is drawn with one seed, each with numbers that do not depend on what the others draw. The metrics of
/// [`crate::nist`] have the first streams.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Draw {
    /// Which rows are learnt from and which are for the test.
    LearningRows,
    /// Which rows are told apart.
    PropensityRows,
    /// The trees that tell tables apart.
    PropensityForest,
    /// Which rows and pairs are tested.
    TestedPairs,
    /// The trees for one target.
    Forest(u32),
    /// One bootstrap of the real table, told apart from it.
    PropensityResample(u32),
    /// The bootstraps for one pair's power.
    Power(u32),
}

impl Draw {
    /// Its numbers.
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

/// At most `count` of `rows` rows, each once, in random order.
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

/// `count` rows of `rows`, each time any of them.
pub(crate) fn bootstrap_rows(rows: u32, count: usize, dice: &mut ChaCha8Rng) -> Vec<u32> {
    (0..count).map(|_| dice.random_range(0..rows)).collect()
}

/// Refuses tables that cannot be compared.
pub(crate) fn check(real: &Columns, synthetic: &Columns, kinds: &[ColumnKind]) -> Result<(), EvaluateError> {
    if real.domain() != synthetic.domain() {
        return Err(EvaluateError::OtherDomain { what: "the synthetic table" });
    }
    if kinds.len() != real.domain().len() {
        return Err(EvaluateError::config("kinds", "one kind per attribute"));
    }
    for (parameter, table) in [("real", real), ("synthetic", synthetic)] {
        // A part to learn from and one for the test, or two values that may differ.
        if table.rows() < 2 || table.domain().is_empty() {
            return Err(EvaluateError::config(parameter, "a table with two rows or more"));
        }
    }
    Ok(())
}

/// How many rows have each of `count` groups.
pub(crate) fn tally(groups: &[u8], count: usize) -> Vec<u32> {
    let mut rows = vec![0; count];
    for &group in groups {
        rows[usize::from(group)] += 1;
    }
    rows
}

/// A count of rows, codes or cells in floating point.
pub(crate) fn number(count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let number = count as f64;
    number
}

#[cfg(test)]
mod tests {
    use scumble_schema::Domain;

    use super::*;

    #[test]
    fn rows_are_drawn_once_and_all_of_them() {
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
    fn each_draw_has_numbers_of_its_own() {
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
