//! A classification tree.

use chacha20::ChaCha8Rng;
use rand::RngExt;

use super::features::Features;
use crate::sample::number;

/// Limits of the growth of a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Maximum number of splits on the path to a leaf.
    pub(crate) max_depth: usize,
    /// Minimum number of rows on each side of a split.
    pub(crate) min_rows: usize,
}

/// A random subset of columns, drawn anew for every split.
pub(crate) struct ColumnSubset<'a> {
    /// Maximum number of columns of the subset.
    pub(crate) count: usize,
    pub(crate) dice: &'a mut ChaCha8Rng,
}

/// A classification tree: splits by the groups of a row, and the shares of the classes in each
/// leaf.
pub(crate) struct Tree {
    nodes: Vec<Node>,
    classes: usize,
    shares: Vec<f64>,
}

/// A split, or a leaf with the position of its shares. Kept small, because a forest has many nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    Leaf {
        shares: u32,
    },
    /// The node of `no` follows the node of `yes`.
    Fork {
        column: u32,
        question: Question,
        yes: u32,
    },
}

/// Condition of a split, on the group of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// For an ordered column. Groups without a place in the order are at one end, so one condition
    /// can separate them.
    Below(u8),
    /// For a categorical column.
    Is(u8),
}

impl Question {
    fn holds(self, group: u8) -> bool {
        match self {
            Self::Below(bound) => group < bound,
            Self::Is(other) => group == other,
        }
    }
}

impl Tree {
    /// Grows a tree on the given rows, which may repeat. Every split is the one that lowers the
    /// Gini impurity most, among all columns or among a random subset; the first of equals is
    /// taken.
    ///
    /// # Reference
    /// L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and regression trees, chapter
    /// 4.
    pub(crate) fn fit(
        features: &Features,
        labels: &[u8],
        classes: usize,
        mut rows: Vec<u32>,
        growth: Growth,
        mut subset: Option<ColumnSubset>,
    ) -> Self {
        let mut tree = Self { nodes: vec![Node::Leaf { shares: 0 }], classes, shares: Vec::new() };
        let mut order: Vec<usize> = (0..features.columns.len()).collect();
        let mut counts = Counts::default();
        let mut open = vec![(0, 0..rows.len(), 0)];
        while let Some((node, range, depth)) = open.pop() {
            let here = &mut rows[range.clone()];
            let totals = totals(here, labels, classes);
            let pure = totals.iter().filter(|&&count| count > 0).count() <= 1;
            let may_grow = depth < growth.max_depth && !pure && here.len() >= 2 * growth.min_rows;
            let best = if may_grow {
                let columns = match &mut subset {
                    Some(subset) => subset.draw(&mut order),
                    None => &order,
                };
                columns.iter().fold(Best::NONE, |best, &column| {
                    counts.fill(features, column, labels, classes, here);
                    best.or(&counts, column, features.groupings[column].places().is_some(), &totals, growth.min_rows)
                })
            } else {
                Best::NONE
            };
            let Some((column, question)) = best.question else {
                tree.nodes[node] = Node::Leaf { shares: position(tree.shares.len()) };
                let sum = number(here.len().max(1));
                tree.shares.extend(totals.iter().map(|&count| f64::from(count) / sum));
                continue;
            };
            let groups = features.columns[column];
            let holds = partition(here, |row| question.holds(groups[row as usize]));
            let yes = tree.nodes.len();
            tree.nodes[node] = Node::Fork { column: position(column), question, yes: position(yes) };
            tree.nodes.extend([Node::Leaf { shares: 0 }; 2]);
            let middle = range.start + holds;
            open.push((yes + 1, middle..range.end, depth + 1));
            open.push((yes, range.start..middle, depth + 1));
        }
        tree
    }

    /// Adds the shares of the classes in the leaf of each row to `sums`.
    pub(crate) fn add_shares(&self, features: &Features, sums: &mut [f64]) {
        for (row, sums) in sums.chunks_exact_mut(self.classes).enumerate() {
            let shares = self.leaf(features, row);
            let leaf = &self.shares[shares..][..self.classes];
            sums.iter_mut().zip(leaf).for_each(|(sum, share)| *sum += share);
        }
    }

    /// Returns the position of the shares of the leaf of a row.
    fn leaf(&self, features: &Features, row: usize) -> usize {
        let mut node = 0;
        loop {
            match self.nodes[node] {
                Node::Leaf { shares } => return shares as usize,
                Node::Fork { column, question, yes } => {
                    let holds = question.holds(features.columns[column as usize][row]);
                    node = yes as usize + usize::from(!holds);
                }
            }
        }
    }
}

/// Converts the index of a node, share or column.
fn position(index: usize) -> u32 {
    u32::try_from(index).expect("a tree on few rows has few nodes")
}

