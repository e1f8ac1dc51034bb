//! Input and output of files, encoding in the scan, and counts for the vault: the public part of
//! `scumble-engine`.
//!
//! Exact counts leave the engine sealed. Its `exact` module, which evaluation and tests use, is not
//! re-exported, so code that depends on this crate alone cannot access exact counts of a private
//! table:
//!
//! ```compile_fail,E0599
//! # use scumble::engine::TableScan;
//! # use scumble::{Input, ReadOptions, Schema, schema::Clique};
//! # fn count(schema: &Schema) -> Result<(), Box<dyn std::error::Error>> {
//! let scan = TableScan::open(&[Input::new("people.csv")], schema, &ReadOptions::default())?;
//! let rows = scan.count_tables(&[Clique::empty()])?;
//! # Ok(()) }
//! ```

#[cfg(feature = "object-store")]
#[doc(inline)]
pub use scumble_engine::Stores;
#[doc(inline)]
pub use scumble_engine::{
    ClusterProblem, CodedTable, ColumnProblem, ColumnTypes, Damage, DatabaseProblem, DatabaseTable, EngineError,
    Format, Input, IoProblem, LeftOut, MemoryLimit, NamedBy, Progress, ProgressSink, ReadOptions, Remote, TableScan,
    TableWriter, column_types, remove_private_files,
};
