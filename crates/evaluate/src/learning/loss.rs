//! Loss and gradient of logistic regression: the hot loop of learning.

use super::features::Features;

/// Positions of the groups of each row among the groups of all columns, row by row.
pub(super) struct Slots {
    by_row: Vec<u32>,
    columns: usize,
    /// Number of groups of all columns.
    pub(super) count: usize,
}

impl Slots {
    pub(super) fn new(features: &Features) -> Self {
        let columns = features.columns.len();
        let mut slots = vec![0; features.rows * columns];
        let mut start = 0;
        for (index, (column, grouping)) in features.columns.iter().zip(&features.groupings).enumerate() {
            let of_column = slots.iter_mut().skip(index).step_by(columns);
            of_column.zip(*column).for_each(|(slot, &group)| *slot = start + u32::from(group));
            start += u32::try_from(grouping.count()).expect("a column has at most 256 groups");
        }
        Self { by_row: slots, columns, count: start as usize }
    }

    pub(super) fn of(&self, row: usize) -> &[u32] {
        &self.by_row[row * self.columns..][..self.columns]
    }
}

/// One pass over the rows: contributions of the groups to each class, and the gradient by them. The
/// number of lanes is known to the compiler, which therefore handles several classes at once. Lanes
/// beyond the classes stay zero.
pub(super) struct Pass<'a, const LANES: usize> {
    slots: &'a Slots,
    labels: &'a [u8],
    classes: usize,
    /// Contribution of each group to each class.
    pub(super) additions: Vec<[f64; LANES]>,
    /// Gradient of the loss by the contributions.
    pub(super) slopes: Vec<[f64; LANES]>,
}

impl<'a, const LANES: usize> Pass<'a, LANES> {
    pub(super) fn new(slots: &'a Slots, labels: &'a [u8], classes: usize) -> Self {
        let zeros = vec![[0.0; LANES]; slots.count];
        Self { slots, labels, classes, additions: zeros.clone(), slopes: zeros }
    }

    /// Returns the sum of the losses, and writes its gradient by contributions and intercepts.
    pub(super) fn losses(&mut self, intercepts: &[f64], intercept_slopes: &mut [f64]) -> f64 {
        let mut first = [0.0; LANES];
        first[..self.classes].copy_from_slice(intercepts);
        self.slopes.fill([0.0; LANES]);
        let (mut loss, mut sums) = (0.0, [0.0; LANES]);
        for (row, &label) in self.labels.iter().enumerate() {
            let slots = self.slots.of(row);
            let mut scores = first;
            for &slot in slots {
                add(&mut scores, &self.additions[slot as usize]);
            }
            let score = scores[usize::from(label)];
            loss += soften(&mut scores[..self.classes]) - score;
            scores[usize::from(label)] -= 1.0;
            for &slot in slots {
                add(&mut self.slopes[slot as usize], &scores);
            }
            add(&mut sums, &scores);
        }
        intercept_slopes.copy_from_slice(&sums[..self.classes]);
        loss
    }
}

fn add<const LANES: usize>(to: &mut [f64; LANES], more: &[f64; LANES]) {
    to.iter_mut().zip(more).for_each(|(lane, more)| *lane += more);
}

/// Turns scores into probabilities (softmax) and returns the logarithm of the sum of their
/// exponentials.
pub(super) fn soften(scores: &mut [f64]) -> f64 {
    let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    for share in scores {
        *share /= sum;
    }
    largest + sum.ln()
}
