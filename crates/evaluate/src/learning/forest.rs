//! A random forest.

use chacha20::ChaCha8Rng;

use super::features::Features;
use super::tree::{Choice, Growth, Tree};
use crate::sample::{bootstrap_rows, number};

/// How many trees there are.
const TREES: usize = 20;

/// Trees, each grown on a bootstrap of the rows, whose questions choose among few columns.
///
/// One tree depends much on the rows it happens to see, and a comparison of two tables by one would be mostly noise.
///
/// # Reference
/// L. Breiman, Random forests, Machine learning 45, 2001.
pub(crate) struct Forest {
    trees: Vec<Tree>,
    classes: usize,
}

impl Forest {
    /// Grows the trees, whose questions choose among √d of d columns.
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
            Tree::fit(features, labels, classes, rows, growth, Some(Choice { columns, dice }))
        };
        Self { trees: (0..TREES).map(tree).collect(), classes }
    }

    /// The probability of every class, row by row: the mean over the trees.
    pub(crate) fn probabilities(&self, features: &Features) -> Vec<f64> {
        let mut sums = vec![0.0; features.rows * self.classes];
        self.trees.iter().for_each(|tree| tree.add_shares(features, &mut sums));
        sums.into_iter().map(|sum| sum / number(TREES)).collect()
    }
}