/// Counts the rows of each class.
fn totals(rows: &[u32], labels: &[u8], classes: usize) -> Vec<u32> {
    let mut totals = vec![0; classes];
    for &row in rows {
        totals[usize::from(labels[row as usize])] += 1;
    }
    totals
}

impl ColumnSubset<'_> {
    /// Draws a subset by shuffling `order`, and returns it.
    fn draw<'a>(&mut self, order: &'a mut [usize]) -> &'a [usize] {
        let count = self.count.min(order.len());
        for position in 0..count {
            let other = self.dice.random_range(position..order.len());
            order.swap(position, other);
        }
        &order[..count]
    }
}

/// Moves the rows for which `holds` is true to the front, and returns their number.
fn partition(rows: &mut [u32], holds: impl Fn(u32) -> bool) -> usize {
    let mut first = 0;
    for position in 0..rows.len() {
        // Swapped without a branch, so that none is mispredicted. If `held` is false, both rows
        // belong to the back.
        let held = holds(rows[position]);
        rows.swap(first, position);
        first += usize::from(held);
    }
    first
}

/// Numbers of rows of a node by group and class.
#[derive(Default)]
struct Counts {
    of_class: Vec<u32>,
    of_group: Vec<u32>,
}

impl Counts {
    fn fill(&mut self, features: &Features, column: usize, labels: &[u8], classes: usize, rows: &[u32]) {
        let groups = features.groupings[column].count();
        self.of_class.clear();
        self.of_class.resize(groups * classes, 0);
        self.of_group.clear();
        self.of_group.resize(groups, 0);
        let column = features.columns[column];
        for &row in rows {
            let group = usize::from(column[row as usize]);
            self.of_class[group * classes + usize::from(labels[row as usize])] += 1;
            self.of_group[group] += 1;
        }
    }
}

/// The best split so far.
struct Best {
    /// Sum over both sides of the squared counts of the classes over the number of rows. It equals
    /// the number of rows times one less the mean Gini impurity.
    purity: f64,
    question: Option<(usize, Question)>,
}

impl Best {
    /// Every split is better than none: one that gains nothing may be followed by one that does.
    const NONE: Self = Self { purity: f64::NEG_INFINITY, question: None };

    /// Returns the better of this split and the best split on `column`.
    fn or(mut self, counts: &Counts, column: usize, ordered: bool, totals: &[u32], least: usize) -> Self {
        let classes = totals.len();
        let rows: u32 = totals.iter().sum();
        let (mut yes, mut no) = (vec![0; classes], totals.to_vec());
        let mut below = 0;
        for (group, &here) in counts.of_group.iter().enumerate().filter(|(_, here)| **here > 0) {
            let of_class = &counts.of_class[group * classes..][..classes];
            let held = if ordered { below + here } else { here };
            if !ordered {
                yes.fill(0);
                no.copy_from_slice(totals);
            }
            for ((yes, no), count) in yes.iter_mut().zip(&mut no).zip(of_class) {
                *yes += count;
                *no -= count;
            }
            below += here;
            if (held.min(rows - held) as usize) < least.max(1) {
                continue;
            }
            let purity = purity(&yes) + purity(&no);
            if purity > self.purity {
                let group = u8::try_from(group).expect("a group is one byte");
                // The last group is on the other side, so `group + 1` exists.
                let question = if ordered { Question::Below(group + 1) } else { Question::Is(group) };
                self = Self { purity, question: Some((column, question)) };
            }
        }
        self
    }
}

