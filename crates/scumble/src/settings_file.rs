//! Small YAML and JSON files that people write: criteria, workloads.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use scumble_schema::{io_problem, limits};
use serde::de::DeserializeOwned;

/// Reads a file of at most the size of a schema file.
///
/// # Errors
/// If the file cannot be read or is longer, as a sentence.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let file = File::open(path).map_err(|error| io_problem(&error))?;
    let mut text = String::new();
    // One byte more than the limit detects a file that is too long without reading all of it.
    let mut start = file.take(limits::SCHEMA_FILE_BYTES + 1);
    start.read_to_string(&mut text).map_err(|error| io_problem(&error))?;
    if text.len() as u64 > limits::SCHEMA_FILE_BYTES {
        return Err(format!("longer than {} bytes", limits::SCHEMA_FILE_BYTES));
    }
    Ok(text)
}

/// Parses YAML, of which JSON is a part.
///
/// # Errors
/// If the text has another form or is nested too deeply, as a sentence.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_events: 4_000_000, max_nodes: 2_000_000, max_depth: 16, max_documents: 1 },
        with_snippet: false,
    };
    let parsed = serde_saphyr::from_str_with_options(text, options);
    parsed.map_err(|error| error.to_string().lines().next().unwrap_or("unreadable").to_owned())
}
