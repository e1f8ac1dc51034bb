//! Shuffling the codes of a group.

use rand::Rng;

/// Shuffles a group's codes, given that all from `mixed` on are equal.
///
/// A Fisher-Yates shuffle run backwards. Steps among equal codes change nothing and are skipped, so
/// a group with one prevailing code costs little.
///
/// Two positions come from one random number: the high half of the product is the position, the low
/// half the remaining randomness. In a group of at most 2^16 rows, no order is more likely than
/// another by more than one in 2^32 per pair of steps.
pub(super) fn shuffle<C>(codes: &mut [C], mixed: usize, rng: &mut impl Rng) {
    let mut step = mixed.min(codes.len().saturating_sub(1));
    while step > 0 {
        let mut randomness = rng.next_u64();
        for _ in 0..step.min(2) {
            step -= 1;
            let (position, left) = below(randomness, codes.len() - step);
            codes.swap(step, step + position);
            randomness = left;
        }
    }
}

/// Returns a number below `bound`, and the remaining randomness.
#[expect(clippy::cast_possible_truncation, reason = "the high half is below the bound, the low half is meant")]
fn below(randomness: u64, bound: usize) -> (usize, u64) {
    let product = u128::from(randomness) * bound as u128;
    ((product >> 64) as usize, product as u64)
}

#[cfg(test)]
mod tests {
    use chacha20::ChaCha8Rng;
    use rand::SeedableRng;

    use super::*;

    /// Returns the chi-square statistic of the 12 orders of `[1, 2, 0, 0]`.
    fn chi_square(mixed: usize) -> f64 {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..120_000 {
            let mut codes = [1_u8, 2, 0, 0];
            shuffle(&mut codes, mixed, &mut rng);
            *counts.entry(codes).or_insert(0.0) += 1.0;
        }
        let missing = f64::from(12 - u8::try_from(counts.len()).unwrap());
        counts.values().map(|count: &f64| (count - 10_000.0).powi(2) / 10_000.0).sum::<f64>() + missing * 10_000.0
    }

    /// 11 degrees of freedom: exceeded once in a million.
    const CHI_SQUARE: f64 = 50.0;

    #[test]
    fn all_orders_are_equally_likely() {
        assert!(chi_square(2) < CHI_SQUARE);
        assert!(chi_square(4) < CHI_SQUARE);
        // With one step too few, some orders are out of reach.
        assert!(chi_square(1) > CHI_SQUARE);
    }

    #[test]
    fn a_group_of_at_most_one_code_does_not_change() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        shuffle::<u8>(&mut [], 0, &mut rng);
        let mut one = [7_u8];
        shuffle(&mut one, 1, &mut rng);
        assert_eq!(one, [7]);
    }
}
