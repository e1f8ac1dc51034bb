//! T5 and T6: every scale and every claim, against independent computations.
#![allow(clippy::disallowed_methods, reason = "a test may choose its parameters with any function")]

use std::num::NonZeroU32;

use crate::rows::{Rows, goal};
use dashu_int::UBig;
use scumble_schema::{AttributeId, Clique};
use scumble_vault::account::{Amount, LaplaceScale, Mechanism, Selecting, SelectionEpsilon, gdp, zcdp};
use scumble_vault::score::{Candidate, Score, TotalVariation};
use scumble_vault::{
    Accounting, AccountingKind, AddRemove, Adjacency, Budget, Certificate, Cost, Delta, Epsilon, Event, Gdp, MuSquared,
    Pure, ReplaceOne, Rho, Share, Sigma, Vault, Zcdp,
};
use serde_json::{Value, json};

/// Largest relative error of a claim.
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

    /// A number of 48 bits.
    fn numerator(&mut self) -> u64 {
        (1 << 47) + (self.next() << 16) + self.below(1 << 16)
    }

    /// Between zero and one.
    fn fraction(&mut self) -> f64 {
        f64::from(u32::try_from(self.next()).unwrap()) / 2_f64.powi(31)
    }
}

/// A release of the vault and its expected scale, as integers to multiply: the vault divides and
/// takes roots.
struct Due {
    accounting: AccountingKind,
    /// The event of the release.
    event: Event,
    /// Sensitivity in the norm of the mechanism.
    sensitivity: u128,
    /// Budget of the release, in quanta of 2^-96.
    share: u128,
}

impl Due {
    /// Checks that a scale is the smallest 48-bit fraction that the share pays for, that a
    /// selection epsilon is the largest, and that a cost is the smallest integer of quanta that
    /// covers the release.
    fn check(&self) {
        let cost = self.event.cost(self.accounting).unwrap().quanta;
        assert!(cost <= self.share, "the share pays for it");
        let is_pure = self.accounting == AccountingKind::Pure;
        let halves = if self.accounting == AccountingKind::Zcdp { 2_u8 } else { 1 };
        let whole = |quanta: u128| UBig::from(quanta);
        match self.event.mechanism() {
            Mechanism::RoundedGaussian { squared_sensitivity, sigma } => {
                assert_eq!(squared_sensitivity, self.sensitivity);
                // σ² = p² / 4^s against Δ² 2^96 / (halves * share).
                let (p, s) = (sigma.numerator(), sigma.denominator_log2() as usize);
                let due = whole(self.sensitivity) << (96 + 2 * s);
                let paid = |p: u64, quanta: u128| UBig::from(p).pow(2) * halves * quanta;
                assert_eq!(p.ilog2(), 47);
                assert!(paid(p, self.share) >= due && paid(p - 1, self.share) < due, "the smallest scale");
                assert!(paid(p, cost) >= due && paid(p, cost - 1) < due, "rounded up by less than a quantum");
            }
            Mechanism::DiscreteLaplace { sensitivity, scale } => {
                assert!(is_pure && sensitivity == self.sensitivity);
                // b = p / 2^s against Δ 2^96 / share.
                let (p, s) = (scale.numerator(), scale.denominator_log2() as usize);
                let due = whole(self.sensitivity) << (96 + s);
                let paid = |p: u64, quanta: u128| UBig::from(p) * quanta;
                assert_eq!(p.ilog2(), 47);
                assert!(paid(p, self.share) >= due && paid(p - 1, self.share) < due, "the smallest scale");
                assert!(paid(p, cost) >= due && paid(p, cost - 1) < due, "rounded up by less than a quantum");
            }
            Mechanism::Exponential { sensitivity, epsilon } => {
                assert_eq!(sensitivity, self.sensitivity);
                // epsilon = p / 2^s against share / 2^96, or epsilon² against 8 share / 2^96 or
                // 8/pi of it.
                let (p, s) = (epsilon.numerator(), epsilon.denominator_log2() as usize);
                let (power, over, under) = match self.accounting {
                    AccountingKind::Pure => (1, 1_u32, 1_u32),
                    AccountingKind::Gdp => (2, 8 * 113, 355),
                    AccountingKind::Zcdp => (2, 8, 1),
                };
                let asks = |p: u64| (UBig::from(p).pow(power) * under) << 96;
                let pays = |quanta: u128| (whole(quanta) * over) << (power * s);
                assert_eq!(p.ilog2(), 47);
                assert!(asks(p) <= pays(self.share) && asks(p + 1) > pays(self.share), "the largest epsilon");
                assert!(asks(p) <= pays(cost) && asks(p) > pays(cost - 1), "rounded up by less than a quantum");
            }
            _ => unreachable!("`smooth.rs` tests the fourth mechanism"),
        }
    }
}

