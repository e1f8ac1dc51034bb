//! Errors of external tables.

use scumble_schema::printable;

/// An error of external tables.
///
/// Messages name the table, by its place in the file, and its columns. They quote no count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MarginalsError {
    /// The file cannot be read or written.
    #[error("cannot use the file of tables `{path}`: {problem}")]
    File {
        /// The file.
        path: String,
        /// Why.
        problem: String,
    },
    /// The bytes are not a file of tables.
    #[error("not a file of noisy tables: {problem}")]
    Syntax {
        /// What is wrong, and where.
        problem: String,
    },
    /// The privacy statement is invalid.
    #[error("the privacy statement {problem}")]
    Statement {
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// A table is invalid.
    #[error("table {place}{columns} {problem}")]
    Table {
        /// Its position in the file, from 1.
        place: usize,
        /// Its columns, in brackets.
        columns: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// Columns of the schema are in no table.
    #[error(
        "no table has {}{}",
        named.iter().map(|name| format!("`{}`", printable(name))).collect::<Vec<_>>().join(", "),
        if *more > 0 { format!(" and {more} more columns") } else { String::new() }
    )]
    LeftOut {
        /// Names of the first of them.
        named: Vec<String>,
        /// Number of further columns.
        more: usize,
    },
    /// The tables were read with another schema than the one to be fitted.
    #[error("the tables were read with another schema")]
    OtherSchema,
    /// A model has no table that can be exported.
    #[error("the model has no noisy table over columns of its schema")]
    NoTables,
    /// The tables, or the model of them, would not fit.
    #[error("{problem}")]
    TooLarge {
        /// What is too large.
        problem: String,
    },
}

impl MarginalsError {
    pub(crate) fn too_large(problem: String) -> Self {
        Self::TooLarge { problem }
    }

    pub(crate) fn statement(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Statement { problem: problem.into(), hint: hint.into() }
    }

    /// Says what to do about the error.
    pub fn hint(&self) -> &str {
        match self {
            Self::File { .. } => "check the path and its permissions",
            Self::Syntax { .. } => "compare with what `scumble marginals MODEL -o FILE` writes",
            Self::Statement { hint, .. } | Self::Table { hint, .. } => hint,
            Self::LeftOut { .. } => {
                "add a table that has them, or remove them from the schema: columns without counts are not generated"
            }
            Self::OtherSchema => "read the tables with the schema that is fitted",
            Self::NoTables => "fit with a method that measures tables, such as `independent` or `auto`",
            Self::TooLarge { .. } => "give fewer or smaller tables, or coarsen the columns with most codes",
        }
    }
}
