//! The replay battery: what every mechanism has to pass before it may see real rows.
//!
//! # What it is for
//! A mechanism that learns about rows through the vault alone cannot tell neighbouring tables apart once the same values
//! are released for both. So it is run on a table, and what the vault released is forced on a second run, on a
//! neighbouring table. The two runs have to ask the same questions and leave the same artefacts, byte for byte, and no exact
//! answer may be further from its neighbour's than the sensitivity it was charged for. Whatever leaks around the budget
//! shows as a difference: a branch on a count, a row count in a log line, a table size that follows the data.
//!
//! It does not look at noise: a scale that is wrong by a factor, or a bad source of randomness, is for other tests.
//!
//! # One line per mechanism
//! A mechanism becomes a [`Subject`], and [`replay_battery!`] makes a module of tests of it, one per [`Part`]:
//! ```
//! use std::error::Error;
//! use scumble_schema::Schema;
//! use scumble_testing::{Artefacts, Subject, replay_battery};
//! use scumble_vault::{Accounting, Adjacency, Budget, Vault};
//!
//! /// Measures every column and publishes the tables.
//! struct Columns;
//!
//! impl<A: Adjacency, M: Accounting> Subject<A, M> for Columns {
//!     fn run(&self, mut vault: Vault<A, M>, budget: Budget<A, M>, schema: &Schema) -> Result<Artefacts, Box<dyn Error>> {
//!         let tables = vault.measure(&schema.domain().one_way(), budget)?;
//!         Ok(Artefacts::new().with("tables", format!("{tables:?}")).with("certificate", format!("{:?}", vault.close())))
//!     }
//! }
//!
//! replay_battery!(columns, Columns, [pure, gdp, zcdp]);
//! ```
//!
//! # Its main types
//! - [`Subject`] is a mechanism under test, [`Artefacts`] is everything that leaves a run of it.
//! - [`Part`] is a set of pairs of neighbouring tables; [`Part::check`] replays them all, and [`battery`] all parts.
//! - [`Report`] says what was checked, [`Alarm`] what differed first, and how.
//! - [`Rows`] is a source of counts that holds its rows in the open.
//!
//! # What it refuses to be
//! Part of the program: it is a dependency of tests only, and a test of the workspace fails if a room depends on it.

#[cfg(all(feature = "planted-bugs", not(debug_assertions)))]
compile_error!("the feature `planted-bugs` makes mechanisms that leak: it is for tests and no release build has it");

mod alarm;
mod artefacts;
mod battery;
mod macros;
mod part;
mod replay;
mod rows;
mod subject;
mod tables;
#[cfg(feature = "planted-bugs")]
pub mod toy;

pub use alarm::{Alarm, Difference};
pub use artefacts::Artefacts;
pub use battery::{Report, assert_part, battery};
pub use part::{Neighbours, Part};
pub use replay::Replay;
pub use rows::Rows;
pub use subject::Subject;
pub use tables::{Row, Table, integers};

/// What the macro names, whatever the caller has in scope.
#[doc(hidden)]
pub mod named {
    pub use scumble_vault::{AddRemove, Gdp, Pure, ReplaceOne, Zcdp};
}
