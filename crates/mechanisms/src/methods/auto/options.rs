//! Options of `auto`.

use scumble_schema::{Domain, limits};
use scumble_vault::account::Share;
use serde::{Deserialize, Serialize};

use super::schedule::MAX_GROWTH;
use crate::error::MechanismError;
use crate::learning::merging::Merging;
use crate::mechanism::option::{check, check_column_count, share};
use crate::mechanism::workload::Workload;

/// Options of `auto`. The defaults had the smallest errors: see `docs/reproduction/privmrf.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Share of the budget for one table per column: from 0.001 to 0.999, in whole thousandths.
    pub one_way_share: f64,
    /// Share of every round for selecting its table: from 0.001 to 0.999, in whole thousandths.
    pub choice_share: f64,
    /// Rounds per column with an ordinary budget: from 0.1 to 10. A budget that is large for the
    /// number of rows has up to twice as many.
    pub rounds_per_column: f64,
    /// Budget of the last round, in multiples of that of the first: from 0.1 to 10.
    pub last_round: f64,
    /// Maximum number of columns of a table: from 2 to 16.
    pub most_columns: u32,
    /// Number of sets of three and more columns that are drawn as candidates, besides all pairs,
    /// and maximum number of candidates that a round considers: from 1 to 100,000.
    pub candidates: u32,
    /// Maximum number of cells of the model with an ordinary budget and normal effort, in all
    /// cliques of the tree of the measured tables: from 1,000 to 25,000,000. A larger budget has up
    /// to twice as many, and many rounds have fewer. Early rounds may use the share of it that the
    /// budget spent so far is.
    pub model_cells: u32,
    /// Weight of the expected error due to noise in the score of a table: from 0 to 100.
    pub noise_penalty: f64,
    /// Prior standard deviation of potentials, from 0.01 to 100: the smaller, the more is treated
    /// as noise. Without it, the model is the one nearest to the tables.
    pub spread: Option<f64>,
    /// Columns of more codes than this are grouped by neighbouring codes in all tables but their
    /// own: at least 2.
    pub large_column: u32,
    /// Number of groups of a large column, of about equally many rows by its own table: from 2 to
    /// 10,000.
    pub groups: u32,
    /// Maximum share of the budget for tables that the model cannot hold, and that only rows are
    /// moved towards: from 0 to 0.9. Less is used where noise would hide them. Without it there are
    /// none, as in models of version 0.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_share: Option<f64>,
    /// Whether parities of sets of columns are measured instead of tables, if all columns
    /// are binary and at most 23. Models of version 0.1 have none.
    #[serde(skip_serializing_if = "is_false")]
    pub parities: bool,
    /// Time that a fit may take: `low`, `normal` or `high`.
    #[serde(skip_serializing_if = "Effort::is_normal")]
    pub effort: Effort,
    /// Tables that are measured better than others, with weights.
    #[serde(skip_serializing_if = "Workload::is_empty")]
    pub workload: Workload,
}

/// Time that a fit may take, on a table of some twenty columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effort {
    /// About five seconds: a model of a tenth of the cells.
    Low,
    /// Up to half a minute.
    #[default]
    Normal,
    /// Some minutes: a model of ten times the cells.
    High,
}

impl Effort {
    /// Size of the model, relative to normal effort.
    pub(super) fn size(self) -> f64 {
        match self {
            Self::Low => 0.1,
            Self::Normal => 1.0,
            Self::High => 10.0,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            one_way_share: 0.1,
            choice_share: 0.07,
            rounds_per_column: 1.5,
            last_round: 2.0,
            most_columns: 6,
            candidates: 1_000,
            model_cells: 200_000,
            noise_penalty: 0.7,
            spread: Some(0.7),
            large_column: 1_024,
            groups: 64,
            row_share: Some(0.4),
            parities: true,
            effort: Effort::Normal,
            workload: Workload::default(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !*value
}

/// Maximum number of columns of a schema.
const MAX_COLUMNS: usize = 1_000;
/// Maximum number of cells of a model.
const MAX_MODEL_CELLS: f64 = limits::CELLS_PER_MODEL as f64;

impl Options {
    /// Rule by which values are merged, in all tables but those of their columns.
    pub(crate) fn merging(&self) -> Merging {
        Merging::Neighbours { of_more_than: self.large_column, groups: self.groups }
    }

    /// Refuses options out of their range, and tables with too many columns.
    pub(super) fn check_columns(&self, base: &Domain) -> Result<(), MechanismError> {
        self.check()?;
        self.workload.check(base)?;
        let hint = "leave out columns, or choose `independent`";
        check_column_count(base, MAX_COLUMNS, "in one model", hint)?;
        let (cells, max) = (base.sizes().iter().map(|&size| u128::from(size)).sum::<u128>(), limits::CELLS_PER_MODEL);
        if cells > max {
            let problem = format!("columns have {cells} values, at most {max} can be in one model");
            return Err(MechanismError::TooLarge { problem, hint: hint.into() });
        }
        Ok(())
    }

    /// Share of the budget for the tables of single columns.
    pub(super) fn one_way_share(&self) -> Result<Share, MechanismError> {
        share("one_way_share", self.one_way_share)
    }

    /// Share of a round for the selection.
    pub(super) fn choice_share(&self) -> Result<Share, MechanismError> {
        share("choice_share", self.choice_share)
    }

    fn check(&self) -> Result<(), MechanismError> {
        self.one_way_share()?;
        self.choice_share()?;
        check("rounds_per_column", self.rounds_per_column, 0.1, 10.0)?;
        check("last_round", self.last_round, 0.1, 10.0)?;
        check("most_columns", self.most_columns.into(), 2.0, 16.0)?;
        check("candidates", self.candidates.into(), 1.0, 100_000.0)?;
        check("model_cells", self.model_cells.into(), 1_000.0, MAX_MODEL_CELLS / MAX_GROWTH)?;
        check("noise_penalty", self.noise_penalty, 0.0, 100.0)?;
        check("spread", self.spread.unwrap_or(1.0), 0.01, 100.0)?;
        check("large_column", self.large_column.into(), 2.0, f64::from(u32::MAX))?;
        check("groups", self.groups.into(), 2.0, 10_000.0)?;
        check("row_share", self.row_share.unwrap_or(0.0), 0.0, 0.9)
    }
}
