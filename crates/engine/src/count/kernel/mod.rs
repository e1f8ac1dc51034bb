//! The counting kernel: exact dense tables over columns of codes, as fast as the cache allows.
//!
//! * `cover` selects the tables to count, so that one increment serves many requested tables;
//! * [`CountPlan`] holds that selection, with everything computed before rows are read;
//! * [`Counter`] reads rows and keeps the counts;
//! * `margin` sums the requested tables from the counted ones.
//!
//! It handles codes and sizes, and knows nothing of files, threads or DataFusion. It is safe Rust:
//! a table with room for all 16-bit keys needs no bounds check in the inner loop.

mod counter;
mod cover;
mod keys;
mod margin;
mod plan;

pub(crate) use counter::BLOCK_ROWS;
pub use counter::{Codes, Counter, KernelError};
pub use plan::CountPlan;
pub(crate) use plan::table_len;
