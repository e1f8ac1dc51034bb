//! Safe rounding of computed privacy profiles, and their inversion by a search between bounds.

use super::{ApproxDp, Epsilon};
use crate::error::VaultError;

/// Relative margin by which a computed profile is raised. The errors of the profiles are below
/// 10^-11 (see their notes), so the raised value is never below the exact one.
const MARGIN: f64 = 1e-10;
/// Smallest result, below which floats lose digits. [`super::Delta::MIN`] is well above it.
const MIN_DELTA: f64 = 1e-305;

/// Relative margin below `delta` to which a budget is calibrated. A computed profile is not
/// monotone in its last bits. The margin is ten times their size, so a total within the budget
/// always verifies.
const SLACK: f64 = 1e-10;

/// Every this many steps a search takes the middle, so that it ends soon for any profile.
const STEPS_TO_MIDDLE: u32 = 4;

/// Raises a computed profile by the margin and clamps it to a valid `delta`.
pub(super) fn raised(profile: f64) -> f64 {
    (profile * (1.0 + MARGIN)).clamp(MIN_DELTA, 1.0)
}

/// Returns the largest number of quanta that may be spent under `goal`, rounded down. `delta` maps
/// spent quanta to the `delta` that holds with the `epsilon` of `goal`.
///
/// # Errors
/// If the goal is so strict that not even one quantum may be spent.
pub(super) fn largest_amount(goal: ApproxDp, delta: impl Fn(u128) -> f64) -> Result<u128, VaultError> {
    let excess = |quanta| Excess::of(delta(quanta) * (1.0 + SLACK), goal);
    // The largest power of two that may be spent, and the one above it.
    let (mut within, mut above) = (None, u128::BITS);
    while above > within.map_or(0, |within| within + 1) {
        let middle = u32::midpoint(within.map_or(0, |within: u32| within + 1), above - 1);
        if excess(1 << middle).is_allowed { within = Some(middle) } else { above = middle }
    }
    let Some(within) = within else {
        return Err(VaultError::config("delta", &goal.delta, "large enough for at least one release"));
    };
    let ends = (1_u128 << within, 1_u128.checked_shl(above).unwrap_or(u128::MAX));
    let mut search = Search::between((ends.0, excess(ends.0)), (ends.1, excess(ends.1)));
    // Stops at one part in 2^45, far below the slack.
    while search.refused - search.allowed > 1 + (search.allowed >> 45) {
        let (width, least) = (search.refused - search.allowed, 1 + (search.allowed >> 46));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "says where to look, and is clamped to the width"
        )]
        let step = ((search.share() * width as f64) as u128).clamp(least, width - least);
        let tried = search.allowed + step;
        search.narrow(tried, excess(tried));
    }
    Ok(search.allowed)
}

/// Returns the smallest `epsilon` that holds with the `delta` of `goal`, rounded up, or `None` if
/// it is above the `epsilon` of `goal`. `delta` maps an `epsilon` to the `delta` that holds with
/// it.
pub(super) fn smallest_epsilon(goal: ApproxDp, delta: impl Fn(f64) -> f64) -> Option<Epsilon> {
    let excess = |epsilon| Excess::of(delta(epsilon), goal);
    let zero = excess(0.0);
    if zero.is_allowed {
        return Some(Epsilon::ZERO);
    }
    let (mut refused, mut allowed) = ((0.0, zero), (goal.epsilon.get(), excess(goal.epsilon.get())));
    if !allowed.1.is_allowed {
        return None;
    }
    // The goal may be the largest `epsilon` there is, millions of times the smallest that holds.
    while refused.0 == 0.0 && allowed.0 > f64::MIN_POSITIVE {
        let half = (allowed.0 / 2.0, excess(allowed.0 / 2.0));
        if half.1.is_allowed { allowed = half } else { refused = half }
    }
    let mut search = Search::between(allowed, refused);
    // Stops at one part in 10^13.
    while search.allowed - search.refused > 1e-13 * search.allowed && search.allowed > f64::MIN_POSITIVE {
        let (width, least) = (search.allowed - search.refused, 5e-14 * search.allowed);
        let tried = search.allowed - (search.share() * width).clamp(least, width - least);
        search.narrow(tried, excess(tried));
    }
    Epsilon::new(search.allowed).ok()
}

/// A computed `delta` beside the one of a goal.
#[derive(Clone, Copy)]
struct Excess {
    is_allowed: bool,
    /// The logarithm of their quotient, which is nearly a line in what is searched for. It says
    /// where to look and decides nothing.
    log: f64,
}

impl Excess {
    fn of(delta: f64, goal: ApproxDp) -> Self {
        Self { is_allowed: delta <= goal.delta.get(), log: libm::log(delta / goal.delta.get()) }
    }
}