fn open<A: Adjacency, M: Accounting>(numbers: &mut Numbers, m: u32) -> (Vault<A, M>, Budget<A, M>) {
    let epsilon = 10_f64.powf(4.0 * numbers.fraction() - 2.5);
    let delta = if M::KIND == AccountingKind::Pure { 0.0 } else { 10_f64.powf(-15.0 * numbers.fraction() - 1.0) };
    let rows = Rows::new(&[2, 2, 3], vec![vec![0, 1, 2]; 3]);
    Vault::open(Box::new(rows), goal(epsilon, delta), NonZeroU32::new(m).unwrap()).unwrap()
}

/// T5: tables and noisy scores.
fn check_noise<A: Adjacency, M: Accounting>(numbers: &mut Numbers, l1: u128, squared_l2: u128)
where
    TotalVariation: Score<A>,
{
    let m = 1 + u32::try_from(numbers.below(50)).unwrap();
    let tables = 1 + usize::try_from(numbers.below(30)).unwrap();
    let (mut vault, budget) = open::<A, M>(numbers, m);
    let (first, second) = budget.split(Share::of(1, 3).unwrap());
    let shares = [first.amount().quanta() / tables as u128, second.amount().quanta()];
    vault.measure(&vec![Clique::empty(); tables], first).unwrap();
    // Both have a binary side: 2 rows of 1024 units each, under both adjacencies.
    vault.measure_scores(&[pair(0, 1), pair(0, 2)], second).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    assert_eq!(certificate.events().len(), tables + 1);
    let (m, unit) = (u128::from(m), 2048 * u128::from(m));
    for event in certificate.events() {
        let ([l1, squared_l2], share) = match event.table() {
            Some(_) => ([l1 * m, squared_l2 * m * m], shares[0]),
            None => ([2 * unit, 2 * unit * unit], shares[1]),
        };
        let sensitivity = if M::KIND == AccountingKind::Pure { l1 } else { squared_l2 };
        Due { accounting: M::KIND, event: event.clone(), sensitivity, share }.check();
    }
}

/// T5: selections.
fn check_selection<A: Adjacency, M: Selecting>(numbers: &mut Numbers)
where
    TotalVariation: Score<A>,
{
    let m = 1 + u32::try_from(numbers.below(50)).unwrap();
    let weight = 1 + u32::try_from(numbers.below(9)).unwrap();
    let (mut vault, budget) = open::<A, M>(numbers, m);
    let share = budget.amount().quanta();
    let heavy = Candidate::new(pair(0, 1)).with_weight(NonZeroU32::new(weight).unwrap());
    vault.select(&[heavy, Candidate::new(pair(1, 2))], budget).unwrap();
    let certificate = vault.close();
    certificate.verify().unwrap();
    let sensitivity = 2048 * u128::from(m) * u128::from(weight);
    Due { accounting: M::KIND, event: certificate.events()[0].clone(), sensitivity, share }.check();
}

fn pair(left: usize, right: usize) -> TotalVariation {
    TotalVariation::between(Clique::single(AttributeId::new(left)), Clique::single(AttributeId::new(right))).unwrap()
}

#[test]
fn each_event_has_the_scale_that_its_share_allows() {
    let mut numbers = Numbers(5);
    for _ in 0..200 {
        check_noise::<AddRemove, Pure>(&mut numbers, 1, 1);
        check_noise::<AddRemove, Gdp>(&mut numbers, 1, 1);
        check_noise::<AddRemove, Zcdp>(&mut numbers, 1, 1);
        check_noise::<ReplaceOne, Pure>(&mut numbers, 2, 2);
        check_noise::<ReplaceOne, Gdp>(&mut numbers, 2, 2);
        check_noise::<ReplaceOne, Zcdp>(&mut numbers, 2, 2);
        check_selection::<AddRemove, Pure>(&mut numbers);
        check_selection::<AddRemove, Gdp>(&mut numbers);
        check_selection::<AddRemove, Zcdp>(&mut numbers);
        check_selection::<ReplaceOne, Pure>(&mut numbers);
        check_selection::<ReplaceOne, Gdp>(&mut numbers);
        check_selection::<ReplaceOne, Zcdp>(&mut numbers);
    }
}

/// The cost of a selection in `mu²` is a fraction of `epsilon²` that must not be below `pi/8`.
#[test]
fn a_selection_is_charged_at_least_the_cost_of_the_proof() {
    let cost = selection(0, 1, "140737488355328/2^47").cost(AccountingKind::Gdp).unwrap();
    let eighths = std::f64::consts::PI / 8.0;
    assert!(cost.to_f64() > eighths && cost.to_f64() < eighths * (1.0 + 1e-7), "{cost}");
    assert_eq!(UBig::from(cost.quanta), ((UBig::from(355_u32) << 96) + 903_u32) / 904_u32, "rounded up");
}

