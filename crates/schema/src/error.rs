//! What can be wrong with a schema, and how to mend it.

use crate::limits;

/// A schema that cannot be used.
///
/// Messages name the column, the rule and the mend. They may quote the schema, which is public, and never the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A column breaks a rule.
    #[error("column `{column}` {problem}")]
    Column {
        /// The column's name.
        column: String,
        /// The rule it breaks.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// The table-wide part breaks a rule.
    #[error("{problem}")]
    Table {
        /// The rule it breaks.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// The file is not a schema.
    #[error("not a schema: {problem}")]
    Syntax {
        /// What the parser met.
        problem: String,
        /// What to do.
        hint: String,
    },
    /// There are more columns than we take.
    #[error("{columns} columns, at most {} are possible", limits::COLUMNS)]
    TooManyColumns {
        /// How many there are.
        columns: usize,
    },
    /// A table would have too many cells.
    #[error(
        "a table over {attributes} columns would have {cells} cells, at most {} are possible",
        limits::CELLS_PER_TABLE
    )]
    TableTooLarge {
        /// How many columns it spans.
        attributes: usize,
        /// How many cells it would have.
        cells: u128,
    },
    /// A model would have too many cells.
    #[error("a model of this schema needs at least {cells} cells, at most {} are possible", limits::CELLS_PER_MODEL)]
    ModelTooLarge {
        /// How many cells it needs.
        cells: u128,
        /// The columns with the most codes.
        largest: Vec<String>,
    },
}

impl SchemaError {
    /// A column that breaks a rule.
    pub(crate) fn column(column: &str, problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Column { column: column.into(), problem: problem.into(), hint: hint.into() }
    }

    /// A table-wide rule that is broken.
    pub(crate) fn table(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Table { problem: problem.into(), hint: hint.into() }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Column { hint, .. } | Self::Table { hint, .. } | Self::Syntax { hint, .. } => hint.clone(),
            Self::TooManyColumns { .. } => "leave out columns that need no synthetic copy".into(),
            Self::TableTooLarge { .. } => "measure fewer columns together, or coarsen them".into(),
            Self::ModelTooLarge { largest, .. } => {
                format!(
                    "coarsen the largest columns: {}",
                    largest.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    /// Whether the schema is sound but too large.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooManyColumns { .. } | Self::TableTooLarge { .. } | Self::ModelTooLarge { .. })
    }
}
