//! A random forest.

use chacha20::ChaCha8Rng;

use super::features::Features;
use super::tree::{ColumnSubset, Growth, Tree};
use crate::sample::{bootstrap_rows, number};

/// Number of trees.
const TREES: usize = 20;

/// A random forest: trees, each grown on a bootstrap of the rows, with a random subset of columns
/// at every split.
///
/// A single tree varies much with its training rows, so a comparison of two tables by one tree
/// would be mostly noise.
///
/// # Reference
/// L. Breiman, Random forests, Machine learning 45, 2001.
pub(crate) struct Forest {
    trees: Vec<Tree>,
    classes: usize,
}

impl Forest {
    /// Grows the trees, with √d of d columns at every split.
    pub(crate) fn fit(
        features: &Features,
        labels: &[u8],
        classes: usize,
        growth: Growth,
        dice: &mut ChaCha8Rng,
    ) -> Self {
        let columns = features.columns.len().isqrt().max(1);
        let rows = u32::try_from(features.rows).expect("a table has fewer than 2^32 rows");
        let tree = |_| {
            let rows = bootstrap_rows(rows, features.rows, dice);
            Tree::fit(features, labels, classes, rows, growth, Some(ColumnSubset { count: columns, dice }))
        };
        Self { trees: (0..TREES).map(tree).collect(), classes }
    }

    /// Returns the probability of every class, row by row: the mean over the trees.
    pub(crate) fn probabilities(&self, features: &Features) -> Vec<f64> {
        let mut sums = vec![0.0; features.rows * self.classes];
        self.trees.iter().for_each(|tree| tree.add_shares(features, &mut sums));
        sums.into_iter().map(|sum| sum / number(TREES)).collect()
    }
}
