//! Which tables are neighbours, as a type.

use std::fmt;
use std::num::NonZeroU32;

use scumble_schema::AdjacencyKind;

use super::Sensitivity;

mod sealed {
    pub trait Sealed {}
}

/// Which tables are neighbours. Budgets, vaults and events of different adjacency do not mix.
///
/// # Privacy
/// The sensitivities are those of PRIVACY-RULES section 2, times the most rows that one unit contributes.
pub trait Adjacency: sealed::Sealed + fmt::Debug + Send + Sync + 'static {
    /// The same fact as a value, for files.
    const KIND: AdjacencyKind;

    /// How far one unit can move a count table, as a squared L2 norm.
    fn count_table(max_contributions: NonZeroU32) -> Sensitivity;
}

/// Neighbours differ by the rows of one unit, added or removed. The number of rows is private.
#[derive(Debug)]
pub enum AddRemove {}

/// Neighbours differ by the rows of one unit, replaced by as many others. The number of rows is public.
#[derive(Debug)]
pub enum ReplaceOne {}

impl sealed::Sealed for AddRemove {}
impl sealed::Sealed for ReplaceOne {}

impl Adjacency for AddRemove {
    const KIND: AdjacencyKind = AdjacencyKind::AddRemove;

    /// `Δ² = m²`: the worst case is all `m` rows in one cell.
    fn count_table(max_contributions: NonZeroU32) -> Sensitivity {
        Sensitivity::from_squared(squared(max_contributions))
    }
}

impl Adjacency for ReplaceOne {
    const KIND: AdjacencyKind = AdjacencyKind::ReplaceOne;

    /// `Δ² = 2 m²`: the worst case is all `m` rows leaving one cell and arriving in another.
    fn count_table(max_contributions: NonZeroU32) -> Sensitivity {
        Sensitivity::from_squared(2 * squared(max_contributions))
    }
}

/// The square, which fits: `m < 2^32`.
fn squared(max_contributions: NonZeroU32) -> u128 {
    u128::from(max_contributions.get()).pow(2)
}

/// The sensitivity of a count table when the adjacency is only known as a value, as in a certificate.
pub(crate) fn count_table(kind: AdjacencyKind, max_contributions: NonZeroU32) -> Sensitivity {
    match kind {
        AdjacencyKind::AddRemove => AddRemove::count_table(max_contributions),
        AdjacencyKind::ReplaceOne => ReplaceOne::count_table(max_contributions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitivities_are_those_of_the_privacy_rules() {
        for (m, add_remove, replace_one) in
            [(1, 1, 2), (2, 4, 8), (10, 100, 200), (u32::MAX, (1 << 64) - (1 << 33) + 1, (1 << 65) - (1 << 34) + 2)]
        {
            let m = NonZeroU32::new(m).unwrap();
            assert_eq!(AddRemove::count_table(m).squared(), add_remove);
            assert_eq!(ReplaceOne::count_table(m).squared(), replace_one);
        }
    }

    #[test]
    fn no_neighbouring_table_is_further_away_than_its_sensitivity() {
        // All tables of three cells and at most four rows, all ways for a unit of at most two rows to join or be replaced.
        let m = 2;
        let tables = |rows: u64| (0..=rows).flat_map(move |a| (0..=rows - a).map(move |b| [a, b, rows - a - b]));
        let distance =
            |from: [u64; 3], to: [u64; 3]| (0..3).map(|i| u128::from(from[i].abs_diff(to[i])).pow(2)).sum::<u128>();
        let unit = NonZeroU32::new(m).unwrap();
        let (mut joined, mut replaced) = (0, 0);
        for rows in 0..=4 {
            for table in tables(rows) {
                for size in 0..=u64::from(m) {
                    for old in tables(size) {
                        let with = std::array::from_fn(|i| table[i] + old[i]);
                        joined = joined.max(distance(table, with));
                        for new in tables(size) {
                            let other = std::array::from_fn(|i| table[i] + new[i]);
                            replaced = replaced.max(distance(with, other));
                        }
                    }
                }
            }
        }
        assert_eq!(joined, AddRemove::count_table(unit).squared());
        assert_eq!(replaced, ReplaceOne::count_table(unit).squared());
    }
}
