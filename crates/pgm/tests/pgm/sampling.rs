//! Sampled rows follow the model.

use proptest::prelude::*;
use scumble_pgm::{ProductModel, Sampling};
use scumble_schema::CodeColumn;

fn counts(model: &ProductModel, rows: u64, seed: u64, sampling: Sampling) -> Vec<Vec<u64>> {
    let mut counts: Vec<Vec<u64>> = model.probabilities().iter().map(|column| vec![0; column.len()]).collect();
    for chunk in model.sample(rows, seed, sampling) {
        for (column, codes) in counts.iter_mut().zip(&chunk) {
            codes.iter().for_each(|code| column[code as usize] += 1);
        }
    }
    counts
}

fn skewed(size: u32) -> Vec<f64> {
    let weights: Vec<f64> = (1..=size).map(|code| 1.0 / f64::from(code)).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

proptest! {
    #[test]
    fn low_variance_counts_are_expectations_rounded_up_or_down(size in 1_u32..400, rows in 0_u64..65_536, seed: u64) {
        let model = ProductModel::new(vec![skewed(size)]).unwrap();
        let counts = counts(&model, rows, seed, Sampling::LowVariance);
        prop_assert_eq!(counts[0].iter().sum::<u64>(), rows);
        for (count, probability) in counts[0].iter().zip(&model.probabilities()[0]) {
            prop_assert!((*count as f64 - probability * rows as f64).abs() < 1.0 + 1e-6);
        }
    }
}

#[test]
fn an_impossible_code_is_never_drawn() {
    let model = ProductModel::new(vec![vec![0.0, 0.3, 0.0, 0.7, 0.0]]).unwrap();
    for sampling in [Sampling::LowVariance, Sampling::Independent] {
        let counts = counts(&model, 200_000, 3, sampling);
        assert_eq!((counts[0][0], counts[0][2], counts[0][4]), (0, 0, 0));
        assert_eq!(counts[0].iter().sum::<u64>(), 200_000);
    }
}

#[test]
fn independent_draws_have_the_models_frequencies_and_spread() {
    let model = ProductModel::new(vec![skewed(20)]).unwrap();
    let rows = 200_000.0;
    let chi_square: f64 = counts(&model, 200_000, 11, Sampling::Independent)[0]
        .iter()
        .zip(&model.probabilities()[0])
        .map(|(count, probability)| (*count as f64 - rows * probability).powi(2) / (rows * probability))
        .sum();
    // 19 degrees of freedom: outside 2.5 .. 65 once in a million. Dependent draws may give too
    // small a value.
    assert!((2.5..65.0).contains(&chi_square), "{chi_square}");
}

#[test]
fn columns_are_independent() {
    let model = ProductModel::new(vec![skewed(4), skewed(4)]).unwrap();
    for sampling in [Sampling::LowVariance, Sampling::Independent] {
        let mut joint = [[0.0_f64; 4]; 4];
        for chunk in model.sample(400_000, 5, sampling) {
            chunk[0].iter().zip(chunk[1].iter()).for_each(|(a, b)| joint[a as usize][b as usize] += 1.0);
        }
        let p = &model.probabilities()[0];
        let chi_square: f64 = (0..16)
            .map(|cell| (cell / 4, cell % 4))
            .map(|(a, b)| (a, b, p[a] * p[b] * 400_000.0))
            .map(|(a, b, expected)| (joint[a][b] - expected).powi(2) / expected)
            .sum();
        // At most 15 degrees of freedom: above 58 once in a million.
        assert!(chi_square < 58.0, "{sampling:?} {chi_square}");
    }
}

#[test]
fn equal_seeds_give_equal_rows_and_other_seeds_others() {
    let model = ProductModel::new(vec![skewed(300), skewed(3)]).unwrap();
    let rows = |seed| model.sample(100_000, seed, Sampling::LowVariance).collect::<Vec<_>>();
    assert_eq!(rows(1), rows(1));
    assert_ne!(rows(1), rows(2));
    assert!(matches!(rows(1)[0][0], CodeColumn::U16(_)));
}
