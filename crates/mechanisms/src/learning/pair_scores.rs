//! Noisy scores of pairs of columns.

use scumble_schema::{AttributeId, Clique};
use scumble_vault::score::TotalVariation;
use scumble_vault::{Accounting, Budget, Vault, VaultError};

use crate::mechanism::terms::MethodAdjacency;

/// Noisy scores of pairs of columns, in rows.
#[derive(Debug, Clone)]
pub(crate) struct PairScores {
    columns: usize,
    values: Vec<f64>,
}

impl PairScores {
    /// Measures the distance of each pair from independence.
    ///
    /// # Privacy
    /// One list of scores, in one release.
    pub(crate) fn measure<A: MethodAdjacency, M: Accounting>(
        vault: &mut Vault<A, M>,
        columns: usize,
        unscored: f64,
        pairs: &[[AttributeId; 2]],
        budget: Budget<A, M>,
    ) -> Result<Self, VaultError> {
        let between =
            |&[left, right]: &[AttributeId; 2]| TotalVariation::between(Clique::single(left), Clique::single(right));
        let questions = pairs.iter().map(between).collect::<Result<Vec<_>, _>>()?;
        let noisy = vault.measure_scores(&questions, budget)?;
        Ok(Self::new(columns, unscored, pairs.iter().copied().zip(noisy.values().iter().copied())))
    }

    /// Collects scores of pairs. All other pairs have the score `unscored`.
    pub(crate) fn new(
        columns: usize,
        unscored: f64,
        scored: impl IntoIterator<Item = ([AttributeId; 2], f64)>,
    ) -> Self {
        let mut values = vec![unscored; columns * columns];
        for ([left, right], score) in scored {
            values[left.index() * columns + right.index()] = score;
            values[right.index() * columns + left.index()] = score;
        }
        Self { columns, values }
    }

    /// Multiplies all scores by a factor.
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value *= factor);
        self
    }

    /// Score of a pair.
    pub(crate) fn between(&self, left: AttributeId, right: AttributeId) -> f64 {
        self.values[left.index() * self.columns + right.index()]
    }

    /// Sum of the scores of a column with each of these.
    pub(crate) fn with_each(&self, column: AttributeId, others: &[AttributeId]) -> f64 {
        others.iter().map(|&other| self.between(column, other)).sum()
    }
}

/// Returns all pairs of columns.
pub(crate) fn pairs(columns: &[AttributeId]) -> Vec<[AttributeId; 2]> {
    let after = |place: usize| columns[place + 1..].iter().map(move |&right| [columns[place], right]);
    (0..columns.len()).flat_map(after).collect()
}
