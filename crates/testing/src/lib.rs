//! The replay battery: the test that every mechanism must pass before it sees real rows.
//!
//! # What it is for
//! A mechanism that learns about rows through the vault alone cannot distinguish neighbouring
//! tables if the same values are released for both. So the battery runs it on a table, and forces
//! the released values on a second run on a neighbouring table. Both runs must ask the same
//! questions and leave the same artefacts, byte for byte, and no exact answer may be further from
//! its neighbour's than the sensitivity it was charged for. A leak around the budget shows as a
//! difference: a branch on a count, a row count in a log line, a table size that depends on the
//! data.
//!
//! The battery does not check noise: other tests find a wrong scale or a bad source of randomness.
//!
//! # One line per mechanism
//! Implement [`Subject`] for the mechanism. [`replay_battery!`] makes a module with one test per
//! [`Part`]:
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
//! - [`Part`] is a set of pairs of neighbouring tables; [`Part::check`] replays them all, and
//!   [`battery`] all parts.
//! - [`Report`] counts the checks, [`Alarm`] is the first difference.
//! - [`json_schema::validate`] holds documents against a JSON Schema.
//! - [`RowSource`] is a source of counts that holds unprotected rows.
//!
//! # Tests only
//! This crate is a dependency of tests only. A test of the workspace fails if another crate depends
//! on it otherwise.

#[cfg(all(feature = "planted-bugs", not(debug_assertions)))]
compile_error!("the feature `planted-bugs` makes mechanisms that leak: it is for tests and no release build has it");

mod alarm;
mod artefacts;
mod battery;
pub mod json_schema;
mod macros;
mod part;
mod replay;
mod row_source;
mod subject;
mod tables;
#[cfg(feature = "planted-bugs")]
pub mod toy;

pub use alarm::{Alarm, Difference};
pub use artefacts::Artefacts;
pub use battery::{Report, assert_part, battery};
pub use part::{BatteryAdjacency, Part};
pub use replay::Replay;
pub use row_source::RowSource;
pub use subject::Subject;
pub use tables::{Row, Table, integers};

/// Names that the macro uses, independent of the caller's scope.
#[doc(hidden)]
pub mod named {
    pub use scumble_vault::{AddRemove, Gdp, Pure, ReplaceOne, Zcdp};
}
