//! The neighbouring relation, as a type.

use std::fmt;
use std::num::NonZeroU32;

use scumble_schema::AdjacencyKind;

use super::{RowUnits, Sensitivity};

mod sealed {
    pub trait Sealed {}
}

/// The neighbouring relation. Budgets, vaults and events of different adjacency do not mix.
///
/// # Privacy
/// Sensitivities under each adjacency are in [`sensitivity`](super::sensitivity).
pub trait Adjacency: sealed::Sealed + fmt::Debug + Send + Sync + 'static {
    /// The adjacency as a value, for files.
    const KIND: AdjacencyKind;

    /// Public knowledge of the number of rows: `()` where it is private, the number where it is
    /// public.
    type Rows: Copy + fmt::Debug + Send;

    /// Returns the public knowledge of the number of rows. Calls `count` only where the number is
    /// public.
    #[doc(hidden)]
    fn public_rows<E>(count: impl FnOnce() -> Result<u64, E>) -> Result<Self::Rows, E>;

    /// Converts [`Self::Rows`] to an `Option`, for files.
    #[doc(hidden)]
    fn declared_rows(rows: Self::Rows) -> Option<u64>;

    /// Returns the sensitivity of a count table, see [`Sensitivity::of_table`].
    fn table_sensitivity(max_contributions: NonZeroU32) -> Sensitivity<RowUnits> {
        Sensitivity::of_table(Self::KIND, max_contributions)
    }
}

/// Neighbours differ by the rows of one unit, added or removed. The number of rows is private.
#[derive(Debug)]
pub enum AddRemove {}

/// Neighbours differ by the rows of one unit, replaced by the same number of others. The number of
/// rows is public.
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
