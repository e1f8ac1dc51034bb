//! Progress of a scan, in bytes.
//!
//! Bytes, not rows: the number of rows is private, and others may see the progress line on the
//! owner's screen. The size of the input files is known to their owner already.

use std::fmt;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

/// Name of the metric in which DataFusion's Parquet scan and our CSV scan count the bytes they
/// read.
pub(crate) const BYTES_SCANNED: &str = "bytes_scanned";

/// Progress of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes of the input that were read, before decompression. Columns that are not in the schema
    /// may be skipped, so a scan can end below the total; its last report then jumps to the total.
    pub bytes_read: u64,
    /// Total input bytes; of a database table, about its bytes on disk. 0 if unknown, as for a
    /// view.
    pub bytes_total: u64,
}

/// Receives progress, for the terminal of the data's owner only.
#[derive(Clone)]
pub struct ProgressSink(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSink {
    /// Calls `report` about ten times a second during a scan, and once at its end.
    pub fn new(report: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(report))
    }

    pub(crate) fn report(&self, progress: Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProgressSink(..)")
    }
}

/// Number of bytes that the scans of `plan` have read so far.
pub(crate) fn bytes_scanned(plan: &dyn ExecutionPlan) -> u64 {
    let own = plan.metrics().and_then(|metrics| metrics.sum_by_name(BYTES_SCANNED)).map_or(0, |sum| sum.as_usize());
    plan.children().into_iter().fold(own as u64, |sum, child| sum.saturating_add(bytes_scanned(child.as_ref())))
}
