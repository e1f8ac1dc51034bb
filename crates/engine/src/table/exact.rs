//! Exact counts and codes of rows, in the open.
//!
//! # Privacy
//! What this module returns is not private, and no budget pays for it. It serves
//! `scumble-evaluate`, whose every output is stamped NOT DIFFERENTIALLY PRIVATE; the verification
//! of release bundles, which counts published rows; and tests. The `scumble` crate does not export
//! it, and a test of that crate (`tests/rooms.rs`) fails if other product code uses it.

use scumble_schema::{Clique, CodeColumn, Recoding};

use crate::error::EngineError;
use crate::push_down::DatabaseTable;
use crate::table::coded::CodedTable;
use crate::table::table_scan::TableScan;

/// Exact counts of a table.
///
/// # Privacy
/// See the [module](self): these counts are private unless the rows are public.
pub trait ExactCounts {
    /// Exact counts over the cells of each clique, of the columns of `recoding` if there is one.
    fn count_exactly(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError>;

    /// Exact counts over the cells of each clique, in the order of [`scumble_schema::cells`].
    fn count_tables(&self, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.count_exactly(None, cliques)
    }

    /// Exact counts over the cells of each clique of the columns of `recoding`. Rows are recoded
    /// while they are counted, so a clique of bits needs few cells.
    fn count_recoded_tables(&self, recoding: &Recoding, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.count_exactly(Some(recoding), cliques)
    }
}

impl ExactCounts for TableScan {
    fn count_exactly(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.exact(recoding, cliques)
    }
}

impl ExactCounts for CodedTable {
    fn count_exactly(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.exact(recoding, cliques)
    }
}

impl ExactCounts for DatabaseTable {
    fn count_exactly(&self, recoding: Option<&Recoding>, cliques: &[Clique]) -> Result<Vec<Vec<u64>>, EngineError> {
        self.exact(recoding, cliques)
    }
}

/// Returns the codes of all rows in memory, column by column in the order of the schema.
///
/// With one thread, rows are in the order of the inputs, so that a seed draws the same rows from
/// them each time. With several, the order depends on the threads.
///
/// # Privacy
/// These are the rows themselves; see the [module](self).
pub fn code_columns(scan: &TableScan) -> Result<Vec<CodeColumn>, EngineError> {
    scan.code_columns()
}
