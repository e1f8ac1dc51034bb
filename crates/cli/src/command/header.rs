//! Warnings about the header line of a file.

use std::collections::BTreeMap;

use crate::terminal::Terminal;

/// Warns of repeated column names: a schema cannot say which of the columns it means.
pub(crate) fn warn_of_repeated_names<'a>(names: impl Iterator<Item = &'a String>, terminal: &Terminal) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *times.entry(name).or_default() += 1;
    }
    for (name, times) in times.into_iter().filter(|(_, times)| *times > 1) {
        terminal.warn(&format!(
            "the header has `{name}` {times} times, but a column of the schema must occur once in the data: rename all but one \
             of them in the file, or leave `{name}` out of the schema"
        ));
    }
}
