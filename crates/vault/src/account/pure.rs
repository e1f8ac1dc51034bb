#![doc = include_str!("pure.md")]

use super::amount::FRACTION_BITS;
use super::{ApproxDp, Epsilon};
use crate::error::VaultError;

/// Returns the largest number of quanta that may be spent under `goal`, rounded down.
///
/// # Errors
/// If it is less than one quantum of 2^-96.
pub(crate) fn largest(goal: ApproxDp) -> Result<u128, VaultError> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "epsilon 2^96 is below 2^116; rounds down"
    )]
    // Multiplying by a power of two is exact.
    let quanta = (goal.epsilon.get() * power_of_two()) as u128;
    if quanta == 0 {
        return Err(VaultError::config("epsilon", &goal.epsilon, "large enough for at least one release"));
    }
    Ok(quanta)
}

/// Returns the smallest float that is not below the total; `None` if it is above the `epsilon` of
/// `goal`.
pub(crate) fn epsilon_within(quanta: u128, goal: ApproxDp) -> Option<Epsilon> {
    #[expect(clippy::cast_precision_loss, reason = "the next statement corrects a rounding down")]
    let nearest = quanta as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a float that came from a u128")]
    let not_below = if (nearest as u128) < quanta { nearest.next_up() } else { nearest };
    let epsilon = not_below / power_of_two();
    (epsilon <= goal.epsilon.get()).then(|| Epsilon::try_from(epsilon).expect("it is between zero and a goal"))
}

fn power_of_two() -> f64 {
    2_f64.powi(i32::try_from(FRACTION_BITS).expect("96"))
}