#[test]
fn scales_at_the_ends_of_the_range_are_correct() {
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
    assert_eq!(LaplaceScale::at_least(0.75).unwrap().to_string(), "0.75");
    assert!(LaplaceScale::at_least(f64::NAN).is_none());
    for refused in [f64::NAN, 0.0, -1.0, 1e-19] {
        assert!(SelectionEpsilon::at_most(refused).is_none(), "{refused}");
    }
    for (asked, given) in [(0.75, 0.75), (1e9, 2_f64.powi(20) * (1.0 - 2_f64.powi(-48)))] {
        assert_eq!(SelectionEpsilon::at_most(asked).unwrap().to_f64().to_bits(), f64::to_bits(given));
    }
    let rounded = SelectionEpsilon::at_most(0.1).unwrap().to_f64();
    assert!(rounded <= 0.1 && rounded >= 0.1 * (1.0 - 2_f64.powi(-47)));
}

/// Returns the standard deviation of the noise of a count, or `None` if the share is too small.
fn noise<M: Accounting>(m: NonZeroU32, quanta: u128) -> Option<f64> {
    M::noise(AddRemove::table_sensitivity(m), Amount::from_quanta(quanta))?.standard_deviation()
}

#[test]
fn noise_beyond_the_largest_scale_is_refused_and_below_the_smallest_is_raised() {
    let (one, most) = (NonZeroU32::MIN, NonZeroU32::MAX);
    for (m, quanta) in [(one, 0), (one, 1), (most, 1 << 20)] {
        assert!(noise::<Gdp>(m, quanta).is_none() && noise::<Zcdp>(m, quanta).is_none());
    }
    for (m, quanta) in [(one, 0), (one, 1 << 56), (most, 1 << 80)] {
        assert!(noise::<Pure>(m, quanta).is_none());
    }
    let same = |one: Option<f64>, other: f64| assert_eq!(one.unwrap().to_bits(), other.to_bits());
    same(noise::<Gdp>(one, 1 << 18), 2_f64.powi(39));
    same(noise::<Zcdp>(one, 1 << 17), 2_f64.powi(39));
    same(noise::<Gdp>(one, u128::MAX), 2_f64.powi(-10));
    same(noise::<Zcdp>(one, u128::MAX), 2_f64.powi(-10));
    // Laplace noise of scale 2^-10 is zero but for once in e^1024 draws.
    assert!(noise::<Pure>(one, u128::MAX).unwrap() < 1e-200);
    assert!((noise::<Pure>(one, 1 << 57).unwrap() / (2_f64.sqrt() * 2_f64.powi(39)) - 1.0).abs() < 1e-12);
}

#[test]
fn the_profile_is_never_below_the_reference_and_tight() {
    let mut rows = 0;
    for line in include_str!("../reference/profile.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let mu_squared = MuSquared::from_quanta(u128::from_str_radix(fields[0], 16).unwrap());
        let epsilon = Epsilon::new(fields[1].parse().unwrap()).unwrap();
        let truth: f64 = fields[2].parse().unwrap();
        let claim = gdp::delta(mu_squared, epsilon);
        assert!(claim >= truth, "{line}: {claim} is below the reference");
        assert!(claim <= truth * (1.0 + TIGHT), "{line}: {claim} is loose");
        rows += 1;
    }
    assert_eq!(rows, 2500);
}

/// T6. The test and the reference script generate the event lists by the same rule; only the
/// results are stored.
#[test]
fn gaussian_certificates_are_never_below_the_reference_and_tight() {
    let mut lists = 0;
    for line in include_str!("../reference/epsilon.csv").lines().skip(1) {
        let (index, truth) = line.split_once(',').unwrap();
        let index: u64 = index.parse().unwrap();
        let (m, events) = gaussian_events(index);
        let delta: f64 = format!("1e-{}", 3 + index % 10).parse().unwrap();
        check_claim(AccountingKind::Gdp, m, &events, delta, truth.parse().unwrap());
        lists += 1;
    }
    assert_eq!(lists, 2000);
}

/// T6 for lists of events of different kinds: noise and selections.
#[test]
fn mixed_certificates_are_never_below_the_reference_and_tight() {
    let mut lists = [0; 3];
    for line in include_str!("../reference/mixed_epsilon.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let (accounting, delta) = match fields[1] {
            "pure" => (AccountingKind::Pure, 0.0),
            "gdp" => (AccountingKind::Gdp, fields[2].parse().unwrap()),
            _ => (AccountingKind::Zcdp, fields[2].parse().unwrap()),
        };
        let (m, events) = mixed_events(fields[0].parse().unwrap(), accounting);
        check_claim(accounting, m, &events, delta, fields[3].parse().unwrap());
        lists[accounting as usize] += 1;
    }
    assert_eq!(lists, [1000; 3]);
}

