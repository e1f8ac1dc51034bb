//! Which tables are neighbours, as a type.

use std::fmt;
use std::num::NonZeroU32;

use scumble_schema::AdjacencyKind;

use super::{RowUnits, Sensitivity};

mod sealed {
    pub trait Sealed {}
}

/// Which tables are neighbours. Budgets, vaults and events of different adjacency do not mix.
///
/// # Privacy
/// What follows for sensitivities is in [`sensitivity`](super::sensitivity).
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

    /// How far one unit can move a count table: [`Sensitivity::of_table`].
    fn count_table(max_contributions: NonZeroU32) -> Sensitivity<RowUnits> {
        Sensitivity::of_table(Self::KIND, max_contributions)
    }
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
}
