//! Multinomial logistic regression.

use super::features::Features;
use super::lbfgs::{self, Stop};
use super::loss::{Pass, Slots, soften};
use crate::sample::{number, tally};

/// Stopping rule: the gradient of the mean loss, and the number of steps.
const STOP: Stop = Stop { slope: 1e-4, max_steps: 100 };

/// Multinomial logistic regression: weights of every class, looked up by the groups of a row.
///
/// A categorical column has one weight per group. An ordered column has one for its standardised
/// group number, and one for groups without a place in the order. So every group adds a multiple of
/// exactly one weight.
pub(crate) struct Linear {
    classes: usize,
    intercepts: Vec<f64>,
    /// Contribution of each group of each column to the score of each class.
    additions: Vec<f64>,
}

/// The weight of a group of a column, and its multiple.
#[derive(Clone, Copy)]
struct Share {
    feature: usize,
    factor: f64,
}

impl Linear {
    /// Finds the weights that minimise the sum of the losses and half the sum of the squared
    /// weights, without the intercepts.
    ///
    /// The loss of a row is minus the logarithm of its class's probability. The penalty is that of
    /// scikit-learn's `LogisticRegression` at its default strength for three classes or more. For
    /// two classes it is half as strong: scikit-learn has one weight then where there are two here.
    pub(crate) fn fit(features: &Features, labels: &[u8], classes: usize) -> Self {
        Self::fit_until(features, labels, classes, &STOP)
    }

    fn fit_until(features: &Features, labels: &[u8], classes: usize, stop: &Stop) -> Self {
        let fit = match classes {
            0..=2 => Self::fit_in_lanes::<2>,
            3..=4 => Self::fit_in_lanes::<4>,
            5..=8 => Self::fit_in_lanes::<8>,
            9..=12 => Self::fit_in_lanes::<12>,
            13..=32 => Self::fit_in_lanes::<32>,
            _ => Self::fit_in_lanes::<256>,
        };
        fit(features, labels, classes, stop)
    }

    fn fit_in_lanes<const LANES: usize>(features: &Features, labels: &[u8], classes: usize, stop: &Stop) -> Self {
        let (slots, shares) = (Slots::new(features), shares(features));
        let rows = number(features.rows.max(1));
        let variables = shares.iter().map(|share| share.feature + 1).max().unwrap_or(0) * classes;
        let start: Vec<f64> = std::iter::repeat_n(0.0, variables).chain(log_shares(labels, classes)).collect();
        let guess = inverse_curvature(&slots, features.rows, &shares, &start[variables..], variables);

        let mut pass = Pass::<LANES>::new(&slots, labels, classes);
        let objective = |point: &[f64], gradient: &mut [f64]| {
            let (weights, intercepts) = point.split_at(variables);
            let (slopes, intercept_slopes) = gradient.split_at_mut(variables);
            for (share, additions) in shares.iter().zip(&mut pass.additions) {
                share.spread(weights, &mut additions[..classes]);
            }
            let loss = pass.losses(intercepts, intercept_slopes);
            slopes.copy_from_slice(weights);
            for (share, by_group) in shares.iter().zip(&pass.slopes) {
                let slopes = &mut slopes[share.feature * classes..][..classes];
                slopes.iter_mut().zip(by_group).for_each(|(slope, more)| *slope += share.factor * more);
            }
            for slope in gradient {
                *slope /= rows;
            }
            (loss + weights.iter().map(|weight| weight * weight).sum::<f64>() / 2.0) / rows
        };
        let found = lbfgs::minimise(objective, start, &guess, stop);
        let mut additions = vec![0.0; shares.len() * classes];
        for (share, additions) in shares.iter().zip(additions.chunks_exact_mut(classes)) {
            share.spread(&found, additions);
        }
        Self { classes, intercepts: found[variables..].to_vec(), additions }
    }

    /// Returns the probability of every class, row by row.
    pub(crate) fn probabilities(&self, features: &Features) -> Vec<f64> {
        let slots = Slots::new(features);
        let mut probabilities = self.intercepts.repeat(features.rows);
        for (row, of_row) in probabilities.chunks_exact_mut(self.classes).enumerate() {
            for &slot in slots.of(row) {
                let additions = &self.additions[slot as usize * self.classes..];
                of_row.iter_mut().zip(additions).for_each(|(score, addition)| *score += addition);
            }
            soften(of_row);
        }
        probabilities
    }
}

