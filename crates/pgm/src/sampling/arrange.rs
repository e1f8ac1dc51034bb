//! Codes of a group in random order.

use rand::Rng;

/// Puts a group's codes in random order, given that all from `mixed` on are the same.
///
/// A Fisher-Yates shuffle run backwards: its steps among equal codes change nothing and are left out, so a group in which
/// one code prevails costs little.
///
/// Two positions come from one random number: the product's high half is the position, its low half is the randomness that
/// is left. No order of a group of at most 2^16 rows is likelier than another by more than one in 2^32 per pair of steps.
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

/// A number below `bound`, and the randomness that is left.
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

    /// Over all 12 orders of `[1, 2, 0, 0]`, how often each came against how often it should.
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

    /// 11 degrees of freedom: above it once in a million.
    const CHI_SQUARE: f64 = 50.0;

    #[test]
    fn every_order_is_as_likely_as_any_other() {
        assert!(chi_square(2) < CHI_SQUARE);
        assert!(chi_square(4) < CHI_SQUARE);
        // One step too few leaves the first code out of the shuffle's reach of some orders.
        assert!(chi_square(1) > CHI_SQUARE);
    }

    #[test]
    fn a_group_of_none_or_one_stays() {
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        shuffle::<u8>(&mut [], 0, &mut rng);
        let mut one = [7_u8];
        shuffle(&mut one, 1, &mut rng);
        assert_eq!(one, [7]);
    }
}
