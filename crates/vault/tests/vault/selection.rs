//! T4, second half: real selections have the probabilities of the formula. The first half is beside
//! the mechanism.
#![allow(clippy::disallowed_methods, reason = "statistics of small numbers")]

use std::num::NonZeroU128;

use crate::support::{LEAST_P, histogram, p_value};
use scumble_vault::account::SelectionEpsilon;
use scumble_vault::noise::ExponentialMechanism;

const SELECTIONS: u64 = 1_000_000;
const THREADS: u32 = 2;

/// Returns `exp(epsilon q / (2 delta))`, normalised.
fn probabilities(scores: &[i128], delta: f64, epsilon: f64) -> Vec<f64> {
    let weights: Vec<f64> = scores.iter().map(|&score| (epsilon * score as f64 / (2.0 * delta)).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

#[test]
fn selections_have_the_epsilon_we_charge_for() {
    let cases: [(&[i128], u128, f64); 5] = [
        (&[0, 1], 1, 1.0),
        (&[-5, 7, 3, 3, 6, 0, -1], 3, 2.5),
        (&[1000, 1010, 1003, 990], 7, 0.75),
        (&[0, -1, -2, -3, -4, -5, -6, -7], 2, 3.25),
        (&[1 << 80, 3 << 79, 0, 1 << 79], 1 << 79, 1.375),
    ];
    for (scores, delta, epsilon) in cases {
        let exact = SelectionEpsilon::at_most(epsilon).unwrap();
        let mechanism = ExponentialMechanism::new(NonZeroU128::new(delta).unwrap(), exact);
        let select = |substream: &mut _| mechanism.select(scores, substream);
        let counts = histogram(select, scores.len(), SELECTIONS, THREADS);
        let p = |factor: f64| p_value(&counts, &probabilities(scores, delta as f64, epsilon * factor));
        assert!(p(1.0) > LEAST_P, "{scores:?}: the truth has p {}", p(1.0));
        assert!(p(1.1) < LEAST_P, "{scores:?}: ten percent more has p {}", p(1.1));
        assert!(p(0.9) < LEAST_P, "{scores:?}: ten percent less has p {}", p(0.9));
    }
}

#[test]
fn many_equal_candidates_are_selected_uniformly() {
    let mechanism = ExponentialMechanism::new(NonZeroU128::MIN, SelectionEpsilon::at_most(1.0).unwrap());
    let scores = vec![-3; 70_000];
    // In a hundred bins of 700 candidates.
    let counts = histogram(|substream| mechanism.select(&scores, substream) / 700, 100, SELECTIONS / 50, THREADS);
    assert!(p_value(&counts, &[0.01; 100]) > LEAST_P);
}
