//! Accuracy of predictions.

use serde::Serialize;

use crate::sample::number;

/// Accuracy of a learner on test rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// Share of rows whose class is predicted right.
    pub accuracy: f64,
    /// Mean over classes of the accuracy on the rows of the class: rare classes weigh as much as
    /// frequent ones.
    pub balanced_accuracy: f64,
    /// Area under the curve: the probability that a row of the second class has a higher predicted
    /// probability of it than a row of the first, ties counting a half. `None` unless there are
    /// rows of exactly two classes.
    pub auc: Option<f64>,
}

impl Score {
    /// Scores probabilities, row by row, against the labels.
    pub(crate) fn of(probabilities: &[f64], labels: &[u8], classes: usize) -> Self {
        let mut rows = vec![0_usize; classes];
        let mut right = vec![0_usize; classes];
        for (of_row, &label) in probabilities.chunks_exact(classes).zip(labels) {
            let label = usize::from(label);
            rows[label] += 1;
            right[label] += usize::from(most_probable(of_row) == label);
        }
        let present: Vec<usize> = (0..classes).filter(|&class| rows[class] > 0).collect();
        let recalls = present.iter().map(|&class| number(right[class]) / number(rows[class]));
        let auc = <[usize; 2]>::try_from(present.as_slice()).ok().map(|[first, second]| {
            let lean = |of_row: &[f64]| of_row[second] - of_row[first];
            let leans: Vec<f64> = probabilities.chunks_exact(classes).map(lean).collect();
            auc(&leans, |row| usize::from(labels[row]) == second)
        });
        Self {
            accuracy: number(right.iter().sum()) / number(labels.len().max(1)),
            balanced_accuracy: recalls.sum::<f64>() / number(present.len().max(1)),
            auc,
        }
    }
}

/// Returns the class with the largest probability, the first of equals.
fn most_probable(of_row: &[f64]) -> usize {
    (1..of_row.len()).fold(0, |best, class| if of_row[class] > of_row[best] { class } else { best })
}

/// Returns the probability that a row for which `is_second` holds has a larger value than a row for
/// which it does not, ties counting a half. There must be rows of both classes.
pub(crate) fn auc(values: &[f64], is_second: impl Fn(usize) -> bool) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]));
    let (mut firsts, mut seconds, mut above) = (0.0, 0.0, 0.0);
    for ties in order.chunk_by(|&a, &b| values[a].total_cmp(&values[b]).is_eq()) {
        let here = number(ties.iter().filter(|&&row| is_second(row)).count());
        let others = number(ties.len()) - here;
        above += here * (firsts + others / 2.0);
        firsts += others;
        seconds += here;
    }
    above / (firsts * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_those_of_a_worked_example() {
        // Three rows of class 0, all predicted right; one of class 2, predicted as class 0. No row
        // has class 1.
        let probabilities = [0.9, 0.0, 0.1, 0.8, 0.1, 0.1, 0.6, 0.0, 0.4, 0.6, 0.1, 0.3];
        let score = Score::of(&probabilities, &[0, 0, 0, 2], 3);
        assert!((score.accuracy - 0.75).abs() < 1e-15 && (score.balanced_accuracy - 0.5).abs() < 1e-15, "{score:?}");
        // The row of class 2 leans to it by -0.3: more than those that lean by -0.8 and -0.7, less
        // than that by -0.2.
        assert!((score.auc.unwrap() - 2.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn ties_count_a_half() {
        let auc_of = |values: &[f64]| auc(values, |row| row % 2 == 1);
        assert!((auc_of(&[0.5, 0.5, 0.5, 0.5]) - 0.5).abs() < 1e-15);
        assert!((auc_of(&[0.1, 0.2, 0.1, 0.2]) - 1.0).abs() < 1e-15);
        assert!((auc_of(&[0.1, 0.1, 0.2, 0.3]) - 0.625).abs() < 1e-15);
    }

    #[test]
    fn more_or_fewer_than_two_classes_have_no_auc() {
        assert_eq!(Score::of(&[1.0, 0.0, 1.0, 0.0], &[0, 0], 2).auc, None);
        let of_three = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let score = Score::of(&of_three, &[0, 1, 2], 3);
        assert_eq!(score, Score { accuracy: 1.0, balanced_accuracy: 1.0, auc: None });
    }
}
