//! Parquet files, and the guard that checks what they claim.

use std::sync::LazyLock;

use scumble_schema::Schema;

use crate::rows::{COLUMNS, check_typed};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse(COLUMNS).expect("the schema is sound"));

/// A Parquet file is refused in one sentence, or every row is counted. What a decoder allocates
/// because of a claim is limited by the memory limit of the fuzzer.
pub fn parquet(bytes: &[u8]) {
    check_typed("rows.parquet", bytes, &SCHEMA);
}
