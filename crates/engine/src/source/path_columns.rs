//! Columns in the paths of files: `sales/year=2024/region=north/part-0.parquet`.
//!
//! Programs that write a table for a data lake may put a column into the names of directories and
//! leave it out of the files. A directory `column=value` below a named input gives every row of its
//! files this value. It is a text, read by the rules of a field of a CSV file.
//!
//! # Privacy
//! The name of such a directory holds a value of rows. Messages show it as `column=…`.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::ScalarValue;
use object_store::path::Path as StorePath;

use crate::error::ColumnProblem;

/// Value of a directory whose rows have none.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";
/// Stands for a value in messages.
const REDACTED: &str = "…";

/// The columns that the path of one file has, and their values.
///
/// `Debug` prints the names only.
#[derive(Clone, Default)]
pub(crate) struct PathColumns(Vec<(String, Option<Vec<u8>>)>);

impl PathColumns {
    /// Returns the columns of the directories below an input, outermost first.
    pub(crate) fn of<'a>(directories: impl IntoIterator<Item = Cow<'a, str>>) -> Self {
        Self(directories.into_iter().filter_map(|directory| parse(&directory)).collect())
    }

    /// Returns these columns, of which none is repeated.
    pub(crate) fn of_values(columns: impl IntoIterator<Item = (String, Option<Vec<u8>>)>) -> Self {
        Self(columns.into_iter().collect())
    }

    /// Returns the names, outermost first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the value of a column, if the path has it.
    ///
    /// Two directories of one name are refused: either could be the one that is meant.
    pub(crate) fn value(&self, name: &str) -> Result<Option<ScalarValue>, ColumnProblem> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(ColumnProblem::Repeated),
            (found, None) => Ok(found.map(|value| ScalarValue::Binary(value.clone()))),
        }
    }
}

impl fmt::Debug for PathColumns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.names()).finish()
    }
}

/// Returns a column of values from paths. They are bytes, as in CSV files.
pub(crate) fn path_field(name: &str) -> FieldRef {
    Arc::new(Field::new(name, DataType::Binary, true))
}

/// Parses the name of a directory. What follows the first `=` is the value.
fn parse(directory: &str) -> Option<(String, Option<Vec<u8>>)> {
    let (name, value) = directory.split_once('=')?;
    let name = String::from_utf8(decode(name)).ok().filter(|name| !name.is_empty())?;
    Some((name, (value != NULL).then(|| decode(value))))
}

/// Decodes `%` with two hexadecimal digits; any other `%` is an ordinary character.
pub(crate) fn decode(text: &str) -> Vec<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut rest = text.as_bytes();
    let mut decoded = Vec::with_capacity(rest.len());
    while let Some((&first, after)) = rest.split_first() {
        let code = match (first, after) {
            (b'%', [high, low, ..]) => {
                digit(high).zip(digit(low)).and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => None,
        };
        decoded.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    decoded
}

/// Returns whether an entry of a directory is not data. Only a directory of a column may begin with
/// `_`.
pub(crate) fn is_hidden(name: &str, is_directory: bool) -> bool {
    name.starts_with('.') || (name.starts_with('_') && !(is_directory && name.contains('=')))
}

/// Returns a part of a path for messages.
fn redacted(part: &str) -> Cow<'_, str> {
    match part.split_once('=') {
        Some((name, _)) => Cow::Owned(format!("{name}={REDACTED}")),
        None => Cow::Borrowed(part),
    }
}

/// A path at or below an input.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FoundPath<'a> {
    /// What the user named: all of the path, or the directory above what was found.
    pub(crate) named: &'a Path,
    /// What was found below it.
    pub(crate) below: &'a Path,
}

impl<'a> FoundPath<'a> {
    /// A path that the user named.
    pub(crate) fn named(path: &'a Path) -> Self {
        Self { named: path, below: Path::new("") }
    }

    pub(crate) fn to_path(self) -> PathBuf {
        if self.below.as_os_str().is_empty() { self.named.to_owned() } else { self.named.join(self.below) }
    }

    /// Returns the path for messages.
    pub(crate) fn shown(self) -> String {
        let below: PathBuf = self.below.iter().map(|part| redacted(&part.to_string_lossy()).into_owned()).collect();
        FoundPath { below: &below, ..self }.to_path().display().to_string()
    }

    /// Returns the columns of the directories that were found.
    pub(crate) fn columns(self) -> PathColumns {
        let directories = self.below.parent().into_iter().flat_map(Path::iter);
        PathColumns::of(directories.map(|part| part.to_string_lossy()))
    }
}

