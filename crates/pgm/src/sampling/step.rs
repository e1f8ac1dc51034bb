//! Sampling one attribute of a chunk, given the attributes it depends on.

use chacha20::ChaCha8Rng;
use rand::RngExt;
use scumble_schema::{AttributeId, CodeColumn, Domain};

use super::cell::cells_of;
use super::code::Code;
use super::{Sampling, arrange, balance, systematic};

/// Most cells, of groups that have rows, that are rounded together. A cell takes about 50 ns, so
/// this many cost a few times as much as the rest of a full chunk's column. Four times as many
/// reduce the error of AIM's larger cliques by a fifth, in nearly twice the time.
const MAX_BALANCED_CELLS: usize = 1 << 14;

/// The fraction of the golden ratio. Any number of its multiples, modulo one, is evenly spread.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The distribution of one attribute given earlier ones. Rows with equal codes of those are a
/// group.
#[derive(Debug, Clone)]
pub(super) struct Step {
    attribute: AttributeId,
    /// The attributes it depends on, each with its stride in the number of a group.
    given: Vec<(AttributeId, u32)>,
    size: usize,
    /// For every group, the cumulative probabilities of the codes. Exactly one from the last
    /// possible code on.
    cumulative: Vec<f64>,
}

impl Step {
    /// Makes the step of `attribute` from one row of weights per combination of codes of `given`,
    /// the last of them varying fastest.
    pub(super) fn new(domain: &Domain, given: &[AttributeId], attribute: AttributeId, weights: Vec<f64>) -> Self {
        let size = domain.size(attribute) as usize;
        let mut cumulative = weights;
        cumulative.chunks_exact_mut(size).for_each(accumulate);
        let mut stride = 1;
        let with_stride = |&attribute: &AttributeId| {
            let here = stride;
            stride *= domain.size(attribute);
            (attribute, here)
        };
        Self { attribute, given: given.iter().rev().map(with_stride).collect(), size, cumulative }
    }

    pub(super) fn attribute(&self) -> AttributeId {
        self.attribute
    }

    /// Returns the group of every row: the number of its combination of codes.
    pub(super) fn groups(&self, columns: &[CodeColumn], rows: usize) -> Vec<u32> {
        // The number of groups is at most limits::CELLS_PER_MODEL.
        cells_of(columns, rows, self.given.iter().map(|&(attribute, stride)| (attribute.index(), stride)))
    }

    /// Draws a code for every row, given its group.
    pub(super) fn sample<C: Code>(&self, group_of: &[u32], sampling: Sampling, rng: &mut ChaCha8Rng) -> Vec<C> {
        match sampling {
            Sampling::Matched | Sampling::LowVariance => self.low_variance(group_of, rng),
            Sampling::Independent => self.independent(group_of, rng),
        }
    }

    /// Draws every row independently, by inversion.
    fn independent<C: Code>(&self, group_of: &[u32], rng: &mut ChaCha8Rng) -> Vec<C> {
        let draw = |&group: &u32| {
            let point: f64 = rng.random();
            C::from_code(self.cumulative(group as usize).partition_point(|&edge| edge <= point))
        };
        group_of.iter().map(draw).collect()
    }

    /// Returns the expected number of rows of each code in each group, rounded, in random order.
    ///
    /// The random order keeps two attributes that depend on the same group independent given it.
    fn low_variance<C: Code>(&self, group_of: &[u32], rng: &mut ChaCha8Rng) -> Vec<C> {
        let mut counts = vec![0_u32; self.cumulative.len() / self.size];
        for &group in group_of {
            counts[group as usize] += 1;
        }
        let present: Vec<(usize, usize)> = counts
            .iter()
            .enumerate()
            .filter(|(_, rows)| **rows > 0)
            .map(|(group, &rows)| (group, rows as usize))
            .collect();

        let mut sorted = vec![C::default(); group_of.len()];
        if present.len() * self.size <= MAX_BALANCED_CELLS {
            self.fill_balanced(&mut sorted, &present, rng);
        } else {
            self.fill_systematic(&mut sorted, &present, rng);
        }

        // Turns counts into the start of each group; then each row takes the next code of its
        // group.
        let mut start = 0;
        for count in &mut counts {
            start += std::mem::replace(count, start);
        }
        let take = |&group: &u32| {
            let next = &mut counts[group as usize];
            *next += 1;
            sorted[*next as usize - 1]
        };
        group_of.iter().map(take).collect()
    }

    /// Fills in the codes group after group, all groups rounded together.
    fn fill_balanced<C: Code>(&self, mut sorted: &mut [C], present: &[(usize, usize)], rng: &mut ChaCha8Rng) {
        let mut expected = Vec::with_capacity(present.len() * self.size);
        for &(group, rows) in present {
            let edges = self.cumulative(group);
            let rows = rows as f64;
            expected.push(rows * edges[0]);
            expected.extend(edges.windows(2).map(|pair| rows * (pair[1] - pair[0])));
        }
        let counts = balance::round(&expected, self.size, rng);
        for (&(_, rows), counts) in present.iter().zip(counts.chunks_exact(self.size)) {
            let codes = sorted.split_off_mut(..rows).expect("the groups' rows are all rows");
            // The commonest code comes last, where the shuffle needs no steps for it. It gets the
            // rows that the others leave, so rounding errors of sums cannot leave a row without a
            // code.
            let commonest = (0..self.size).max_by_key(|&code| counts[code]).expect("an attribute has a code");
            let mut mixed = 0;
            for (code, &count) in counts.iter().enumerate().filter(|(code, _)| *code != commonest) {
                let end = rows.min(mixed + count as usize);
                codes[mixed..end].fill(C::from_code(code));
                mixed = end;
            }
            codes[mixed..].fill(C::from_code(commonest));
            arrange::shuffle(codes, mixed, rng);
        }
    }

    /// Fills in the codes group after group, each group rounded separately. Offsets a golden ratio
    /// apart make errors of neighbouring groups cancel in part.
    fn fill_systematic<C: Code>(&self, mut sorted: &mut [C], present: &[(usize, usize)], rng: &mut ChaCha8Rng) {
        let mut offset: f64 = rng.random();
        for &(group, rows) in present {
            let codes = sorted.split_off_mut(..rows).expect("the groups' rows are all rows");
            systematic::fill(codes, self.cumulative(group), offset);
            arrange::shuffle(codes, rows, rng);
            offset = (offset + GOLDEN).fract();
        }
    }

    fn cumulative(&self, group: usize) -> &[f64] {
        &self.cumulative[group * self.size..][..self.size]
    }
}

/// Turns weights into cumulative probabilities. The weights of an impossible group are all zero;
/// they become the uniform distribution, so that rounding errors between tables still give valid
/// codes.
fn accumulate(row: &mut [f64]) {
    if row.iter().all(|&weight| weight == 0.0) {
        row.fill(1.0);
    }
    let mut sum = 0.0;
    for weight in row.iter_mut() {
        sum += *weight;
        *weight = sum;
    }
    // From the last possible code on this divides the sum by itself, which is exactly one.
    for edge in row {
        *edge /= sum;
    }
}
