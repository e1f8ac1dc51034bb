//! Probability of evidence that is stronger than `e^epsilon`.

use scumble_vault::account::{MuSquared, Rho, gdp, zcdp};
use scumble_vault::{AccountingKind, Cost, Epsilon};

/// Number of evaluations of the bound per halving of the distance from `epsilon`.
const STEPS_PER_HALVING: i32 = 8;
/// Number of halvings. The best distance is near `1/a`, with `a` the slope of the profile, and no
/// budget makes the profile steep enough to need more.
const HALVINGS: i32 = 40;
/// Number of steps of the final search. Each leaves two thirds of the interval.
const REFINEMENTS: u32 = 40;

/// Returns an upper bound on the probability that a release multiplies the odds by more than
/// `e^epsilon`, for any part of the release and any function of it.
///
/// # Derivation
/// `P` and `Q` are the distributions of the observation on two neighbouring tables, and `S` is
/// where `P` is more than `e^epsilon` times as dense as `Q`. So `Q(S) <= e^-epsilon P(S)`. For
/// every smaller `e` the guarantee says `P(S) <= e^e Q(S) + delta(e)`. Together,
///
/// ```text
/// P(S)  <=  delta(e) / (1 - e^(e - epsilon))      for every e < epsilon
/// ```
///
/// and `Q(S)` is smaller still. For Gaussian differential privacy the smallest of these is reached,
/// by an observer who learns only whether a number from `N(mu, 1)` or `N(0, 1)` is above the `t`
/// with `Phi(mu - t) = e^epsilon Phi(-t)`. An observer who sees the number itself has
/// `P(S) = Phi(mu/2 - epsilon/mu)`, which is less: the privacy loss is then normal with mean
/// `mu²/2` and variance `mu²`. Neither is `delta(epsilon)`.
///
/// # Rounding
/// The profiles are rounded up, and every `e` gives a valid bound. If the search misses the best
/// one, the bound is only less tight.
pub(crate) fn probability_beyond(total: Cost, epsilon: Epsilon) -> f64 {
    let delta = |epsilon: Epsilon| match total.accounting {
        AccountingKind::Pure => 0.0,
        AccountingKind::Gdp => gdp::delta(MuSquared::from_quanta(total.quanta), epsilon),
        AccountingKind::Zcdp => zcdp::delta(Rho::from_quanta(total.quanta), epsilon),
    };
    if total.quanta == 0 || total.accounting == AccountingKind::Pure {
        return 0.0;
    }
    if epsilon == Epsilon::ZERO {
        // No `e` is smaller, and every release moves some odds.
        return 1.0;
    }
    let bound = |below: f64| {
        let smaller = Epsilon::try_from((epsilon.get() - below).max(0.0)).expect("between zero and an epsilon");
        (delta(smaller) / -libm::expm1(smaller.get() - epsilon.get())).min(1.0)
    };
    let place = |step: i32| epsilon.get() * libm::exp2(-f64::from(step) / f64::from(STEPS_PER_HALVING));
    let best =
        (0..HALVINGS * STEPS_PER_HALVING).min_by(|one, other| bound(place(*one)).total_cmp(&bound(place(*other))));
    let best = best.expect("there are places");
    let (mut near, mut far) = (place(best + 1), place((best - 1).max(0)));
    for _ in 0..REFINEMENTS {
        let third = (far - near) / 3.0;
        if bound(near + third) <= bound(far - third) { far -= third } else { near += third }
    }
    bound(f64::midpoint(near, far)).min(bound(place(best)))
}

#[cfg(test)]
mod tests {
    use scumble_vault::{ApproxDp, Delta};

    use super::*;

    fn spent(accounting: AccountingKind, epsilon: f64, delta: f64) -> (Cost, Epsilon) {
        let goal = ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() };
        (accounting.largest(goal).unwrap(), goal.epsilon)
    }

    fn phi(number: f64) -> f64 {
        libm::erfc(-number / std::f64::consts::SQRT_2) / 2.0
    }

    /// Returns `Phi(mu - t)` where it is `e^epsilon Phi(-t)`: the probability that the best
    /// function of a normal number reaches.
    fn of_a_threshold(mu: f64, epsilon: f64) -> f64 {
        let (mut weak, mut strong) = (-20.0, 37.0);
        for _ in 0..200 {
            let middle = f64::midpoint(weak, strong);
            if phi(mu - middle) > epsilon.exp() * phi(-middle) { strong = middle } else { weak = middle }
        }
        phi(mu - strong)
    }

    #[test]
    fn the_best_function_of_a_normal_number_reaches_the_bound() {
        for (epsilon, delta) in [(0.1, 1e-9), (1.0, 1e-5), (1.0, 1e-9), (1.0, 1e-12), (3.0, 1e-9), (10.0, 1e-6)] {
            let (total, goal) = spent(AccountingKind::Gdp, epsilon, delta);
            let (bound, reached) = (probability_beyond(total, goal), of_a_threshold(total.to_f64().sqrt(), epsilon));
            assert!(reached <= bound && bound <= reached * (1.0 + 1e-6), "{epsilon} {delta}: {reached:e} {bound:e}");
        }
    }

    #[test]
    fn the_factor_is_exceeded_more_often_than_delta() {
        let (total, epsilon) = spent(AccountingKind::Gdp, 1.0, 1e-9);
        let mu = total.to_f64().sqrt();
        let exact = phi(mu / 2.0 - 1.0 / mu);
        assert!((exact - 3.2535e-8).abs() < 1e-12, "{exact:e}");
        let bound = probability_beyond(total, epsilon);
        assert!((bound - 8.5836e-8).abs() < 1e-12, "{bound:e}");
        // Of rho the smallest bound is that of Markov on the Rényi divergence: exp(-(epsilon -
        // rho)²/(4 rho)).
        let (total, epsilon) = spent(AccountingKind::Zcdp, 1.0, 1e-9);
        let (rho, bound) = (total.to_f64(), probability_beyond(total, epsilon));
        let by_markov = (-(1.0 - rho) * (1.0 - rho) / (4.0 * rho)).exp();
        assert!(by_markov <= bound && bound < by_markov * (1.0 + 1e-6), "{bound:e} {by_markov:e}");
    }

    #[test]
    fn without_a_delta_the_factor_is_never_exceeded() {
        let (total, epsilon) = spent(AccountingKind::Pure, 1.0, 0.0);
        assert!(probability_beyond(total, epsilon) <= 0.0);
        let nothing = Cost { accounting: AccountingKind::Gdp, quanta: 0 };
        assert!(probability_beyond(nothing, Epsilon::ZERO) <= 0.0);
    }

    #[test]
    fn bounds_are_probabilities() {
        for (epsilon, delta) in [(1e-6, 0.9), (1e-3, 1e-300), (1e6, 1e-9), (1e6, 0.999)] {
            for accounting in [AccountingKind::Gdp, AccountingKind::Zcdp] {
                let (total, epsilon) = spent(accounting, epsilon, delta);
                let bound = probability_beyond(total, epsilon);
                assert!((0.0..=1.0).contains(&bound), "{accounting} {epsilon} {delta}: {bound:e}");
            }
        }
    }
}
