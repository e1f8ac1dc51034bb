//! Options of reading.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::execution::object_store::ObjectStoreRegistry;

use crate::run::memory::MemoryLimit;
use crate::run::progress::ProgressSink;
use crate::run::remote::Remote;
use crate::source::input::Format;

/// How a table is read. No option changes what is counted; the defaults suit files on this machine.
///
/// ```
/// use scumble_engine::{MemoryLimit, ProgressSink, ReadOptions};
///
/// let options = ReadOptions {
///     memory_limit: Some(MemoryLimit::of_bytes(2 << 30)),
///     progress: Some(ProgressSink::new(|progress| eprintln!("{} bytes read", progress.bytes_read))),
///     ..ReadOptions::default()
/// };
/// assert!(options.remote.is_none(), "this process counts");
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// Format of all inputs; by default, their names decide.
    pub format: Option<Format>,
    /// Number of threads; by default, the number of cores. Counts do not depend on it.
    pub threads: Option<usize>,
    /// Receives the progress of each scan.
    pub progress: Option<ProgressSink>,
    /// Memory limit; by default, half of the machine's memory.
    pub memory_limit: Option<MemoryLimit>,
    /// Directory of private files for rows that exceed the memory limit; by default, the system's
    /// temporary directory.
    pub spill_directory: Option<PathBuf>,
    /// Counts on other machines instead of in this process. Files and objects only; each query is a
    /// scan of its own.
    pub remote: Option<Arc<dyn Remote>>,
    /// Object stores for inputs such as `s3://bucket/people.parquet`; by default, none.
    pub stores: Option<Arc<dyn ObjectStoreRegistry>>,
}

impl ReadOptions {
    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, Into::into)).max(1)
    }

    pub(crate) fn memory_limit(&self) -> MemoryLimit {
        self.memory_limit.unwrap_or_else(MemoryLimit::of_this_machine)
    }
}
