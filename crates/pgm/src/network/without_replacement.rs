//! Sampling without replacement: the counts of each value equal those of the histograms.
//!
//! 2018, section 3.3, multiplies each table by the number of tuples and draws tuple by tuple, each
//! time from the remaining histogram. In its example counts are whole and histograms are never used
//! up; in general neither holds. Two observations solve this.
//!
//! - The remainder of a histogram depends on earlier tuples' values of its own attributes only. So
//!   pairs can be drawn one after the other for all tuples: for each cell of the parents, the
//!   values of its tuples are its histogram in random order. The rows have the same distribution as
//!   by the paper's procedure, in a fraction of its time.
//! - The histogram of a parents' cell is rounded once the number of its tuples is known, to that
//!   number of values, each count up or down at random with its mean kept. If tables are consistent
//!   and whole this changes nothing: the counts are exact. If they are not, no histogram is used up
//!   while another has values left over; for parents without probability in the pair's own table,
//!   [`EmptyParents`](super::EmptyParents) decides the distribution.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::conditional::Conditional;

/// Draws a cell of the children for every tuple, given its parents' cell.
///
/// # Reference
/// 2018, section 3.3, Tables 5 and 6.
pub(super) fn draw(conditional: &Conditional, parents: &[u32], rng: &mut ChaCha8Rng) -> Vec<u32> {
    let mut ends = vec![0_usize; conditional.rows()];
    for &row in parents {
        ends[row as usize] += 1;
    }
    let mut drawn = Vec::with_capacity(parents.len());
    for (row, end) in ends.iter_mut().enumerate() {
        let start = drawn.len();
        let tuples = u32::try_from(*end).expect("a batch has u32 tuples");
        if tuples > 0 {
            round(conditional.row(row), tuples, rng, |cell, count| drawn.extend((0..count).map(|_| cell)));
            drawn[start..].shuffle(rng);
        }
        *end = drawn.len();
    }
    // Each tuple takes the last remaining value of its parents' cell.
    let mut children = vec![0; parents.len()];
    for (child, &row) in children.iter_mut().zip(parents) {
        let end = &mut ends[row as usize];
        *end -= 1;
        *child = drawn[*end];
    }
    children
}

/// Rounds expected counts to whole counts that sum to `total`, up or down at random with the means
/// kept, and calls `take` with each cell and its positive count. A cell without probability gets
/// none.
///
/// Systematic sampling: all boundaries between cells on a line of length `total` move by the same
/// random offset below one and are rounded down.
pub(super) fn round(probabilities: &[f64], total: u32, rng: &mut ChaCha8Rng, mut take: impl FnMut(u32, u32)) {
    let last = probabilities.iter().rposition(|&probability| probability > 0.0).expect("it is a distribution");
    let offset: f64 = rng.random();
    let (mut cumulative, mut taken) = (0.0, 0);
    for (cell, &probability) in (0_u32..).zip(&probabilities[..last]) {
        cumulative += probability;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and total + 1")]
        let boundary = ((cumulative * f64::from(total) + offset) as u32).min(total);
        if boundary > taken {
            take(cell, boundary - taken);
            taken = boundary;
        }
    }
    if taken < total {
        take(u32::try_from(last).expect("a table within the limits has u32 cells"), total - taken);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn rounded_counts_sum_to_the_total_and_keep_their_mean() {
        let probabilities = [0.0, 0.25, 0.0, 0.125, 0.625, 0.0];
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let runs = 20_000;
        let mut sums = [0_u32; 6];
        for _ in 0..runs {
            let mut counts = [0_u32; 6];
            round(&probabilities, 7, &mut rng, |cell, count| counts[cell as usize] = count);
            assert_eq!(counts.iter().sum::<u32>(), 7);
            for ((sum, count), probability) in sums.iter_mut().zip(counts).zip(probabilities) {
                assert!((f64::from(count) - 7.0 * probability).abs() < 1.0);
                *sum += count;
            }
        }
        for (sum, probability) in sums.into_iter().zip(probabilities) {
            // The mean of 20,000 roundings has a standard deviation of at most 0.0036: 6 of them,
            // false alarm 2e-9.
            assert!((f64::from(sum) / f64::from(runs) - 7.0 * probability).abs() < 0.022);
        }
    }

    #[test]
    fn whole_counts_are_not_rounded() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..100 {
            let mut counts = [0_u32; 4];
            round(&[0.05, 0.0, 0.883, 0.067], 10_000, &mut rng, |cell, count| counts[cell as usize] = count);
            assert_eq!(counts, [500, 0, 8_830, 670]);
        }
    }
}
