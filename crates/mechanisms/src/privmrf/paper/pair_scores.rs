//! How related columns are, two by two, as far as it was released.

use scumble_schema::{AttributeId, Clique};

/// The noisy scores of pairs of columns, in rows.
#[derive(Debug, Clone)]
pub(super) struct PairScores {
    columns: usize,
    /// Zero for a column and itself.
    values: Vec<f64>,
}

impl PairScores {
    /// The scores of these pairs; others have none.
    pub(super) fn new(columns: usize, scored: impl IntoIterator<Item = ([AttributeId; 2], f64)>) -> Self {
        let mut values = vec![0.0; columns * columns];
        for ([left, right], score) in scored {
            values[left.index() * columns + right.index()] = score;
            values[right.index() * columns + left.index()] = score;
        }
        Self { columns, values }
    }

    /// All scores times this.
    pub(super) fn scaled(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value *= factor);
        self
    }

    pub(super) fn between(&self, left: AttributeId, right: AttributeId) -> f64 {
        self.values[left.index() * self.columns + right.index()]
    }

    /// The sum over one column and each of these.
    pub(super) fn with_each(&self, column: AttributeId, others: &[AttributeId]) -> f64 {
        others.iter().map(|&other| self.between(column, other)).sum()
    }
}

/// All pairs of these columns.
pub(super) fn pairs(columns: &[AttributeId]) -> Vec<[AttributeId; 2]> {
    let after = |place: usize| columns[place + 1..].iter().map(move |&right| [columns[place], right]);
    (0..columns.len()).flat_map(after).collect()
}

/// The two as a clique.
pub(super) fn both(pair: [AttributeId; 2]) -> Clique {
    Clique::new(pair)
}
