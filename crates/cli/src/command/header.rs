//! What a header line says that a person should know before completing a schema.

use std::collections::BTreeMap;

use crate::terminal::Terminal;

/// Warns of names that stand more than once: which of the columns is meant cannot be said in a schema.
pub(crate) fn warn_of_repeated_names<'a>(names: impl Iterator<Item = &'a String>, terminal: &Terminal) {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *times.entry(name).or_default() += 1;
    }
    for (name, times) in times.into_iter().filter(|(_, times)| *times > 1) {
        terminal.warn(&format!(
            "the header names `{name}` {times} times, and a column of the schema must be in the data once: rename all but one \
             of them in the file, or leave `{name}` out of the schema"
        ));
    }
}
