//! The text of `--version`: the facts that a bug report needs.

/// Version, commit if known, inputs and engines.
pub(super) const LONG: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    env!("SCUMBLE_COMMIT"),
    "\nreads csv, tsv, xlsx, zip, parquet, arrow, delta",
    env!("SCUMBLE_SOURCES"),
    "; runs on this machine",
    env!("SCUMBLE_ENGINES"),
    "\n",
    env!("SCUMBLE_PROFILE"),
    " build",
    env!("SCUMBLE_FEATURES"),
);
