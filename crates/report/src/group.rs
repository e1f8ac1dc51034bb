//! What is promised to several units together, and to people who share one.
//!
//! # Groups
//! Tables that differ in `k` units are joined by a chain of `k` steps between neighbours. So what holds for one unit holds for `k`
//! of them with
//!
//! | for one | for `k` together |
//! |---|---|
//! | `epsilon`, pure | `k epsilon` |
//! | `mu` | `k mu` (Dong, Roth, Su 2022, Theorem 2.14) |
//! | `rho` | `k² rho` (Bun, Steinke 2016, Proposition 1.9) |
//! | `(epsilon, delta)` and nothing else | `k epsilon`, and `delta (1 + e^epsilon + ... + e^((k-1) epsilon))` |
//!
//! The epsilon of a group at the delta of one unit follows from the second and third line by the profile that certifies one unit. Under a
//! delta it is more than `k epsilon`.
//!
//! # Shared identifiers
//! Under add/remove, a unit that loses some of its rows keeps at most `m` rows before and after, but not always the same: up to `m` leave
//! and up to `m` take their places (`crates/engine/src/unit/unit.md`). Removing `m` rows and adding `m` moves
//!
//! | | against removing `m` rows |
//! |---|---|
//! | a count table, in L2 | `sqrt(2)` times as far: the rows that leave and those that arrive may be in two cells |
//! | a count table, in L1 | 2 times as far |
//! | a score | at most 2 times as far, by the triangle inequality |
//!
//! So `mu²` and `rho` of a table with Gaussian noise double; of a selection and of noisy scores, and `rho` of a table with Laplace noise,
//! they become at most four times as large; a pure epsilon doubles. Under replace-one as many rows leave as arrive already, and nothing is
//! added as long as the number of kept rows, which is public, is the same.

use scumble_schema::AdjacencyKind;
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::{AccountingKind, ApproxDp, Certificate, Cost, Delta, Epsilon, Event};
use serde::Serialize;

/// The sizes of groups that are shown.
const SIZES: [u32; 3] = [2, 4, 10];

/// What is promised to several units together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Group {
    /// How many units.
    pub units: u32,
    /// The promise to them; `None` if nothing is.
    pub promise: Option<ApproxDp>,
}

/// What a job that spent `total` promises to some sizes of groups, at `delta`.
pub(crate) fn of_total(total: Cost, delta: Delta) -> Vec<Group> {
    let promise = |units| {
        let quanta = group_total(total, units)?.quanta;
        Some(ApproxDp { epsilon: total.accounting.epsilon(quanta, delta)?, delta })
    };
    SIZES.map(|units| Group { units, promise: promise(units) }).to_vec()
}

/// What a job that spent `total` on one unit spent on `units` of them; `None` if that is more than can be written.
fn group_total(total: Cost, units: u32) -> Option<Cost> {
    let units = u128::from(units);
    let factor = match total.accounting {
        AccountingKind::Pure => units,
        AccountingKind::Gdp | AccountingKind::Zcdp => units * units,
    };
    Some(Cost { quanta: total.quanta.checked_mul(factor)?, ..total })
}

/// What follows for some sizes of groups if `epsilon` and `delta` are all that is known.
pub(crate) fn of_pair(one: ApproxDp) -> Vec<Group> {
    let (epsilon, delta) = (one.epsilon.get(), one.delta.get());
    let promise = |units: u32| {
        let chain: f64 = (0..units).map(|step| (f64::from(step) * epsilon).exp()).sum();
        let delta = if delta > 0.0 { two_digits_up(delta * chain) } else { 0.0 };
        let epsilon = Epsilon::try_from(epsilon * f64::from(units)).ok()?;
        Some(ApproxDp { epsilon, delta: Delta::new(delta).ok()? })
    };
    SIZES.map(|units| Group { units, promise: promise(units) }).to_vec()
}

/// A positive number with two digits, never below it.
fn two_digits_up(number: f64) -> f64 {
    if !number.is_finite() {
        return number;
    }
    let nearest: f64 = format!("{number:.1e}").parse().expect("a number that was just written");
    if nearest >= number {
        return nearest;
    }
    let step = 10_f64.powf(number.log10().floor() - 1.0);
    format!("{:.1e}", nearest + step).parse().expect("a number that was just written")
}

/// What is promised to one of several people who share an identifier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedIdentifier {
    /// How many times as large `mu` is, at most; `rho` or epsilon, if that is what adds up.
    pub factor: f64,
    /// What that promises; `None` if nothing.
    pub promise: Option<ApproxDp>,
}

