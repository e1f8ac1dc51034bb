//! Arrow files and streams, and the guard that checks what they claim.

use std::sync::LazyLock;

use scumble_schema::Schema;

use crate::rows::{COLUMNS, check_typed};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::parse(COLUMNS).expect("the schema is sound"));

/// An Arrow file or stream is refused in one sentence, or every row is counted.
pub fn arrow(bytes: &[u8]) {
    check_typed("rows.arrow", bytes, &SCHEMA);
}
