//! Groups of the codes of a column.

use std::cmp::Reverse;

use scumble_schema::{AttributeId, Clique};

use crate::error::EvaluateError;
use crate::table::{ColumnKind, Columns};

/// Groups of the codes of a column, for learners and tests. There are at most 256, so that a group
/// is one byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grouping {
    group_of: Vec<u8>,
    /// For an ordered column, whether each group has a place in the order.
    places: Option<Vec<bool>>,
    count: usize,
}

impl Grouping {
    /// Maximum number of groups: a group is one byte.
    pub(crate) const MAX_GROUPS: usize = 256;

    /// Groups the codes of one column into at most `max` groups. A column with at most `max` codes
    /// keeps them all. Of a categorical column, the most frequent codes in `real` are kept and the
    /// others form one group. An ordered column is cut into ranges with about equal numbers of
    /// rows, and codes without a place in the order form the last group.
    pub(crate) fn of(
        real: &Columns,
        attribute: AttributeId,
        kind: ColumnKind,
        max: usize,
    ) -> Result<Self, EvaluateError> {
        Ok(Self::new(&real.counts(&Clique::single(attribute))?, kind, max))
    }

    /// Groups the codes of every column.
    pub(crate) fn of_all(real: &Columns, kinds: &[ColumnKind], max: usize) -> Result<Vec<Self>, EvaluateError> {
        real.domain().attributes().zip(kinds).map(|(attribute, &kind)| Self::of(real, attribute, kind, max)).collect()
    }

    /// Groups codes by the number of rows that have each.
    fn new(counts: &[u64], kind: ColumnKind, max: usize) -> Self {
        assert!((2..=Self::MAX_GROUPS).contains(&max), "a group is one byte");
        let group_of: Vec<usize> = match kind {
            _ if counts.len() <= max => (0..counts.len()).collect(),
            ColumnKind::Categorical => most_frequent(counts, max),
            ColumnKind::Ordered { .. } => ranges(counts, kind, max),
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

    /// Returns the number of groups.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Whether several codes share a group.
    pub(crate) fn is_coarser(&self) -> bool {
        self.count < self.group_of.len()
    }

    /// For an ordered column, returns whether each group has a place in the order.
    pub(crate) fn places(&self) -> Option<&[bool]> {
        self.places.as_deref()
    }

    /// Returns the groups of one column in the given rows. Learners and tests read codes only here.
    pub(crate) fn gather(&self, table: &Columns, attribute: AttributeId, rows: &[u32]) -> Vec<u8> {
        let codes = table.codes(attribute);
        rows.iter().map(|&row| self.group_of[codes.get(row as usize) as usize]).collect()
    }
}

/// Gives each of the most frequent codes a group, in the order of the codes, and the others the
/// last group.
fn most_frequent(counts: &[u64], max: usize) -> Vec<usize> {
    let mut codes: Vec<usize> = (0..counts.len()).collect();
    codes.sort_unstable_by_key(|&code| (Reverse(counts[code]), code));
    codes.truncate(max - 1);
    codes.sort_unstable();
    (0..counts.len()).map(|code| codes.binary_search(&code).unwrap_or(max - 1)).collect()
}

/// Cuts the codes into ranges with about equal numbers of rows. Codes without a place in the order
/// form the last group.
fn ranges(counts: &[u64], kind: ColumnKind, max: usize) -> Vec<usize> {
    let places: Vec<bool> = (0..).zip(counts).map(|(code, _)| kind.has_place(code)).collect();
    let rows: u64 = counts.iter().zip(&places).filter(|(_, place)| **place).map(|(&count, _)| count).sum();
    let all = if places.contains(&false) { max - 1 } else { max };
    let (mut below, mut open, mut group) = (0_u64, None, 0);
    let mut group_of = vec![0; counts.len()];
    for (code, &count) in counts.iter().enumerate().filter(|&(code, _)| places[code]) {
        // The number of a range follows from the share of rows below its first code. Codes beyond
        // the last row belong to the last range.
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
    fn few_codes_are_not_grouped() {
        let grouping = Grouping::new(&[5, 0, 1], ColumnKind::Categorical, 3);
        assert_eq!((grouping.group_of.as_slice(), grouping.count(), grouping.places()), (&[0, 1, 2][..], 3, None));
        assert!(!grouping.is_coarser());
        let grouping = Grouping::new(&[5, 0, 1], ColumnKind::Ordered { missing: Some(2) }, 3);
        assert_eq!(grouping.places(), Some(&[true, true, false][..]));
    }

    #[test]
    fn the_most_frequent_categories_have_groups_of_their_own() {
        let grouping = Grouping::new(&[1, 9, 0, 7, 7], ColumnKind::Categorical, 3);
        assert_eq!((grouping.group_of.as_slice(), grouping.count()), (&[2, 0, 2, 1, 2][..], 3));
        assert!(grouping.is_coarser());
    }

    #[test]
    fn ranges_have_about_equal_numbers_of_rows() {
        let grouping = Grouping::new(&[2, 2, 2, 2, 2, 2, 0], ORDERED, 3);
        assert_eq!(grouping.group_of, [0, 0, 1, 1, 2, 2, 2]);
        // Nine of ten rows have one code: what follows it is one range.
        assert_eq!(Grouping::new(&[18, 1, 1], ORDERED, 2).group_of, [0, 1, 1]);
        // Without rows there is one group.
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
