//! Which tables are neighbours, as a type.

use std::fmt;
use std::num::NonZeroU32;

use scumble_planted::Mutant;
use scumble_schema::AdjacencyKind;

use super::Sensitivity;

mod sealed {
    pub trait Sealed {}
}

/// Which tables are neighbours. Budgets, vaults and events of different adjacency do not mix.
///
/// # Privacy
/// The sensitivities are those that the notes beside the scores prove, times the most rows that one unit contributes.
pub trait Adjacency: sealed::Sealed + fmt::Debug + Send + Sync + 'static {
    /// The same fact as a value, for files.
    const KIND: AdjacencyKind;

    /// What a sensitivity may know of the number of rows: nothing where it is private, the number where it is public.
    type Rows: Copy + fmt::Debug + Send;

    /// What may be known of the number of rows, which is counted only where it is public.
    #[doc(hidden)]
    fn public_rows<E>(count: impl FnOnce() -> Result<u64, E>) -> Result<Self::Rows, E>;

    /// The same for files.
    #[doc(hidden)]
    fn declared_rows(rows: Self::Rows) -> Option<u64>;

    /// How far one unit can move a count table.
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
    type Rows = ();

    fn public_rows<E>(_count: impl FnOnce() -> Result<u64, E>) -> Result<(), E> {
        Ok(())
    }

    fn declared_rows((): ()) -> Option<u64> {
        None
    }

    /// `m` in L1 and `m²` in squared L2: the worst case is all `m` rows in one cell.
    fn count_table(max_contributions: NonZeroU32) -> Sensitivity {
        let m = u128::from(max_contributions.get());
        Sensitivity { l1: m, squared_l2: m * m }
    }
}

impl Adjacency for ReplaceOne {
    const KIND: AdjacencyKind = AdjacencyKind::ReplaceOne;
    type Rows = u64;

    fn public_rows<E>(count: impl FnOnce() -> Result<u64, E>) -> Result<u64, E> {
        count()
    }

    fn declared_rows(rows: u64) -> Option<u64> {
        Some(rows)
    }

    /// `2 m` in L1 and `2 m²` in squared L2: the worst case is all `m` rows leaving one cell and arriving in another.
    fn count_table(max_contributions: NonZeroU32) -> Sensitivity {
        if Mutant::ReplaceOneAsAddRemove.is_planted() {
            return AddRemove::count_table(max_contributions);
        }
        let m = u128::from(max_contributions.get());
        Sensitivity { l1: 2 * m, squared_l2: 2 * m * m }
    }
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
        let most = u128::from(u32::MAX);
        for m in [1, 2, 10, most] {
            let unit = NonZeroU32::new(u32::try_from(m).unwrap()).unwrap();
            assert_eq!(AddRemove::count_table(unit), Sensitivity { l1: m, squared_l2: m * m });
            assert_eq!(ReplaceOne::count_table(unit), Sensitivity { l1: 2 * m, squared_l2: 2 * m * m });
        }
    }

    #[test]
    fn no_neighbouring_table_is_further_away_than_its_sensitivity() {
        // All tables of three cells and at most four rows, all ways for a unit of at most two rows to join or be replaced.
        let m = 2;
        let tables = |rows: u64| (0..=rows).flat_map(move |a| (0..=rows - a).map(move |b| [a, b, rows - a - b]));
        let distance = |from: [u64; 3], to: [u64; 3], power: u32| {
            (0..3).map(|i| u128::from(from[i].abs_diff(to[i])).pow(power)).sum::<u128>()
        };
        let unit = NonZeroU32::new(m).unwrap();
        for (power, norm) in [(1, (|due| due.l1) as fn(Sensitivity) -> u128), (2, |due| due.squared_l2)] {
            let (mut joined, mut replaced) = (0, 0);
            for table in (0..=4).flat_map(tables) {
                for size in 0..=u64::from(m) {
                    for old in tables(size) {
                        let with = std::array::from_fn(|i| table[i] + old[i]);
                        joined = joined.max(distance(table, with, power));
                        for new in tables(size) {
                            let other = std::array::from_fn(|i| table[i] + new[i]);
                            replaced = replaced.max(distance(with, other, power));
                        }
                    }
                }
            }
            assert_eq!(joined, norm(AddRemove::count_table(unit)));
            assert_eq!(replaced, norm(ReplaceOne::count_table(unit)));
        }
    }
}
