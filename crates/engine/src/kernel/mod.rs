//! The counting kernel: exact dense tables over columns of codes, as fast as the cache allows.
//!
//! * `cover` chooses which tables to count, so that one increment serves many wanted tables;
//! * [`CountPlan`] is that choice, with everything computed before a row is seen;
//! * [`Counter`] runs over rows and keeps the counts;
//! * `margin` sums the wanted tables out of the counted ones.
//!
//! It knows codes and sizes, and nothing of files, threads or DataFusion. It is safe Rust: a key of 16 bits cannot
//! leave a table that has room for all keys of 16 bits, so the compiler has no bound to check in the loop that matters.

mod counter;
mod cover;
mod keys;
mod margin;
mod plan;

pub(crate) use counter::BLOCK_ROWS;
pub use counter::{Codes, Counter, KernelError};
pub use plan::CountPlan;
pub(crate) use plan::table_len;
