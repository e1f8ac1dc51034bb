//! Models and certificates in words, from released values and public facts only.
//!
//! Everything here may be published as it is. This room cannot reach a row: it takes a
//! [`Model`](scumble_mechanisms::Model), which holds none.
//!
//! - [`Summary`] is what `scumble inspect` shows, as data and, through [`Display`](std::fmt::Display), as text.
//! - [`LedgerSummary`] is what `scumble ledger show` shows.
//! - [`chart`] draws lines as SVG.
//! - [`guarantee`] says in one paragraph what a model promises, and who says so.

pub mod chart;
mod guarantee;
mod ledger;
mod summary;

pub use guarantee::guarantee;
pub use ledger::{JobSummary, LedgerSummary};
pub use summary::{BoundSummary, ColumnSummary, PairSummary, Share, Summary, TableSummary};
