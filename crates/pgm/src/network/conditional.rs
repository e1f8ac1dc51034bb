//! Conditional distributions of children given parents, from noisy tables over both.

use scumble_schema::{AttributeId, Clique, Domain, cells};

use super::Pair;
use crate::error::ModelError;
use crate::simplex;
use crate::table::factor::Factor;
use crate::table::projection::offsets;

/// How noisy counts, some of them negative, become probabilities.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ToProbabilities {
    /// [`simplex::clip_and_normalise`], as in both papers (2014, Algorithm 1, line 5; 2018,
    /// Algorithm 4, lines 7 and 8).
    ClipAndNormalise,
    /// [`simplex::project`]: the nearest table without negative counts. In neither paper, and
    /// better for sparse tables.
    Project {
        /// The sum of the counts: the released number of rows.
        total: f64,
    },
}

impl ToProbabilities {
    /// Returns the probabilities of a table's cells.
    pub fn apply(self, counts: &[f64]) -> Result<Vec<f64>, ModelError> {
        if !counts.iter().all(|count| count.is_finite()) {
            return Err(ModelError::NotFinite { what: "a noisy count", positive: false });
        }
        match self {
            Self::ClipAndNormalise => Ok(simplex::clip_and_normalise(counts)),
            Self::Project { total } if total > 0.0 && total.is_finite() => Ok(simplex::project(counts, total)),
            Self::Project { .. } => {
                Err(ModelError::NotFinite { what: "the total that a table is projected onto", positive: true })
            }
        }
    }
}

/// The distribution of the children if the parents' values have no probability in the pair's own
/// table: noise removed their counts, but an earlier table allows them. Neither paper mentions this
/// case, which is common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmptyParents {
    /// The children's marginal distribution in the pair's table: its own best guess.
    #[default]
    ChildMarginal,
    /// The uniform distribution, as in the Aalborg report of 2024.
    Uniform,
}

/// An attribute's place in a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) attribute: AttributeId,
    size: u32,
    stride: u32,
    /// Whether it is the only attribute of the table.
    only: bool,
}

impl Place {
    /// Returns the attribute's code in a cell.
    pub(super) fn code(self, cell: u32) -> u32 {
        // For an only child, as most are, code and cell are equal: this saves two divisions.
        if self.only { cell } else { cell / self.stride % self.size }
    }

    /// Returns what the attribute's code adds to the position of a cell.
    pub(super) fn offset(self, code: u32) -> u32 {
        code * self.stride
    }
}

/// The distribution of a pair's children given its parents.
///
/// Its tables have one row per cell of the parents and one column per cell of the children, both in
/// the order of [`scumble_schema::cells`].
#[derive(Debug, Clone)]
pub struct Conditional {
    parents: Box<[Place]>,
    children: Box<[Place]>,
    columns: usize,
    joint: Vec<f64>,
    given_parents: Vec<f64>,
    /// Whether each row has positive probability in the joint table.
    possible: Vec<bool>,
}

impl Conditional {
    /// Makes the conditional distribution from the noisy counts of the pair.
    ///
    /// # Reference
    /// 2014, Algorithm 1, lines 5 to 8; 2018, Algorithm 4, lines 7 to 9.
    pub(super) fn new(
        domain: &Domain,
        pair: &Pair,
        counts: &Factor,
        to: ToProbabilities,
        empty: EmptyParents,
    ) -> Result<Self, ModelError> {
        let (parents, children) = (places(domain, pair.parents()), places(domain, pair.children()));
        let columns = usize::try_from(domain.cells(pair.children())).expect("the table fits memory");
        let cells = parents_first(&parents, &children, columns, counts.clique());
        let mut joint = vec![0.0; counts.values().len()];
        for (cell, probability) in cells.into_iter().zip(to.apply(counts.values())?) {
            joint[cell as usize] = probability;
        }
        let mut otherwise = vec![0.0; columns];
        match empty {
            EmptyParents::ChildMarginal => joint
                .chunks_exact(columns)
                .for_each(|row| otherwise.iter_mut().zip(row).for_each(|(sum, value)| *sum += value)),
            EmptyParents::Uniform => otherwise.fill(1.0),
        }
        let mut given_parents = joint.clone();
        let mut possible = Vec::with_capacity(joint.len() / columns);
        for row in given_parents.chunks_exact_mut(columns) {
            possible.push(row.iter().any(|&value| value > 0.0));
            if possible.last() == Some(&false) {
                row.copy_from_slice(&otherwise);
            }
            let sum: f64 = row.iter().sum();
            for value in row {
                *value /= sum;
            }
        }
        Ok(Self { parents, children, columns, joint, given_parents, possible })
    }

