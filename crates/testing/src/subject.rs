//! A mechanism under test.

use std::error::Error;

use scumble_schema::Schema;
use scumble_vault::{Accounting, Adjacency, Budget, Vault};

use crate::artefacts::Artefacts;
#[cfg(feature = "planted-bugs")]
use crate::row_source::RowSource;

/// A mechanism under test, for adjacency `A` and accounting `M`.
///
/// Implement it for every adjacency and accounting that the mechanism supports. It gets an open
/// vault and never rows, and must not keep state between runs.
pub trait Subject<A: Adjacency, M: Accounting> {
    /// Runs the mechanism: spends `budget`, closes the vault, and returns everything that would
    /// leave the program.
    ///
    /// # Errors
    /// An error is an artefact: its text and those of its causes must be the same for neighbours.
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>>;

    /// Passes the rows of the next run to the mechanism, and returns the rows to use. For planted
    /// bugs only.
    #[cfg(feature = "planted-bugs")]
    #[doc(hidden)]
    fn leak(&self, rows: RowSource) -> RowSource {
        rows
    }
}
