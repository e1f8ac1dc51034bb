//! The cost of a selection under Gaussian differential privacy, against exact privacy losses of
//! exponential mechanisms.
//!
//! A privacy loss is a list of outcomes, each with its probability on one table and on the
//! neighbouring one. The least `delta` that holds for an `epsilon` is then a sum over them, and it
//! must not be above the profile of the charged `mu²`. Every comparison is also made with nine
//! tenths of that `mu²`, where it must fail.
#![allow(clippy::disallowed_methods, reason = "numbers to compare exact ones with")]

use scumble_vault::account::{SelectionEpsilon, gdp};
use scumble_vault::{AccountingKind, Epsilon, Event, MuSquared};
use serde_json::json;

/// Fraction of the cost that is too low, which the tests must catch.
const TOO_LOW: f64 = 0.9;
/// Tolerances for sums of floats, relative and absolute.
const ROUNDING: f64 = 1e-9;
const SMALLEST: f64 = 1e-15;

/// Returns the `mu²` that the vault charges for a selection.
fn charged(epsilon: f64) -> f64 {
    let epsilon = SelectionEpsilon::at_most(epsilon).unwrap();
    let event: Event = serde_json::from_value(json!({
        "id": 0, "adjacency": "add-remove", "lattice_log2": 10, "length": 1,
        "question": {"scores": {"score": "l1-error", "candidates": 9, "heaviest": 1, "rows": null, "digest": ""}},
        "mechanism": {"exponential": {"sensitivity": "1024", "epsilon": epsilon}},
    }))
    .unwrap();
    event.cost(AccountingKind::Gdp).unwrap().to_f64()
}

/// Returns the least `delta` of Gaussian noise of this `mu²`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "mu² 2^96 fits 128 bits")]
fn profile(mu_squared: f64, epsilon: f64) -> f64 {
    let (mu_squared, at) = (MuSquared::from_quanta((mu_squared * 2_f64.powi(96)) as u128), epsilon.abs());
    let delta = gdp::delta(mu_squared, if at == 0.0 { Epsilon::ZERO } else { Epsilon::new(at).unwrap() });
    // Below zero by the symmetry of the two tables.
    if epsilon < 0.0 { -f64::exp_m1(epsilon) + epsilon.exp() * delta } else { delta }
}

/// Returns whether `delta` at `epsilon` is within the profile of `mu_squared`.
fn holds(delta: f64, mu_squared: f64, epsilon: f64) -> bool {
    delta <= profile(mu_squared, epsilon) * (1.0 + ROUNDING) + SMALLEST
}

/// Returns the smallest fraction of `mu_squared` with which every `(epsilon, delta)` holds, to
/// 1e-4.
fn needed_part(deltas: &[(f64, f64)], mu_squared: f64) -> f64 {
    let (mut low, mut high) = (0.0, 2.0);
    while high - low > 1e-4 {
        let part = f64::midpoint(low, high);
        let enough = deltas.iter().all(|&(epsilon, delta)| holds(delta, part * mu_squared, epsilon));
        if enough { high = part } else { low = part }
    }
    high
}

