//! Few groups of a column's many codes.

use std::cmp::Reverse;

use scumble_schema::{AttributeId, Clique};

use crate::columns::Columns;
use crate::error::EvaluateError;
use crate::kind::ColumnKind;

/// The groups that learners and tests tell apart. There are at most 256, so that a group is one byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grouping {
    group_of: Vec<u8>,
    /// For a column with an order, which groups have a place in it.
    places: Option<Vec<bool>>,
    count: usize,
}

impl Grouping {
    /// More groups than these do not fit a byte.
    pub(crate) const MOST: usize = 256;

    /// At most `most` groups of one column's codes. A column with no more codes keeps them all. Of a categorical one
    /// the codes that most rows of `real` have are kept and the others are one group; an ordered one is cut into ranges
    /// that about equally many of its rows have, and codes without a place in the order are one group, the last.
    pub(crate) fn of(
        real: &Columns,
        attribute: AttributeId,
        kind: ColumnKind,
        most: usize,
    ) -> Result<Self, EvaluateError> {
        Ok(Self::new(&real.counts(&Clique::single(attribute))?, kind, most))
    }

    /// Groupings of every column.
    pub(crate) fn of_all(real: &Columns, kinds: &[ColumnKind], most: usize) -> Result<Vec<Self>, EvaluateError> {
        real.domain().attributes().zip(kinds).map(|(attribute, &kind)| Self::of(real, attribute, kind, most)).collect()
    }

    /// The groups for codes that so many rows have.
    fn new(counts: &[u64], kind: ColumnKind, most: usize) -> Self {
        assert!((2..=Self::MOST).contains(&most), "a group is one byte");
        let group_of: Vec<usize> = match kind {
            _ if counts.len() <= most => (0..counts.len()).collect(),
            ColumnKind::Categorical => most_frequent(counts, most),
            ColumnKind::Ordered { .. } => ranges(counts, kind, most),
        };
        let count = group_of.iter().max().map_or(0, |last| last + 1);
        let places = matches!(kind, ColumnKind::Ordered { .. }).then(|| {
            let mut places = vec![false; count];
            (0..).zip(&group_of).for_each(|(code, &group)| places[group] |= kind.has_place(code));
            places
        });
        let byte = |group| u8::try_from(group).expect("at most 256 groups");
        Self { group_of: group_of.into_iter().map(byte).collect(), places, count }
    }

    /// How many groups there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether codes share a group.
    pub(crate) fn is_coarser(&self) -> bool {
        self.count < self.group_of.len()
    }

    /// For a column with an order, which groups have a place in it.
    pub(crate) fn places(&self) -> Option<&[bool]> {
        self.places.as_deref()
    }

    /// The groups of one column in the given rows: the one place that reads codes for learners and tests.
    pub(crate) fn gather(&self, table: &Columns, attribute: AttributeId, rows: &[u32]) -> Vec<u8> {
        let codes = table.codes(attribute);
        rows.iter().map(|&row| self.group_of[codes.get(row as usize) as usize]).collect()
    }
}

/// The codes that most rows have, each for itself in the order of the codes, and a last group for the others.
fn most_frequent(counts: &[u64], most: usize) -> Vec<usize> {
    let mut codes: Vec<usize> = (0..counts.len()).collect();
    codes.sort_unstable_by_key(|&code| (Reverse(counts[code]), code));
    codes.truncate(most - 1);
    codes.sort_unstable();
    (0..counts.len()).map(|code| codes.binary_search(&code).unwrap_or(most - 1)).collect()
}

/// Ranges with about equally many rows, and a last group for codes without a place.
fn ranges(counts: &[u64], kind: ColumnKind, most: usize) -> Vec<usize> {
    let places: Vec<bool> = (0..).zip(counts).map(|(code, _)| kind.has_place(code)).collect();
    let rows: u64 = counts.iter().zip(&places).filter(|(_, place)| **place).map(|(&count, _)| count).sum();
    let all = if places.contains(&false) { most - 1 } else { most };
    let (mut below, mut open, mut group) = (0_u64, None, 0);
    let mut group_of = vec![0; counts.len()];
    for (code, &count) in counts.iter().enumerate().filter(|&(code, _)| places[code]) {
        // A range is named by the share of rows below its first code. Codes beyond the last row belong to the last range.
        let range = u128::from(below) * all as u128 / u128::from(rows.max(1));
        let range = range.min(all as u128 - 1);
        group += usize::from(open.is_some_and(|open| open != range));
        open = Some(range);
        group_of[code] = group;
        below += count;
    }
    let last = group + usize::from(open.is_some());
    places.iter().zip(&mut group_of).filter(|(place, _)| !**place).for_each(|(_, group)| *group = last);
    group_of
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORDERED: ColumnKind = ColumnKind::Ordered { missing: None };

    #[test]
    fn few_codes_stay_apart() {
        let grouping = Grouping::new(&[5, 0, 1], ColumnKind::Categorical, 3);
        assert_eq!((grouping.group_of.as_slice(), grouping.count(), grouping.places()), (&[0, 1, 2][..], 3, None));
        assert!(!grouping.is_coarser());
        let grouping = Grouping::new(&[5, 0, 1], ColumnKind::Ordered { missing: Some(2) }, 3);
        assert_eq!(grouping.places(), Some(&[true, true, false][..]));
    }

    #[test]
    fn the_most_frequent_categories_stay_apart() {
        let grouping = Grouping::new(&[1, 9, 0, 7, 7], ColumnKind::Categorical, 3);
        assert_eq!((grouping.group_of.as_slice(), grouping.count()), (&[2, 0, 2, 1, 2][..], 3));
        assert!(grouping.is_coarser());
    }

    #[test]
    fn ranges_have_about_equally_many_rows() {
        let grouping = Grouping::new(&[2, 2, 2, 2, 2, 2, 0], ORDERED, 3);
        assert_eq!(grouping.group_of, [0, 0, 1, 1, 2, 2, 2]);
        // Nine of ten rows have one code: what follows it is one range.
        assert_eq!(Grouping::new(&[18, 1, 1], ORDERED, 2).group_of, [0, 1, 1]);
        // Without rows nothing is told apart.
        assert_eq!(Grouping::new(&[0, 0, 0], ORDERED, 2).group_of, [0, 0, 0]);
    }

    #[test]
    fn missing_values_are_a_group_of_their_own() {
        let last = Grouping::new(&[4, 4, 4, 4, 1, 0], ColumnKind::Ordered { missing: Some(4) }, 3);
        assert_eq!(
            (last.group_of.as_slice(), last.places()),
            (&[0, 0, 1, 1, 2, 2][..], Some(&[true, true, false][..]))
        );
        let first = Grouping::new(&[1, 4, 4, 4, 4], ColumnKind::Ordered { missing: Some(0) }, 3);
        assert_eq!(first.group_of, [2, 0, 0, 1, 1]);
    }
}