/// A search between an allowed and a refused end, by the method of Illinois: the next place to look
/// is where the line through both ends is zero, and an end that stays where it is counts half.
///
/// Each end itself was compared with the goal, so the result holds even where the last bits of the
/// profile are not monotone.
struct Search<T> {
    allowed: T,
    refused: T,
    /// The logarithms at the ends.
    logs: (f64, f64),
    /// Whether the allowed end was moved last.
    moved_allowed: Option<bool>,
    steps: u32,
}

impl<T> Search<T> {
    fn between(allowed: (T, Excess), refused: (T, Excess)) -> Self {
        let logs = (allowed.1.log, refused.1.log);
        Self { allowed: allowed.0, refused: refused.0, logs, moved_allowed: None, steps: 0 }
    }

    /// Returns the share of the way from the allowed to the refused end at which to look next.
    fn share(&self) -> f64 {
        let share = self.logs.0 / (self.logs.0 - self.logs.1);
        if share.is_finite() && self.steps % STEPS_TO_MIDDLE != STEPS_TO_MIDDLE - 1 { share } else { 0.5 }
    }

    /// Moves an end to `tried`, by what was found there.
    fn narrow(&mut self, tried: T, found: Excess) {
        let stays = if found.is_allowed {
            (self.allowed, self.logs.0) = (tried, found.log);
            &mut self.logs.1
        } else {
            (self.refused, self.logs.1) = (tried, found.log);
            &mut self.logs.0
        };
        if self.moved_allowed == Some(found.is_allowed) {
            *stays /= 2.0;
        }
        self.moved_allowed = Some(found.is_allowed);
        self.steps += 1;
    }
}

#[cfg(test)]
#[expect(clippy::cast_precision_loss, reason = "profiles of floats")]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::account::Delta;

    fn goal(epsilon: f64, delta: f64) -> ApproxDp {
        ApproxDp { epsilon: Epsilon::new(epsilon).unwrap(), delta: Delta::new(delta).unwrap() }
    }

    type Profile = fn(f64) -> f64;

    #[test]
    fn a_search_ends_at_the_edge_of_any_profile_and_soon() {
        let evaluations = Cell::new(0);
        let profiles: [(&str, Profile); 4] = [
            ("line", |x| x / 1e30),
            ("power", |x| (x / 1e30).powi(8)),
            ("step", |x| if x < 3e25 { 1e-12 } else { 1e-3 }),
            ("steep", |x| libm::exp(x / 1e27 - 60.0)),
        ];
        for (name, profile) in profiles {
            evaluations.set(0);
            let goal = goal(1.0, 1e-9);
            let counted = |quanta: u128| {
                evaluations.set(evaluations.get() + 1);
                profile(quanta as f64)
            };
            let largest = largest_amount(goal, counted).unwrap();
            assert!(profile(largest as f64) <= 1e-9, "{name}");
            assert!(profile(largest as f64 * (1.0 + 1e-9)) * (1.0 + SLACK) > 1e-9, "{name}: {largest}");
            assert!(evaluations.get() < 7 + 5 * 46, "{name}: {}", evaluations.get());
            if name != "step" {
                assert!(evaluations.get() < 40, "{name}: {}", evaluations.get());
            }
        }
    }

    #[test]
    fn the_least_amount_is_one_quantum() {
        let goal = goal(1.0, 1e-9);
        assert_eq!(largest_amount(goal, |quanta| if quanta <= 1 { 1e-10 } else { 1.0 }).unwrap(), 1);
        assert_eq!(largest_amount(goal, |quanta| if quanta <= 2 { 1e-10 } else { 1.0 }).unwrap(), 2);
        assert!(largest_amount(goal, |_| 1.0).is_err());
        assert!(largest_amount(goal, |_| 1e-10).unwrap() >= 1 << 127);
    }

    #[test]
    fn the_smallest_epsilon_is_found_below_any_goal() {
        for most in [1.0, 3.0, 1e6] {
            for smallest in [1e-9, 0.37, 0.999_999_999_999] {
                let evaluations = Cell::new(0);
                let profile = |epsilon: f64| {
                    evaluations.set(evaluations.get() + 1);
                    1e-9 * libm::exp(-7.0 * (epsilon - smallest) / smallest)
                };
                let found = smallest_epsilon(goal(most, 1e-9), profile).unwrap().get();
                assert!(found >= smallest && found <= smallest * (1.0 + 1e-12), "{found} for {smallest} within {most}");
                assert!(evaluations.get() < 80, "{}", evaluations.get());
            }
            assert!(smallest_epsilon(goal(most, 1e-9), |_| 1e-8).is_none());
            assert_eq!(smallest_epsilon(goal(most, 1e-9), |_| 1e-9), Some(Epsilon::ZERO));
        }
    }
}
