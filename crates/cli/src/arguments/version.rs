//! What `--version` says: enough to know what a report is about.

/// The version, the commit it was built from if that is known, and what it can read and run on.
pub(super) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    env!("SCUMBLE_COMMIT"),
    "\nreads csv, tsv, xlsx, zip, parquet, arrow, s3, postgresql; runs on this machine or on a Ballista cluster\n",
    env!("SCUMBLE_PROFILE"),
    " build",
    env!("SCUMBLE_FEATURES"),
);
