//! How far a scan has come, in bytes.
//!
//! Bytes and not rows: the number of rows is private, and a progress line is seen by whoever looks over the owner's
//! shoulder. The size of the input files is a matter of its owner already.

use std::fmt;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;

/// The metric under which DataFusion's Parquet scan, and our CSV scan, count what they read.
pub(crate) const BYTES_SCANNED: &str = "bytes_scanned";

/// How far a scan has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// How many bytes of the input were read, before decompression. Columns that are not in the schema may be passed over,
    /// so a scan can end below the total; its last report then jumps to the total.
    pub bytes_read: u64,
    /// How many bytes the input has; of a database table about as many as it has on disk. 0 if it cannot be told, as for a
    /// view.
    pub bytes_total: u64,
}

/// Something that is told about progress, for the terminal of the data's owner only.
#[derive(Clone)]
pub struct ProgressSink(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressSink {
    /// Calls `tell` now and then during a scan, and once at its end.
    pub fn new(tell: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn tell(&self, progress: Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for ProgressSink {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ProgressSink(..)")
    }
}

/// How many bytes the scans of `plan` have read so far.
pub(crate) fn bytes_scanned(plan: &dyn ExecutionPlan) -> u64 {
    let own = plan.metrics().and_then(|metrics| metrics.sum_by_name(BYTES_SCANNED)).map_or(0, |sum| sum.as_usize());
    plan.children().into_iter().fold(own as u64, |sum, child| sum.saturating_add(bytes_scanned(child.as_ref())))
}
