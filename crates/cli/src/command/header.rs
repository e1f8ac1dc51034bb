//! Warnings about the header line of a file.

use std::collections::BTreeMap;

use scumble::engine::{ColumnTypes, LeftOut, NamedBy};

use crate::terminal::Terminal;

/// Warns of a header that may be a title or a row, and of repeated column names: a schema cannot
/// say which of the columns it means.
pub(crate) fn warn_of_names(columns: &ColumnTypes, terminal: &Terminal) {
    if let Some(position) = columns.numeric_name() {
        terminal.warn(&format!(
            "the name of column {position} is a number: if the file has no header, name its columns, as in \
             `--column-names age,sex,region`"
        ));
    }
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in columns.names() {
        *times.entry(name).or_default() += 1;
    }
    if columns.named_by == NamedBy::FirstLine
        && let Some((name, 1)) = times.first_key_value().filter(|_| times.len() == 1)
    {
        terminal.warn(&only_column(name));
    }
    for (name, times) in times.into_iter().filter(|(_, times)| *times > 1) {
        if name.is_empty() {
            terminal.warn(&format!(
                "{times} columns have no name: if lines such as a title precede the header, name its line, as in \
                 `--header-row 3`"
            ));
            continue;
        }
        terminal.warn(&format!(
            "the header has `{name}` {times} times, but a column of the schema must occur once in the data: rename all but one \
             of them in the file, or leave `{name}` out of the schema"
        ));
    }
}

/// Notes which columns are left out, because they cannot be learned.
pub(crate) fn note_left_out(columns: &ColumnTypes, terminal: &Terminal) {
    for (position, why) in columns.left_out() {
        let name = columns.names().nth(position - 1).unwrap_or_default();
        terminal.note(&match why {
            LeftOut::Nameless => format!(
                "column {position} has no name, and is left out as a column of row numbers or of nothing; to keep it, name \
                 it in the file"
            ),
            LeftOut::Type(of) => format!(
                "column `{name}` has the type `{of}`, and is left out: its values cannot be modelled; to keep them, split \
                 them into plain columns"
            ),
        });
    }
}

/// Describes a table of one column, which may be a title.
pub(crate) fn only_column(name: &str) -> String {
    // A file without a header could have a long first line.
    let name: String = name.chars().take(40).collect();
    format!(
        "the table has one column, `{name}`: if that is a title, name the line of the header, as in `--header-row 3`"
    )
}
