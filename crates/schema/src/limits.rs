//! Limits that are checked from the schema alone, before anything is allocated.
//! Products are computed in `u128`, so that a hostile schema cannot overflow and look small.

/// Maximum number of cells of a count table.
pub const CELLS_PER_TABLE: u128 = 10_000_000;
/// Maximum number of cells of a model, over all its tables.
pub const CELLS_PER_MODEL: u128 = 50_000_000;
/// Maximum number of columns of a schema.
pub const COLUMNS: usize = 10_000;
/// Maximum number of codes of a column.
pub const CATEGORIES: u128 = 1 << 20;
/// Maximum size of a field in bytes; a longer field is an unknown value.
pub const FIELD_BYTES: usize = 1 << 20;
/// Maximum size of a schema file in bytes.
pub const SCHEMA_FILE_BYTES: u64 = 32 << 20;
/// Maximum number of noisy tables in one file.
pub const TABLES: usize = 100_000;
/// Maximum size of a file of noisy tables in bytes: fifty million counts of ten digits.
pub const MARGINALS_FILE_BYTES: u64 = 512 << 20;
/// Maximum number of rules of a schema.
pub const RULES: usize = 1_000;
/// Maximum number of cells of one rule.
pub const CELLS_PER_RULE: u128 = 1_000_000;
/// Maximum number of cells of all rules.
pub const CELLS_OF_RULES: u128 = 10_000_000;
