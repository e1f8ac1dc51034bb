//! Edges of bins, with an index that finds the bin of a value in a few comparisons.
//!
//! The grid that learns a number has thousands of edges, and every value of every row is looked
//! up in it. The bits of a float, ordered, are nearly a logarithm, along which the edges of such a
//! grid are spread evenly: cut into equal steps, each step has a few edges at most.

use std::ops::Deref;

use crate::values::encode::real_key;

/// Steps for each edge. A grid spans a few hundred of the 4,092 octaves of a float; the others,
/// around zero, take steps without any edge.
const STEPS_PER_EDGE: usize = 4;

/// Ascending edges: bin `i` begins at edge `i`, and ends before edge `i + 1`.
#[derive(Debug, Clone)]
pub(crate) struct Edges {
    all: Box<[f64]>,
    /// For each step of the keys, the number of edges in the steps before it; then all edges.
    before: Box<[u32]>,
    /// The key of the first edge.
    first: u64,
    /// Keys that are alike above this number of bits are in one step.
    bits: u32,
}

impl Edges {
    /// Takes two or more ascending edges.
    pub(crate) fn new(edges: &[f64]) -> Self {
        let (first, last) = (ordered(edges[0]), ordered(edges[edges.len() - 1]));
        let steps = (edges.len() * STEPS_PER_EDGE) as u64;
        let bits = (0..u64::BITS).find(|bits| (last - first) >> bits < steps).expect("a step may have all keys");
        let mut before = vec![0; usize::try_from((last - first) >> bits).expect("below `steps`") + 2];
        for &edge in edges {
            before[step(first, bits, edge) + 1] += 1;
        }
        for step in 1..before.len() {
            before[step] += before[step - 1];
        }
        Self { all: edges.into(), before: before.into(), first, bits }
    }

    /// Number of bins.
    pub(crate) fn bins(&self) -> u32 {
        u32::try_from(self.all.len() - 1).expect("a checked column has at most limits::CATEGORIES bins")
    }

    /// The bin of a value from the first to the last edge, which belongs to the last bin.
    pub(crate) fn bin(&self, value: f64) -> u32 {
        let step = step(self.first, self.bits, value);
        let (from, to) = (self.before[step], self.before[step + 1]);
        let here = &self.all[from as usize..to as usize];
        let at_or_below = here.partition_point(|&edge| edge <= value);
        #[expect(clippy::cast_possible_truncation, reason = "at most the number of edges")]
        let bin = from + at_or_below as u32 - 1;
        bin.min(self.bins() - 1)
    }
}

impl Deref for Edges {
    type Target = [f64];

    /// All edges, ascending.
    fn deref(&self) -> &[f64] {
        &self.all
    }
}

/// The step of a value, from the key of the first edge.
fn step(first: u64, bits: u32, value: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "a few steps for each edge")]
    let step = ((ordered(value) - first) >> bits) as usize;
    step
}

/// Bits with the order of the floats, in which both zeros are one.
fn ordered(value: f64) -> u64 {
    let bits = real_key(value);
    if value < 0.0 { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_finds_what_a_search_of_all_edges_finds(edges: &[f64]) {
        let found = Edges::new(edges);
        let (low, high) = (edges[0], edges[edges.len() - 1]);
        let near = |edge: f64| [edge.next_down(), edge, edge.next_up()];
        let between = edges.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) / 2.0);
        let values = edges.iter().copied().chain(between).flat_map(near).chain([0.0, -0.0]);
        for value in values.filter(|value| (low..=high).contains(value)) {
            let due = edges.partition_point(|&edge| edge <= value).min(edges.len() - 1) - 1;
            assert_eq!(found.bin(value) as usize, due, "{value:e} among {edges:?}");
        }
    }

    #[test]
    fn a_value_is_in_the_bin_whose_edges_enclose_it() {
        assert_finds_what_a_search_of_all_edges_finds(&[0.0, 1.0]);
        assert_finds_what_a_search_of_all_edges_finds(&[-0.0, 1.0]);
        assert_finds_what_a_search_of_all_edges_finds(&[-1.0, 0.0]);
        assert_finds_what_a_search_of_all_edges_finds(&[1.0, 1.0_f64.next_up(), 1.0_f64.next_up().next_up()]);
        assert_finds_what_a_search_of_all_edges_finds(&[f64::MIN, -1.0, f64::MIN_POSITIVE, f64::MAX]);
        let even: Vec<f64> = (-500..=1_000).map(|edge| f64::from(edge) / 7.0).collect();
        assert_finds_what_a_search_of_all_edges_finds(&even);
        let octaves: Vec<f64> = (-300..300).map(|octave| f64::from(octave).exp2()).collect();
        let both: Vec<f64> = octaves.iter().rev().map(|edge| -edge).chain(octaves.iter().copied()).collect();
        assert_finds_what_a_search_of_all_edges_finds(&both);
    }
}
