//! Tables that can be counted.

pub(crate) mod chunks;
pub(crate) mod code_files;
pub(crate) mod coded;
pub mod exact;
pub(crate) mod kept;
pub(crate) mod rows;
pub(crate) mod table_scan;
