//! Guarantees for groups of units, and for people who share an identifier.
//!
//! # Groups
//! Tables that differ in `k` units are connected by a chain of `k` neighbouring tables. So a
//! guarantee for one unit implies one for `k` units:
//!
//! | for one | for `k` together |
//! |---|---|
//! | `epsilon`, pure | `k epsilon` |
//! | `mu` | `k mu` (Dong, Roth, Su 2022, Theorem 2.14) |
//! | `rho` | `k² rho` (Bun, Steinke 2016, Proposition 1.9) |
//! | `(epsilon, delta)` and nothing else | `k epsilon`, and `delta (1 + e^epsilon + ... + e^((k-1) epsilon))` |
//!
//! The epsilon of a group at the delta of one unit follows from the second and third line by the
//! same conversion as for one unit. With a delta it is more than `k epsilon`.
//!
//! # Shared identifiers
//! Under add/remove, a unit that loses some of its rows keeps at most `m` rows before and after,
//! but not always the same: up to `m` leave and up to `m` replace them
//! (`crates/engine/src/unit/unit.md`). Removing `m` rows and adding `m` moves
//!
//! | | against removing `m` rows |
//! |---|---|
//! | a count table, in L2 | `sqrt(2)` times as far: the rows that leave and those that arrive may be in two cells |
//! | a count table, in L1 | 2 times as far |
//! | a score | at most 2 times as far, by the triangle inequality |
//!
//! So `mu²` and `rho` of a table with Gaussian noise double. Those of a selection and of noisy
//! scores, and `rho` of a table with Laplace noise, become at most four times as large. A pure
//! epsilon doubles. Under replace-one, as many rows leave as arrive already, and nothing is added
//! as long as the number of kept rows, which is public, is the same.

use scumble_schema::AdjacencyKind;
use scumble_vault::account::{Mechanism, Question};
use scumble_vault::{AccountingKind, ApproxDp, Certificate, Cost, Delta, Epsilon, Event};
use serde::Serialize;

/// Sizes of groups that are shown.
const SIZES: [u32; 3] = [2, 4, 10];

/// The guarantee for a group of units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Group {
    /// Number of units.
    pub units: u32,
    /// The guarantee; `None` if there is none.
    pub promise: Option<ApproxDp>,
}

/// Returns the guarantees for groups of a job that spent `total`, at `delta`.
pub(crate) fn of_total(total: Cost, delta: Delta) -> Vec<Group> {
    let promise = |units| {
        let quanta = group_total(total, units)?.quanta;
        Some(ApproxDp { epsilon: total.accounting.epsilon(quanta, delta)?, delta })
    };
    SIZES.map(|units| Group { units, promise: promise(units) }).to_vec()
}

/// Returns the cost for `units` units of a job that spent `total` on one; `None` on overflow.
fn group_total(total: Cost, units: u32) -> Option<Cost> {
    let units = u128::from(units);
    let factor = match total.accounting {
        AccountingKind::Pure => units,
        AccountingKind::Gdp | AccountingKind::Zcdp => units * units,
    };
    Some(Cost { quanta: total.quanta.checked_mul(factor)?, ..total })
}

/// Returns the guarantees for groups that follow from `epsilon` and `delta` alone.
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

/// Rounds a positive number up to two significant digits.
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

/// The guarantee for one of several people who share an identifier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedIdentifier {
    /// Upper bound on the factor by which `mu` grows, or `rho` or epsilon under that accounting.
    pub factor: f64,
    /// The guarantee; `None` if there is none.
    pub promise: Option<ApproxDp>,
}

impl SharedIdentifier {
    /// Adds up all releases of a certificate; `None` under replace-one.
    pub fn new(certificate: &Certificate) -> Option<Self> {
        if certificate.adjacency() == AdjacencyKind::ReplaceOne {
            return None;
        }
        let (accounting, total) = (certificate.accounting(), certificate.total());
        let costs = certificate.events().iter().map(|event| shared_cost(event, accounting));
        let quanta = costs.into_iter().try_fold(0_u128, |sum, cost| sum.checked_add(cost?));
        // What leaves and what arrives each show a value of their own with at most the delta of the
        // thresholds.
        let claim = ApproxDp { epsilon: certificate.epsilon(), delta: certificate.delta() };
        let for_noise = claim.without(certificate.threshold_delta());
        let epsilon = quanta.zip(for_noise).and_then(|(quanta, claim)| accounting.epsilon(quanta, claim.delta));
        let ratio = quanta.map_or(f64::INFINITY, |quanta| Cost { quanta, ..total }.to_f64()) / total.to_f64();
        Some(Self {
            factor: if accounting == AccountingKind::Gdp { ratio.sqrt() } else { ratio },
            promise: epsilon.map(|epsilon| ApproxDp { epsilon, delta: certificate.delta() }),
        })
    }
}

/// Returns an upper bound on the cost of a release for somebody who shares an identifier.
fn shared_cost(event: &Event, accounting: AccountingKind) -> Option<u128> {
    let table = matches!(event.question(), Question::Table(_) | Question::Grid { .. } | Question::Values { .. });
    let gaussian =
        matches!(event.mechanism(), Mechanism::RoundedGaussian { .. } | Mechanism::ThresholdedGaussian { .. });
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
    fn at_a_fixed_delta_the_epsilon_of_a_group_exceeds_the_multiple() {
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
    fn the_delta_of_a_pair_grows_with_the_group() {
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
    fn a_chain_of_neighbours_reaches_the_bound_of_a_pair() {
        // The probability of one event on three tables, each as far from the one before as the pair
        // allows.
        let (epsilon, delta): (f64, f64) = (0.5, 1e-3);
        let far = 0.3;
        let between = epsilon.exp() * far + delta;
        let near = epsilon.exp() * between + delta;
        let promised = of_pair(goal(epsilon, delta))[0].promise.unwrap();
        assert!(near < 1.0 && near <= promised.epsilon.get().exp() * far + promised.delta.get() + 1e-15);
        assert!(near > promised.epsilon.get().exp() * far + 0.9 * promised.delta.get());
    }
}
