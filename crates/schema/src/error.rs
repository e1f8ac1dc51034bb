//! Errors of a schema, each with a hint.

use crate::limits;

/// A problem of a schema.
///
/// Messages name the column and the rule, and hints say what to write. They may quote the schema,
/// which is public, and never the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A problem of a column.
    #[error("column `{column}` {problem}")]
    Column {
        /// The column's name.
        column: String,
        /// What is wrong.
        problem: String,
        /// How to fix it.
        hint: String,
    },
    /// A problem of the table as a whole.
    #[error("{problem}")]
    Table {
        /// What is wrong.
        problem: String,
        /// How to fix it.
        hint: String,
    },
    /// The file cannot be parsed as a schema.
    #[error("not a schema: {problem}")]
    Syntax {
        /// The parser's message.
        problem: String,
        /// How to fix it.
        hint: String,
    },
    /// Too many columns.
    #[error("{columns} columns, at most {} are possible", limits::COLUMNS)]
    TooManyColumns {
        /// Number of columns.
        columns: usize,
    },
    /// A table would have too many cells.
    #[error(
        "a table over {attributes} columns would have {cells} cells, at most {} are possible",
        limits::CELLS_PER_TABLE
    )]
    TableTooLarge {
        /// Number of columns of the table.
        attributes: usize,
        /// Number of cells of the table.
        cells: u128,
    },
    /// A model would have too many cells.
    #[error("a model of this schema needs at least {cells} cells, at most {} are possible", limits::CELLS_PER_MODEL)]
    ModelTooLarge {
        /// Number of cells of the model.
        cells: u128,
        /// The columns with the most codes.
        largest: Vec<String>,
    },
}

impl SchemaError {
    /// A problem of a column.
    pub(crate) fn column(column: &str, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Column { column: column.into(), problem: problem.into(), hint: hint.into() }
    }

    /// A problem of the table as a whole.
    pub(crate) fn table(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Table { problem: problem.into(), hint: hint.into() }
    }

    /// How to fix the problem.
    pub fn hint(&self) -> String {
        match self {
            Self::Column { hint, .. } | Self::Table { hint, .. } | Self::Syntax { hint, .. } => hint.clone(),
            Self::TooManyColumns { .. } => "drop columns that you do not need in the synthetic table".into(),
            Self::TableTooLarge { .. } => {
                "measure fewer columns together, or declare wider bins or fewer categories".into()
            }
            Self::ModelTooLarge { largest, .. } => {
                format!(
                    "declare wider bins or fewer categories for the largest columns: {}",
                    largest.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    /// Whether the schema is valid but too large.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooManyColumns { .. } | Self::TableTooLarge { .. } | Self::ModelTooLarge { .. })
    }
}