    /// Returns the probability of the children given the parents. Every row is a distribution;
    /// [`EmptyParents`] fills those without probability.
    pub fn given_parents(&self) -> &[f64] {
        &self.given_parents
    }

    /// Returns the joint probability of children and parents, in the pair's own table.
    pub fn joint(&self) -> &[f64] {
        &self.joint
    }

    /// Returns the number of cells of the children: the length of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of cells of the parents.
    pub(super) fn rows(&self) -> usize {
        self.possible.len()
    }

    /// Whether the parents' cell has positive probability in the pair's own table.
    pub(super) fn is_possible(&self, row: u32) -> bool {
        self.possible[row as usize]
    }

    /// Returns the distribution of the children given the parents' cell.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.given_parents[row * self.columns..][..self.columns]
    }

    pub(super) fn parents(&self) -> &[Place] {
        &self.parents
    }

    pub(super) fn children(&self) -> &[Place] {
        &self.children
    }
}

fn places(domain: &Domain, clique: &Clique) -> Box<[Place]> {
    let stride = |stride: usize| u32::try_from(stride).expect("a table within the limits has u32 cells");
    let strides = cells::strides(domain, clique);
    let place = |(&attribute, &step): (&AttributeId, &usize)| Place {
        attribute,
        size: domain.size(attribute),
        stride: stride(step),
        only: clique.len() == 1,
    };
    clique.attributes().iter().zip(&strides).map(place).collect()
}

/// Returns the position of each cell of the table over `clique` in the layout with one row per cell
/// of the parents.
fn parents_first(parents: &[Place], children: &[Place], columns: usize, clique: &Clique) -> Vec<u32> {
    let columns = u32::try_from(columns).expect("a table within the limits has u32 cells");
    offsets(clique.attributes().iter().map(|&attribute| {
        let find = |places: &[Place]| places.iter().copied().find(|place| place.attribute == attribute);
        let (place, scale) = match find(children) {
            Some(place) => (place, 1),
            None => (find(parents).expect("the table is over children and parents"), columns),
        };
        (0..place.size).map(|code| place.offset(code) * scale).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditional(counts: Vec<f64>, to: ToProbabilities, empty: EmptyParents) -> Conditional {
        // The child comes before its parent in the schema, so the table must be transposed.
        let domain = Domain::new(vec![2, 3]).unwrap();
        let [child, parent] = [0, 1].map(AttributeId::new);
        let pair = Pair::new(child, [parent]);
        let counts = Factor::new(&domain, pair.clique(), counts).unwrap();
        Conditional::new(&domain, &pair, &counts, to, empty).unwrap()
    }

    #[test]
    fn a_row_per_parent_is_a_distribution_of_the_child() {
        let counts = vec![2.0, 4.0, 0.0, 6.0, -2.0, 4.0];
        let conditional = conditional(counts, ToProbabilities::ClipAndNormalise, EmptyParents::ChildMarginal);
        assert_eq!(conditional.joint(), [0.125, 0.375, 0.25, 0.0, 0.0, 0.25]);
        assert_eq!(conditional.given_parents(), [0.25, 0.75, 1.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn parents_without_probability_take_the_stated_distribution() {
        let counts = vec![1.0, 0.0, 2.0, 3.0, -5.0, 2.0];
        let given = |empty| conditional(counts.clone(), ToProbabilities::ClipAndNormalise, empty);
        let filled = given(EmptyParents::ChildMarginal);
        assert!(!filled.is_possible(1) && filled.is_possible(0));
        assert!(filled.row(1).iter().zip([0.375, 0.625]).all(|(value, expected)| (value - expected).abs() < 1e-12));
        assert_eq!(given(EmptyParents::Uniform).row(1), [0.5, 0.5]);
        // Other rows are not touched.
        assert_eq!(given(EmptyParents::Uniform).row(0), [0.25, 0.75]);
    }

    #[test]
    fn clipping_and_projection_differ_on_a_sparse_table() {
        let counts = [70.0, 34.0, -4.0];
        let clipped = ToProbabilities::ClipAndNormalise.apply(&counts).unwrap();
        assert!((clipped[0] - 70.0 / 104.0).abs() < 1e-12);
        assert_eq!(ToProbabilities::Project { total: 100.0 }.apply(&counts).unwrap(), [0.68, 0.32, 0.0]);
    }

    #[test]
    fn counts_and_totals_that_are_not_finite_are_refused() {
        let refused =
            |to: ToProbabilities, counts: &[f64]| matches!(to.apply(counts), Err(ModelError::NotFinite { .. }));
        assert!(refused(ToProbabilities::ClipAndNormalise, &[1.0, f64::NAN]));
        assert!(refused(ToProbabilities::Project { total: 0.0 }, &[1.0]));
        assert!(refused(ToProbabilities::Project { total: f64::INFINITY }, &[1.0]));
    }
}
