//! Which rows of a model are drawn.

use clap::Args;

/// Which rows of a model are drawn; all without it.
#[derive(Debug, Args)]
pub(crate) struct PartOfRows {
    /// Only rows in which the column has this value: `sex=female`, one of several: `region=north|south`, nothing: `age=`, or
    /// on a number line the bins that lie within a range: `age=20..39`. May be given several times: all must hold. Without
    /// `--rows`, as many rows as the model expects of them
    #[arg(long = "where", value_name = "COLUMN=VALUE")]
    pub(crate) conditions: Vec<String>,
    /// Give the values of a column these shares, which sum to 1; values that are not named get none. With
    /// `COLUMN=@FILE` they are read from a CSV file with a value and a share in every line
    #[arg(long, value_name = "COLUMN=VALUE:SHARE,...")]
    pub(crate) rebalance: Option<String>,
}

impl PartOfRows {
    /// Whether the whole model is meant.
    pub(crate) fn is_everything(&self) -> bool {
        self.conditions.is_empty() && self.rebalance.is_none()
    }
}