impl SharedIdentifier {
    /// What follows from every release of a certificate; `None` under replace-one.
    pub fn new(certificate: &Certificate) -> Option<Self> {
        if certificate.adjacency() == AdjacencyKind::ReplaceOne {
            return None;
        }
        let (accounting, total) = (certificate.accounting(), certificate.total());
        let costs = certificate.events().iter().map(|event| shared_cost(event, accounting));
        let quanta = costs.into_iter().try_fold(0_u128, |sum, cost| sum.checked_add(cost?));
        let epsilon = quanta.and_then(|quanta| accounting.epsilon(quanta, certificate.delta()));
        let ratio = quanta.map_or(f64::INFINITY, |quanta| Cost { quanta, ..total }.to_f64()) / total.to_f64();
        Some(Self {
            factor: if accounting == AccountingKind::Gdp { ratio.sqrt() } else { ratio },
            promise: epsilon.map(|epsilon| ApproxDp { epsilon, delta: certificate.delta() }),
        })
    }
}

/// What a release costs somebody who shares an identifier, at most.
fn shared_cost(event: &Event, accounting: AccountingKind) -> Option<u128> {
    let table = matches!(event.question(), Question::Table(_));
    let gaussian = matches!(event.mechanism(), Mechanism::RoundedGaussian { .. });
    let factor = match accounting {
        AccountingKind::Pure => 2,
        AccountingKind::Gdp | AccountingKind::Zcdp if table && gaussian => 2,
        AccountingKind::Gdp | AccountingKind::Zcdp => 4,
    };
    event.cost(accounting)?.quanta.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goal(epsilon: f64, delta: f64) -> ApproxDp {
        ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
    }

    fn epsilons(groups: &[Group]) -> Vec<f64> {
        groups.iter().map(|group| group.promise.unwrap().epsilon.get()).collect()
    }

    #[test]
    fn at_a_fixed_delta_a_group_has_more_than_its_number_times_epsilon() {
        let one = goal(1.0, 1e-9);
        let groups = of_total(AccountingKind::Gdp.largest(one).unwrap(), one.delta);
        // mu 0.1819748, and 2, 4 and 10 times that, by 40 digits.
        for (found, expected) in epsilons(&groups).into_iter().zip([2.074_838_4, 4.360_949_7, 12.129_225_6]) {
            assert!((found - expected).abs() < 1e-6, "{found}");
        }
        let groups = of_total(AccountingKind::Zcdp.largest(one).unwrap(), one.delta);
        assert!(epsilons(&groups).into_iter().zip([2.0, 4.0, 10.0]).all(|(found, product)| found > product));
        let pure = AccountingKind::Pure.largest(goal(1.0, 0.0)).unwrap();
        assert_eq!(epsilons(&of_total(pure, Delta::ZERO)), [2.0, 4.0, 10.0]);
        let most = Cost { accounting: AccountingKind::Pure, quanta: u128::MAX };
        assert!(of_total(most, Delta::ZERO).iter().all(|group| group.promise.is_none()));
    }

    #[test]
    fn a_pair_alone_lets_delta_grow_with_the_group() {
        let groups = of_pair(goal(0.5, 1e-7));
        assert_eq!(epsilons(&groups), [1.0, 2.0, 5.0]);
        // 1e-7 (1 + e^0.5), ..., rounded up.
        let deltas: Vec<f64> = groups.iter().map(|group| group.promise.unwrap().delta.get()).collect();
        assert_eq!(deltas, [2.7e-7, 9.9e-7, 2.3e-5]);
        assert_eq!(of_pair(goal(10.0, 1e-3))[1].promise, None);
        assert_eq!(of_pair(goal(1e6, 0.0))[0].promise, None);
        assert_eq!(of_pair(goal(1e5, 1e-9))[0].promise, None);
        let rounded: Vec<f64> = [1e-9, 1.01e-9, 9.91e-8, 0.5].into_iter().map(two_digits_up).collect();
        assert_eq!(rounded, [1e-9, 1.1e-9, 1e-7, 0.5]);
    }

    #[test]
    fn a_chain_of_neighbours_reaches_what_a_pair_says_of_groups() {
        // The probability of one event on three tables, each as far from the one before as the pair allows.
        let (epsilon, delta): (f64, f64) = (0.5, 1e-3);
        let far = 0.3;
        let between = epsilon.exp() * far + delta;
        let near = epsilon.exp() * between + delta;
        let promised = of_pair(goal(epsilon, delta))[0].promise.unwrap();
        assert!(near < 1.0 && near <= promised.epsilon.get().exp() * far + promised.delta.get() + 1e-15);
        assert!(near > promised.epsilon.get().exp() * far + 0.9 * promised.delta.get());
    }
}
