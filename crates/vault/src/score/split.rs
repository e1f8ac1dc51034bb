//! Joint tables of two disjoint sets of attributes.

use scumble_schema::{AttributeId, Clique, Domain, cells};
use sha2::Sha256;

use super::{MAX_ROWS, ScoreKind, check_clique, put_clique, refused};
use crate::error::VaultError;

/// Two disjoint, non-empty cliques, and their union.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    pub(super) left: Clique,
    pub(super) right: Clique,
    pub(super) joint: Clique,
}

/// Marginal sums of a joint table.
pub(super) struct Margins {
    pub(super) rows: u64,
    pub(super) left: Vec<u64>,
    pub(super) right: Vec<u64>,
}

/// One attribute of the joint table, with its strides in the tables of the two sides, one of which
/// is zero.
struct Axis {
    size: usize,
    left: usize,
    right: usize,
}

impl Split {
    pub(super) fn new(score: ScoreKind, left: Clique, right: Clique) -> Result<Self, VaultError> {
        let joint = Clique::new(left.attributes().iter().chain(right.attributes()).copied());
        if left.is_empty() || right.is_empty() || joint.len() < left.len() + right.len() {
            return Err(refused(score, "it needs two sets of attributes, disjoint and not empty"));
        }
        Ok(Self { left, right, joint })
    }

    pub(super) fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        check_clique(&self.joint, domain)
    }

    /// Returns whether a side has at most two cells, all its attributes together.
    pub(super) fn has_binary_side(&self, domain: &Domain) -> bool {
        domain.cells(&self.left).min(domain.cells(&self.right)) <= 2
    }

    pub(super) fn question(&self, digest: &mut Sha256) {
        put_clique(digest, &self.left);
        put_clique(digest, &self.right);
    }

    /// Visits the cells in order, with the cell of the left table, the cell of the right table and
    /// the count.
    pub(super) fn walk(&self, domain: &Domain, counts: &[u64], mut visit: impl FnMut(usize, usize, u64)) {
        assert_eq!(domain.cells(&self.joint), counts.len() as u128, "the vault checks the length of every table");
        let [left, right] = [&self.left, &self.right].map(|side| (side, cells::strides(domain, side)));
        let step = |(side, strides): &(&Clique, Vec<usize>), attribute: &AttributeId| {
            side.attributes().binary_search(attribute).map_or(0, |position| strides[position])
        };
        // Attributes with one code do not affect cells. Without them there are at most 23 axes, so
        // the recursion is shallow.
        let axes: Vec<Axis> = (self.joint.attributes().iter())
            .map(|attribute| Axis {
                size: domain.size(*attribute) as usize,
                left: step(&left, attribute),
                right: step(&right, attribute),
            })
            .filter(|axis| axis.size > 1)
            .collect();
        descend(&axes, counts, 0, 0, &mut visit);
    }

    /// Computes the marginal sums of both sides, and the number of rows.
    pub(super) fn margins(&self, domain: &Domain, counts: &[u64]) -> Margins {
        // Counts below 2^64 in 10^7 cells cannot overflow this sum. If it is below the limit, no
        // partial sum can overflow either.
        let rows: u128 = counts.iter().copied().map(u128::from).sum();
        let rows = u64::try_from(rows).ok().filter(|&rows| rows < MAX_ROWS).expect("no source has 2^48 rows");
        let length = |side| domain.table_len(side).expect("a side is not larger than the whole");
        let [mut left, mut right] = [&self.left, &self.right].map(|side| vec![0; length(side)]);
        self.walk(domain, counts, |i, j, count| {
            left[i] += count;
            right[j] += count;
        });
        Margins { rows, left, right }
    }
}

fn descend(axes: &[Axis], counts: &[u64], left: usize, right: usize, visit: &mut impl FnMut(usize, usize, u64)) {
    match axes {
        [] => visit(left, right, counts[0]),
        [last] => {
            for (code, &count) in counts.iter().enumerate() {
                visit(left + code * last.left, right + code * last.right, count);
            }
        }
        [first, inner @ ..] => {
            for (code, part) in counts.chunks_exact(counts.len() / first.size).enumerate() {
                descend(inner, part, left + code * first.left, right + code * first.right, visit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clique<const N: usize>(attributes: [usize; N]) -> Clique {
        Clique::new(attributes.map(AttributeId::new))
    }

    #[test]
    fn interleaved_sides_are_walked_in_order() {
        // Attributes 0, 2, 3 to the left and 1, 4 to the right; attribute 3 has one code.
        let domain = Domain::new(vec![2, 3, 2, 1, 2, 7]).unwrap();
        let split = Split::new(ScoreKind::TotalVariation, clique([3, 2, 0]), clique([4, 1])).unwrap();
        let counts: Vec<u64> = (100..124).collect();
        let mut expected = Vec::new();
        for (a, b, c, d) in (0..24).map(|cell| (cell / 12, cell / 4 % 3, cell / 2 % 2, cell % 2)) {
            expected.push((2 * a + c, 2 * b + d, counts[expected.len()]));
        }
        let mut seen = Vec::new();
        split.walk(&domain, &counts, |left, right, count| seen.push((left, right, count)));
        assert_eq!(seen, expected);

        let margins = split.margins(&domain, &counts);
        assert_eq!(margins.rows, counts.iter().sum::<u64>());
        for (side, sums) in [margins.left, margins.right].into_iter().enumerate() {
            for (index, sum) in sums.into_iter().enumerate() {
                let own = expected.iter().filter(|cell| [cell.0, cell.1][side] == index);
                assert_eq!(sum, own.map(|cell| cell.2).sum::<u64>());
            }
        }
    }

    #[test]
    fn a_table_of_one_cell_is_walked() {
        let domain = Domain::new(vec![1, 1]).unwrap();
        let split = Split::new(ScoreKind::TotalVariation, clique([0]), clique([1])).unwrap();
        let margins = split.margins(&domain, &[5]);
        assert_eq!((margins.rows, margins.left, margins.right), (5, vec![5], vec![5]));
    }

    #[test]
    fn a_side_is_binary_if_its_attributes_together_have_two_cells() {
        let domain = Domain::new(vec![2, 2, 1, 3]).unwrap();
        for (left, right, binary) in [
            (clique([0]), clique([3]), true),
            (clique([3]), clique([0]), true),
            (clique([0, 2]), clique([3]), true),
            (clique([2]), clique([3]), true),
            (clique([0, 1]), clique([3]), false),
        ] {
            let split = Split::new(ScoreKind::TotalVariation, left, right).unwrap();
            assert_eq!(split.has_binary_side(&domain), binary, "{split:?}");
        }
    }

    #[test]
    fn sides_that_are_empty_or_overlap_are_refused() {
        for (left, right) in [(clique([]), clique([1])), (clique([1]), clique([])), (clique([0, 1]), clique([1, 2]))] {
            let error = Split::new(ScoreKind::HalfL1, left, right).unwrap_err();
            assert!(error.to_string().starts_with("the score `half-l1` is not defined: it needs two sets"), "{error}");
            assert!(error.hint().contains("total-variation"));
        }
    }

    #[test]
    #[should_panic(expected = "no source has 2^48 rows")]
    fn too_many_rows_panic_and_do_not_wrap_around() {
        let domain = Domain::new(vec![2, 1]).unwrap();
        let split = Split::new(ScoreKind::TotalVariation, clique([0]), clique([1])).unwrap();
        split.margins(&domain, &[u64::MAX, 1]);
    }
}
