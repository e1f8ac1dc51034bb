//! Arguments for columns that no schema declares.

use std::num::NonZeroU32;

use clap::Args;
use scumble::mechanisms::columns::LearnShare;
use scumble::schema::TableTerms;

/// Privacy terms of a table without a schema.
#[derive(Debug, Args)]
pub(crate) struct RawTerms {
    /// Without a schema: the column that identifies people. All rows with the same value are one
    /// person, and the column itself is not modelled. By default, every row is a person
    #[arg(long, value_name = "COLUMN", conflicts_with = "schema")]
    unit: Option<String>,
    /// Without a schema: the most rows of one person. With `--unit` no more are used; without it
    /// you promise that there are no more. By default 1
    #[arg(long, value_name = "NUMBER", conflicts_with = "schema")]
    max_rows: Option<NonZeroU32>,
}

impl RawTerms {
    /// Returns the terms as a schema states them.
    pub(crate) fn table_terms(&self) -> TableTerms {
        TableTerms {
            privacy_unit: self.unit.clone(),
            max_contributions: self.max_rows.map(NonZeroU32::get),
            ..TableTerms::default()
        }
    }
}

/// The default share of the budget for learning, as [`LearnShare::default`] has it.
pub(super) const LEARN_SHARE: &str = "0.35";

/// Parses the share of the budget for learning.
pub(super) fn learn_share(text: &str) -> Result<LearnShare, String> {
    let share: f64 = text.parse().map_err(|_| "not a number, such as 0.35".to_owned())?;
    LearnShare::of(share).ok_or_else(|| "a share is at least 0.001 and at most 0.999".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_share_is_that_of_the_library() {
        assert_eq!(learn_share(LEARN_SHARE), Ok(LearnShare::default()));
    }
}
