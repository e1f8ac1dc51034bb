//! Names of the columns of files without a header.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::limits;

/// Names of the columns of files without a header, in the order of the files.
///
/// A command line separates them by commas. Spaces around a name do not belong to it.
///
/// ```
/// use scumble_schema::ColumnNames;
/// assert_eq!("age, sex".parse::<ColumnNames>()?.iter().collect::<Vec<_>>(), ["age", "sex"]);
/// assert!("age,age".parse::<ColumnNames>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct ColumnNames(Arc<[String]>);

impl ColumnNames {
    /// The names, in the order of the files.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

impl TryFrom<Vec<String>> for ColumnNames {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        if names.is_empty() {
            return Err("no names of columns are given".into());
        }
        if names.len() > limits::COLUMNS {
            return Err(format!("{} names of columns are given; {} are allowed", names.len(), limits::COLUMNS));
        }
        let mut seen = BTreeSet::new();
        for (index, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(format!("column {} has no name", index + 1));
            }
            // A line break would end the line of names.
            if name.contains(char::is_control) {
                return Err(format!("the name of column {} has a line break or another control character", index + 1));
            }
            if !seen.insert(name) {
                return Err(format!("two columns have the name `{name}`"));
            }
        }
        Ok(Self(names.into()))
    }
}

impl From<ColumnNames> for Vec<String> {
    fn from(names: ColumnNames) -> Self {
        names.0.to_vec()
    }
}

impl FromStr for ColumnNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::try_from(text.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>())
    }
}