impl Share {
    /// Writes the contribution of the group to each class.
    fn spread(self, weights: &[f64], additions: &mut [f64]) {
        let weights = &weights[self.feature * additions.len()..];
        additions.iter_mut().zip(weights).for_each(|(addition, weight)| *addition = self.factor * weight);
    }
}

/// Returns the weight and its multiple for every group of every column.
fn shares(features: &Features) -> Vec<Share> {
    let (mut shares, mut feature) = (Vec::new(), 0);
    for (column, grouping) in features.columns.iter().zip(&features.groupings) {
        if let Some(places) = grouping.places() {
            let (mean, deviation) = moments(column, places);
            let standardised = |group: usize| (number(group) - mean) / deviation;
            shares.extend(places.iter().enumerate().map(|(group, &has_place)| {
                if has_place {
                    Share { feature, factor: standardised(group) }
                } else {
                    Share { feature: feature + 1, factor: 1.0 }
                }
            }));
            feature += 1 + usize::from(places.contains(&false));
        } else {
            shares.extend((0..grouping.count()).map(|group| Share { feature: feature + group, factor: 1.0 }));
            feature += grouping.count();
        }
    }
    shares
}

/// Returns mean and standard deviation of the groups with a place in the order. The deviation of a
/// constant is set to 1.
fn moments(column: &[u8], places: &[bool]) -> (f64, f64) {
    let ordered = || column.iter().filter(|&&group| places[usize::from(group)]).map(|&group| f64::from(group));
    let count = number(ordered().count().max(1));
    let mean = ordered().sum::<f64>() / count;
    let variance = ordered().map(|group| (group - mean).powi(2)).sum::<f64>() / count;
    (mean, if variance > 0.0 { variance.sqrt() } else { 1.0 })
}

/// Returns the logarithms of the classes' shares, with one row added to each so that they are
/// finite.
fn log_shares(labels: &[u8], classes: usize) -> Vec<f64> {
    let share = |rows| (f64::from(rows) + 1.0) / number(labels.len() + classes);
    tally(labels, classes).into_iter().map(|rows| share(rows).ln()).collect()
}

/// Returns the inverse of the diagonal of the Hessian at the point where every row has the shares
/// of the classes as probabilities.
fn inverse_curvature(slots: &Slots, rows: usize, shares: &[Share], log_shares: &[f64], variables: usize) -> Vec<f64> {
    let classes = log_shares.len();
    let mut rows_of_slot = vec![0_u32; slots.count];
    for row in 0..rows {
        for &slot in slots.of(row) {
            rows_of_slot[slot as usize] += 1;
        }
    }
    let spreads: Vec<f64> = log_shares.iter().map(|share| share.exp()).map(|share| share * (1.0 - share)).collect();
    // The curvature of the penalty is 1; the sum of squares of each feature is added.
    let mut curvature = vec![1.0; variables];
    for (share, count) in shares.iter().zip(rows_of_slot) {
        let squares = f64::from(count) * share.factor * share.factor;
        let curvature = &mut curvature[share.feature * classes..][..classes];
        curvature.iter_mut().zip(&spreads).for_each(|(curvature, spread)| *curvature += squares * spread);
    }
    let rows = number(rows.max(1));
    let intercepts = spreads.iter().map(|spread| rows * spread);
    curvature.into_iter().chain(intercepts).map(|curvature| rows / curvature).collect()
}

#[cfg(test)]
mod tests {
    use super::super::features::Example;
    use super::*;
    use crate::table::ColumnKind;

    const EXACT: Stop = Stop { slope: 1e-12, max_steps: 1_000 };

    /// Sixty rows of a column of three categories, an ordered one of five codes, and three classes.
    fn example(missing: Option<u32>) -> (Example, Vec<u8>) {
        let a: Vec<u32> = (0..60).map(|i| (i * i / 3 + i) % 3).collect();
        let b: Vec<u32> = (0..60).map(|i| (i * i / 5) % 5).collect();
        let label = |i: u32| ((2 * a[i as usize] + b[i as usize].pow(2) + i % 4) / 3) % 3;
        let labels = (0..60).map(|i| u8::try_from(label(i)).unwrap()).collect();
        let kinds = [ColumnKind::Categorical, ColumnKind::Ordered { missing }];
        (Example::new(&[3, 5], vec![a, b], &kinds), labels)
    }

