//! The conversion from zCDP, against independent references.
#![allow(clippy::disallowed_methods, reason = "a test may choose its parameters with any function")]

use crate::rows::goal;
use scumble_vault::account::zcdp;
use scumble_vault::{Delta, Epsilon, Rho};

/// Largest relative error of a claim.
const TIGHT: f64 = 1e-9;

/// Parses one line of a fixture: quanta, and two numbers.
fn fields(line: &str) -> (Rho, f64, f64) {
    let fields: Vec<&str> = line.split(',').collect();
    let rho = Rho::from_quanta(u128::from_str_radix(fields[0], 16).unwrap());
    (rho, fields[1].parse().unwrap(), fields[2].parse().unwrap())
}

/// Returns the `epsilon` that holds with `delta`.
fn epsilon(rho: Rho, delta: f64) -> Option<Epsilon> {
    zcdp::epsilon(rho, Delta::new(delta).unwrap())
}

#[test]
fn the_bound_is_never_below_the_reference_and_tight() {
    let mut rows = 0;
    for line in include_str!("../reference/zcdp_profile.csv").lines().skip(1) {
        let (rho, epsilon, truth) = fields(line);
        let claim = zcdp::delta(rho, Epsilon::try_from(epsilon).unwrap());
        assert!(claim >= truth, "{line}: {claim} is below the reference");
        assert!(claim <= truth * (1.0 + TIGHT), "{line}: {claim} is loose");
        rows += 1;
    }
    assert_eq!(rows, 1500);
}

/// T6.
#[test]
fn epsilon_is_never_below_the_reference_and_tight() {
    let mut rows = 0;
    for line in include_str!("../reference/zcdp_epsilon.csv").lines().skip(1) {
        let (rho, delta, truth) = fields(line);
        let claim = epsilon(rho, delta).unwrap().get();
        assert!(claim >= truth, "{line}: {claim} is below the reference");
        assert!(claim <= truth * (1.0 + TIGHT), "{line}: {claim} is loose");
        rows += 1;
    }
    assert_eq!(rows, 2000);
}

#[test]
fn calibration_gives_the_reference_values_of_the_privacy_rules() {
    for (delta, rule) in [(1e-5, 0.03056), (1e-6, 0.02436), (1e-9, 0.01497)] {
        let computed = zcdp::largest_rho(goal(1.0, delta)).unwrap().to_f64();
        assert!((computed - rule).abs() < 5e-6, "delta {delta}: rho {computed}");
    }
}

#[test]
fn calibration_inverts_the_bound() {
    for epsilon in [1e-9, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e4, 1e6] {
        for delta in [1e-300, 1e-100, 1e-12, 1e-6, 0.1, 0.99] {
            let goal = goal(epsilon, delta);
            let most = zcdp::largest_rho(goal).unwrap();
            assert!(zcdp::delta(most, goal.epsilon) <= delta, "what is allowed reaches the goal: {epsilon}, {delta}");
            let quanta = most.quanta();
            let more = Rho::from_quanta(quanta + quanta / 1_000_000 + 1);
            assert!(zcdp::delta(more, goal.epsilon) > delta, "a millionth more does not: {epsilon}, {delta}");
            let back = zcdp::epsilon(more, goal.delta);
            assert!(back.is_none_or(|back| back > goal.epsilon), "nor with that epsilon: {epsilon}, {delta}");
            // Steps as small as the last bits of a float, in which the bound is not monotone: the
            // slack covers them.
            for less in (0..1000).map(|step| quanta - (quanta >> 52) * step) {
                let less = Rho::from_quanta(less);
                assert!(zcdp::delta(less, goal.epsilon) <= delta, "a total within it verifies: {epsilon}, {delta}");
            }
        }
    }
}

#[test]
fn epsilon_is_never_above_the_closed_form() {
    for magnitude in -30..=30 {
        for delta in [1e-300_f64, 1e-100, 1e-12, 1e-6, 1e-2, 0.5] {
            let rho = Rho::from_quanta(1_u128 << (96 + magnitude));
            let closed = rho.to_f64() + 2.0 * (rho.to_f64() * (1.0 / delta).ln()).sqrt();
            let claim = epsilon(rho, delta).unwrap_or(Epsilon::MAX).get();
            assert!(claim <= closed, "2^{magnitude}, {delta}: {claim} is above {closed}");
        }
    }
}

#[test]
fn the_ends_of_the_range_are_safe() {
    let one = Epsilon::new(1.0).unwrap();
    let quantum = Rho::from_quanta(1);
    assert!(zcdp::delta(Rho::ZERO, one) <= 0.0 && zcdp::delta(Rho::ZERO, Epsilon::ZERO) <= 0.0);
    assert_eq!(epsilon(Rho::ZERO, 1e-9), Some(Epsilon::ZERO));
    // One quantum: far below what floats hold with any epsilon, and sqrt(2 rho / e) with none.
    assert!((1e-306..=1e-305).contains(&zcdp::delta(quantum, one)));
    let with_none = zcdp::delta(quantum, Epsilon::ZERO);
    assert!((with_none / (2.0 * quantum.to_f64() / std::f64::consts::E).sqrt() - 1.0).abs() < 1e-6, "{with_none}");
    assert_eq!(epsilon(quantum, 1e-9), Some(Epsilon::ZERO));
    // All of them: nothing is protected.
    let all = Rho::from_quanta(u128::MAX);
    assert!(zcdp::delta(all, Epsilon::MAX) >= 1.0);
    assert!(epsilon(all, 0.99).is_none());
    assert!(zcdp::largest_rho(goal(1e-20, 1e-300)).is_err());
}
