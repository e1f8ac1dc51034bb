//! Arguments that select the rows to draw from a model.

use clap::Args;

/// The rows to draw from a model; by default, all.
#[derive(Debug, Args)]
pub(crate) struct RowSelection {
    /// Draw only rows that match: one value `sex=female`, several values `region=north|south`,
    /// missing `age=`, or the bins within a range of numbers `age=20..39`. May be repeated; all
    /// conditions must hold. Without `--rows`, draws the number of matching rows that the model
    /// expects
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    pub(crate) conditions: Vec<String>,
    /// Shares of the values of a column, which sum to 1; values that are not listed get 0.
    /// `COLUMN=@FILE` reads them from a CSV file with a value and a share on each line
    #[arg(long, value_name = "COLUMN=VALUE:SHARE,...")]
    pub(crate) rebalance: Option<String>,
}

impl RowSelection {
    /// Returns whether rows of the whole model are drawn.
    pub(crate) fn is_everything(&self) -> bool {
        self.conditions.is_empty() && self.rebalance.is_none()
    }
}
