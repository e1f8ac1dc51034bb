//! Errors of a schema, each with a hint.

use std::borrow::Cow;

use crate::limits;

/// Returns a text of a file as a message shows it: characters that control a terminal or the
/// direction of text are escaped. They could hide the message or forge another one.
///
/// ```
/// use scumble_schema::printable;
/// assert_eq!(printable("Zo\u{eb}"), "Zo\u{eb}");
/// assert_eq!(printable("\u{1b}[2J\n"), r"\u{1b}[2J\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if controls(letter) { escaped.extend(letter.escape_debug()) } else { escaped.push(letter) }
    }
    Cow::Owned(escaped)
}

/// Returns whether a character is no sign, but changes how others are shown.
fn controls(letter: char) -> bool {
    // Ends of lines and paragraphs, and the embeddings and isolates of both directions.
    letter.is_control() || matches!(letter, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// A problem of a schema.
///
/// Messages name the column and the rule, and hints say what to write. They may quote the schema,
/// which is public, [as printable text](printable), and never the data.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A problem of a column.
    #[error("column `{}` {}", printable(column), printable(problem))]
    Column {
        /// The column's name.
        column: String,
        /// What is wrong.
        problem: String,
        /// How to fix it.
        hint: String,
    },
    /// A problem of the table as a whole.
    #[error("{}", printable(problem))]
    Table {
        /// What is wrong.
        problem: String,
        /// How to fix it.
        hint: String,
    },
    /// The file cannot be parsed as a schema.
    #[error("not a schema: {}", printable(problem))]
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
            Self::Column { hint, .. } | Self::Table { hint, .. } | Self::Syntax { hint, .. } => {
                printable(hint).into_owned()
            }
            Self::TooManyColumns { .. } => "drop columns that you do not need in the synthetic table".into(),
            Self::TableTooLarge { .. } => {
                "measure fewer columns together, or declare wider bins or fewer categories".into()
            }
            Self::ModelTooLarge { largest, .. } => {
                format!(
                    "declare wider bins or fewer categories for the largest columns: {}",
                    largest.iter().map(|name| format!("`{}`", printable(name))).collect::<Vec<_>>().join(", ")
                )
            }
        }
    }

    /// Whether the schema is valid but too large.
    pub fn is_too_large(&self) -> bool {
        matches!(self, Self::TooManyColumns { .. } | Self::TableTooLarge { .. } | Self::ModelTooLarge { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Foreign, Schema};

    #[test]
    fn a_name_in_a_schema_cannot_control_a_terminal() {
        let field = r#"{name: "age\x1b[2J\r\u202e", type: integer, constraints: {minimum: 1, maximum: "x\x07"}}"#;
        for schema in [format!("fields: [{field}]"), format!("fields: [{field}, {field}]"), "\u{1b}[2J: \u{9b}".into()]
        {
            let problems = Schema::parse(&schema).unwrap_err();
            for problem in problems.list() {
                for text in [problem.to_string(), problem.hint()] {
                    assert_eq!(printable(&text), text);
                }
            }
        }
        let foreign = r#"{"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": {"a\u001b[2J": {"sdtype": "\u0007", "x\r": 1}}}"#;
        match Foreign::Sdv.import(foreign) {
            Ok(imported) => {
                assert!(!imported.losses.is_empty());
                let texts = imported.losses.iter().map(ToString::to_string);
                texts.for_each(|text| assert_eq!(printable(&text), text));
            }
            Err(problem) => assert_eq!(printable(&problem.to_string()), problem.to_string()),
        }
    }

    #[test]
    fn letters_and_marks_are_shown_as_they_are() {
        for text in ["", "Zoe\u{308}", "\u{645}\u{200c}\u{62e}", "a\\b `c` \"d\""] {
            assert_eq!(printable(text), text);
        }
    }
}