/// The normal distribution function.
fn phi(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

/// Computes the normal quantile of a probability, given with its complement, by bisection.
fn quantile(probability: f64, complement: f64) -> f64 {
    if probability > complement {
        return -quantile(complement, probability);
    }
    let (mut low, mut high) = (-40.0, 0.0);
    for _ in 0..100 {
        let x = f64::midpoint(low, high);
        if phi(x) < probability { low = x } else { high = x }
    }
    f64::midpoint(low, high)
}

/// Returns the probabilities of two outcomes on the two tables, if their losses are `t` and
/// `t - epsilon`.
fn two_outcomes(epsilon: f64, t: f64) -> [(f64, f64); 2] {
    let width = t.exp() * -f64::exp_m1(-epsilon);
    let (first, second) = (-f64::exp_m1(t - epsilon) / width, t.exp_m1() / width);
    [(first * t.exp(), first), (second * (t - epsilon).exp(), second)]
}

/// The lemma: the corner of every pair of two outcomes is above the trade-off function of the
/// charged `mu`.
#[test]
fn the_worst_two_outcomes_of_a_bounded_range_cost_what_is_charged() {
    let mut most: Vec<(f64, f64)> = Vec::new();
    for step in 0..=60 {
        let epsilon = 10_f64.powf(-3.0 + f64::from(step) / 13.0);
        let mu = charged(epsilon).sqrt();
        let mut needed: f64 = 0.0;
        for part in 1..100 {
            let [(p, q), (p_rest, q_rest)] = two_outcomes(epsilon, epsilon * f64::from(part) / 100.0);
            assert!((p + p_rest - 1.0).abs() < 1e-12 && (q + q_rest - 1.0).abs() < 1e-12);
            assert!(phi(quantile(q_rest, q) - mu) <= p_rest * (1.0 + 1e-12), "epsilon {epsilon}, part {part}");
            needed = needed.max(quantile(p, p_rest) - quantile(q, q_rest));
        }
        let middle = 2.0 * quantile(1.0 / (1.0 + (-epsilon / 2.0).exp()), 1.0 / (1.0 + (epsilon / 2.0).exp()));
        assert!((needed / middle - 1.0).abs() < 1e-9, "the corner in the middle is the worst: {needed}, {middle}");
        most.push((epsilon, needed / mu));
    }
    // Never above what is charged, close to it for small epsilon, and falling: 2 % below at 2,
    // nearly half at 30.
    assert!(most.iter().all(|&(_, part)| part < 1.0), "{most:?}");
    assert!(most.is_sorted_by(|(_, earlier), (_, later)| later < &(earlier + 1e-9)), "{most:?}");
    for &(epsilon, part) in &most {
        assert!(part > 1.0 - 2e-7 - epsilon * epsilon / 200.0, "epsilon {epsilon}: {part}");
        assert!(epsilon > 2.0 || part > TOO_LOW.sqrt(), "a cost that is too low is caught at epsilon {epsilon}");
    }
}

/// Returns the probabilities of an exponential mechanism.
fn selection(scores: &[i32], sensitivity: i32, epsilon: f64) -> Vec<f64> {
    let weight = |&score: &i32| (epsilon * f64::from(score) / (2.0 * f64::from(sensitivity))).exp();
    let total: f64 = scores.iter().map(weight).sum();
    scores.iter().map(|score| weight(score) / total).collect()
}

/// Returns the outcomes of a selection on a table and on its neighbour.
fn loss(scores: &[i32], neighbours: &[i32], sensitivity: i32, epsilon: f64) -> Vec<(f64, f64)> {
    selection(scores, sensitivity, epsilon).into_iter().zip(selection(neighbours, sensitivity, epsilon)).collect()
}

/// Returns the joint outcomes of two releases.
fn together(one: &[(f64, f64)], other: &[(f64, f64)]) -> Vec<(f64, f64)> {
    one.iter().flat_map(|(p, q)| other.iter().map(move |(r, s)| (p * r, q * s))).collect()
}

/// Returns the least `delta` that holds at `epsilon`.
fn delta(outcomes: &[(f64, f64)], epsilon: f64) -> f64 {
    let factor = epsilon.exp();
    outcomes.iter().map(|(p, q)| (p - factor * q).max(0.0)).sum()
}

/// Returns all vectors of `length` numbers, each from zero up to `most`.
fn vectors(length: u32, most: i32) -> Vec<Vec<i32>> {
    let base = most + 1;
    (0..base.pow(length)).map(|index| (0..length).map(|place| index / base.pow(place) % base).collect()).collect()
}

/// Returns all scores of three candidates up to 2, ties included, with all scores that differ by at
/// most the sensitivity, in any direction.
fn small_pairs(sensitivity: i32) -> Vec<(Vec<i32>, Vec<i32>)> {
    let steps = vectors(3, 2 * sensitivity);
    let pairs = vectors(3, 2).into_iter().flat_map(|scores| {
        let moved = |step: &Vec<i32>| scores.iter().zip(step).map(|(score, step)| score + step - sensitivity).collect();
        steps.iter().map(|step| (scores.clone(), moved(step))).collect::<Vec<_>>()
    });
    pairs.collect()
}

const EPSILONS: [f64; 5] = [0.02, 0.3, 1.0, 2.5, 6.0];

#[test]
fn a_selection_by_any_small_scores_loses_no_more_than_is_charged() {
    let mut caught = 0;
    for epsilon in EPSILONS {
        let mu_squared = charged(epsilon);
        let at: Vec<f64> = (-20..=20).map(|step| epsilon * f64::from(step) / 20.0).collect();
        let [claimed, too_low] = [1.0, TOO_LOW].map(|part| -> Vec<f64> {
            at.iter().map(|&at| profile(part * mu_squared, at) * (1.0 + ROUNDING) + SMALLEST).collect()
        });
        let mut widest: f64 = 0.0;
        for sensitivity in 1..=2 {
            for (scores, neighbours) in small_pairs(sensitivity) {
                let outcomes = loss(&scores, &neighbours, sensitivity, epsilon);
                let losses = outcomes.iter().map(|(p, q)| (p / q).ln());
                let (low, high) = losses.fold((f64::MAX, f64::MIN), |(low, high), f| (low.min(f), high.max(f)));
                widest = widest.max(high - low);
                for (index, &at) in at.iter().enumerate() {
                    let delta = delta(&outcomes, at);
                    assert!(delta <= claimed[index], "{scores:?} {neighbours:?} {epsilon} at {at}: {delta}");
                    caught += usize::from(delta > too_low[index]);
                }
            }
        }
        assert!((widest / epsilon - 1.0).abs() < 1e-9, "the range is bounded by epsilon, and reached: {widest}");
    }
    assert!(caught > 100, "a cost that is too low is caught: {caught} times");
}

/// The generator of the other tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[test]
fn several_selections_by_small_scores_lose_no_more_than_is_charged() {
    let mut numbers = Numbers(7);
    let pairs = [1, 2].map(small_pairs);
    let mut needed: [f64; 6] = [0.0; 6];
    for _ in 0..1500 {
        let selections = 2 + numbers.below(4);
        let (mut outcomes, mut mu_squared, mut total) = (vec![(1.0, 1.0)], 0.0, 0.0);
        for _ in 0..selections {
            let (sensitivity, epsilon) = (numbers.below(2), EPSILONS[numbers.below(4)]);
            let (scores, neighbours) = &pairs[sensitivity][numbers.below(pairs[sensitivity].len())];
            let sensitivity = [1, 2][sensitivity];
            outcomes = together(&outcomes, &loss(scores, neighbours, sensitivity, epsilon));
            mu_squared += charged(epsilon);
            total += epsilon;
        }
        let deltas: Vec<(f64, f64)> =
            (0..20).map(|step| total * f64::from(step) / 20.0).map(|at| (at, delta(&outcomes, at))).collect();
        for &(at, delta) in &deltas {
            assert!(holds(delta, mu_squared, at), "{selections} selections at {at}: {delta}");
        }
        needed[selections] = needed[selections].max(needed_part(&deltas, mu_squared));
    }
    // One of the selections may dominate, and then it is charged tightly.
    assert!(needed[2] > TOO_LOW && needed.iter().all(|&part| part <= 1.0 + 1e-4), "{needed:?}");
}

/// Returns the largest `delta` at whole steps of `epsilon/parts` that an adversary reaches with
/// `selections` selections, each of which may be any pair of two outcomes on these steps and may
/// depend on the outcomes before it.
fn adapted(epsilon: f64, parts: usize, selections: usize) -> Vec<(f64, f64)> {
    let step = epsilon / parts as f64;
    let reach = selections * parts;
    let at = |index: usize| (index as f64 - reach as f64) * step;
    // The largest delta that can still be reached, by the number of steps between the loss and the
    // epsilon.
    let mut best: Vec<f64> = (0..=2 * reach).map(|index| (-f64::exp_m1(at(index))).max(0.0)).collect();
    let pairs: Vec<(usize, [(f64, f64); 2])> =
        (1..parts).map(|up| (up, two_outcomes(epsilon, up as f64 * step))).collect();
    for _ in 0..selections {
        let value = |index: usize| {
            // Beyond the ends: zero above, and below the value that no selection changes.
            let reached = |to: isize| match usize::try_from(to) {
                Ok(to) => best.get(to).copied().unwrap_or(0.0),
                Err(_) => -f64::exp_m1((to as f64 - reach as f64) * step),
            };
            let here = isize::try_from(index).unwrap();
            let played = pairs.iter().map(|&(up, [(p, _), (p_rest, _)])| {
                let (up, parts) = (isize::try_from(up).unwrap(), isize::try_from(parts).unwrap());
                p * reached(here - up) + p_rest * reached(here + parts - up)
            });
            played.fold(best[index], f64::max)
        };
        best = (0..=2 * reach).map(value).collect();
    }
    (reach..=2 * reach).map(|index| (at(index), best[index])).collect()
}

#[test]
fn selections_that_an_adversary_adapts_lose_no_more_than_is_charged() {
    let mut needed = Vec::new();
    for (epsilon, selections) in
        [(0.02, 1), (1.0, 1), (0.02, 2), (1.0, 3), (3.0, 4), (0.5, 8), (0.1, 16), (1.0, 16), (0.05, 64), (0.5, 64)]
    {
        let mu_squared = selections as f64 * charged(epsilon);
        let deltas = adapted(epsilon, 16, selections);
        for &(at, delta) in &deltas {
            assert!(holds(delta, mu_squared, at), "{selections} of {epsilon} at {at}: {delta}");
        }
        let part = needed_part(&deltas, mu_squared);
        if selections == 1 {
            assert!(part > 0.98, "one selection is charged tightly: {part} of it at {epsilon}");
        }
        needed.push((epsilon, selections, part));
    }
    // Many selections lose 2/pi of what is charged, as the central limit theorem says.
    let &(_, _, part) = needed.iter().find(|&&(epsilon, selections, _)| (epsilon, selections) == (0.05, 64)).unwrap();
    assert!((0.62..0.75).contains(&part), "{needed:?}");
    let caught = needed.iter().filter(|(.., part)| *part > TOO_LOW).count();
    assert!(caught >= 2, "a cost that is too low is caught: {needed:?}");
}

#[test]
fn a_selection_among_gaussian_releases_loses_no_more_than_is_charged() {
    let mut needed = Vec::new();
    for epsilon in [0.05, 0.5, 2.0] {
        for share in [0.001, 0.1, 1.0, 10.0] {
            let gaussian = share * charged(epsilon);
            for part in 1..8 {
                let pair = two_outcomes(epsilon, epsilon * f64::from(part) / 8.0);
                // The Gaussian release has the rest of epsilon after the loss of the selection.
                let delta = |at: f64| pair.iter().map(|(p, q)| p * profile(gaussian, at - (p / q).ln())).sum::<f64>();
                let total = charged(epsilon) + gaussian;
                let deltas: Vec<(f64, f64)> =
                    (0..60).map(|step| f64::from(step) / 10.0 * total.sqrt()).map(|at| (at, delta(at))).collect();
                for &(at, delta) in &deltas {
                    assert!(holds(delta, total, at), "{epsilon} and {gaussian} at {at}: {delta}");
                }
                needed.push(needed_part(&deltas, total));
            }
        }
    }
    let most = needed.into_iter().fold(0.0, f64::max);
    assert!(most > 0.98, "with almost no noise the selection is charged tightly: {most}");
}