/// Returns the place of an object for messages: its first `named` parts as they are.
pub(crate) fn shown_object(location: &StorePath, named: usize) -> String {
    let parts = location.parts().enumerate();
    let parts = parts.map(
        |(place, part)| {
            if place < named { part.as_ref().to_owned() } else { redacted(part.as_ref()).into_owned() }
        },
    );
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the columns of the directories of an object below its first `named` parts.
pub(crate) fn object_columns(location: &StorePath, named: usize) -> PathColumns {
    let parts: Vec<String> = location.parts().map(|part| part.as_ref().to_owned()).collect();
    let directories = parts.len().saturating_sub(1);
    PathColumns::of(parts[..directories].iter().skip(named).map(|part| Cow::Borrowed(part.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(path: &str) -> PathColumns {
        FoundPath { named: Path::new("sales"), below: Path::new(path) }.columns()
    }

    /// A path without the column, one where it is null, and one with a value.
    #[expect(clippy::option_option, reason = "they are three results")]
    fn value(path: &str, name: &str) -> Option<Option<Vec<u8>>> {
        match columns(path).value(name).unwrap()? {
            ScalarValue::Binary(value) => Some(value),
            other => panic!("{other}"),
        }
    }

    fn text(path: &str, name: &str) -> Option<String> {
        value(path, name).map(|value| String::from_utf8(value.expect("not null")).unwrap())
    }

    #[test]
    fn directories_have_columns_and_the_name_of_a_file_has_none() {
        let path = "year=2024/other/region=north/part=0.parquet";
        assert_eq!(columns(path).names().collect::<Vec<_>>(), ["year", "region"]);
        assert_eq!(text(path, "year").unwrap(), "2024");
        assert_eq!(text(path, "region").unwrap(), "north");
        assert_eq!(value(path, "part"), None);
        assert_eq!(value("part-0.parquet", "year"), None);
        assert_eq!(FoundPath::named(Path::new("year=2024/a.csv")).columns().names().count(), 0);
        let object = StorePath::parse("lake/a=0/sales/year=2024/b=%2F/c=1.parquet").unwrap();
        assert_eq!(object_columns(&object, 3).names().collect::<Vec<_>>(), ["year", "b"]);
        assert_eq!(object_columns(&object, 6).names().count(), 0);
    }

    #[test]
    fn names_and_values_are_percent_encoded() {
        assert_eq!(text("a%20b=far%2C%20away%2f/x", "a b").unwrap(), "far, away/");
        assert_eq!(text("a=100%/x", "a").unwrap(), "100%");
        assert_eq!(text("a=%4/x", "a").unwrap(), "%4");
        assert_eq!(text("a=%zz%+f/x", "a").unwrap(), "%zz%+f");
        assert_eq!(text("a=%2541/x", "a").unwrap(), "%41", "decoded once");
        assert_eq!(text("a=b=c/x", "a").unwrap(), "b=c");
        assert_eq!(text("a=/x", "a").unwrap(), "");
        assert_eq!(text("a=Köln+Rom/x", "a").unwrap(), "Köln+Rom");
        assert_eq!(value("a=%FF/x", "a"), Some(Some(vec![0xFF])));
        assert_eq!(columns("=1/%FF=1/x").names().count(), 0);
    }

    #[test]
    fn one_name_stands_for_null() {
        assert_eq!(value("a=__HIVE_DEFAULT_PARTITION__/x", "a"), Some(None));
        assert_eq!(text("a=%5F_HIVE_DEFAULT_PARTITION__/x", "a").unwrap(), NULL);
        assert_eq!(text("a=NULL/x", "a").unwrap(), "NULL");
    }

    #[test]
    fn a_column_that_is_in_a_path_twice_is_refused() {
        assert_eq!(columns("a=1/b=2/a=1/x").value("a"), Err(ColumnProblem::Repeated));
        assert_eq!(text("a=1/b=2/a=1/x", "b").unwrap(), "2");
    }

    #[test]
    fn messages_show_no_value_of_a_directory_that_was_found() {
        let found = FoundPath { named: Path::new("a=1/sales"), below: Path::new("b=4711/c=x=y/plain/d=8.csv") };
        assert_eq!(found.shown(), "a=1/sales/b=…/c=…/plain/d=…");
        assert_eq!(found.to_path(), Path::new("a=1/sales/b=4711/c=x=y/plain/d=8.csv"));
        assert_eq!(FoundPath::named(Path::new("b=4711/a.csv")).shown(), "b=4711/a.csv");
        assert_eq!(FoundPath::named(Path::new("sales/")).shown(), "sales/");
        let object = StorePath::parse("a=1/sales/b=4711/x.parquet").unwrap();
        assert_eq!(shown_object(&object, 2), "a=1/sales/b=…/x.parquet");
        assert_eq!(format!("{:?}", found.columns()), r#"["b", "c"]"#);
    }

    #[test]
    fn directories_of_columns_are_data_whatever_they_begin_with() {
        assert!(!is_hidden("_year=2024", true) && !is_hidden("year=2024", true));
        for (name, is_directory) in [("_temporary", true), ("_a=1.csv", false), (".a=1", true), (".crc", false)] {
            assert!(is_hidden(name, is_directory), "{name}");
        }
    }
}
