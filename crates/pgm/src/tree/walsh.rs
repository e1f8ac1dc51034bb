//! The Walsh-Hadamard transform.

/// Length of pieces that are transformed while they are in a fast cache.
const PIECE: usize = 1 << 12;

/// Replaces `values` by their Walsh-Hadamard transform: number `s` of the result is the sum of all
/// values, each with the sign of the parity of the bits that its number shares with `s`. The length
/// must be a power of two.
///
/// Twice the transform is the identity times the length.
pub(crate) fn transform(values: &mut [f64]) {
    debug_assert!(values.len().is_power_of_two(), "one value per cell of binary columns");
    let piece = values.len().min(PIECE);
    for piece in values.chunks_exact_mut(piece) {
        let mut half = 1;
        while half < piece.len() {
            butterflies(piece, half);
            half *= 2;
        }
    }
    let mut half = piece;
    while half < values.len() {
        butterflies(values, half);
        half *= 2;
    }
}

/// Replaces values that are `half` apart by their sum and difference.
fn butterflies(values: &mut [f64], half: usize) {
    for pair in values.chunks_exact_mut(2 * half) {
        let (first, second) = pair.split_at_mut(half);
        for (one, other) in first.iter_mut().zip(second) {
            (*one, *other) = (*one + *other, *one - *other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sum_has_the_signs_of_shared_bits() {
        for bits in [0, 1, 3, 14] {
            let values: Vec<f64> = (0..1_u32 << bits).map(|cell| f64::from(cell * 7 % 13)).collect();
            let mut transformed = values.clone();
            transform(&mut transformed);
            for set in [0, 1, values.len() / 3, values.len() - 1] {
                let sign = |cell: usize| if (cell & set).count_ones().is_multiple_of(2) { 1.0 } else { -1.0 };
                let sum: f64 = values.iter().enumerate().map(|(cell, value)| sign(cell) * value).sum();
                assert!((transformed[set % values.len()] - sum).abs() < 1e-6, "{bits} bits, set {set}");
            }
        }
    }
}
