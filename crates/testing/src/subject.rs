//! A mechanism under test.

use std::error::Error;

use scumble_schema::Schema;
use scumble_vault::{Accounting, Adjacency, Budget, Vault};

use crate::artefacts::Artefacts;
#[cfg(feature = "planted-bugs")]
use crate::rows::Rows;

/// A mechanism under test, for neighbours `A` and accounting `M`.
///
/// Implement it for all that the mechanism is made for. It gets an open vault and never rows; one that keeps
/// anything from one run to the next does not belong here.
pub trait Subject<A: Adjacency, M: Accounting> {
    /// One whole run: spend `budget`, close the vault, and hand over everything that would leave the program.
    ///
    /// # Errors
    /// An error is an artefact like others: its text, with those of its causes, has to be the same for neighbours.
    fn run(&self, vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>>;

    /// For planted bugs only: shows the rows of the coming run to the mechanism, and takes what it makes of them.
    #[cfg(feature = "planted-bugs")]
    #[doc(hidden)]
    fn leak(&self, rows: Rows) -> Rows {
        rows
    }
}
