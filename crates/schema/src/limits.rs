//! Ceilings checked from the schema alone, before anything is allocated.
//!
//! Products are taken in `u128`, so that a hostile schema cannot wrap around and look small.

/// Most cells in one count table.
pub const CELLS_PER_TABLE: u128 = 10_000_000;
/// Most cells in one model, over all its tables.
pub const CELLS_PER_MODEL: u128 = 50_000_000;
/// Most columns in one schema.
pub const COLUMNS: usize = 10_000;
/// Most codes in one column.
pub const CATEGORIES: u128 = 1 << 20;
/// Most bytes of one field that are read; a longer field is an unknown value.
pub const FIELD_BYTES: usize = 1 << 20;
/// Most bytes in a schema file.
pub const SCHEMA_FILE_BYTES: u64 = 32 << 20;
/// Most noisy tables in one file.
pub const TABLES: usize = 100_000;
/// Most bytes in a file of noisy tables: room for fifty million counts of ten digits.
pub const MARGINALS_FILE_BYTES: u64 = 512 << 20;
/// Most rules between columns in one schema.
pub const RULES: usize = 1_000;
/// Most combinations of codes that one rule is about.
pub const CELLS_PER_RULE: u128 = 1_000_000;
/// Most combinations of codes that all rules are about.
pub const CELLS_OF_RULES: u128 = 10_000_000;