/// Checks that a certificate of these events claims at least the reference and at most 1e-9 more,
/// and that one that claims less does not verify.
fn check_claim(accounting: AccountingKind, m: u64, events: &[Event], delta: f64, truth: f64) {
    let total = events.iter().map(|event| event.cost(accounting).unwrap().quanta).sum();
    let claim = match accounting {
        AccountingKind::Pure => pure_epsilon(total),
        AccountingKind::Gdp => gdp::epsilon(MuSquared::from_quanta(total), Delta::new(delta).unwrap()).unwrap().get(),
        AccountingKind::Zcdp => zcdp::epsilon(Rho::from_quanta(total), Delta::new(delta).unwrap()).unwrap().get(),
    };
    assert!(claim >= truth, "{claim} is below {truth}");
    assert!(claim <= truth * (1.0 + TIGHT), "{claim} is above {truth}");
    let certificate = |epsilon: f64| -> Certificate {
        serde_json::from_value(json!({
            "format": 1, "adjacency": "add-remove", "max_contributions": m, "accounting": accounting, "noise": "fresh",
            "goal": {"epsilon": 2.0 * claim, "delta": delta}, "epsilon": epsilon, "delta": delta,
            "total": format!("{total}/2^96"), "events": events,
        }))
        .unwrap()
    };
    let good = certificate(claim);
    good.verify().unwrap();
    assert_eq!(good.total(), Cost { accounting, quanta: total });
    assert!(certificate(claim * (1.0 - 1e-8)).verify().is_err(), "a smaller claim is refused");
}

/// Finds the smallest float that is not below `quanta`, by trying.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked by trying")]
fn pure_epsilon(quanta: u128) -> f64 {
    let near = quanta as f64;
    let floats = [near.next_down(), near, near.next_up()];
    floats.into_iter().find(|&float| float as u128 >= quanta).unwrap() * 2_f64.powi(-96)
}

/// The rule of `events` in `reference/gdp_profile.py`.
fn gaussian_events(index: u64) -> (u64, Vec<Event>) {
    let mut numbers = Numbers(index);
    let m = 1 + numbers.below(3);
    let shift = numbers.below(12);
    let most = 1 + numbers.below(40);
    let length = 1 + numbers.below(most);
    let event = |id| {
        let numerator = numbers.numerator();
        let scale = format!("{numerator}/2^{}", 47 - shift - numbers.below(4));
        gaussian(id, m, &scale)
    };
    (m, (0..length).map(event).collect())
}

/// The rule of `mixed_events` in `reference/mixed_epsilon.py`.
fn mixed_events(index: u64, accounting: AccountingKind) -> (u64, Vec<Event>) {
    let mut numbers = Numbers(index);
    let m = 1 + numbers.below(3);
    let length = 1 + numbers.below(30);
    let event = |id| {
        let kind = match accounting {
            AccountingKind::Pure => numbers.below(2),
            AccountingKind::Gdp => 1 + numbers.below(2),
            AccountingKind::Zcdp => numbers.below(3),
        };
        let number =
            |numbers: &mut Numbers, places: u64| format!("{}/2^{}", numbers.numerator(), places - numbers.below(6));
        match kind {
            0 => laplace(id, m, &number(&mut numbers, 44)),
            1 => selection(id, m, &number(&mut numbers, 53)),
            _ => gaussian(id, m, &number(&mut numbers, 44)),
        }
    };
    (m, (0..length).map(event).collect())
}

fn gaussian(id: u64, m: u64, sigma: &str) -> Event {
    let mechanism = json!({"rounded-gaussian": {"squared_sensitivity": (m * m).to_string(), "sigma": sigma}});
    event(id, &json!({"table": []}), &mechanism, 0)
}

fn laplace(id: u64, m: u64, scale: &str) -> Event {
    event(id, &json!({"table": []}), &json!({"discrete-laplace": {"sensitivity": m.to_string(), "scale": scale}}), 0)
}

fn selection(id: u64, m: u64, epsilon: &str) -> Event {
    let question = json!({"scores": {"score": "l1-error", "candidates": 9, "heaviest": 1, "rows": null, "digest": ""}});
    let mechanism = json!({"exponential": {"sensitivity": (1024 * m).to_string(), "epsilon": epsilon}});
    event(id, &question, &mechanism, 10)
}

fn event(id: u64, question: &Value, mechanism: &Value, lattice_log2: u32) -> Event {
    let event = json!({
        "id": id, "adjacency": "add-remove", "question": question, "mechanism": mechanism, "lattice_log2": lattice_log2,
        "length": 1,
    });
    serde_json::from_value(event).unwrap()
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
