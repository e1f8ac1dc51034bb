//! Models and certificates in words, from released values and public facts only.
//!
//! Everything here may be published as it is. This room cannot reach a row: it takes a
//! [`Model`](scumble_mechanisms::Model), which holds none.
//!
//! - [`Summary`] is what `scumble inspect` shows, as data and, through [`Display`](std::fmt::Display), as text.
//! - [`LedgerSummary`] is what `scumble ledger show` shows.
//! - [`Plan`] is what `scumble plan` shows: what fits would come to.
//! - [`chart`] draws lines as SVG.
//! - [`public_page`] is the report that may be published, and [`page`] what such pages are made of.
//! - [`guarantee`] says in one paragraph what a model promises, and who says so; [`Explanation`] says it on a page, for
//!   readers who are no specialists, and [`Odds`] are the numbers on that page.
//! - [`picture`] draws which columns a model ties together.

pub mod chart;
mod explained;
mod guarantee;
mod ledger;
mod odds;
pub mod page;
mod picture;
mod plan;
mod public_page;
mod summary;
mod words;

pub use explained::{Explanation, Paragraph};
pub use guarantee::guarantee;
pub use ledger::{JobSummary, LedgerSummary};
pub use odds::{Curve, Odds, Suspicion};
pub use picture::picture;
pub use plan::{Plan, Refusal};
pub use public_page::public_page;
pub use summary::{BoundSummary, ColumnSummary, PairSummary, Share, Summary, TableSummary};
pub use words::releases;
