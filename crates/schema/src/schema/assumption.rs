//! Assumptions of the guarantee that the program cannot enforce.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A statement by the table's owner that the guarantee depends on and the program cannot check.
/// The schema implies it, the model and the certificate record it, and every page that states the
/// guarantee repeats it.
///
/// ```
/// use scumble_schema::{Assumption, Schema};
/// let schema = Schema::parse("
/// dialect: {multiline: true}
/// fields: [{name: smoker, type: boolean}]
/// ")?;
/// assert_eq!(schema.assumptions(), [Assumption::MultilineRecords]);
/// # Ok::<(), scumble_schema::Problems>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Assumption {
    /// Quoted fields of text files may contain line breaks, so one record can change where others
    /// end. Records are independent only if every opening quote is closed.
    MultilineRecords,
    /// Bounds, bins or categories of a column were read off the rows without a release.
    DomainFromData,
}

impl Assumption {
    /// The assumption as a sentence, for pages that state the guarantee.
    pub fn statement(self) -> &'static str {
        match self {
            Self::MultilineRecords => {
                "Quoted fields of the text files may span lines: the guarantee assumes that the program that wrote the \
                 files closed every quote, so that no record changes how others are read."
            }
            Self::DomainFromData => {
                "Bounds, bins or categories were read off the real rows without a release: the guarantee does not cover \
                 them, and what they reveal about the rows is not bounded by epsilon."
            }
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.statement())
    }
}
