//! Closeness of a binary attribute and its parents to the largest mutual information, in rows.

use scumble_schema::{AdjacencyKind, AttributeId, Clique, Domain};
use sha2::Sha256;

use super::sealed::Value;
use super::split::Split;
use super::{ONE, Score, ScoreKind, Statistic, refused};
use crate::account::{Adjacency, ScoreUnits};
use crate::error::VaultError;

#[doc = include_str!("maximal_joint.md")]
///
/// [`TotalVariation`]: super::TotalVariation
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaximalJoint {
    split: Split,
}

impl MaximalJoint {
    /// Creates the score of a binary attribute and its parents.
    ///
    /// # Errors
    /// If the attribute is not binary, or there is no parent, or it is among its own parents.
    pub fn of(attribute: AttributeId, parents: Clique, domain: &Domain) -> Result<Self, VaultError> {
        let score = Self { split: Split::new(Self::KIND, Clique::single(attribute), parents)? };
        score.check(domain)?;
        Ok(score)
    }
}

impl Value for MaximalJoint {
    fn value(&self, domain: &Domain, counts: &[u64]) -> i128 {
        if domain.cells(&self.split.right) == 1 {
            return 0;
        }
        let mut columns =
            vec![[0; 2]; domain.table_len(&self.split.right).expect("a side is not larger than the whole")];
        self.split.walk(domain, counts, |x, parent, count| columns[parent][x] = count);
        // The distance is -2 n F, and n F in lattice units is an integer, so nothing is rounded.
        -i128::from(least_distance(columns)) * i128::from(ONE / 2)
    }
}

/// Returns the least `(n - 2 C0)+ + (n - 2 C1)+`, where every column adds its first count to `C0`
/// or its second to `C1`.
fn least_distance(mut columns: Vec<[u64; 2]>) -> u64 {
    let rows: u64 = columns.iter().flatten().sum();
    // More than half of the rows is never better, so sums are capped there.
    let half = rows.div_ceil(2);
    // A column with one non-zero count adds it, a column with none is skipped.
    let [mut zero, mut one] = [0, 0];
    columns.retain(|&[first, second]| {
        let contested = first > 0 && second > 0;
        if !contested {
            zero += first;
            one += second;
        }
        contested
    });
    // Small columns first, so that the number of distinct sums stays small for longest.
    columns.sort_unstable_by_key(|[first, second]| first + second);
    // The Pareto-optimal pairs (C0, C1); C0 falls and C1 rises along the list.
    let mut best = vec![[zero.min(half), one.min(half)]];
    let mut next = Vec::new();
    for [first, second] in columns {
        // Both lists are sorted; merging keeps the Pareto-optimal pairs.
        let mut to_zero = best.iter().map(|&[zero, one]| [(zero + first).min(half), one]).peekable();
        let mut to_one = best.iter().map(|&[zero, one]| [zero, (one + second).min(half)]).peekable();
        while let Some(pair) = match (to_zero.peek(), to_one.peek()) {
            (Some(a), Some(b)) if a < b => to_one.next(),
            (Some(_), _) => to_zero.next(),
            (None, _) => to_one.next(),
        } {
            keep(&mut next, pair);
        }
        std::mem::swap(&mut best, &mut next);
        next.clear();
    }
    let distance = |[zero, one]: [u64; 2]| rows.saturating_sub(2 * zero) + rows.saturating_sub(2 * one);
    best.into_iter().map(distance).min().expect("there is a pair from the start")
}

/// Adds a pair whose `C0` is not above those before, unless it is dominated; removes the pairs that
/// it dominates.
fn keep(pairs: &mut Vec<[u64; 2]>, [zero, one]: [u64; 2]) {
    while let Some(&[other_zero, other_one]) = pairs.last() {
        if other_one >= one {
            return;
        }
        if other_zero > zero {
            break;
        }
        pairs.pop();
    }
    pairs.push([zero, one]);
}

impl Statistic for MaximalJoint {
    const KIND: ScoreKind = ScoreKind::MaximalJoint;

    fn clique(&self) -> &Clique {
        &self.split.joint
    }

    fn check(&self, domain: &Domain) -> Result<(), VaultError> {
        self.split.check(domain)?;
        if domain.cells(&self.split.left) == 2 {
            Ok(())
        } else {
            Err(refused(Self::KIND, "the attribute is not binary; use `total-variation`"))
        }
    }

    fn question(&self, digest: &mut Sha256) {
        self.split.question(digest);
    }
}

/// How far one added or removed row moves the score, and one replaced row.
pub(super) const ADD_REMOVE: ScoreUnits = ScoreUnits::from_rows(1);
pub(super) const REPLACE_ONE: ScoreUnits = ScoreUnits::from_rows(1);

impl<A: Adjacency> Score<A> for MaximalJoint {
    fn sensitivity(&self, _domain: &Domain, _rows: A::Rows) -> ScoreUnits {
        match A::KIND {
            AdjacencyKind::AddRemove => ADD_REMOVE,
            AdjacencyKind::ReplaceOne => REPLACE_ONE,
        }
    }
}
