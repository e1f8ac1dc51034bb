//! Both methods with the noise of the report. NOT PRIVATE: for comparison, on made-up rows.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use scumble_mechanisms::smoothed_histogram::Draws;

use super::network::{Conditional, family, joint, parent_sets};
use super::rows::{ATTRIBUTES, CELLS, Counts, ROWS, codes, margin, sample};

/// Where the report says how large the noise is. The two differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Section 4.1.2: `2^(1+q) d / (n alpha2)` on a table with `q` parents.
    Text,
    /// The listing of Appendix A.1 as it runs: `2 d / (n alpha2)` on every table.
    Listing,
}

impl Scale {
    /// The scale of the Laplace noise on a table of conditional probabilities.
    pub(crate) fn of(self, parents: usize, alpha: f64) -> f64 {
        let sensitivity = match self {
            Self::Text => f64::from(2_u32 << parents),
            Self::Listing => 2.0,
        };
        sensitivity * ATTRIBUTES as f64 / (ROWS as f64 * alpha)
    }
}

/// The report's `PrivBayes`: exact conditional probabilities plus noise.
pub(crate) fn privbayes(counts: &Counts, alpha: f64, beta: f64, scale: Scale, rng: &mut ChaCha8Rng) -> Counts {
    let conditionals = std::array::from_fn(|child| {
        let parents = if child == 0 { vec![] } else { choose(counts, child, beta * alpha, rng) };
        let noise = scale.of(parents.len(), (1.0 - beta) * alpha);
        let one = conditional(counts, child, &parents).into_iter().map(|exact| {
            let [zero, one] = exact.map(|probability| (probability + laplace(noise, rng)).max(0.0));
            // As the listing has it: nothing out of nothing is a zero.
            if zero + one > 0.0 { one / (zero + one) } else { 0.0 }
        });
        Conditional { one: one.collect(), parents }
    });
    sample(&joint(&conditionals), ROWS, rng)
}

/// The probabilities of zero and one, for each combination of the parents' codes; none where there
/// is no row.
fn conditional(counts: &Counts, child: usize, parents: &[usize]) -> Vec<[f64; 2]> {
    let family = margin(counts, &family(child, parents));
    let share = |pair: &[u64]| [0, 1].map(|code| pair[code] as f64 / (pair[0] + pair[1]).max(1) as f64);
    family.chunks_exact(2).map(share).collect()
}

/// A set of parents by the exponential mechanism, as the report has it in (4.3) and rightly so.
fn choose(counts: &Counts, child: usize, alpha: f64, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let n = ROWS as f64;
    let sensitivity = n.log2() / n + (n - 1.0) / n * (n / (n - 1.0)).log2();
    let gamma = (ATTRIBUTES - 1) as f64 * sensitivity / alpha;
    let mut sets = parent_sets(child);
    let scores: Vec<f64> = sets.iter().map(|set| mutual_information(counts, child, set) / (2.0 * gamma)).collect();
    let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = scores.iter().map(|score| (score - best).exp()).collect();
    let mut at = rng.random::<f64>() * weights.iter().sum::<f64>();
    let chosen = weights.iter().position(|weight| {
        at -= weight;
        at < 0.0
    });
    sets.swap_remove(chosen.unwrap_or(weights.len() - 1))
}

/// In bits.
fn mutual_information(counts: &Counts, child: usize, parents: &[usize]) -> f64 {
    let entropy = |attributes: &[usize]| {
        let shares = margin(counts, attributes).into_iter().filter(|&count| count > 0);
        shares.map(|count| count as f64 / ROWS as f64).map(|share| -share * share.log2()).sum::<f64>()
    };
    entropy(&[child]) + entropy(parents) - entropy(&family(child, parents))
}

fn laplace(scale: f64, rng: &mut ChaCha8Rng) -> f64 {
    let size = -scale * (1.0 - rng.random::<f64>()).ln();
    if rng.random() { size } else { -size }
}

/// The report's smoothed histogram: the number of real rows, and smoothing computed with the
/// measure of a cell, 1/32, where its own theorem has one over it.
pub(crate) fn smoothed(counts: &Counts, alpha: f64, rng: &mut ChaCha8Rng) -> Counts {
    let smoothing = smoothing(alpha);
    let smoothed = counts.map(|count| (1.0 - smoothing) * count as f64 / ROWS as f64 + smoothing / CELLS as f64);
    sample(&smoothed, ROWS, rng)
}

/// Section 3.2: `m / (n exp(alpha / k) + m - n)`.
fn smoothing(alpha: f64) -> f64 {
    let (n, m) = (ROWS as f64, 1.0 / CELLS as f64);
    m / (n * (alpha / n).exp_m1() + m)
}

/// What the report's smoothing for `alpha` costs, with as many cells as there are.
pub(crate) fn smoothing_loss(alpha: f64) -> f64 {
    let rows = ROWS as u64;
    Draws { rows, cells: CELLS as u64, unit: 1, drawn: rows }.epsilon_of_smoothing(smoothing(alpha))
}

/// How many times more is lost than claimed by the noisy table of an attribute with three parents,
/// for two tables that differ in the only row with its parents' codes: what was said to cost
/// `alpha2 / d` costs at least that many times as much.
pub(crate) fn loss_over_claim(scale: Scale) -> f64 {
    let (child, parents, alpha) = (ATTRIBUTES - 1, [0, 1, 2], 1.0);
    let with = |row: usize| {
        let mut counts = [0; CELLS];
        counts[0] = ROWS as u64 - 1;
        counts[row] += 1;
        conditional(&counts, child, &parents)
    };
    // The last two cells have all parents one, and differ in the child.
    debug_assert_eq!(codes(CELLS - 1, &parents), codes(CELLS - 2, &parents));
    let [one, other] = [CELLS - 2, CELLS - 1].map(with);
    let distance: f64 = one.as_flattened().iter().zip(other.as_flattened()).map(|(a, b)| (a - b).abs()).sum();
    // Laplace noise loses as much as the L1 distance over its scale, and outcomes that show it all
    // are possible.
    distance / scale.of(parents.len(), alpha) / (alpha / ATTRIBUTES as f64)
}
