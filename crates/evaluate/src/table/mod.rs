//! Tables of codes in memory, and how they are read.

pub(crate) mod coded_file;
mod columns;
pub(crate) mod coverage;
#[cfg(test)]
pub(crate) mod fixture;
mod kind;
mod read;

pub use self::columns::Columns;
pub use self::kind::ColumnKind;
