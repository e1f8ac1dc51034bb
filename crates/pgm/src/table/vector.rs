//! Arithmetic on long slices.
//!
//! A single running sum waits for each addition. Eight running sums do not, and their rounding
//! error is smaller. The order is fixed, so the result is the same on every machine.

const LANES: usize = 8;

/// Returns the sum of all numbers.
pub(crate) fn sum(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            *lane += number;
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// Returns the dot product.
pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    let ((left, left_rest), (right, right_rest)) = (left.as_chunks::<LANES>(), right.as_chunks::<LANES>());
    let mut lanes = [0.0; LANES];
    for (left, right) in left.iter().zip(right) {
        for (lane, (left, right)) in lanes.iter_mut().zip(left.iter().zip(right)) {
            *lane += left * right;
        }
    }
    lanes.iter().sum::<f64>() + left_rest.iter().zip(right_rest).map(|(left, right)| left * right).sum::<f64>()
}

/// Returns the largest number, or minus infinity if there is none.
pub(crate) fn largest(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<LANES>();
    let mut lanes = [f64::NEG_INFINITY; LANES];
    for chunk in chunks {
        for (lane, number) in lanes.iter_mut().zip(chunk) {
            // Not `f64::max`, which takes three more instructions for NaN; there are no NaNs here.
            *lane = if *number > *lane { *number } else { *lane };
        }
    }
    lanes.iter().chain(rest).copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Returns `number / divisor`, or zero if the divisor is not positive.
pub(crate) fn quotient(number: f64, divisor: f64) -> f64 {
    if divisor > 0.0 { number / divisor } else { 0.0 }
}

/// Multiplies every number by `factor`.
pub(crate) fn scale(numbers: &mut [f64], factor: f64) {
    for number in numbers {
        *number *= factor;
    }
}

/// Adds `scale` times the other slice.
pub(crate) fn add_scaled(numbers: &mut [f64], scale: f64, other: &[f64]) {
    for (number, other) in numbers.iter_mut().zip(other) {
        *number += scale * other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_and_remainder_are_both_included() {
        for length in [0_u8, 1, 7, 8, 9, 31] {
            let numbers: Vec<f64> = (0..length).map(|index| f64::from(index) - 20.0).collect();
            let squares: f64 = numbers.iter().map(|number| number * number).sum();
            assert!((sum(&numbers) - numbers.iter().sum::<f64>()).abs() < 1e-12);
            assert!((dot(&numbers, &numbers) - squares).abs() < 1e-12);
            let expected = numbers.last().copied().unwrap_or(f64::NEG_INFINITY);
            assert!((largest(&numbers) - expected).abs() < 1e-12 || numbers.is_empty());
        }
        assert_eq!(largest(&[f64::NEG_INFINITY; 3]).to_bits(), f64::NEG_INFINITY.to_bits());
    }
}
