//! T5 and T6: every scale and every claim, recomputed by other means.
#![allow(clippy::disallowed_methods, reason = "a test may choose its parameters with any function")]

#[path = "support/rows.rs"]
mod rows;

use std::num::NonZeroU32;

use dashu_int::UBig;
use rows::{Rows, goal};
use scumble_schema::Clique;
use scumble_vault::account::gdp;
use scumble_vault::{AddRemove, Adjacency, Certificate, Delta, Epsilon, Event, MuSquared, ReplaceOne, Sigma, Vault};
use serde_json::json;

/// How far above the truth a claim may be, relatively.
const TIGHT: f64 = 1e-9;

/// The generator of `reference/gdp_profile.py`.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Between zero and one.
    fn fraction(&mut self) -> f64 {
        f64::from(u32::try_from(self.next()).unwrap()) / 2_f64.powi(31)
    }
}

/// T5. A scale is right if it is the smallest 48-bit fraction whose square is not below Δ² over the share: checked by
/// multiplying, where the vault divides and takes a root.
#[test]
fn each_event_has_the_smallest_scale_that_its_share_allows() {
    fn check<A: Adjacency>(numbers: &mut Numbers, squared_sensitivity: fn(u128) -> u128) {
        let m = 1 + u32::try_from(numbers.below(50)).unwrap();
        let tables = 1 + usize::try_from(numbers.below(30)).unwrap();
        let asked = goal(10_f64.powf(4.0 * numbers.fraction() - 2.5), 10_f64.powf(-15.0 * numbers.fraction() - 1.0));
        let rows = Rows::new(&[1], vec![vec![0]; 3]);
        let (mut vault, budget) = Vault::<A>::open(Box::new(rows), asked, NonZeroU32::new(m).unwrap()).unwrap();
        let share = budget.amount().quanta() / tables as u128;
        vault.measure(&vec![Clique::empty(); tables], budget).unwrap();
        let certificate = vault.close();
        certificate.verify().unwrap();
        assert_eq!(certificate.events().len(), tables);
        for event in certificate.events() {
            let (p, s) = (event.scale().numerator(), event.scale().denominator_log2() as usize);
            assert_eq!(event.sensitivity().squared(), squared_sensitivity(m.into()));
            assert_eq!(p.ilog2(), 47);
            // σ² = p² / 4^s against Δ² 2^96 / share.
            let due = UBig::from(squared_sensitivity(m.into())) << (96 + 2 * s);
            assert!(UBig::from(p).pow(2) * share >= due, "the scale is large enough");
            assert!(UBig::from(p - 1).pow(2) * share < due, "a smaller one is not");
            // cost = ceil(Δ² 2^96 4^s / p²).
            let cost = event.mu_squared().unwrap().quanta();
            assert!(cost <= share, "the share pays for it");
            assert!(UBig::from(p).pow(2) * cost >= due, "the cost covers the release");
            assert!(UBig::from(p).pow(2) * (cost - 1) < due, "and is rounded up by less than a quantum");
        }
    }
    let mut numbers = Numbers(5);
    for _ in 0..1000 {
        check::<AddRemove>(&mut numbers, |m| m * m);
        check::<ReplaceOne>(&mut numbers, |m| 2 * m * m);
    }
}

#[test]
fn scales_at_the_ends_of_the_range_are_right() {
    for (asked, given) in
        [(0.0, 2_f64.powi(-10)), (1e-5, 2_f64.powi(-10)), (2_f64.powi(-10), 2_f64.powi(-10)), (0.75, 0.75)]
    {
        assert_eq!(Sigma::at_least(asked).unwrap().to_f64().to_bits(), given.to_bits());
    }
    for exact in [1.0, 3.0, 1e6, 1e9, 2_f64.powi(40) - 1.0] {
        assert_eq!(Sigma::at_least(exact).unwrap().to_f64().to_bits(), exact.to_bits());
    }
    for rounded in [0.1, 1.0 / 3.0, std::f64::consts::PI, 1e5 / 7.0] {
        let sigma = Sigma::at_least(rounded).unwrap().to_f64();
        assert!(sigma >= rounded && sigma <= rounded * (1.0 + 2_f64.powi(-47)));
    }
    for refused in [f64::NAN, -1.0, 2_f64.powi(40) - 2_f64.powi(-10), 2_f64.powi(40), 1e300, f64::INFINITY] {
        assert!(Sigma::at_least(refused).is_none(), "{refused}");
    }
    let one = AddRemove::count_table(NonZeroU32::MIN);
    let most = AddRemove::count_table(NonZeroU32::MAX);
    assert!(Sigma::for_budget(one, MuSquared::ZERO).is_none());
    assert!(Sigma::for_budget(one, MuSquared::from_quanta(1)).is_none());
    assert!(Sigma::for_budget(most, MuSquared::from_quanta(1 << 20)).is_none());
    assert_eq!(
        Sigma::for_budget(one, MuSquared::from_quanta(1 << 18)).unwrap().to_f64().to_bits(),
        2_f64.powi(39).to_bits()
    );
    assert_eq!(
        Sigma::for_budget(one, MuSquared::from_quanta(u128::MAX)).unwrap().to_f64().to_bits(),
        2_f64.powi(-10).to_bits()
    );
    // m of 2^32 - 1 at a scale of 2^-10 costs more than a u128 of quanta holds.
    assert!(MuSquared::of_gaussian(most, Sigma::at_least(0.0).unwrap()).is_none());
}

