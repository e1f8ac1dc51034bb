//! A Bayesian network over the five attributes, in their order.

use super::rows::{ATTRIBUTES, CELLS, code, codes};

/// No attribute has more parents: the report's degree.
const DEGREE: u32 = 3;

/// The probability that an attribute is one, for each combination of its parents' codes.
#[derive(Debug)]
pub(crate) struct Conditional {
    pub(crate) parents: Vec<usize>,
    pub(crate) one: Vec<f64>,
}

/// All sets of parents that an attribute may have: those before it, at least one and at most three.
pub(crate) fn parent_sets(child: usize) -> Vec<Vec<usize>> {
    let members = |set: u32| (0..child).filter(|parent| set >> parent & 1 == 1).collect();
    (1..1_u32 << child).filter(|set| set.count_ones() <= DEGREE).map(members).collect()
}

/// The attributes of the table of a child and its parents; the child's code varies fastest, because
/// parents come before it.
pub(crate) fn family(child: usize, parents: &[usize]) -> Vec<usize> {
    [parents, &[child]].concat()
}

/// The probability of every cell.
pub(crate) fn joint(conditionals: &[Conditional; ATTRIBUTES]) -> [f64; CELLS] {
    std::array::from_fn(|cell| {
        let factor = |(child, conditional): (usize, &Conditional)| {
            let one = conditional.one[codes(cell, &conditional.parents)];
            if code(cell, child) == 1 { one } else { 1.0 - one }
        };
        conditionals.iter().enumerate().map(factor).product()
    })
}