    fn assert_probabilities(example: &Example, labels: &[u8], classes: usize, due: &[(usize, &[f64])]) {
        let features = example.features();
        let found = Linear::fit_until(&features, labels, classes, &EXACT).probabilities(&features);
        for &(row, due) in due {
            for (found, due) in found[row * classes..].iter().zip(due) {
                assert!((found - due).abs() < 1e-8, "row {row}: {found} and not {due}");
            }
        }
    }

    /// The numbers of these tests are `predict_proba` of scikit-learn 1.9.1,
    /// `LogisticRegression(C=1, tol=1e-12, solver='newton-cg')`, on the columns `np.eye(3)[a]`,
    /// `(b - b.mean()) / b.std()` and, with missing values, `b == 4`.
    #[test]
    fn probabilities_are_those_of_scikit_learn() {
        let (rows, labels) = example(None);
        assert_probabilities(
            &rows,
            &labels,
            3,
            &[
                (0, &[0.464_829_099_299_829_8, 0.372_517_539_799_574_6, 0.162_653_360_900_595_57]),
                (1, &[0.139_914_503_775_981_6, 0.783_588_741_137_113_9, 0.076_496_755_086_904_6]),
                (17, &[0.153_675_315_935_801_8, 0.364_079_941_638_399_1, 0.482_244_742_425_799_1]),
                (59, &[0.189_703_908_072_388_27, 0.711_334_598_063_649_2, 0.098_961_493_863_962_54]),
            ],
        );
    }

    #[test]
    fn missing_values_have_a_weight_of_their_own() {
        let (rows, labels) = example(Some(4));
        assert_probabilities(
            &rows,
            &labels,
            3,
            &[
                (0, &[0.483_713_148_287_395_14, 0.372_019_255_284_203_2, 0.144_267_596_428_401_62]),
                (17, &[0.142_491_533_599_104_13, 0.320_352_104_775_474_4, 0.537_156_361_625_421_5]),
                (59, &[0.198_123_011_558_897_28, 0.697_743_604_440_697, 0.104_133_384_000_405_68]),
            ],
        );
    }

    /// For two classes with `C=2`, because scikit-learn has one weight then where there are two
    /// here.
    #[test]
    fn two_classes_are_those_of_scikit_learn_too() {
        let (rows, labels) = example(None);
        let labels: Vec<u8> = labels.into_iter().map(|label| label.min(1)).collect();
        assert_probabilities(
            &rows,
            &labels,
            2,
            &[
                (0, &[0.464_242_598_251_547_34, 0.535_757_401_748_452_7]),
                (17, &[0.135_927_216_285_087_64, 0.864_072_783_714_912_4]),
                (59, &[0.201_020_296_381_287_04, 0.798_979_703_618_713]),
            ],
        );
    }

    #[test]
    fn the_default_stop_is_close_to_the_minimum() {
        let (rows, labels) = example(Some(4));
        let features = rows.features();
        let [usual, exact] =
            [&STOP, &EXACT].map(|stop| Linear::fit_until(&features, &labels, 3, stop).probabilities(&features));
        assert!(usual.iter().zip(exact).all(|(usual, exact)| (usual - exact).abs() < 1e-3));
    }

    #[test]
    fn classes_that_a_column_determines_are_predicted() {
        let codes: Vec<u32> = (0..300).map(|row| row % 3).collect();
        let labels: Vec<u8> = (0..300).map(|row| [2, 0, 1][row % 3]).collect();
        let rows = Example::new(&[3], vec![codes], &[ColumnKind::Categorical]);
        let features = rows.features();
        let found = Linear::fit(&features, &labels, 4).probabilities(&features);
        for (of_row, &label) in found.chunks_exact(4).zip(&labels) {
            assert!(of_row[usize::from(label)] > 0.95 && of_row[3] < 0.02, "the last class is empty: {of_row:?}");
        }
    }

    #[test]
    fn without_columns_the_shares_are_predicted() {
        let rows = Example::new(&[2], vec![vec![0, 1, 1, 1]], &[ColumnKind::Categorical]);
        let nothing = Features { columns: Vec::new(), groupings: Vec::new(), rows: 4 };
        let found = Linear::fit_until(&nothing, &[0, 1, 1, 1], 2, &EXACT).probabilities(&nothing);
        assert!((found[1] - 0.75).abs() < 1e-9, "{found:?}");
        assert_eq!(Linear::fit(&rows.features(), &[0; 4], 1).probabilities(&rows.features()), [1.0; 4]);
    }
}