#[test]
fn the_profile_is_never_below_the_reference_and_tight() {
    let mut rows = 0;
    for line in include_str!("reference/profile.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let mu_squared = MuSquared::from_quanta(u128::from_str_radix(fields[0], 16).unwrap());
        let epsilon = Epsilon::new(fields[1].parse().unwrap()).unwrap();
        let truth: f64 = fields[2].parse().unwrap();
        let claim = gdp::delta(mu_squared, epsilon);
        assert!(claim >= truth, "{line}: {claim} is below the truth");
        assert!(claim <= truth * (1.0 + TIGHT), "{line}: {claim} is loose");
        rows += 1;
    }
    assert_eq!(rows, 2500);
}

/// T6. The event lists are generated here and there by the same rule; only the truth is stored.
#[test]
fn certificates_are_never_below_the_reference_and_tight() {
    let mut lists = 0;
    for line in include_str!("reference/epsilon.csv").lines().skip(1) {
        let (index, truth) = line.split_once(',').unwrap();
        let index: u64 = index.parse().unwrap();
        let truth: f64 = truth.parse().unwrap();
        let (m, events) = event_list(index);
        let delta = Delta::new(format!("1e-{}", 3 + index % 10).parse().unwrap()).unwrap();
        let total = MuSquared::total(events.iter().map(|event| event.mu_squared().unwrap())).unwrap();
        let claim = gdp::epsilon(total, delta).unwrap().get();
        assert!(claim >= truth, "list {index}: {claim} is below {truth}");
        assert!(claim <= truth * (1.0 + TIGHT), "list {index}: {claim} is above {truth}");

        let certificate = |epsilon: f64| -> Certificate {
            serde_json::from_value(json!({
                "format": 1, "adjacency": "add-remove", "max_contributions": m, "accounting": "gdp", "noise": "fresh",
                "goal": {"epsilon": 2.0 * claim, "delta": delta}, "epsilon": epsilon, "delta": delta,
                "mu_squared": total, "events": events,
            }))
            .unwrap()
        };
        certificate(claim).verify().unwrap();
        assert!(certificate(claim * (1.0 - 1e-8)).verify().is_err(), "a smaller claim is refused");
        lists += 1;
    }
    assert_eq!(lists, 2000);
}

/// The rule of `events` in `reference/gdp_profile.py`.
fn event_list(index: u64) -> (u64, Vec<Event>) {
    let mut numbers = Numbers(index);
    let m = 1 + numbers.below(3);
    let shift = numbers.below(12);
    let most = 1 + numbers.below(40);
    let length = 1 + numbers.below(most);
    let event = |id| {
        let numerator = (1 << 47) + (numbers.next() << 16) + numbers.below(1 << 16);
        let scale = format!("{numerator}/2^{}", 47 - shift - numbers.below(4));
        serde_json::from_value(json!({
            "id": id, "adjacency": "add-remove", "kind": "rounded-gaussian", "squared_sensitivity": (m * m).to_string(),
            "scale": scale, "lattice": 1, "length": 1, "clique": [],
        }))
        .unwrap()
    };
    (m, (0..length).map(event).collect())
}

#[test]
fn calibration_gives_the_reference_values_of_the_privacy_rules() {
    for (delta, mu) in [(1e-5, 0.26805), (1e-6, 0.23670), (1e-9, 0.18197)] {
        let computed = gdp::largest_mu_squared(goal(1.0, delta)).unwrap().to_f64().sqrt();
        assert!((computed - mu).abs() < 5e-6, "delta {delta}: mu {computed}");
    }
}

#[test]
fn calibration_inverts_the_profile() {
    for epsilon in [1e-9, 1e-3, 0.1, 1.0, 10.0, 100.0, 1e4, 1e6] {
        for delta in [1e-300, 1e-100, 1e-12, 1e-6, 0.1, 0.99] {
            let goal = goal(epsilon, delta);
            let Ok(most) = gdp::largest_mu_squared(goal) else {
                assert!(delta < 1e-13 * epsilon.max(1e-9), "only hopeless goals are refused: {epsilon}, {delta}");
                continue;
            };
            assert!(gdp::delta(most, goal.epsilon) <= delta, "what is allowed reaches the goal: {epsilon}, {delta}");
            let more = MuSquared::from_quanta(most.quanta() + most.quanta() / 1_000_000 + 1);
            assert!(gdp::delta(more, goal.epsilon) > delta, "a millionth more does not: {epsilon}, {delta}");
            let back = gdp::epsilon(most, goal.delta).unwrap().get();
            assert!(back <= epsilon * (1.0 + 1e-12), "and back: {epsilon}, {delta} gives {back}");
        }
    }
}

#[test]
fn a_total_that_protects_nobody_has_no_epsilon() {
    assert!(gdp::epsilon(MuSquared::from_quanta(u128::MAX), Delta::new(1e-9).unwrap()).is_none());
    assert_eq!(gdp::epsilon(MuSquared::ZERO, Delta::new(1e-9).unwrap()), Some(Epsilon::ZERO));
    assert!(gdp::delta(MuSquared::ZERO, Epsilon::new(1.0).unwrap()) <= 0.0);
}
