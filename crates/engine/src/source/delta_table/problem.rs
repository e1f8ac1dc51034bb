//! Reasons why a Delta table cannot be read.

use crate::error::EngineError;

/// A reason why a table cannot be read. Versions, names of features and names of columns are
/// public.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DeltaProblem {
    /// No log.
    NoTable,
    /// Files are named without their table.
    Inside,
    /// No version at all.
    Empty,
    /// A version beyond the newest.
    TooNew { version: u64, newest: u64 },
    /// A file of the log is missing.
    Missing { version: u64 },
    /// The bytes of a file of the log.
    Damaged { version: u64 },
    /// A data file is missing.
    Removed { version: u64 },
    /// No data file.
    NoRows { version: u64 },
    /// A feature that changes what rows or columns mean.
    Feature(String),
    /// Rows that are marked as deleted inside of files.
    DeletionVectors,
    /// A file outside of the table.
    Outside,
}

impl DeltaProblem {
    /// Returns the error for the table that messages name `shown`.
    pub(super) fn of(self, shown: &str) -> EngineError {
        const REWRITE: &str = "write its rows to Parquet files with the program that made it, and name those";
        let (problem, hint) = match self {
            Self::NoTable => (
                format!("`{shown}` is not a Delta table, so it has no versions"),
                "a version such as `@v12` can follow only the folder that has the `_delta_log`",
            ),
            Self::Inside => (
                format!("`{shown}` is a Delta table, whose folder also holds files of older versions"),
                "name the folder of the table alone: only the files of its newest version are read",
            ),
            Self::Empty => (format!("the Delta table `{shown}` has no version yet"), "check the path"),
            Self::TooNew { version, newest } => {
                let problem = format!("the Delta table `{shown}` has no version {version}");
                return EngineError::config(problem, format!("its newest is {newest}"));
            }
            Self::Missing { version } => (
                format!("the log of the Delta table `{shown}` lacks version {version}"),
                "old versions may have been cleaned up, or the table was copied in part; name a newer version",
            ),
            Self::Damaged { version } => (
                format!("the log of the Delta table `{shown}` is damaged at version {version}"),
                "copy the table again; its own program can check it",
            ),
            Self::Removed { version } => (
                format!("files of version {version} of the Delta table `{shown}` are missing"),
                "`VACUUM` removes files of old versions; name a newer version, or copy the table again",
            ),
            Self::NoRows { version } => (
                format!("version {version} of the Delta table `{shown}` has no rows"),
                "name another version, such as `people@v12`",
            ),
            Self::Feature(name) => (
                format!("the Delta table `{shown}` needs a reader that knows `{name}`, which this one does not"),
                REWRITE,
            ),
            Self::DeletionVectors => (
                format!("rows of the Delta table `{shown}` are marked as deleted inside of its files"),
                "let its own program rewrite these files, as `REORG TABLE ... APPLY (PURGE)` does, and read the new version",
            ),
            Self::Outside => (format!("the Delta table `{shown}` has files outside of its folder"), REWRITE),
        };
        EngineError::config(problem, hint)
    }
}