/// Returns the sum of the squared counts over the sum of the counts.
fn purity(counts: &[u32]) -> f64 {
    let sum: u32 = counts.iter().sum();
    let squares: f64 = counts.iter().map(|&count| f64::from(count).powi(2)).sum();
    if sum == 0 { 0.0 } else { squares / f64::from(sum) }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::super::features::Example;
    use super::*;
    use crate::table::ColumnKind;

    const KINDS: [ColumnKind; 3] =
        [ColumnKind::Ordered { missing: None }, ColumnKind::Categorical, ColumnKind::Ordered { missing: Some(0) }];
    const SIZES: [u32; 3] = [6, 4, 3];

    fn example(rows: usize, seed: u64) -> (Example, Vec<u8>) {
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        let codes: Vec<Vec<u32>> = SIZES.map(|size| (0..rows).map(|_| dice.random_range(0..size)).collect()).to_vec();
        let labels = (0..rows).map(|row| u8::from(codes[0][row] > 2) + u8::from(dice.random_bool(0.3))).collect();
        (Example::new(&SIZES, codes, &KINDS), labels)
    }

    fn fit(features: &Features, labels: &[u8], growth: Growth) -> Tree {
        let rows = (0..u32::try_from(features.rows).unwrap()).collect();
        Tree::fit(features, labels, 3, rows, growth, None)
    }

    fn shares(tree: &Tree, features: &Features) -> Vec<f64> {
        let mut sums = vec![0.0; features.rows * tree.classes];
        tree.add_shares(features, &mut sums);
        sums
    }

    /// The mean Gini impurity of the two answers, from its definition.
    fn impurity(features: &Features, labels: &[u8], column: usize, question: Question) -> Option<f64> {
        let mut counts = [[0.0; 3]; 2];
        for (row, &label) in labels.iter().enumerate() {
            counts[usize::from(question.holds(features.columns[column][row]))][usize::from(label)] += 1.0;
        }
        let sums = counts.map(|counts: [f64; 3]| counts.iter().sum::<f64>());
        let gini = |side: usize| 1.0 - counts[side].map(|count| (count / sums[side]).powi(2)).iter().sum::<f64>();
        let mean = (0..2).map(|side| sums[side] * gini(side)).sum::<f64>() / (sums[0] + sums[1]);
        (sums[0] > 0.0 && sums[1] > 0.0).then_some(mean)
    }

    #[test]
    fn the_first_split_is_the_best_of_all() {
        for seed in 0..200 {
            let (rows, labels) = example(12, seed);
            let features = rows.features();
            let questions = (0..3).flat_map(|column| {
                (0..6).flat_map(move |group| [(column, Question::Below(group)), (column, Question::Is(group))])
            });
            let possible = questions
                .filter(|&(column, question)| matches!(question, Question::Is(_)) == (column == 1))
                .filter_map(|(column, question)| impurity(&features, &labels, column, question));
            let best = possible.fold(f64::INFINITY, f64::min);
            let tree = fit(&features, &labels, Growth { max_depth: 1, min_rows: 1 });
            let Node::Fork { column, question, .. } = tree.nodes[0] else { panic!("seed {seed}: nothing is asked") };
            let found = impurity(&features, &labels, column as usize, question).unwrap();
            assert!((found - best).abs() < 1e-12, "seed {seed}: {found} and not {best}");
        }
    }

    #[test]
    fn relations_of_two_columns_are_learnt() {
        // The class is whether two codes are equal: the first split gains nothing, the second all.
        let codes = vec![vec![0, 0, 1, 1], vec![0, 1, 0, 1], vec![1; 4]];
        let rows = Example::new(&SIZES, codes, &KINDS);
        let features = rows.features();
        let found = fit(&features, &[0, 1, 1, 0], Growth { max_depth: 2, min_rows: 1 });
        let found = shares(&found, &features);
        assert_eq!(found, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn leaves_of_a_full_tree_are_rows_with_equal_codes() {
        let (rows, labels) = example(300, 1);
        let features = rows.features();
        let found = shares(&fit(&features, &labels, Growth { max_depth: 100, min_rows: 1 }), &features);
        // The rows of a leaf agree in all columns.
        for row in 0..300 {
            let alike = |other: usize| features.columns.iter().all(|column| column[row] == column[other]);
            let alike: Vec<usize> = (0..300).filter(|&other| alike(other)).collect();
            let right = alike.iter().filter(|&&other| labels[other] == labels[row]).count();
            let due = number(right) / number(alike.len());
            assert!((found[row * 3 + usize::from(labels[row])] - due).abs() < 1e-12, "row {row}");
        }
    }

    #[test]
    fn limits_hold() {
        let (rows, labels) = example(300, 1);
        let features = rows.features();
        let leaves = |growth: Growth| fit(&features, &labels, growth).shares.len() / 3;
        assert_eq!(leaves(Growth { max_depth: 0, min_rows: 1 }), 1);
        assert_eq!(leaves(Growth { max_depth: 1, min_rows: 1 }), 2);
        assert!(leaves(Growth { max_depth: 3, min_rows: 1 }) <= 8);
        let tree = fit(&features, &labels, Growth { max_depth: 100, min_rows: 40 });
        let mut reached = vec![0; tree.shares.len() / 3];
        for row in 0..300 {
            reached[tree.leaf(&features, row) / 3] += 1;
        }
        assert!(reached.len() > 2 && reached.iter().all(|&rows| rows >= 40), "{reached:?}");
    }

    #[test]
    fn splits_use_the_columns_of_the_subset() {
        let (rows, labels) = example(300, 1);
        let features = rows.features();
        let mut asked = [false; 3];
        for seed in 0..20 {
            let subset = ColumnSubset { count: 1, dice: &mut ChaCha8Rng::seed_from_u64(seed) };
            let growth = Growth { max_depth: 1, min_rows: 1 };
            let tree = Tree::fit(&features, &labels, 3, (0..300).collect(), growth, Some(subset));
            if let Node::Fork { column, .. } = tree.nodes[0] {
                asked[column as usize] = true;
            }
        }
        assert_eq!(asked, [true; 3], "the first column is by far the best, and not the only one");
    }
}
