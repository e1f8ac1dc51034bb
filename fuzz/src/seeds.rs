//! Folders of seeds and findings.

use std::path::PathBuf;

/// The folder of inputs to begin with.
pub const SEEDS: &str = "seeds";
/// The folder of inputs that once failed.
pub const FINDINGS: &str = "findings";

/// Returns the folder of a target's seeds or findings.
pub fn folder(of: &str, target: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), of, target].iter().collect()
}
